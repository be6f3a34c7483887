//! The commands of README and of the book's pages run as they stand there.
//!
//! Blocks marked `sh` run one after the other in a folder of their own, which holds `train.tsv`,
//! `test.tsv`, `more.csv` and `model.hapax`. Commands of blocks marked `console` name data sets
//! of some hundred megabytes; they run on small ones that stand in their places.

use super::folder::{Folder, ROWS};
use std::{
    env, fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// Blocks of these kinds show text; the tests named here read those that are programs.
const NOT_RUN: [(&str, &[&str]); 7] = [
    ("architecture.md", &["order", "text"]), // `cargo verify structure` reads the order
    ("library.md", &["rust"]),               // a test of hapax's documentation
    ("questions.md", &["python"]),           // `cargo verify python`
    ("serving.md", &["ini", "json"]),
    ("web.md", &["html", "js", "ts", "toml", "text", "sh"]), // `cargo verify web`
    // `sharing` runs sh, `cargo verify python` Python; HyperQueue and Kubernetes are not here.
    ("scale.md", &["bash", "yaml", "sh", "python"]),
    ("README.md", &["mermaid", "text"]),
];

/// Commands in `console` blocks that other parts run, or that need what is not here.
const ELSEWHERE: [&str; 4] = [
    "cargo",
    "mpirun",
    "native/tests/processes/two_hosts.sh",
    "hq",
];

/// README and all pages of the book.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages = vec![root.join("README.md")];
    for folder in ["docs", "docs/methods"] {
        let entries = fs::read_dir(root.join(folder)).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    pages.sort();
    pages
}

fn name(page: &Path) -> &str {
    page.file_name().unwrap().to_str().unwrap()
}

/// The fenced blocks: what they are marked with, and their lines.
fn blocks(markdown: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut block: Option<(&str, String)> = None;
    for line in markdown.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(mark)) => block = Some((mark, String::new())),
            (Some(_), Some("")) => blocks.extend(block.take()),
            (Some((_, text)), _) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(block.is_none(), "a block has no end");
    blocks
}

/// The commands behind `$ ` in a `console` block, with the lines that follow a backslash.
fn commands(block: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in block.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push(command.into());
        } else if goes_on {
            let last = commands.last_mut().unwrap();
            last.push('\n');
            last.push_str(line);
        } else {
            continue;
        }
        goes_on = line.ends_with('\\');
    }
    commands
}

/// 60 rows of five labels, some frequent features and some of their own.
fn small_rows() -> String {
    let mut rows = String::from("60 80 5\n");
    for row in 0..60 {
        let label = row % 5;
        let (own, other) = (2 * label, 10 + row);
        rows += &format!("{label} {own}:1 {}:0.5 {other}:0.25\n", own + 1);
    }
    rows
}

/// Lines of a label and a text.
fn small_texts(swapped: bool) -> String {
    let kinds = [
        ("arrival", "when does my new card arrive in the mail"),
        ("lost", "i lost my card somewhere on the way"),
        ("stolen", "somebody stole my card and my purse"),
        ("exchange", "which exchange rate do you use today"),
    ];
    let line = |number: usize| {
        let (label, text) = kinds[number % 4];
        let text = format!("{text} case {} of {}", number / 4, number % 7);
        match swapped {
            true => format!("{label}\t{text}\n"),
            false => format!("{text}\t{label}\n"),
        }
    };
    (0..80).map(line).collect()
}

/// What stands in for the data sets that a command names.
fn stand_in(folder: &Folder, command: &str) {
    for word in command.split_whitespace() {
        let path = word.replace("$DATA", "data").replace("$SET", "banking77");
        let contents = match &path {
            path if path.ends_with("labels.tsv.xz") => (0..5)
                .map(|label| format!("{label}\tx\tname {label}\n"))
                .collect(),
            path if path.ends_with(".raw.tsv.xz") => small_texts(true),
            path if path.ends_with(".txt.xz") => small_rows(),
            _ => continue,
        };
        let file = folder.path(&path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, contents).unwrap();
    }
}

/// Runs a script in the folder; servers are stopped when it ends.
fn run(folder: &Folder, script: &str) -> Output {
    let port = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port().to_string()
    };
    let (first, second) = (port(), port());
    let web = match cfg!(web_package) {
        true => "command hapax \"$@\"",
        false => "echo 'run cargo build-wasm first: hapax web is NOT TESTED'",
    };
    let prelude = format!(
        "servers=
        trap 'kill $servers 2>/dev/null || true' EXIT
        hapax() {{
            case \"$1 $*\" in
                serve*--listen*) command hapax \"$@\" & servers=\"$servers $!\" ;;
                serve*) command hapax \"$@\" --listen 127.0.0.1:{first} & servers=\"$servers $!\" ;;
                web*) {web} ;;
                *) command hapax \"$@\" ;;
            esac
        }}
        curl() {{ command curl -sS --fail --retry 30 --retry-delay 1 --retry-connrefused \"$@\"; }}
        "
    );
    let script = script
        .replace("127.0.0.1:8080", &format!("127.0.0.1:{first}"))
        .replace("127.0.0.1:9000", &format!("127.0.0.1:{second}"));
    let built = Path::new(env!("CARGO_BIN_EXE_hapax")).parent().unwrap();
    let others = env::var_os("PATH").unwrap_or_default();
    let path = [built.to_owned()]
        .into_iter()
        .chain(env::split_paths(&others));
    Command::new("sh")
        .args(["-e", "-c", &(prelude + &script)])
        .current_dir(folder.path(""))
        .env("PATH", env::join_paths(path).unwrap())
        .env("DATA", "data")
        .env("SET", "banking77")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs all blocks of a page in one folder: later ones use the files of earlier ones.
fn run_page(page: &Path) {
    let text = fs::read_to_string(page).unwrap();
    let page = name(page);
    let unrun = NOT_RUN.iter().find(|(named, _)| *named == page);
    let folder = Folder::new();
    folder.write("train.tsv", small_texts(false));
    folder.write("test.tsv", small_texts(false));
    folder.write("rows.xmc", ROWS);
    folder.write(
        "more.csv",
        "text,labels\nthe mail brought no card,arrival\na new word,news\n",
    );
    for (copy, stock) in [
        ("model", "nearest"),
        ("cards", "nearest"),
        ("tags", "nearest"),
    ] {
        let train = format!("train {stock} train.tsv -o {copy}.hapax");
        folder.run(&train).good();
    }
    fs::copy(folder.path("cards.hapax"), folder.path("cards-2.hapax")).unwrap();
    let mut scripts = Vec::new();
    for (mark, block) in blocks(&text) {
        match mark {
            _ if unrun.is_some_and(|(_, marks)| marks.contains(&mark)) => {}
            "sh" => scripts.push(block),
            "console" => {
                for command in commands(&block) {
                    let program = command.split_whitespace().next().unwrap();
                    if !ELSEWHERE.contains(&program) {
                        stand_in(&folder, &command);
                        scripts.push(command + "\n");
                    }
                }
            }
            other => panic!("{page}: nothing runs blocks of `{other}`"),
        }
    }
    let script = scripts.join("\necho ----\n");
    let ran = run(&folder, &script);
    let out = String::from_utf8_lossy(&ran.stdout);
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{page}\n{script}\n{out}\n{err}");
    for (block, out) in scripts.iter().zip(out.split("----\n")) {
        // Servers say on standard error where they listen.
        let serves = block.starts_with("hapax serve");
        assert!(
            serves || !out.trim().is_empty(),
            "{page}: says nothing\n{block}"
        );
    }
    assert!(!err.contains("warning"), "{page}\n{err}");
}

/// Pages by their first letters, so that they run beside each other.
#[cfg(unix)]
mod every_block_runs {
    macro_rules! pages {
        ($($test:ident $from:literal $to:literal)*) => {$(
            #[test]
            fn $test() {
                for page in super::pages() {
                    let name = super::name(&page);
                    if ($from..$to).contains(&name) && (name != "serving.md" || have_curl()) {
                        super::run_page(&page);
                    }
                }
            }
        )*};
    }

    pages! { of_the_readme "A" "a"  of_a_to_e "a" "f"  of_f_to_l "f" "m"  of_m_to_r "m" "s"  of_s_to_z "s" "{" }

    fn have_curl() -> bool {
        let there = super::Command::new("curl")
            .arg("--version")
            .output()
            .is_ok();
        if !there {
            eprintln!("curl is not installed: docs/serving.md is NOT TESTED");
        }
        there && cfg!(feature = "serve")
    }
}

#[test]
fn the_readme_has_the_verbs() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    for verb in [
        "train", "predict", "evaluate", "inspect", "compact", "verify",
    ] {
        assert!(readme.contains(&format!("\nhapax {verb} ")), "no {verb}");
    }
}

#[test]
fn links_lead_somewhere_and_the_summary_has_every_page() {
    let summary = include_str!("../../../docs/SUMMARY.md");
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let folder = page.parent().unwrap();
        let in_book = name(&page) != "README.md";
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.contains("://") {
                continue;
            }
            let leads_to = match file {
                "" => page.clone(),
                file => folder.join(file),
            };
            assert!(leads_to.exists(), "{}: {target}", page.display());
            // The book has no other files than those of its folder.
            let leaves = file.matches("../").count() > usize::from(folder.ends_with("methods"));
            assert!(!in_book || !leaves, "{}: {target}", page.display());
            if !anchor.is_empty() {
                let text = fs::read_to_string(&leads_to).unwrap();
                let found = text
                    .lines()
                    .filter(|line| line.starts_with('#'))
                    .any(|line| {
                        let title = line.trim_start_matches('#').trim().to_lowercase();
                        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
                        title
                            .chars()
                            .filter(kept)
                            .collect::<String>()
                            .replace(' ', "-")
                            == anchor
                    });
                assert!(found, "{}: {target}", page.display());
            }
        }
        let methods = folder.ends_with("methods");
        let path = match methods {
            true => format!("(methods/{})", name(&page)),
            false => format!("({})", name(&page)),
        };
        let listed = summary.contains(&path) || name(&page) == "SUMMARY.md";
        assert!(listed || !in_book, "docs/SUMMARY.md lacks {path}");
    }
}

#[test]
fn blocks_and_commands_are_found() {
    let text =
        "a\n```sh\none\ntwo\n```\n```console\n$ yes \\\n    on\nno\n```\n```sh\nthree\n```\n";
    let found = blocks(text);
    assert_eq!(found[0], ("sh", "one\ntwo\n".into()));
    assert_eq!(found[2], ("sh", "three\n".into()));
    assert_eq!(commands(&found[1].1), ["yes \\\n    on"]);
}
