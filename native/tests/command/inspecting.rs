//! `hapax inspect`, `hapax verify` and `hapax completions`.

use super::folder::{Folder, ROWS, with_text_model};

#[test]
fn a_model_says_what_it_is_and_where_its_bytes_are() {
    let folder = with_text_model();
    let line = folder.run("inspect m --json").json();
    assert_eq!(line["algorithm"], "nearest");
    assert_eq!((&line["n"], &line["l"]), (&8.into(), &4.into()));
    assert_eq!(line["model_bytes"], folder.read("m").len());
    let parts = line["parts"].as_object().unwrap();
    let sum: u64 = parts.values().map(|part| part.as_u64().unwrap()).sum();
    assert_eq!(line["model_bytes"], sum, "the parts are the whole");
    assert_eq!(line["facts"]["neighbors"], "3");
    let out = folder.run("inspect m").good();
    for word in ["nearest", "neighbors", "made by", "in all"] {
        assert!(out.contains(word), "no {word} in\n{out}");
    }
}

#[test]
fn data_are_counted() {
    let folder = Folder::new();
    folder.write("train.txt", ROWS);
    let line = folder.run("inspect train.txt --json").json();
    assert_eq!(
        (&line["n"], &line["d"], &line["l"], &line["nonzeros"]),
        (&4.into(), &4.into(), &3.into(), &8.into())
    );
    assert_eq!(line["labels_per_row"]["mean"], 1.25);
    assert_eq!(line["labels_per_row"]["maximum"], 2);
    assert_eq!(line["single_label"], false);
    assert_eq!(line["attainable_precision"]["1"], 1.0);
    let out = folder.run("inspect train.txt").good();
    assert!(out.starts_with("format: xmc"), "{out}");
    assert!(out.contains("highest attainable P@1 100.00"), "{out}");
}

#[test]
fn data_come_from_standard_input_too() {
    let folder = Folder::new();
    assert_eq!(folder.run_on("inspect - --json", ROWS).json()["n"], 4);
}

#[test]
fn a_sound_model_is_said_to_be_sound() {
    let folder = with_text_model();
    let out = folder.run("verify m").good();
    assert!(out.starts_with("m: sound, "), "{out}");
    let line = folder.run("verify m --json").json();
    assert_eq!(line["sound"], true);
    assert_eq!(line["model_bytes"], folder.read("m").len());
}

#[test]
fn completions_name_the_verbs() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&format!("completions {shell}")).good();
        for verb in ["train", "predict", "evaluate", "inspect", "verify"] {
            assert!(script.contains(verb), "{shell}: no {verb}");
        }
    }
}

#[test]
fn the_manual_has_a_page_for_each_verb_and_method_with_all_options() {
    let folder = Folder::new();
    let out = folder.run("manual man/man1").good();
    assert!(out.ends_with("pages written to man/man1\n"), "{out}");
    let page = |name: &str| {
        let bytes = folder.read(&format!("man/man1/{name}.1"));
        String::from_utf8(bytes).unwrap().replace('\\', "")
    };
    assert!(page("hapax").contains("hapax-train(1)"));
    assert!(page("hapax-predict").contains("--explain"));
    // `--help` hides it.
    assert!(page("hapax-train-ovr").contains("--positive-weight"));
}

#[test]
fn help_teaches_by_example() {
    let folder = Folder::new();
    for verb in [
        "",
        "train nearest",
        "predict",
        "evaluate",
        "inspect",
        "verify",
        "completions",
        "manual",
    ] {
        let help = folder.run(&format!("{verb} --help")).good();
        assert!(help.contains("Example"), "{verb}:\n{help}");
        assert!(help.contains("hapax "), "{verb}:\n{help}");
    }
    let version = folder.run("--version").good();
    assert_eq!(
        version.trim_end(),
        concat!("hapax ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_usage_ends_with_2_and_says_how_to_use_it() {
    let folder = Folder::new();
    for usage in [
        "fly",
        "train nearest",
        "predict",
        "evaluate m",
        "completions tcl",
    ] {
        let ran = folder.run(usage);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{usage}");
        assert!(
            ran.err.contains("Usage") || ran.err.contains("possible"),
            "{ran:?}"
        );
    }
}
