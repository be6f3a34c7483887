//! How data are read: formats, columns, where indices start, compression.

use super::folder::{Folder, QUESTIONS, ROWS};
use std::io::Write;

#[test]
fn every_format_is_found_by_looking() {
    let folder = Folder::new();
    for (contents, format) in [
        (ROWS, "xmc"),
        ("1 1:0.5 3:1\n2 2:1\n", "svmlight, feature indices from 1"),
        ("1 0:0.5 3:1\n2 2:1\n", "svmlight, feature indices from 0"),
    ] {
        folder.write("data", contents);
        let line = folder.run("inspect data --json").json();
        assert!(
            line["format"].as_str().unwrap().starts_with(format),
            "{line}"
        );
    }
    let marked: String = QUESTIONS
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(text, labels)| format!("__label__{} {text}\n", labels.replace(' ', " __label__")))
        .collect();
    for (contents, format) in [(QUESTIONS, "tsv;"), (&marked, "fasttext;")] {
        folder.write("data", contents);
        let line = folder.run("inspect data --json").json();
        assert!(
            line["format"].as_str().unwrap().starts_with(format),
            "{line}"
        );
        assert_eq!((&line["n"], &line["l"]), (&8.into(), &4.into()));
    }
}

#[test]
fn a_named_format_is_taken_at_its_word() {
    let folder = Folder::new();
    // Could be either.
    folder.write("data", "1\t1:2\n1\t1:2\n2\t3:4\n");
    folder
        .run("inspect data")
        .refused("data:1:1: the first lines could be svmlight as well as tsv; name the format");
    let line = folder.run("inspect data --format svmlight --json").json();
    assert_eq!((&line["n"], &line["d"]), (&3.into(), &3.into()));
    let line = folder.run("inspect data --format tsv --json").json();
    assert_eq!((&line["n"], &line["l"]), (&3.into(), &2.into()));
}

#[test]
fn columns_may_stand_in_the_other_order() {
    let folder = Folder::new();
    let swapped: String = QUESTIONS
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(text, labels)| format!("{}\t{text}\n", labels.replace(' ', ",")))
        .collect();
    folder.write("train.tsv", QUESTIONS);
    folder.write("swapped.tsv", &swapped);
    let options = "--min-documents 1 --neighbors 3";
    let ran = folder.run(&format!("train nearest train.tsv -o a {options}"));
    assert_eq!(ran.err, "", "no warning where the order is right");
    let ran = folder.run(&format!(
        "train nearest swapped.tsv -o b {options} --columns labels,text"
    ));
    assert_eq!(ran.err, "");
    assert_eq!(folder.trained_on("a"), folder.trained_on("b"));
    let ran = folder.run(&format!("train nearest swapped.tsv -o c {options} --json"));
    assert_eq!(
        ran.err,
        "hapax: warning: swapped.tsv: read as text, then labels, but the columns look as if they \
         were the other way round; if so, say --columns labels,text\n"
    );
    ran.json();
    let ran = folder.run("predict a swapped.tsv");
    assert!(
        ran.err
            .starts_with("hapax: warning: swapped.tsv: read as text"),
        "{ran:?}"
    );
    let ran = folder.run("predict a swapped.tsv --columns labels,text -k 1");
    assert_eq!(ran.err, "");
    assert!(
        ran.out
            .starts_with("{\"labels\":[{\"id\":0,\"name\":\"arrival\""),
        "{ran:?}"
    );
}

#[test]
fn indices_start_where_those_of_the_training_data_did() {
    let folder = Folder::new();
    // Told from one row alone, the queries' indices would start at 1.
    folder.write("train", "7 0:1 1:1\n9 2:1 3:1\n");
    folder.write("query", "9 2:1 3:1\n");
    let train = "train nearest train -o m --neighbors 1 --format svmlight";
    folder.run(train).good();
    let line = folder
        .run("evaluate m query --format svmlight -k 1 --json")
        .json();
    assert_eq!(line["precision"]["1"], 1.0);
    let answer = folder.run("predict m query --format svmlight -k 1").json();
    assert_eq!(answer["labels"][0]["name"], "9");
    folder
        .run(&format!("{train} --index-base 1"))
        .refused("train:1:3: feature index 0 where indices start at 1; read the input as 0-based");
    folder.run(&format!("{train} --index-base 0")).good();
}

#[test]
fn compressed_data_are_read_as_they_are() {
    let folder = Folder::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(ROWS.as_bytes()).unwrap();
    folder.write("rows.gz", gzip.finish().unwrap());
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(ROWS.as_bytes()).unwrap();
    folder.write("rows.xz", xz.finish().unwrap());
    folder.write("rows.txt", ROWS);
    let plain = folder.run("inspect rows.txt --json").json();
    for name in ["rows.gz", "rows.xz"] {
        assert_eq!(folder.run(&format!("inspect {name} --json")).json(), plain);
    }
    folder
        .run("train nearest rows.xz -o m --neighbors 2")
        .good();
    let from_file = folder.run("predict m rows.gz --output xmc").good();
    assert_eq!(from_file.lines().count(), 4);
}
