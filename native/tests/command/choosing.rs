//! `hapax train` without a method: what is tried, what is said, and that the library does the same.

use super::folder::Folder;
use hapax::{
    core::{
        data::{ReadOptions, read},
        train::auto::Candidate,
    },
    threads::Threads,
};
use std::fmt::Write;

/// Texts whose labels show in the stems of words, never twice with the same ending.
fn inflected() -> String {
    let stems = ["talo", "kirja", "venelä", "metsik", "jokiva", "saarel"];
    let mut lines = String::new();
    for row in 0..600 {
        let stem = stems[row % stems.len()];
        let (ending, other) = (row * 7919 % 100_003, row * 104_729 % 100_003);
        writeln!(
            lines,
            "{stem}{ending:x}q zz{other:x}\tlabel{}",
            row % stems.len()
        )
        .unwrap();
    }
    lines
}

#[test]
fn a_model_is_trained_and_it_is_said_what_was_tried() {
    let folder = Folder::new();
    folder.write("train.tsv", inflected());
    let said = folder
        .run("train train.tsv -o m --test train.tsv --threads 1")
        .good();
    assert!(
        said.contains("kinds of n-grams on 120 held-out texts: --words 1-2 --characters 2-5"),
        "{said}"
    );
    assert!(said.contains("chose "), "{said}");
    assert!(said.contains("P@1 on 600 held-out rows: ovr "), "{said}");
    let judged = folder.run("evaluate m train.tsv --json").json();
    assert!(
        judged["precision"]["1"].as_f64().unwrap() > 0.95,
        "{judged}"
    );
}

/// Sentences of the same words, which are questions or are not.
#[test]
fn punctuation_counts_where_it_tells_the_label() {
    let folder = Folder::new();
    let ends = [("?", "question"), (".", "statement"), (" :-)", "smile")];
    let line = |row: usize| {
        let (end, label) = ends[row % 3];
        let words = [row * 7919 % 11, row * 104_729 % 13, row * 611_953 % 7];
        let words = words.map(|word| format!("word{word}")).join(", ");
        format!("{words}{end}\t{label}\n")
    };
    folder.write("train.tsv", (0..600).map(line).collect::<String>());
    folder.write("test.tsv", (600..700).map(line).collect::<String>());
    let said = folder.run("train train.tsv -o m --threads 1").good();
    assert!(said.contains("--punctuation true"), "{said}");
    let judged = folder.run("evaluate m test.tsv --json").json();
    assert!(
        judged["precision"]["1"].as_f64().unwrap() > 0.95,
        "{judged}"
    );
}

#[test]
fn named_and_unnamed_any_threads_and_the_library_give_the_same_bytes() {
    let folder = Folder::new();
    folder.write("train.tsv", inflected());
    folder.run("train train.tsv -o one --threads 1").good();
    folder.run("train -o three --threads 3 train.tsv").good();
    folder.run("train auto train.tsv -o named").good();
    let one = folder.read("one");
    assert!(one == folder.read("three") && one == folder.read("named"));
    let threads = Threads::new(2).unwrap();
    let source = read(&folder.read("train.tsv"), &ReadOptions::default(), &threads);
    let best = hapax::train(source.unwrap().source, 42, &threads).unwrap();
    assert_eq!(best.tried[0].candidate, Candidate::OneVsRest);
    let mut model = best.model;
    model.provenance_mut().seed = 42;
    assert!(model.to_bytes().unwrap() == one);
}

#[test]
fn what_is_named_is_not_chosen() {
    let folder = Folder::new();
    folder.write("train.tsv", inflected());
    let words =
        "train ovr train.tsv -o m --words 1 --characters 0 --punctuation false --min-documents 1";
    let said = folder.run(words).good();
    assert!(!said.contains("n-grams"), "{said}");
    let all =
        "--cost 1 --positive-weight 1 --exponent 1 --centroid 0 --prior 0 --prune 0.1 --fuse none";
    let said = folder.run(&format!("{words} {all}")).good();
    assert!(!said.contains("best of"), "{said}");
}

#[test]
fn little_time_ends_trials_and_enough_changes_nothing() {
    let folder = Folder::new();
    folder.write("train.tsv", inflected());
    let said = folder
        .run("train train.tsv -o short --minutes 0.0001")
        .good();
    for tried in [
        "best of 1 kinds of n-grams tried in time",
        "settings tried in time on 600",
    ] {
        assert!(said.contains(tried), "{said}");
    }
    // One method was tried, pruned and calibrated all the same.
    assert!(
        said.contains("held-out rows: ovr ") && !said.contains(", nearest "),
        "{said}"
    );
    assert!(said.contains("calibrated on 600 held-out rows"), "{said}");
    for method in ["", "ovr "] {
        folder
            .run(&format!("train {method}train.tsv -o long --minutes 60"))
            .good();
        folder
            .run(&format!("train {method}train.tsv -o all"))
            .good();
        assert!(folder.read("long") == folder.read("all"));
    }
    let refused = |arguments: &str, reason: &str| {
        let run = folder.run(arguments);
        assert!(run.status == Some(2) && run.err.contains(reason), "{run:?}");
    };
    for wrong in ["0", "-1", "NaN", "inf", "1e30", "soon"] {
        let arguments = format!("train train.tsv -o m --minutes={wrong}");
        refused(&arguments, "no number of minutes above 0");
    }
    let arguments = "train ovr train.tsv -o m --minutes 1 --checkpoint states";
    refused(arguments, "cannot be used with");
}

#[test]
fn answers_take_no_longer_than_is_allowed() {
    let folder = Folder::new();
    folder.write("train.tsv", inflected());
    let said = folder
        .run("train train.tsv -o fast --max-microseconds 12")
        .good();
    assert!(!said.contains(", nearest "), "{said}");
    let counted = said.split("an answer is counted as ").nth(1).unwrap();
    let counted: f64 = counted.split(' ').next().unwrap().parse().unwrap();
    assert!(counted > 1.0 && counted <= 12.0, "{said}");
    let refused = |given: &str, reason: &str| {
        let run = folder.run(&format!("train train.tsv -o m --max-microseconds={given}"));
        assert!(run.status == Some(2) && run.err.contains(reason), "{run:?}");
    };
    for wrong in ["0", "-1", "NaN", "inf", "1e30", "soon"] {
        refused(wrong, "no number of microseconds above 0");
    }
    refused("1", "--max-microseconds is 1, but must be at least ");
}

#[test]
fn checkpoints_and_missing_files_are_refused_by_name() {
    let folder = Folder::new();
    folder.write("train.tsv", inflected());
    folder
        .run("train train.tsv -o m --checkpoint states")
        .refused_for("name one, such as ovr");
    folder
        .run("train ovrr -o m")
        .refused_for("ovrr: cannot open");
    assert!(!folder.files().contains(&"m".to_string()));
}
