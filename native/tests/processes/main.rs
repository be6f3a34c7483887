//! `mpirun hapax train ww` and `llw`: the same bytes for any number of processes, and an end for all if one ends.
//!
//! ```text
//! cargo test -p hapax --features mpi --test processes
//! ```
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use std::{
    fs,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");

/// `mpirun -np ranks hapax train …`, on a machine that may have fewer cores and by whoever runs the tests.
fn mpirun(ranks: usize, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .args(["--oversubscribe", "--bind-to", "none"])
        .args(["--mca", "mpi_yield_when_idle", "1"])
        .args([
            "-np",
            &ranks.to_string(),
            env!("CARGO_BIN_EXE_hapax"),
            "train",
        ])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn told(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// Lines of words that some labels share, so that no label is easy.
fn texts(rows: u32, labels: u32) -> String {
    let line = |row: u32| {
        let label = row % labels;
        let noise = row.wrapping_mul(2_654_435_761) >> 7;
        format!(
            "w{} v{} u{} t{}\tl{label}\n",
            label,
            (label + noise % 3) % labels,
            noise % 17,
            (noise >> 5) % 29
        )
    };
    (0..rows).map(line).collect()
}

/// The primal and dual objectives of the proof that a training told.
fn proof(told: &str) -> [f64; 2] {
    ["primal ", "dual "].map(|name| {
        let at = told.find(name).unwrap() + name.len();
        let number = told[at..].split([',', ' ']).next().unwrap();
        number.parse().unwrap()
    })
}

/// Trains by one to four processes, to the same bytes, and by one on its own, to the same optimum.
fn same_bytes(algorithm: &str, train: &str, (gap, more): (f64, &[&str])) {
    let folder = tempfile::tempdir().unwrap();
    let gap_option = gap.to_string();
    let more = [&["--gap", &gap_option], more].concat();
    let mut first = None;
    let alone = folder.path().join("alone");
    let ended = Command::new(env!("CARGO_BIN_EXE_hapax"))
        .args(["train", algorithm, train, "-o"])
        .arg(&alone)
        .args(&more)
        .output()
        .unwrap();
    let [primal, dual] = proof(&told(&ended));
    for ranks in 1..=4 {
        let model = folder.path().join(ranks.to_string());
        let model = model.to_str().unwrap();
        let arguments = [
            &[algorithm, train, "-o", model, "--threads", "1"],
            &more[..],
        ]
        .concat();
        let ended = mpirun(ranks, &arguments).output().unwrap();
        let told = told(&ended);
        assert!(ended.status.success(), "{algorithm} {ranks}: {told}");
        assert!(told.contains(&format!("{ranks} processes: ")), "{told}");
        assert_eq!(
            told.matches("relative gap").count(),
            2,
            "only one of them talks: {told}"
        );
        // Both optima are between dual and primal of each.
        let [other_primal, other_dual] = proof(&told);
        assert!(other_primal - other_dual <= gap * other_primal, "{told}");
        assert!(
            other_dual <= primal && dual <= other_primal,
            "{told}: {primal} {dual}"
        );
        let line = told.lines().find(|line| line.contains("processes: "));
        eprintln!("{algorithm} {train}: {}", line.unwrap());
        let bytes = fs::read(model).unwrap();
        let first = first.get_or_insert_with(|| bytes.clone());
        assert!(
            *first == bytes,
            "{algorithm} of {train}: {ranks} processes give other bytes"
        );
    }
}

#[test]
fn models_have_the_same_bytes_for_one_to_four_processes() {
    let folder = tempfile::tempdir().unwrap();
    let train = folder.path().join("train.tsv");
    fs::write(&train, texts(300, 20)).unwrap();
    for algorithm in ["ww", "llw"] {
        same_bytes(algorithm, train.to_str().unwrap(), (0.01, &[]));
    }
}

/// Loose gaps: what is shown does not depend on how far training goes, and llw exchanges something for every row.
#[test]
fn models_of_real_data_have_the_same_bytes_for_one_to_four_processes() {
    for (set, ww, llw, options) in [
        ("iris", 0.02, 0.02, &["--keep-lengths"][..]),
        ("glass", 0.02, 0.02, &["--keep-lengths"]),
        ("banking77", 0.05, 0.2, &[]),
        ("clinc150", 0.05, 0.2, &[]),
    ] {
        let train = Path::new(DATA).join(set).join("train.txt.xz");
        if !train.exists() {
            eprintln!(
                "DATA ABSENT: {} is not there: this test shows nothing",
                train.display()
            );
            continue;
        }
        for (algorithm, gap) in [("ww", ww), ("llw", llw)] {
            same_bytes(algorithm, train.to_str().unwrap(), (gap, options));
        }
    }
}

#[test]
fn what_several_processes_cannot_do_ends_them_all_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let train = folder.path().join("train.tsv");
    fs::write(&train, texts(100, 10)).unwrap();
    let (train, model) = (train.to_str().unwrap(), folder.path().join("model"));
    let model = model.to_str().unwrap();
    for (arguments, reason) in [
        (vec!["cs", train, "-o", model], "only ww and llw can"),
        (vec!["ww", train, "-o", model, "--costs", "1,2"], "--costs"),
        (vec!["ww", "nowhere.tsv", "-o", model], "nowhere.tsv"),
    ] {
        let ended = mpirun(3, &arguments).output().unwrap();
        let told = told(&ended);
        assert!(!ended.status.success() && told.contains(reason), "{told}");
        assert!(!Path::new(model).exists());
    }
}

/// The numbers of the processes that `launcher` started.
fn children(launcher: u32) -> Vec<String> {
    let found = Command::new("pgrep")
        .args(["-P", &launcher.to_string()])
        .output()
        .unwrap();
    String::from_utf8_lossy(&found.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn started(launcher: &Child, many: usize) -> Vec<String> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        let found = children(launcher.id());
        if found.len() == many {
            return found;
        }
        sleep(Duration::from_millis(5));
    }
    Vec::new()
}

#[test]
fn one_of_four_killed_ends_the_others_and_leaves_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let train = folder.path().join("train.tsv");
    fs::write(&train, texts(20_000, 300)).unwrap();
    let model = folder.path().join("model");
    let arguments = [
        "ww",
        train.to_str().unwrap(),
        "-o",
        model.to_str().unwrap(),
        "--gap",
        "1e-9",
    ];
    for kill in 0..kills() as u64 {
        let mut running = mpirun(4, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let ranks = started(&running, 4);
        assert_eq!(ranks.len(), 4);
        sleep(Duration::from_millis(100 + 70 * kill));
        let victim = &ranks[kill as usize % 4];
        signal(victim, "-9");
        let start = Instant::now();
        let status = running.wait().unwrap();
        assert!(!status.success());
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the others went on"
        );
        let left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        assert_eq!(left, std::slice::from_ref(&train), "kill {kill}");
    }
}

/// How often one of four processes is killed: `HAPAX_KILLS`, or a few times.
fn kills() -> usize {
    let asked = std::env::var("HAPAX_KILLS").ok();
    asked.map_or(4, |asked| asked.parse().unwrap())
}

/// Sends a signal to a process, which may have ended by now.
fn signal(process: &str, name: &str) {
    Command::new("kill").args([name, process]).status().unwrap();
}

/// How many attempts are in a folder: the last whole one, and one under way.
fn attempts(states: &Path) -> usize {
    let Ok(entries) = fs::read_dir(states) else {
        return 0;
    };
    let names = entries.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| name.to_string_lossy().starts_with("attempt-"))
        .count()
}

#[test]
fn one_of_four_killed_is_gone_on_with_by_fewer_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_owned();
    fs::write(at("train.tsv"), texts(1500, 60)).unwrap();
    let (mut resumed, mut hit) = (0, 0);
    for algorithm in ["ww", "llw"] {
        let gap = if algorithm == "ww" { "1e-5" } else { "0.3" };
        let (train, whole, kept) = (text("train.tsv"), text("whole"), text("kept"));
        let all = [algorithm, &train, "--gap", gap, "--threads", "1"];
        let ended = mpirun(1, &[&all[..], &["-o", &whole]].concat()).output();
        let ended = ended.unwrap();
        assert!(ended.status.success(), "{}", told(&ended));
        let whole = fs::read(&whole).unwrap();
        for number in 0..kills().div_ceil(2) {
            let states = text(&format!("{algorithm}-{number}"));
            let keep = ["-o", &kept, "--every", "1", "--resume", &states];
            let keep = [&all[..], &keep].concat();
            // Four, of which one is killed; then three, of which one is; then one, that ends.
            for ranks in [4, 3] {
                let mut running = mpirun(ranks, &keep)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap();
                let found = started(&running, ranks);
                let begin = Instant::now();
                while attempts(Path::new(&states)) == 0 && running.try_wait().unwrap().is_none() {
                    sleep(Duration::from_millis(2));
                }
                sleep((begin.elapsed() / 5).min(Duration::from_millis(37 * (number as u64 + 1))));
                if running.try_wait().unwrap().is_none() {
                    signal(&found[number % ranks], "-9");
                }
                hit += usize::from(!running.wait().unwrap().success());
            }
            let ended = mpirun(1, &keep).output().unwrap();
            let told = told(&ended);
            assert!(ended.status.success(), "{told}");
            resumed += usize::from(told.contains("going on from the checkpoint"));
            assert!(fs::read(&kept).unwrap() == whole, "{algorithm} {number}");
            assert_eq!(
                fs::read_dir(&states).unwrap().count(),
                0,
                "the state is gone"
            );
        }
    }
    eprintln!(
        "{hit} of two times {} were killed; {resumed} went on",
        kills()
    );
    assert!(hit > 0 && resumed > 0, "{hit} {resumed}");
}

#[test]
fn a_signal_stops_all_and_damaged_shares_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_owned();
    fs::write(at("train.tsv"), texts(4000, 100)).unwrap();
    let (train, model, states) = (text("train.tsv"), text("model"), text("states"));
    let all = [
        "ww",
        &train,
        "-o",
        &model,
        "--gap",
        "1e-9",
        "--threads",
        "1",
    ];
    let keep = [&all[..], &["--checkpoint", &states, "--every", "1"]].concat();
    let running = mpirun(2, &keep).spawn().unwrap();
    while !at("states").join("state").exists() {
        sleep(Duration::from_millis(5));
    }
    signal(&running.id().to_string(), "-USR1");
    let ended = running.wait_with_output().unwrap();
    let said = told(&ended);
    assert!(!ended.status.success());
    assert_eq!(said.matches("go on, with").count(), 1, "{said}");
    assert!(said.contains("--resume") && !at("model").exists(), "{said}");
    let refused = |ranks: usize, more: &[&str], reason: &str| {
        let ended = mpirun(ranks, &[&all[..], more].concat()).output().unwrap();
        let said = told(&ended);
        assert!(!ended.status.success() && said.contains(reason), "{said}");
    };
    refused(2, &["--checkpoint", &states], "holds a checkpoint already");
    let resume = ["--resume", &states];
    refused(2, &["--resume", &states, "--cost", "2"], "other options");
    let alone = Command::new(env!("CARGO_BIN_EXE_hapax"))
        .arg("train")
        .args(all)
        .args(resume)
        .output()
        .unwrap();
    assert!(
        told(&alone).contains("with several processes"),
        "{}",
        told(&alone)
    );
    let mut entries = fs::read_dir(&states).unwrap().map(|e| e.unwrap().path());
    let attempt = entries.find(|path| path.is_dir()).unwrap();
    let share = attempt.join("share-0001");
    let whole = fs::read(&share).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 4;
    for bytes in [&damaged[..], &whole[..whole.len() / 2]] {
        fs::write(&share, bytes).unwrap();
        refused(2, &resume, "share-0001");
    }
    // Sound, but another share.
    fs::copy(attempt.join("share-0000"), &share).unwrap();
    refused(1, &resume, "another division");
    fs::remove_file(&share).unwrap();
    refused(3, &resume, "there is no such file");
    fs::write(at("states").join("state"), &whole).unwrap();
    refused(3, &resume, "something else in mind");
}
