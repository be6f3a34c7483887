//! `--label-texts`: names and descriptions of labels are trained on, too, and labels without rows
//! are suggested by them.

use super::folder::{Folder, QUESTIONS};
use serde_json::Value;

/// Descriptions in the order of the columns that is read by default, two of them of new labels.
const TEXTS: &str = "\
arrival\twhen a new card arrives in the post
refund\tmoney back for a purchase
refund\tget your money back
limits\thow much money you can spend a day
";

const OPTIONS: &str = "--min-documents 1";

fn with_texts() -> Folder {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.write("labels.tsv", TEXTS);
    folder
}

/// The label that comes first.
fn first(folder: &Folder, model: &str, text: &str) -> String {
    let ran = folder.run_on(&format!("predict {model} -k 1 --output jsonl"), text);
    ran.json()["labels"][0]["name"].as_str().unwrap().into()
}

#[test]
fn a_label_without_rows_is_suggested_by_its_text() {
    let folder = with_texts();
    let said = "labels.tsv: 4 texts of 3 labels are trained on, too; 2 labels, such as \"refund\", have no other rows \
                and are added\n";
    for method in [
        "",
        "ovr",
        "nearest --neighbors 3",
        "wsabie-pp --dimensions 8",
    ] {
        let train = format!("train {method} train.tsv -o m {OPTIONS} --label-texts labels.tsv");
        let ran = folder.run(&train);
        assert!(ran.err.contains(said), "{ran:?}");
        ran.good();
        let asked = "i want my money back for this purchase";
        assert_eq!(first(&folder, "m", asked), "refund", "{method}");
        assert_eq!(
            first(&folder, "m", "somebody stole it"),
            "stolen",
            "{method}"
        );
    }
    let told = folder.run("inspect m --json").json();
    assert_eq!(told["reported"]["texts of labels"], 4.0);
    assert_eq!((&told["n"], &told["l"]), (&12.into(), &6.into()));
}

#[test]
fn neighbors_say_which_of_them_are_texts_of_labels() {
    let folder = with_texts();
    let train = "train nearest train.tsv -o m --min-documents 1 --label-texts labels.tsv";
    folder.run(train).good();
    let ran = folder.run_on("predict m --explain --output jsonl", "the card arrives");
    let evidence = ran.json()["evidence"].clone();
    let rows: Vec<(u64, bool)> = evidence.as_array().unwrap().iter().map(place).collect();
    assert!(
        rows.contains(&(8, true)) && rows.iter().any(|&(row, _)| row < 8),
        "{rows:?}"
    );
    assert!(
        rows.iter().all(|&(row, text)| text == (row >= 8)),
        "{rows:?}"
    );
    let ran = folder.run_on("predict m --explain --output text", "the card arrives");
    let shown = ran.good();
    assert!(
        shown.contains(" text of label (0.") && shown.contains(" row 2 (0."),
        "{shown}"
    );
}

fn place(neighbor: &Value) -> (u64, bool) {
    let row = neighbor["row"].as_u64().unwrap();
    (row, neighbor["label_text"].as_bool().unwrap())
}

#[test]
fn every_table_of_texts_is_the_same() {
    let folder = with_texts();
    let rows: Vec<(&str, &str)> = TEXTS
        .lines()
        .filter_map(|row| row.split_once('\t'))
        .collect();
    let table = |head: &str, row: &dyn Fn(&(&str, &str)) -> String| {
        let rows: String = rows.iter().map(row).collect();
        format!("{head}{rows}")
    };
    folder.write("plain", TEXTS);
    folder.write(
        "labels.csv",
        table("description,label\n", &|(label, text)| {
            format!("{text},{label}\n")
        }),
    );
    folder.write(
        "labels.jsonl",
        table("", &|(label, text)| {
            format!("{{\"label\": \"{label}\", \"text\": \"{text}\"}}\n")
        }),
    );
    folder.write(
        "wide.tsv",
        table("", &|(label, text)| {
            let (name, rest) = text.split_once(' ').unwrap();
            format!("x\t{name}\t{label}\t{rest}\n")
        }),
    );
    let trained = |file: &str| {
        let train = "train nearest train.tsv -o m --min-documents 1 --label-texts";
        folder.run(&format!("{train} {file}")).good();
        folder.trained_on("m")
    };
    let expected = trained("labels.tsv");
    for file in [
        "plain",
        "labels.csv",
        "labels.jsonl",
        "wide.tsv --label-texts-columns 3,2,4",
    ] {
        assert_eq!(trained(file), expected, "{file}");
    }
}

#[test]
fn what_is_no_text_of_a_label_is_refused_with_its_place() {
    let folder = with_texts();
    let refused = |texts: &str, options: &str, reason: &str| {
        folder.write("bad.tsv", texts);
        let train = format!("train ovr train.tsv -o bad --label-texts bad.tsv {options}");
        folder.run(&train).refused(reason);
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
    folder.write("rows.txt", super::folder::ROWS);
    let ran = folder.run("train ovr rows.txt -o bad --label-texts labels.tsv");
    ran.refused("rows.txt: holds rows of features, but --label-texts needs texts: leave it out");
    let ran = folder.run("train ovr train.tsv -o bad --label-texts none.tsv");
    ran.refused_for("none.tsv");
    let ran = folder.run("train ovr train.tsv -o labels.tsv --label-texts labels.tsv");
    ran.refused_for("labels.tsv");
    assert!(!folder.files().contains(&"bad".into()));
}

#[test]
fn texts_of_other_labels_or_other_words_are_said() {
    let folder = with_texts();
    folder.write("labels.tsv", "zebra\tqwxyz\nyak\tvwxyz\n");
    // A word of one text is no feature where features must be in two.
    let train = "train ovr train.tsv -o m --min-documents 2 --label-texts labels.tsv --words 1";
    let ran = folder.run(&format!("{train} --characters 0 --json"));
    for said in [
        "none of its labels, such as \"zebra\", is among those of the rows, such as \"arrival\": are they spelled \
         differently?",
        "labels.tsv: no text has a word in common with others; trained without them",
    ] {
        assert!(ran.err.contains(said), "{ran:?}");
    }
    let told = ran.json();
    assert_eq!((&told["n"], &told["l"]), (&8.into(), &6.into()));
}
