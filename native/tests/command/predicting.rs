//! `hapax predict`.

use super::folder::{Folder, finish, with_row_model, with_text_model};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

#[test]
fn texts_get_labels_as_json_lines() {
    let folder = with_text_model();
    let out = folder
        .run_on("predict m -k 2", "my card was stolen\nexchange rate\n")
        .good();
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["labels"][0]["name"], "stolen");
    assert_eq!(lines[1]["labels"][0]["name"], "exchange");
    let id = lines[1]["labels"][0]["id"].as_u64();
    assert!(id.is_some_and(|id| id < 4), "{out}");
    assert!(lines[1]["labels"][0]["score"].as_f64() > Some(0.0), "{out}");
    for line in &lines {
        let count = line["labels"].as_array().unwrap().len();
        assert!((1..=2).contains(&count), "{line}");
    }
}

#[test]
fn scores_are_the_same_decimals_in_every_output() {
    let folder = with_row_model();
    let query = "0:1 1:0.3\n";
    let xmc = folder.run_on("predict m --output xmc", query).good();
    let json = folder.run_on("predict m --output json", query).json();
    let pairs: Vec<_> = json["labels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| format!("{}:{}", label["id"], label["score"]))
        .collect();
    assert_eq!(xmc.trim_end(), pairs.join(" "));
}

#[test]
fn an_explanation_names_rows_labels_and_features() {
    let folder = with_text_model();
    let line = folder
        .run_on("predict m --explain", "the exchange rate\n")
        .json();
    let evidence = line["evidence"].as_array().unwrap();
    assert!(!evidence.is_empty() && evidence.len() <= 3, "{line}");
    assert_eq!(evidence[0]["labels"][0], "exchange");
    assert!(evidence[0]["row"] == 6 || evidence[0]["row"] == 7, "{line}");
    let features: Vec<_> = evidence[0]["features"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["feature"].as_str().unwrap().to_owned())
        .collect();
    assert!(features.contains(&"exchange rate".to_owned()), "{line}");
    let text = folder
        .run_on("predict m --explain --output text", "the exchange rate\n")
        .good();
    assert!(text.contains("row ") && text.contains("shares "), "{text}");
}

#[test]
fn every_line_has_an_answer_and_those_without_one_a_reason() {
    let folder = with_text_model();
    let ran = folder.run_on("predict m - --output json", "zebra xylophone\n\n?!\nlost\n");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let problems: Vec<_> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["problem"].clone())
        .collect();
    // Two words and their pair.
    let unknown = "none of the 3 tokens of the text is known to the model";
    let none = "the text holds no words; at least one letter or digit is needed";
    assert_eq!(
        problems,
        [
            unknown.into(),
            "the line is blank".into(),
            none.into(),
            Value::Null
        ]
    );
    assert_eq!(
        ran.err,
        format!("-:1: {unknown}\n-:2: the line is blank\n-:3: {none}\n")
    );
}

#[test]
fn a_line_is_answered_before_the_next_one_comes() {
    let folder = with_text_model();
    let mut child = folder
        .command("predict m -k 1 --output json")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for (text, label) in [
        ("somebody stole it", "stolen"),
        ("exchange rate", "exchange"),
    ] {
        writeln!(stdin, "{text}").unwrap();
        stdin.flush().unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        assert!(line.contains(label), "{line}");
    }
    drop(stdin);
    assert_eq!(finish(child).status, Some(0));
}

#[test]
fn many_lines_are_answered_in_order_by_any_number_of_threads() {
    let folder = with_row_model();
    let rows: String = (0..10_000)
        .map(|row| if row % 3 == 0 { "0:1 1:0.5\n" } else { "2:1\n" })
        .collect();
    folder.write("queries", &rows);
    let one = folder
        .run("predict m queries -k 1 --output xmc --threads 1 --format xmc")
        .good();
    let three = folder
        .run("predict m queries -k 1 --output xmc --threads 3 --format xmc")
        .good();
    assert_eq!(one, three);
    assert_eq!(one.lines().count(), 10_000);
    for (row, line) in one.lines().enumerate() {
        let label = if row % 3 == 0 { "0:" } else { "1:" };
        assert!(line.starts_with(label), "{row}: {line}");
    }
}

#[test]
fn what_cannot_be_read_is_said_in_its_place() {
    let folder = with_row_model();
    let ran = folder.run_on(
        "predict m --output xmc --format xmc",
        "0:1\n2:1\n0:x\n0:1\n",
    );
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((lines.len(), lines[2], lines[3]), (4, "", lines[0]));
    assert_eq!(
        ran.err,
        "-:3:3: feature value `x` is not a number\n\
         hapax: 1 of 4 rows could not be read; each has its place in the output, without labels\n"
    );
    assert_eq!(ran.status, Some(3));
    let folder = with_text_model();
    folder.write("lines", b"my card\na\xffb\nmy card\n");
    let ran = folder.run("predict m lines -k 1");
    assert_eq!(ran.status, Some(3));
    let lines: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let problem = "2:2: byte 0xff is not UTF-8; convert the input to UTF-8";
    assert_eq!(lines[1]["problem"], problem);
    assert_eq!((lines.len(), &lines[0]), (3, &lines[2]));
}

#[test]
fn lines_are_bounded() {
    let folder = with_text_model();
    let long = "card ".repeat(40);
    let input = format!("my card\n{long}\nmy card\n{long}");
    let ran = folder.run_on("predict m -k 1 --max-line 100B", &input);
    assert_eq!(ran.status, Some(3));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((lines.len(), lines[0]), (4, lines[2]));
    let problem = "4:1: the line is longer than 100 bytes; allow more by --max-line if it is meant";
    assert!(lines[3].contains(problem), "{ran:?}");
    let ran = folder.run_on("predict m -k 1", &input);
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn names_of_labels_never_act_on_a_terminal() {
    let folder = Folder::new();
    folder.write(
        "train.tsv",
        "red\t\u{1b}[31mred\u{1b}]0;owned\u{7}\nblue\tx\u{202e}blue\nred car\t\u{1b}[31mred\u{1b}]0;owned\u{7}\n",
    );
    folder
        .run("train nearest-mean train.tsv -o m --min-documents 1")
        .good();
    for output in ["text", "jsonl"] {
        let out = folder
            .run_on(&format!("predict m --explain --output {output}"), "red\n")
            .good();
        assert!(out.contains("31mred"), "{out}");
        let acts = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!out.contains(acts), "{out:?}");
    }
    for json in ["", " --json"] {
        let out = folder.run(&format!("inspect m --neighbors 0{json}")).good();
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{out:?}");
    }
}

#[test]
fn texts_and_rows_are_not_confounded() {
    let folder = with_row_model();
    folder.write("texts.tsv", "a text\tlabel\nanother text\tlabel\n");
    folder
        .run("predict m texts.tsv")
        .refused("texts.tsv: holds texts (tsv), but the model was trained on rows of features");
    folder.run_on("predict m", "plain words\n").refused(
        "-:1:1: the first lines are neither xmc (a header `rows features labels`), svmlight (`label index:value`), tsv (a text, a tab, labels) nor fasttext (`__label__name`, a text); name the format; \
         the model answers rows of features, as xmc or svmlight",
    );
    folder
        .run("predict rows.txt m")
        .refused("rows.txt: not a hapax model: the file does not begin with HAPAX");
    folder
        .run("predict m m")
        .refused("m: is a model; the model comes first, then the texts or rows");
}

#[test]
fn no_input_gives_no_answers() {
    for folder in [with_text_model(), with_row_model()] {
        assert_eq!(folder.run_on("predict m", "").good(), "");
    }
}

#[test]
fn zero_answers_are_refused() {
    Folder::new()
        .run("predict m -k 0")
        .refused("k is 0, but must be at least 1");
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    let folder = with_row_model();
    for rows in ["4 4 3\n0 0:1\n", "0 0:1\n", "0:1\n"] {
        folder.write("rows", rows);
        folder.write("marked", format!("\u{feff}{rows}"));
        let answers = |file: &str| {
            folder
                .run(&format!("predict m {file} --output json"))
                .good()
        };
        assert_eq!(answers("marked"), answers("rows"));
        assert_eq!(answers("marked").lines().count(), 1);
    }
    folder.write("names", "\u{feff}first\nsecond\nthird\n");
    let train = "train nearest rows.txt -o named --neighbors 2 --label-names names";
    folder.run(train).good();
    let answers = folder
        .run_on("predict named -k 1 --output json", "0:1\n")
        .good();
    assert!(answers.contains("\"name\":\"first\""), "{answers}");
}
