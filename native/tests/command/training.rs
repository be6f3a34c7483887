//! `hapax train`.

use super::folder::{Folder, QUESTIONS, ROWS, with_text_model};

#[test]
fn a_table_says_what_was_learned_and_where_it_is() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    let out = folder
        .run("train nearest train.tsv -o m --test train.tsv --min-documents 1 --neighbors 3")
        .good();
    for line in [
        "rows 8",
        "labels 4",
        "percent @1 @3 @5",
        "precision 100.00",
        "wrote m",
    ] {
        assert!(has_words(&out, line), "no `{line}` in\n{out}");
    }
    assert_eq!(folder.files(), ["m", "train.tsv"]);
}

/// Whether a line of `text` begins with these words, however they are spaced.
fn has_words(text: &str, words: &str) -> bool {
    text.lines().any(|line| {
        let line: Vec<_> = line.split_whitespace().collect();
        line.join(" ").starts_with(words)
    })
}

#[test]
fn json_has_the_promised_keys() {
    let folder = Folder::new();
    folder.write("train.txt", ROWS);
    let line = folder
        .run("train nearest train.txt -o m --test train.txt --neighbors 2 --threads 2 --seed 7 --json")
        .json();
    for key in [
        "algorithm",
        "seconds",
        "cpu_seconds",
        "threads",
        "peak_rss_bytes",
        "model_bytes",
        "epochs",
        "objective",
        "gap",
        "n",
        "d",
        "l",
        "seed",
    ] {
        assert!(line.get(key).is_some(), "no {key} in {line}");
    }
    assert_eq!(line["algorithm"], "nearest");
    assert_eq!(
        (&line["n"], &line["d"], &line["l"]),
        (&4.into(), &4.into(), &3.into())
    );
    assert_eq!(line["threads"], 2);
    assert_eq!(line["model_bytes"], folder.read("m").len());
    assert_eq!(line["test"]["precision"]["1"], 1.0);
}

#[test]
fn a_model_is_replaced_whole_or_not_at_all() {
    let folder = with_text_model();
    let before = folder.read("m");
    let ran = folder.run("train nearest train.tsv -o m --neighbors 9");
    ran.refused("--neighbors is 9, but must be at most 8, the number of training rows");
    assert_eq!(folder.read("m"), before);
    folder
        .run("train nearest train.tsv -o m --min-documents 1 --neighbors 2")
        .good();
    assert_ne!(folder.read("m"), before);
    assert_eq!(folder.files(), ["m", "train.tsv"]);
}

#[test]
fn what_must_fail_fails_before_the_data_are_read() {
    let folder = Folder::new();
    folder.write("train.tsv", "no tab, so reading it would be an error\n");
    for (arguments, message) in [
        (
            "-o absent/m",
            "absent/m: cannot write: there is no such folder",
        ),
        ("-o .", ".: cannot write: it is a directory"),
        (
            "-o m --test absent",
            "absent: cannot open: there is no such file",
        ),
        (
            "-o m --neighbors 0",
            "--neighbors is 0, but must be at least 1",
        ),
        (
            "-o m --alpha NaN",
            "--alpha is NaN, but must be a finite number",
        ),
        ("-o m --beta -1", "--beta is -1, but must be at least 0"),
        (
            "-o m --exponent 0",
            "--exponent is 0, but must be more than 0",
        ),
        (
            "-o m --words 0",
            "neither word nor character n-grams: choose at least one",
        ),
        (
            "-o m --words 3-2",
            "n-grams of length 3 to 2: both must be in 1..=16 and in order",
        ),
        (
            "-o m --hash-bits 40",
            "40 bits for hashed features; must be in 1..=31",
        ),
    ] {
        folder
            .run(&format!("train nearest train.tsv {arguments}"))
            .refused(message);
    }
    assert_eq!(folder.files(), ["train.tsv"]);
}

#[test]
fn label_names_belong_to_labels_that_are_numbers() {
    let folder = Folder::new();
    folder.write("train.txt", ROWS);
    folder.write("train.tsv", QUESTIONS);
    folder.write("names", "0\tdog\n1\tcat\n2\tpet\n");
    folder
        .run(
            "train nearest train.txt -o m --label-names names --label-names-column 2 --neighbors 2",
        )
        .good();
    let out = folder
        .run_on("predict m -k 1 --output text", "0:1 1:1\n")
        .good();
    assert!(out.contains("  dog\n"), "{out}");
    folder
        .run("train nearest train.txt -o m --label-names names --label-names-column 3")
        .refused("names:1:1: the line has 2 columns, but names are in column 3");
    folder
        .run("train nearest train.tsv -o m --label-names names")
        .refused(
            "names: names labels by their ids, but the labels of this data are names already; \
             leave out --label-names",
        );
    folder.write("names", "dog\n");
    let ran = folder.run("train nearest train.txt -o m --label-names names");
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.starts_with("hapax: names: "), "{ran:?}");
}
