//! What `hapax evaluate` writes and lists beside its figures.

use super::folder::{Folder, with_row_model, with_text_model};
use roxmltree::{Document, ParsingOptions};
use serde_json::{Value, json};

const HEADER: &str =
    "label,training_rows,support,predicted,right,precision,recall,f1,confused_with,confused_rows";

/// A page that any reader of XML accepts.
#[track_caller]
fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(page, options).unwrap()
}

/// Names that are no names to CSV, HTML or a terminal.
const HOSTILE: [&str; 5] = [
    "a,b",
    "say \"no\"",
    "two\nlines",
    "<script>alert('1')</script>",
    "\u{1b}[31mred\u{202e}",
];

/// A model of texts whose labels are hostile, and test data where each text has the next label.
fn with_hostile_labels() -> Folder {
    let folder = Folder::new();
    let words = ["apple", "pear", "cherry", "lemon", "grape"];
    let table = |shift: usize| -> String {
        let line = |at: usize| {
            let label = HOSTILE[(at + shift) % HOSTILE.len()];
            let text = format!("{} & <b>{}</b>\u{7} \"fruit\"", words[at], words[at]);
            json!({"text": text, "labels": [label]}).to_string() + "\n"
        };
        (0..words.len()).map(line).collect()
    };
    folder.write("train.jsonl", table(0));
    folder.write("test.jsonl", table(1));
    folder
        .run("train nearest train.jsonl -o m --min-documents 1 --neighbors 1 --words 1")
        .good();
    folder
}

#[test]
fn a_line_of_csv_for_each_label() {
    let folder = with_text_model();
    folder.write(
        "test.tsv",
        "where is my new card\tarrival\n\
         somebody stole my card\tlost\n\
         i lost my card on the train\tstolen\n\
         is the exchange rate fair today\tnovel\n\
         which exchange rate do you use\t\n",
    );
    folder
        .run("evaluate m test.tsv --per-label labels.csv")
        .good();
    let csv = String::from_utf8(folder.read("labels.csv")).unwrap();
    // The predicted set is the first answer: training rows have 9 / 8 labels. The row without a
    // label is predicted `exchange`, as the one with the new label is.
    let expected = [
        HEADER,
        "exchange,2,0,2,0,0.0000,,0.0000,,",
        "lost,2,1,1,0,0.0000,0.0000,0.0000,stolen,1",
        "stolen,2,1,1,0,0.0000,0.0000,0.0000,lost,1",
        "novel,0,1,0,0,,0.0000,0.0000,exchange,1",
        "arrival,3,1,1,1,1.0000,1.0000,1.0000,,",
        "",
    ];
    assert_eq!(csv, expected.join("\n"));
    // macro-F1 is the mean over these lines.
    let line = folder.run("evaluate m test.tsv --json").json();
    assert_eq!(line["macro_f1"], 0.2);
    assert_eq!(line["example_f1"], 0.2);
    assert_eq!(line["r_precision"]["1"], 0.2);
}

#[test]
fn worst_rows_have_text_truth_answers_and_evidence() {
    let folder = with_text_model();
    folder.write(
        "test.tsv",
        "where is my new card\tarrival\nsomebody stole my card\tlost\nthe exchange rate\tnovel\n",
    );
    let line = folder.run("evaluate m test.tsv --worst 5 --json").json();
    let worst = line["worst"].as_array().unwrap();
    assert_eq!(worst.len(), 1, "{line}");
    let row = &worst[0];
    assert_eq!((&row["row"], &row["truth"]), (&json!(2), &json!(["lost"])));
    assert_eq!(row["text"], "somebody stole my card");
    assert_eq!(row["labels"][0]["name"], "stolen");
    assert_eq!(row["evidence"][0]["labels"], json!(["stolen"]));
    let scores = row["labels"].as_array().unwrap();
    let lost = scores.iter().find(|label| label["name"] == "lost").unwrap();
    let margin = row["labels"][0]["score"].as_f64().unwrap() - lost["score"].as_f64().unwrap();
    assert!(margin > 0.0 && (row["margin"].as_f64().unwrap() - margin).abs() < 1e-6);
    let place = scores.iter().position(|label| label["name"] == "lost");
    assert_eq!(row["rank"], json!(place.unwrap() + 1));
    let out = folder.run("evaluate m test.tsv --worst 5").good();
    for part in [
        "1 rows whose first answer is wrong",
        "(1 rows have no label that the model knows, and are left out)",
        "row 2   margin ",
        "  text   somebody stole my card\n  truth  lost\n",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

#[test]
fn hostile_names_stay_names() {
    let folder = with_hostile_labels();
    let verb = "evaluate m test.jsonl --per-label labels.csv --report page.html --worst 9";
    let out = folder.run(verb).good();
    assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{out:?}");
    assert!(out.contains("5 rows whose first answer is wrong"), "{out}");
    let line = folder.run(&format!("{verb} --json")).good();
    assert!(!line.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{line:?}");
    let worst: Value = serde_json::from_str(&line).unwrap();
    let truth = worst["worst"].as_array().unwrap().iter();
    let truth: Vec<_> = truth.map(|row| row["truth"][0].as_str().unwrap()).collect();
    assert!(HOSTILE.iter().all(|name| truth.contains(name)), "{truth:?}");

    let bytes = folder.read("labels.csv");
    let mut csv = csv::Reader::from_reader(&bytes[..]);
    let records: Vec<_> = csv.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), HOSTILE.len());
    for (at, name) in HOSTILE.iter().enumerate() {
        let record = records.iter().find(|record| &record[0] == *name).unwrap();
        // The test has the label where training had the one before.
        assert_eq!(&record[8], HOSTILE[(at + 4) % 5], "{name:?}");
        assert_eq!(&record[9], "1");
    }

    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{7}']));
    let document = parsed(&page);
    let tags: Vec<_> = document
        .descendants()
        .map(|node| node.tag_name().name())
        .collect();
    for tag in ["script", "b", "link", "img", "iframe", "a"] {
        assert!(!tags.contains(&tag), "{tag}");
    }
    assert_eq!(tags.iter().filter(|&&tag| tag == "svg").count(), 2);
    let cells = document.descendants().filter_map(|node| node.text());
    let cells: Vec<_> = cells.collect();
    for name in [
        "a,b",
        "say \"no\"",
        "two\\u{a}lines",
        "<script>alert('1')</script>",
    ] {
        assert!(cells.contains(&name), "{name}");
    }
    for figure in document
        .descendants()
        .filter(|node| node.has_tag_name("figure"))
    {
        let drawn = figure
            .descendants()
            .find(|node| node.attribute("role") == Some("img"));
        assert!(!drawn.unwrap().attribute("aria-label").unwrap().is_empty());
    }
    let html = document.root_element();
    assert_eq!(html.attribute("lang"), Some("en"));
    for address in ["http://", "https://", "url(", "@import", "src="] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(address), "{address}");
    }
}

#[test]
fn equal_runs_write_equal_bytes() {
    let folder = with_text_model();
    let mut written = Vec::new();
    for threads in [1, 2, 3] {
        let verb =
            format!("evaluate m train.tsv --per-label l --report r --worst 3 --threads {threads}");
        folder.run(&verb).good();
        written.push((folder.read("l"), folder.read("r")));
    }
    assert!(written.iter().all(|files| files == &written[0]));
    let page = String::from_utf8(written[0].1.clone()).unwrap();
    parsed(&page);
    assert!(page.contains("data fingerprint") && page.contains("What it is not for"));
}

#[test]
fn repeated_and_known_rows_are_told() {
    let folder = with_text_model();
    folder.write(
        "test.tsv",
        "where is my new card\tarrival\nwhere is my new card \tlost\nsomebody stole\tstolen\nsomebody stole\tstolen\n",
    );
    let repeated =
        "2 of 4 rows repeat an earlier row of the test data, 1 of them with other labels\n";
    let known = "2 of 4 rows occur in the training data; precision@1 of the others is 100.00\n";
    let out = folder.run("evaluate m test.tsv").good();
    assert!(
        out.contains(repeated) && !out.contains("occur in the training"),
        "{out}"
    );
    let out = folder.run("evaluate m test.tsv --train train.tsv").good();
    assert!(out.contains(repeated) && out.contains(known), "{out}");
    let out = folder
        .run("train nearest train.tsv -o n --min-documents 1 --neighbors 3 --test test.tsv")
        .good();
    assert!(out.contains(repeated) && out.contains(known), "{out}");
    let line = folder
        .run("evaluate m train.tsv --train train.tsv --json")
        .json();
    assert_eq!(
        (&line["repeated_rows"], &line["rows_in_training"]),
        (&json!(0), &json!(8))
    );
    assert_eq!(line["precision_of_new_rows"], Value::Null);
    let ran = folder.run("evaluate m test.tsv --train test.tsv");
    assert_eq!(
        ran.err,
        "hapax: warning: test.tsv: has 4 rows, but the model was trained on 8\n"
    );
    let rows = with_row_model();
    let line = rows
        .run("evaluate m rows.txt --train rows.txt --json")
        .json();
    assert_eq!(line["rows_in_training"], 4);
    rows.run("evaluate m rows.txt --per-label l --report r --worst 2")
        .good();
    parsed(&String::from_utf8(rows.read("r")).unwrap());
}

#[test]
fn outputs_are_checked_before_any_work_and_written_whole() {
    let folder = with_text_model();
    let model = folder.read("m");
    folder
        .run("evaluate m train.tsv --report m")
        .refused_for("m: cannot write: the data are read from it");
    folder
        .run("evaluate m train.tsv --per-label x --report x")
        .refused("x: is named by both --per-label and --report; name two files");
    folder
        .run("evaluate m train.tsv --report absent/x")
        .refused("absent/x: cannot write: there is no such folder");
    folder.write("empty.tsv", "");
    let ran = folder.run("evaluate m empty.tsv --per-label l --report r --worst 3");
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:?}");
    assert_eq!(folder.files(), ["empty.tsv", "m", "train.tsv"]);
    assert_eq!(folder.read("m"), model);
}

#[test]
fn data_without_any_label_are_well_defined() {
    let folder = with_row_model();
    folder.write("none.txt", "2 4 3\n 0:1\n 2:1\n");
    let verb = "evaluate m none.txt --per-label l --report r --worst 2 --json";
    let line = folder.run(verb).json();
    assert_eq!(
        (&line["precision"]["1"], &line["example_f1"]),
        (&json!(0.0), &json!(0.0))
    );
    assert_eq!(line["worst"], json!([]));
    let csv = String::from_utf8(folder.read("l")).unwrap();
    assert_eq!(
        csv,
        format!("{HEADER}\n0,2,0,1,0,0.0000,,0.0000,,\n1,2,0,1,0,0.0000,,0.0000,,\n")
    );
    parsed(&String::from_utf8(folder.read("r")).unwrap());
}
