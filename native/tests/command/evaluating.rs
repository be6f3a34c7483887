//! `hapax evaluate`.

use super::folder::{QUESTIONS, with_row_model, with_text_model};

#[test]
fn a_table_has_a_column_for_each_k() {
    let folder = with_text_model();
    let out = folder.run("evaluate m train.tsv -k 1,2").good();
    let header: Vec<_> = out.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(header, ["percent", "@1", "@2"]);
    for name in [
        "precision",
        "attainable",
        "recall",
        "nDCG",
        "coverage",
        "PSP",
        "PSnDCG",
    ] {
        let line = out.lines().find(|line| line.trim_start().starts_with(name));
        let cells = line.unwrap().split_whitespace().count();
        assert_eq!(cells, 3, "{name} in\n{out}");
    }
    assert!(out.contains("8 rows in "), "{out}");
}

#[test]
fn json_has_the_promised_keys() {
    let folder = with_row_model();
    let line = folder
        .run("evaluate m rows.txt -k 1,3 --threads 1 --json")
        .json();
    for key in [
        "n",
        "k",
        "precision",
        "ndcg",
        "recall",
        "psp",
        "accuracy",
        "micro_f1",
        "macro_f1",
        "seconds",
        "cpu_seconds",
        "microseconds_per_point",
        "threads",
        "model_bytes",
    ] {
        assert!(line.get(key).is_some(), "no {key} in {line}");
    }
    assert_eq!(line["k"], serde_json::json!([1, 3]));
    assert_eq!(line["precision"]["1"], 1.0);
    // Labels per row: 1, 2, 1, 1, and at most 3 answers.
    assert_eq!(line["attainable_precision"]["3"], 5.0 / 12.0);
    assert_eq!(line["recall"]["3"], 1.0);
    assert_eq!(line["threads"], 1);
    assert_eq!(line["model_bytes"], folder.read("m").len());
}

#[test]
fn labels_that_training_never_saw_are_misses_and_are_said() {
    let folder = with_text_model();
    folder.write(
        "test.tsv",
        "the exchange rate\texchange novel\nstolen card\tstolen\n",
    );
    let line = folder.run("evaluate m test.tsv -k 1,2 --json").json();
    assert_eq!(line["precision"]["1"], 1.0);
    // Of 2 and 1 labels, 1 and 1 can be found.
    assert_eq!(line["recall"]["2"], 0.75);
    assert_eq!(line["labels_unseen"], 1);
    let out = folder.run("evaluate m test.tsv").good();
    assert!(
        out.contains("1 of 3 labels (33.33 percent) are new: training never saw them"),
        "{out}"
    );
    folder.write("other.tsv", "the exchange rate\tunheard\n");
    let ran = folder.run("evaluate m other.tsv --json");
    assert_eq!(
        ran.err,
        "hapax: warning: no label of the test data is known to the model: are they named \
         differently?\n"
    );
    assert_eq!(ran.json()["precision"]["1"], 0.0);
}

#[test]
fn no_k_or_zero_is_refused() {
    let folder = with_row_model();
    folder
        .run("evaluate m rows.txt -k 1,0")
        .refused("k is 0: the figures look at the first k answers, so k must be 1 or more");
}

#[test]
fn texts_and_rows_are_not_confounded() {
    let rows = with_row_model();
    rows.write("train.tsv", QUESTIONS);
    rows.run("evaluate m train.tsv")
        .refused("train.tsv: holds texts, but the model was trained on rows of features");
    let texts = with_text_model();
    texts.write("rows.txt", super::folder::ROWS);
    texts.run("evaluate m rows.txt").refused(
        "rows.txt: holds rows of features, but the model was trained on texts; if the rows are \
         made of its own features, name the format with --format",
    );
    assert!(texts.run("evaluate m rows.txt --format xmc").status == Some(0));
}

#[test]
fn features_that_training_never_saw_are_said() {
    let folder = with_row_model();
    folder.write("wide.txt", "1 9 3\n0 0:1 8:1\n");
    let ran = folder.run("evaluate m wide.txt --json");
    assert_eq!(
        ran.err,
        "hapax: warning: wide.txt: has 9 features, but the model knows 4; the others are ignored\n"
    );
    assert_eq!(ran.json()["precision"]["1"], 1.0);
}
