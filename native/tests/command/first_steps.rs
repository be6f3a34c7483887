//! What a stranger meets: the bare command, a dry run, and mistakes in plain words.

use super::folder::{Folder, QUESTIONS};

#[test]
fn the_bare_command_shows_the_three_that_one_needs() {
    let ran = Folder::new().run("");
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""));
    let commands = ran.err.lines().filter(|line| line.starts_with("  hapax "));
    let verbs: Vec<_> = commands
        .map(|line| line.split(' ').nth(3).unwrap())
        .collect();
    assert_eq!(verbs, ["train", "predict", "evaluate"]);
    assert!(ran.err.lines().all(|line| line.len() <= 100), "{}", ran.err);
}

#[test]
fn a_dry_run_says_what_there_is_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("train.tsv", format!("{QUESTIONS}no label at all\t\n"));
    for method in [
        "",
        "ovr",
        "nearest",
        "mach",
        "wsabie",
        "memoir-l2 --multilabel replicate",
    ] {
        let ran = folder.run(&format!("train {method} train.tsv -o m --dry-run"));
        let out = ran.good();
        let line = |name: &str| {
            out.lines()
                .find(|line| line.starts_with(name))
                .unwrap_or_default()
        };
        assert!(line("rows  ").ends_with(" 9"), "{method}: {out}");
        assert!(line("rows without labels").ends_with(" 1"), "{out}");
        assert!(line("labels  ").ends_with(" 4"), "{out}");
        assert!(!line("memory of training").is_empty(), "{out}");
        assert!(out.ends_with("leave out --dry-run to do so\n"), "{out}");
    }
    assert_eq!(folder.files(), ["train.tsv"]);
    // What is wrong is said as in training.
    folder.write("wrong.tsv", "no tab\n");
    assert_eq!(folder.run("train wrong.tsv -o m --dry-run").status, Some(2));
}

#[test]
fn mistakes_are_told_in_plain_words() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder
        .run("train nearest train.tsv -o m --neighbors 3")
        .good();
    for (arguments, part) in [
        (
            "predict m -k ten",
            "'ten' for '--at-most <K>': it is not a whole number",
        ),
        (
            "train nearest train.tsv -o x --alpha much",
            "it is not a number",
        ),
        ("serve m --timeout 0", "0 must be from 1 to 86400"),
        (
            "train nearest train.tsv -o -",
            "a model is a file; give it a name",
        ),
        (
            "compact m -o - --max-bytes 1MB",
            "a model is a file; give it a name",
        ),
        ("train --parts . --shard 9/3", "with I from 0 to N - 1"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.status, Some(2), "{arguments}");
        assert!(ran.err.contains(part), "{arguments}: {}", ran.err);
    }
    let mut cut = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut cut, QUESTIONS.as_bytes()).unwrap();
    let cut = cut.finish().unwrap();
    folder.write("cut.gz", &cut[..cut.len() - 20]);
    folder
        .run("train nearest cut.gz -o x")
        .refused_for("the compressed file is cut off");
    assert!(!folder.files().contains(&"-".to_owned()));
}

#[test]
fn far_too_many_threads_are_not_started() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    let ran = folder.run("train nearest train.tsv -o m --neighbors 3 --threads 100000");
    let warning = "hapax: warning: --threads 100000 is far more than the ";
    assert!(ran.err.starts_with(warning), "{}", ran.err);
    ran.good();
}
