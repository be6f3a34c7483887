//! `--set NAME=VALUE`, and what `--help` shows of the options there are.

use super::folder::{Folder, QUESTIONS};
use std::collections::BTreeSet;

const METHODS: [&str; 15] = [
    "auto",
    "nearest",
    "ovr",
    "cs",
    "ww",
    "llw",
    "mach",
    "wsabie",
    "wsabie-pp",
    "ova-sgd",
    "auc",
    "nearest-mean",
    "memoir-l2",
    "memoir-l1",
    "memoir-lsh",
];

const LISTED: &str = include_str!("../../../docs/options.md");

/// The methods and the name of each row of docs/options.md.
fn listed() -> Vec<(Vec<&'static str>, &'static str)> {
    let rows = LISTED.lines().filter(|line| line.starts_with("| `"));
    let named =
        |cell: &'static str| -> Vec<&'static str> { cell.split('`').skip(1).step_by(2).collect() };
    rows.map(|row| {
        let mut cells = row.split('|').skip(1);
        let methods = named(cells.next().unwrap());
        (methods, named(cells.next().unwrap())[0])
    })
    .collect()
}

/// The long options that a help text lists.
fn options(help: &str) -> BTreeSet<String> {
    let lines = help.lines().filter_map(|line| {
        let own = line.strip_prefix("      --").or_else(|| {
            let (short, long) = line.split_once(", --")?;
            (short.len() == 4 && short.starts_with("  -")).then_some(long)
        })?;
        own.split([' ', '=']).next()
    });
    lines.map(str::to_owned).collect()
}

#[test]
fn help_shows_twenty_options_at_most_and_help_all_the_others() {
    let folder = Folder::new();
    for method in METHODS {
        let some = options(&folder.run(&format!("train {method} --help")).good());
        let all = options(&folder.run(&format!("train {method} --help-all")).good());
        assert!((10..=20).contains(&some.len()), "{method}: {some:?}");
        assert!(all.is_superset(&some) && all.len() > some.len() + 10);
        assert!(all.contains("set") && !some.contains("set"), "{method}");
        for (_, setting) in listed() {
            assert!(!all.contains(setting), "{method} {setting}");
        }
    }
}

#[test]
fn the_settings_of_a_method_are_those_of_the_page_and_others_are_refused() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    for method in METHODS {
        let own: Vec<&str> = listed()
            .into_iter()
            .filter(|(methods, _)| methods.contains(&method))
            .map(|(_, name)| name)
            .collect();
        let refused = folder.run(&format!("train {method} train.tsv -o m --set no-such=1"));
        let told = refused.err.clone();
        refused.refused_for("has no such setting");
        let names = told.split_once("its settings are ").map(|(_, rest)| {
            let (names, _) = rest.split_once(" (").unwrap();
            names.split(", ").collect::<BTreeSet<&str>>()
        });
        let expected = (!own.is_empty()).then(|| own.iter().copied().collect());
        assert_eq!(names, expected, "{method}");
        for name in own {
            folder
                .run(&format!("train {method} train.tsv -o m --{name}=1"))
                .refused_for("is no option but a setting");
        }
    }
    assert_eq!(folder.files(), ["train.tsv"]);
}

#[test]
fn a_setting_changes_the_model_and_its_values_are_checked() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    let train = |options: &str| {
        let line = format!("train mach train.tsv -o m --buckets 2 --repetitions 5 {options}");
        folder.run(&line).good();
        folder.read("m")
    };
    let usual = train("");
    assert!(train("--set hash=carter-wegman") != usual);
    assert!(train("--set=hash=permutation") == usual);
    for (method, options, message) in [
        ("wsabie", "--set block=0", "but must be at least 1"),
        ("wsabie", "--set as-published=yes", "takes true or false"),
        ("mach", "--set hash", "needs a value"),
        ("mach", "--set", "has no such setting"),
        ("mach", "--set rerank-weight=-1", "but must be at least 0"),
    ] {
        folder
            .run(&format!("train {method} train.tsv -o n {options}"))
            .refused_for(message);
    }
    let unknown = folder.run("train mach train.tsv -o n --set hash=md5");
    assert_eq!(unknown.status, Some(2));
    assert!(unknown.err.contains("invalid value 'md5'"), "{unknown:?}");
}
