//! `--label-texts`: names and descriptions of labels are trained on, too, and labels without rows
//! are suggested by them.

use super::folder::{Folder, QUESTIONS, ROWS};
use serde_json::Value;

/// Texts of labels, two of which have no rows.
const TEXTS: [(&str, &str); 4] = [
    ("arrival", "where is the new card"),
    ("timetable", "how long until the train"),
    ("timetable", "the train is on today"),
    ("limits", "how you use my card"),
];

const TRAIN: &str = "train.tsv --min-documents 1 -o m --label-texts";

fn with_texts() -> Folder {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    let rows = TEXTS.map(|(label, text)| format!("{label}\t{text}\n"));
    folder.write("labels.tsv", rows.concat());
    folder
}

/// The label that comes first.
fn first(folder: &Folder, text: &str) -> String {
    let ran = folder.run_on("predict m -k 1 --output jsonl", text);
    ran.json()["labels"][0]["name"].as_str().unwrap().into()
}

#[test]
fn a_label_without_rows_is_suggested_by_its_text() {
    let folder = with_texts();
    let said = "labels.tsv: 4 texts of 3 labels are trained on, too; 2 labels, such as \"timetable\", have no other \
                rows and are added\n";
    for method in ["nearest --neighbors 3", "", "ovr"] {
        let ran = folder.run(&format!("train {method} {TRAIN} labels.tsv"));
        assert!(ran.err.contains(said), "{ran:?}");
        ran.good();
        let asked = "how long until the train is here today";
        assert_eq!(first(&folder, asked), "timetable", "{method}");
        assert_eq!(first(&folder, "somebody stole it"), "stolen", "{method}");
    }
    let told = folder.run("inspect m --json").json();
    assert_eq!(told["reported"]["texts of labels"], 4.0);
    assert_eq!((&told["n"], &told["l"]), (&12.into(), &6.into()));
}

#[test]
fn neighbors_say_which_of_them_are_texts_of_labels() {
    let folder = with_texts();
    folder
        .run(&format!("train nearest {TRAIN} labels.tsv"))
        .good();
    let asked = "where is the card";
    let ran = folder.run_on("predict m --explain --output jsonl", asked);
    let evidence = ran.json()["evidence"].clone();
    let rows: Vec<(u64, bool)> = evidence.as_array().unwrap().iter().map(place).collect();
    assert_eq!(rows.first(), Some(&(8, true)));
    assert!(rows.contains(&(0, false)), "{rows:?}");
    let ran = folder.run_on("predict m --explain --output text", asked);
    let shown = ran.good();
    for neighbor in [" text of label (0.", " row 0 (0."] {
        assert!(shown.contains(neighbor), "{shown}");
    }
}

fn place(neighbor: &Value) -> (u64, bool) {
    let row = neighbor["row"].as_u64().unwrap();
    (row, neighbor["label_text"].as_bool().unwrap())
}

#[test]
fn every_table_of_texts_is_the_same() {
    let folder = with_texts();
    let rows = TEXTS.map(|(label, text)| format!("{text},{label}\n"));
    folder.write(
        "labels.csv",
        format!("description,label\n{}", rows.concat()),
    );
    let rows =
        TEXTS.map(|(label, text)| format!("{{\"label\":\"{label}\",\"text\":\"{text}\"}}\n"));
    folder.write("labels.jsonl", rows.concat());
    let rows = TEXTS.map(|(label, text)| {
        let (begin, end) = text.split_at(text.find(' ').unwrap());
        format!("x\t{begin}\t{label}\t{end}\n")
    });
    folder.write("wide", rows.concat());
    let trained = |file: &str| {
        folder
            .run(&format!("train nearest {TRAIN} {file} --words 1"))
            .good();
        folder.trained_on("m")
    };
    let expected = trained("labels.tsv");
    for file in [
        "labels.csv",
        "labels.jsonl",
        "wide --label-texts-columns 3,2,4",
    ] {
        assert_eq!(trained(file), expected, "{file}");
    }
}

#[test]
fn what_is_no_text_of_a_label_is_refused_with_its_place() {
    let folder = with_texts();
    let refused = |texts: &str, options: &str, reason: &str| {
        folder.write("bad.tsv", texts);
        let ran = folder.run(&format!("train ovr {TRAIN} bad.tsv {options}"));
        ran.refused(reason);
    };
    refused("", "", "bad.tsv: has no texts of labels");
    refused(
        "lost\tit is gone\nrefund\t \n",
        "",
        "bad.tsv:2:1: the text of label \"refund\" is empty: give it one, or leave out the line",
    );
    refused("lost\tgone\n\tgone\n", "", "bad.tsv:2:1: a label is empty");
    refused(
        "lost;it is gone\n",
        "",
        "bad.tsv:1:1: there is no column \"2\"; the columns are 1 (here: --label-texts-columns LABEL,TEXT)",
    );
    refused(
        "lost\tgone\tfar\nrefund\tmoney\n",
        "",
        "bad.tsv:2:13: the row has 2 fields, but the first line has 3; quote fields that hold separators or line \
         breaks",
    );
    refused(
        "lost\tgone\n",
        "--label-texts-columns 1",
        "--label-texts-columns names one column: give that of the label, then those of its texts, such as 1,3",
    );
    folder.write("rows.txt", ROWS);
    let ran = folder.run("train ovr rows.txt -o m --label-texts labels.tsv");
    ran.refused("rows.txt: holds rows of features, but --label-texts needs texts: leave it out");
    let ran = folder.run(&format!("train ovr {TRAIN} none.tsv"));
    ran.refused_for("none.tsv: cannot open");
    let ran = folder.run("train ovr train.tsv -o labels.tsv --label-texts labels.tsv");
    ran.refused_for("labels.tsv: cannot write: the data are read from it");
    assert!(!folder.files().contains(&"m".into()));
}

#[test]
fn texts_of_other_labels_or_other_words_are_said() {
    let folder = with_texts();
    folder.write("labels.tsv", "zebra\tqwxyz\nyak\tvwxyz\n");
    let ran = folder.run(&format!("train ovr {TRAIN} labels.tsv --json"));
    for said in [
        "none of its labels, such as \"zebra\", is among those of the rows, such as \"arrival\": are they spelled \
         differently?",
        "labels.tsv: no text has a word in common with the training texts; trained without them",
    ] {
        assert!(ran.err.contains(said), "{ran:?}");
    }
    let told = ran.json();
    assert_eq!((&told["n"], &told["l"]), (&8.into(), &6.into()));
}
