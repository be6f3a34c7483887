//! Tables: CSV, JSON Lines, and tab-separated data with a header.

use super::folder::{Folder, QUESTIONS};
use serde_json::{Value, json};
use std::io::Write;

const OPTIONS: &str = "--min-documents 1 --neighbors 3";

/// The texts and labels of [`QUESTIONS`].
fn rows() -> impl Iterator<Item = (usize, &'static str, String)> {
    let rows = QUESTIONS.lines().filter_map(|row| row.split_once('\t'));
    let rows = rows.enumerate();
    rows.map(|(at, (text, labels))| (at + 1, text, labels.replace(' ', "; ")))
}

/// A table with a header, a quoted line break and several labels in a field.
fn csv() -> String {
    let mut csv = String::from("id,title,body,subjects\r\n");
    for (at, text, labels) in rows() {
        let (title, body) = text.split_once(' ').unwrap();
        csv += &format!("q{at},{title},\"{body}\n\",\"{labels}\"\r\n");
    }
    csv
}

fn json_lines() -> String {
    let line = |(at, text, labels): (usize, &str, String)| {
        let labels: Vec<&str> = labels.split("; ").collect();
        let (title, body) = text.split_once(' ').unwrap();
        json!({"id": at, "title": title, "body": body, "subjects": labels}).to_string() + "\n"
    };
    rows().map(line).collect()
}

const NAMED: &str = "--text title,body --labels subjects --label-separator ;";

/// A folder with `train.csv`, and the models `plain` of [`QUESTIONS`] and `m` of the table.
fn with_table() -> Folder {
    let folder = Folder::new();
    folder.write("plain.tsv", QUESTIONS);
    folder
        .run(&format!("train nearest plain.tsv -o plain {OPTIONS}"))
        .good();
    folder.write("train.csv", csv());
    folder
        .run(&format!("train nearest train.csv -o m {NAMED} {OPTIONS}"))
        .good();
    folder
}

#[test]
fn every_table_is_the_same_data() {
    let folder = with_table();
    folder.write("train.jsonl", json_lines());
    folder.write("train.ndjson", json_lines());
    folder.write("objects", json_lines());
    let semicolons = csv().replace("; ", "|").replace(',', ";");
    folder.write("semicolons.csv", format!("\u{feff}{semicolons}"));
    let tabs: String = rows()
        .map(|(at, text, labels)| format!("{at}\t{text}\t{}\n", labels.replace("; ", " ")))
        .collect();
    folder.write("numbered.tsv", &tabs);
    folder.write("headed.tsv", format!("id\ttext\tlabels\n{tabs}"));
    let file = std::fs::File::create(folder.path("train.csv.gz")).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    gzip.write_all(csv().as_bytes()).unwrap();
    gzip.finish().unwrap();
    let expected = folder.trained_on("plain");
    assert_eq!(folder.trained_on("m"), expected);
    for (file, options) in [
        ("train.csv.gz", NAMED),
        ("train.csv", "--text 2,3 --labels 4 --label-separator ;"),
        (
            "train.csv",
            "--text TITLE,body --labels Subjects --label-separator ; --delimiter ,",
        ),
        (
            "semicolons.csv",
            "--text title,body --labels subjects --label-separator |",
        ),
        ("train.jsonl", "--text title,body --labels subjects"),
        ("train.ndjson", "--text title,body"),
        ("objects", "--text title,body"),
        ("headed.tsv", ""),
        ("headed.tsv", "--text text --labels labels --id id"),
        ("numbered.tsv", "--text 2 --labels 3"),
        ("numbered.tsv", "--columns id,text,labels"),
    ] {
        let ran = folder.run(&format!(
            "train nearest {file} -o other {options} {OPTIONS}"
        ));
        assert!(
            !ran.err.contains("warning"),
            "{file} {options}: {}",
            ran.err
        );
        ran.good();
        assert_eq!(folder.trained_on("other"), expected, "{file} {options}");
    }
    // A column that counts twice makes other rows.
    folder
        .run(&format!(
            "train nearest train.csv -o other --text title:2,body --labels subjects --label-separator ; {OPTIONS}"
        ))
        .good();
    assert_ne!(folder.trained_on("other"), expected);
}

#[test]
fn a_model_remembers_its_columns() {
    let folder = with_table();
    folder.write("test.jsonl", json_lines());
    let plain = folder.run("evaluate plain plain.tsv --json").json();
    for file in ["train.csv", "test.jsonl", "plain.tsv"] {
        // Without a header the second column holds labels, which are separated as in training.
        let ran = folder.run(&format!("evaluate m {file} --json"));
        assert_eq!(ran.err, "", "{file}");
        let ran = ran.json();
        assert_eq!(ran["n"], plain["n"]);
        if file != "plain.tsv" {
            assert_eq!(ran["precision"], plain["precision"], "{file}");
        }
    }
    let compact = "compact m -o small --max-bytes 14kB";
    folder.run(compact).good();
    folder.run("evaluate small train.csv").good();
    let parts = folder.run("inspect small --json").json()["parts"].clone();
    assert_eq!(
        parts["columns of the training data"],
        r#"{"text":["title","body"],"labels":"subjects","separator":";","id":"id"}"#.len()
    );
    // What is said comes first.
    folder.write("other.csv", "name,kind\nwhere is my new card,arrival\n");
    folder
        .run("evaluate m other.csv")
        .refused("other.csv:1:1: there is no column \"title\"; the columns are name, kind");
    folder
        .run("evaluate m other.csv --text name --labels kind")
        .good();
    let tested = folder.run(&format!(
        "train nearest train.csv -o other {NAMED} {OPTIONS} --test train.csv --json"
    ));
    assert_eq!(tested.json()["test"]["precision"], plain["precision"]);
    // Training that goes on reads the same columns.
    let train = "train ovr train.csv -o";
    folder.run(&format!("{train} first {NAMED}")).good();
    folder.run(&format!("{train} second --from first")).good();
    folder.run("evaluate second train.csv").good();
    // Columns of data without a header are remembered, too.
    let swapped: String = rows()
        .map(|(_, text, labels)| format!("{labels}\t{text}\n"))
        .collect();
    folder.write("swapped.tsv", swapped);
    folder
        .run(&format!(
            "train nearest swapped.tsv -o m --columns labels,text --label-separator ; {OPTIONS}"
        ))
        .good();
    let ran = folder.run("evaluate m swapped.tsv --json").json();
    assert_eq!(ran["precision"], plain["precision"]);
}

#[test]
fn rows_hand_their_ids_and_columns_through() {
    let folder = with_table();
    let plain = folder.run("predict plain plain.tsv -k 1").good();
    let plain: Vec<Value> = plain
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let answers = |options: &str| -> Vec<Value> {
        let out = folder.run(&format!("predict m -k 1 {options}")).good();
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let with_title = answers("train.csv --keep title,4");
    assert_eq!(with_title.len(), plain.len());
    for ((at, text, labels), (line, plain)) in rows().zip(with_title.iter().zip(&plain)) {
        let title = text.split(' ').next();
        assert_eq!(line["id"], format!("q{at}"));
        assert_eq!(line["columns"], json!({"title": title, "subjects": labels}));
        assert_eq!(line["labels"], plain["labels"]);
    }
    folder.write("rows.jsonl", json_lines());
    let numbers = answers("rows.jsonl");
    assert_eq!((&numbers[1]["id"], numbers.len()), (&json!(2), plain.len()));
    // Piped objects are seen to be some; without ids lines have numbers.
    let ran = folder.run_on(
        "predict m -k 1",
        "{\"body\": \"my card\"}\n\n{\"body\": \"rate\"}\n",
    );
    let lines: Vec<Value> = ran
        .good()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["line"], &lines[1]["line"]),
        (&json!(1), &json!(3))
    );
    let csv = folder
        .run("predict m train.csv -k 2 --keep title --output csv")
        .good();
    let mut lines = csv.lines();
    assert_eq!(
        lines.next(),
        Some("id,title,label_1,score_1,label_2,score_2,problem")
    );
    assert!(
        lines.next().unwrap().starts_with("q1,where,arrival,"),
        "{csv}"
    );
    let text = folder
        .run("predict m train.csv -k 1 --keep title --output text")
        .good();
    assert!(text.starts_with("q1\n  title: where\n"), "{text}");
    let xmc = folder.run("predict m train.csv -k 1 --output xmc").good();
    assert_eq!(xmc.lines().count(), plain.len());
    folder.run("predict m train.csv --keep date").refused(
        "train.csv:1:1: there is no column \"date\"; the columns are id, title, body, subjects",
    );
    folder
        .run("predict m plain.tsv --keep title")
        .refused("plain.tsv: is no table; leave out --keep title");
}

#[test]
fn rows_that_cannot_be_read_keep_their_place() {
    let folder = with_table();
    folder.write(
        "wrong.csv",
        b"id,title,body\n1,my,card\n2,my\n3,m\xff,card\n4,my,\"card\nis lost\"\n5,zebra,xylophone\n6,\"my,card\n",
    );
    let ran = folder.run("predict m wrong.csv -k 1 --output jsonl");
    assert_eq!(ran.status, Some(3), "{ran:?}");
    let lines: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let problems: Vec<Value> = lines.iter().map(|line| line["problem"].clone()).collect();
    let ragged = "3:5: the row has 2 fields, but the first line has 3; quote fields that hold separators or line breaks";
    let quote = "8:1: the row has a quote that nothing closes; quotes within a field are doubled";
    let utf8 = "4:4: byte 0xff is not UTF-8; convert the input to UTF-8";
    let unknown = "none of the 3 tokens of the text is known to the model";
    assert_eq!(
        problems,
        [
            json!(null),
            json!(ragged),
            json!(utf8),
            json!(null),
            json!(unknown),
            json!(quote)
        ]
    );
    assert_eq!(lines[3]["id"], "4");
    assert_eq!(
        ran.err,
        format!(
            "wrong.csv:{ragged}\nwrong.csv:{utf8}\nwrong.csv:7: {unknown}\nwrong.csv:{quote}\n\
             hapax: 3 of 6 rows could not be read; each has its place in the output, without labels\n"
        )
    );
    let ran = folder.run("predict m wrong.csv -k 1 --output csv");
    assert_eq!((ran.status, ran.out.lines().count()), (Some(3), 7));
    // Training stops at the first.
    folder
        .run("evaluate m wrong.csv --labels id")
        .refused(&format!("wrong.csv:{ragged}"));
    // Only the first problems are told twice.
    folder.write("many.csv", format!("title,body\n{}", "x\n".repeat(100)));
    let ran = folder.run("predict m many.csv --output jsonl");
    assert_eq!(
        (ran.out.lines().count(), ran.err.lines().count()),
        (100, 22)
    );
}

#[test]
fn tables_that_are_unclear_are_refused_with_the_options_to_give() {
    let folder = Folder::new();
    let unclear = "which column holds what is not clear: the columns are";
    for (file, contents, options, message) in [
        (
            "a.csv",
            csv().replacen("title", "name", 1),
            "",
            format!("a.csv:1:1: {unclear} id, name, body, subjects; say --text body --labels subjects"),
        ),
        (
            "a.csv",
            csv().split_once('\n').unwrap().1.to_string(),
            "",
            format!("a.csv:1:1: {unclear} q1, where, is my new card, arrival; say --text 3 --labels 4"),
        ),
        (
            "a.csv",
            csv(),
            "--text titel",
            "a.csv:1:1: there is no column \"titel\"; the columns are id, title, body, subjects".into(),
        ),
        (
            "a.jsonl",
            "{\"a\":\"b c\",\"d\":\"e\",\"f\":1}".into(),
            "",
            format!("a.jsonl:1:1: {unclear} a, d, f; say --text a --labels f"),
        ),
        (
            "a.csv",
            "a b\nc d\n".into(),
            "",
            format!("a.csv:1:1: {unclear} a b; say --text 1 --labels 1"),
        ),
        (
            "a.txt",
            super::folder::ROWS.into(),
            "--text title",
            "a.txt: is read as xmc, which has no columns; leave out --text, or name the format of a table: --format csv, \
             jsonl or tsv"
                .into(),
        ),
    ] {
        folder.write(file, contents);
        folder.run(&format!("inspect {file} {options}")).refused(&message);
    }
    folder.write("a.csv", "text,labels\na,b\n");
    for (option, rule) in [
        (
            "--text title:0",
            "`title` cannot count 0 times; give a number from 1 to 100",
        ),
        (
            "--delimiter ab",
            "\"ab\" separates no fields; give one ASCII character, such as ';', or tab",
        ),
    ] {
        let ran = folder.run(&format!("inspect a.csv {option}"));
        assert_eq!(ran.status, Some(2));
        assert!(ran.err.contains(rule), "{}", ran.err);
    }
    let ran = folder.run("inspect a.csv --text text --columns text,labels");
    assert!(
        ran.err.contains("cannot be used with '--columns"),
        "{}",
        ran.err
    );
}

#[test]
fn what_was_probably_meant_is_said() {
    let folder = Folder::new();
    let named = "--text title,body --labels subjects";
    let suspected = |table: &str, options: &str| {
        folder.write("a.csv", table);
        let ran = folder.run(&format!("inspect a.csv {options}"));
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let warnings = ran.err.lines().filter(|line| line.contains("warning"));
        warnings.map(String::from).collect::<Vec<_>>().join("\n")
    };
    let many = |other: &str, option: &str| {
        format!(
            "hapax: warning: a.csv: each field is read as one label, but many hold {other}; if it separates labels, say \
             --label-separator {option}"
        )
    };
    let doubled = csv().replace("\"\r", "; new\"\r");
    assert_eq!(suspected(&doubled, named), many("';'", "';'"));
    let bars = doubled.replace("; ", "|");
    assert_eq!(suspected(&bars, named), many("'|'", "'|'"));
    assert_eq!(
        suspected(&doubled, &format!("{named} --label-separator ;")),
        ""
    );
    assert_eq!(suspected(&csv(), named), "");
    assert_eq!(
        suspected("name,kind\nan oak in a park,tree\na mouse,animal\n", ""),
        "hapax: warning: a.csv: the first line looks like a header, but is read as a row; if it is one, say --header true"
    );
    assert_eq!(
        suspected(
            "name,kind\nan oak in a park,tree\na mouse,animal\n",
            "--header true"
        ),
        ""
    );
    let measured = "width,length,kind\n0.5,2e3,oak\n1.5,-7,ash\n";
    assert_eq!(
        suspected(measured, "--text width,length --labels kind"),
        "hapax: warning: a.csv: the text holds numbers alone, and each is read as a word; to train on what they \
         measure, save them as a matrix (.npy, see docs/formats.md)"
    );
    assert_eq!(suspected(measured, "--text width --labels kind"), "");
}
