//! Tables that are read, and one refusal for each rule.

use super::{
    Selection, Table,
    TableFormat::{self, Csv, JsonLines, Tsv},
    WholeError, read_table,
};
use std::io::Cursor;

fn said(words: &str) -> Selection {
    let mut selection = Selection::default();
    for word in words.split_whitespace() {
        let (name, value) = word.split_once('=').unwrap();
        match name {
            "text" => selection.text = value.split(',').map(|name| name.parse().unwrap()).collect(),
            "labels" => selection.labels = Some(value.into()),
            "separator" => selection.separator = Some(value.into()),
            "id" => selection.id = Some(value.into()),
            "header" => selection.header = Some(value == "true"),
            _ => panic!("no {name}"),
        }
    }
    selection
}

pub(super) fn table(format: TableFormat, given: &str) -> Table {
    Table {
        given: said(given),
        most_bytes: 100,
        ..Table::new(format)
    }
}

fn read(
    format: TableFormat,
    given: &str,
    text: &str,
) -> Result<Vec<(String, Vec<String>)>, String> {
    let read = read_table(
        Cursor::new(text.as_bytes().to_vec()),
        table(format, given),
        None,
    );
    let documents = read.map_err(|error| error.to_string())?.documents;
    let names = |label: &u32| documents.label_names.get(*label).unwrap().to_string();
    let labels = documents
        .labels
        .iter()
        .map(|row| row.iter().map(names).collect());
    Ok(documents.texts.clone().into_iter().zip(labels).collect())
}

/// Asserts that a table has these texts and labels.
pub(super) fn assert_rows(format: TableFormat, given: &str, text: &str, rows: &[(&str, &[&str])]) {
    let rows = rows.iter().map(|(text, labels)| {
        let labels: Vec<String> = labels.iter().map(ToString::to_string).collect();
        ((*text).to_string(), labels)
    });
    let found = read(format, given, text).unwrap();
    assert_eq!(found, rows.collect::<Vec<_>>(), "{text}");
}

#[test]
fn tables_are_read() {
    for (format, given, text, rows) in [
        (Csv, "", "text,labels\na b,x\n", &[("a b", &["x"][..])][..]),
        // Without a header two columns are text and labels.
        (
            Csv,
            "",
            "a b c d,x y\ne,z\n",
            &[("a b c d", &["x y"]), ("e", &["z"])],
        ),
        // A byte order mark, CRLF, blank lines, quotes, and no line break at the end.
        (
            Csv,
            "",
            "\u{feff}label,text\r\n\r\nx,\"a \"\"b\"\"\r\nc\"\r\n\"y, z\",d",
            &[("a \"b\"\nc", &["x"]), ("d", &["y, z"])],
        ),
        (
            Csv,
            "text=title:2,abstract labels=subjects separator=;",
            "n;title;abstract;subjects\n1;t;a;\"x; y\"\n2;;b;\n",
            &[("t\nt\na", &["x", "y"]), ("b", &[])],
        ),
        // Columns by number, and trailing separators.
        (
            Csv,
            "text=3 labels=2",
            "1,x,a\n2,y,b,\n",
            &[("a", &["x"]), ("b", &["y"])],
        ),
        // One name tells which column holds what, where there are two.
        (Csv, "", "Text;Kategorie\na b;x\n", &[("a b", &["x"])]),
        (Csv, "", "Kommentar,label\na b,x\n", &[("a b", &["x"])]),
        (Csv, "header=true", "one,two\na,b\n", &[("a", &["b"])]),
        (Csv, "labels=1", "x,a\n", &[("a", &["x"])]),
        (
            Tsv,
            "",
            "id\ttext\tlabels\n1\t\"a\tx y\n",
            &[("\"a", &["x", "y"])],
        ),
        (Tsv, "", "labels\ttext\nx y,z\ta\n", &[("a", &["x y", "z"])]),
        (
            JsonLines,
            "",
            "{\"text\":\"a\",\"labels\":[\"x y\",7]}\n\n{\"labels\":null,\"text\":[\"b\",\"c\"]}\n",
            &[("a", &["7", "x y"]), ("b c", &[])],
        ),
        (
            JsonLines,
            "text=t,u labels=l separator=;",
            "{\"t\":\"a\",\"l\":\"x;y\",\"u\":1.5}\n{\"u\":\"b\",\"l\":true}\n",
            &[("a\n1.5", &["x", "y"]), ("b", &["true"])],
        ),
    ] {
        assert_rows(format, given, text, rows);
    }
}

/// A format, what is given, a table, and what is said of it.
pub(super) type Refusal<'a> = (TableFormat, &'a str, &'a str, &'a str);

pub(super) fn are_refused(cases: &[Refusal<'_>]) {
    for &(format, given, text, message) in cases {
        assert_eq!(read(format, given, text), Err(message.into()), "{text}");
    }
}

#[test]
fn tables_without_rows_or_known_columns_are_refused() {
    are_refused(&[
        (
            Csv,
            "",
            "",
            "1:1: the table has no rows; at least one is needed",
        ),
        (
            Csv,
            "",
            "text,labels\n",
            "1:1: the table has no rows; at least one is needed",
        ),
        (
            Csv,
            "",
            "text,labels\ra,x\r",
            "1:1: lines end by CR alone, as on old Macs; convert line ends to LF or CRLF",
        ),
        (
            Csv,
            "",
            "7,one two three,x\n8,four five,y\n",
            "1:1: which column holds what is not clear: the columns are 7, one two three, x; say --text 2 --labels 3",
        ),
        (
            Csv,
            "",
            "nr,name,kind of it\n7,one two three,x\n8,four five,y\n",
            "1:1: which column holds what is not clear: the columns are nr, name, kind of it; say --text name --labels \
             'kind of it'",
        ),
        (
            JsonLines,
            "",
            "{}\n",
            "1:1: the row has no columns; each has a text and labels",
        ),
        (
            JsonLines,
            "",
            "{\"doc\":{\"body\":\"a b\"},\"kind\":\"x\"}\n",
            "1:1: which column holds what is not clear: the columns are doc, doc.body, kind; say --text doc.body \
             --labels kind",
        ),
        (
            Csv,
            "",
            "text,id\na b,7\n",
            "1:1: which column holds what is not clear: the columns are text, id; say --text text --labels id",
        ),
        (
            Csv,
            "text=titel labels=subjects",
            "id,title,subjects\n1,a,x\n",
            "1:1: there is no column \"titel\"; the columns are id, title, subjects",
        ),
        (
            Csv,
            "text=4 labels=2",
            "7,a b c d,x\n",
            "1:1: there is no column \"4\"; the columns are 1, 2, 3",
        ),
    ]);
}

#[test]
fn rows_and_labels_out_of_form_are_refused() {
    let long = format!("text,labels\na,x\n{},y\n", "b".repeat(100));
    let quoted = format!(
        "text,labels\na,x\n\"{}\n{}\",y\n",
        "b".repeat(60),
        "c".repeat(60)
    );
    are_refused(&[
        (
            Csv,
            "",
            "text,labels\na,x\nb\n",
            "3:2: the row has 1 field, but the first line has 2; quote fields that hold separators or line breaks",
        ),
        (
            Csv,
            "",
            "text,labels\n\"a\nb\",x,y\n",
            "3:6: the row has 3 fields, but the first line has 2; quote fields that hold separators or line breaks",
        ),
        (
            Csv,
            "",
            "text,labels\na,x\n\"b,y\nc,z\n",
            "3:1: the row has a quote that nothing closes; quotes within a field are doubled",
        ),
        (
            Csv,
            "",
            &long,
            "3:1: the row is longer than 100 bytes; allow more by --max-line if it is meant",
        ),
        (
            Csv,
            "",
            &quoted,
            "3:1: the row is longer than 100 bytes; allow more by --max-line if it is meant",
        ),
        (
            Csv,
            "separator=;",
            "text,labels\nä,x; ;y\n",
            "2:6: a label is empty",
        ),
        (
            Tsv,
            "separator=;",
            "text\tlabels\na\tx;\n",
            "2:5: a label is empty",
        ),
    ]);
    let bytes = &b"text,labels\n\"a\n\xc3\xa4\xff\",x\n"[..];
    let error = read_table(bytes, table(Csv, ""), None).unwrap_err();
    assert!(matches!(error, WholeError::Table(_)));
    assert_eq!(
        error.to_string(),
        "3:2: byte 0xff is not UTF-8; convert the input to UTF-8"
    );
}

#[test]
fn lines_that_are_no_objects_of_texts_are_refused() {
    are_refused(&[
        (
            JsonLines,
            "separator=;",
            "{\"text\":\"a\",\"labels\":\"x;\"}",
            "1:1: a label is empty",
        ),
        (
            JsonLines,
            "",
            "{\"text\":\"a\",\"labels\":[\" \"]}",
            "1:1: a label is empty",
        ),
        (
            JsonLines,
            "",
            "{\"text\":\"a\",\"labels\":\"x\"}\n{\"text\":\"a\",}\n",
            "2:13: the line is no JSON: trailing comma",
        ),
        (
            JsonLines,
            "",
            "[1]\n",
            "1:1: the line is no JSON object, such as {\"text\": \"…\", \"labels\": [\"…\"]}",
        ),
        (
            JsonLines,
            "",
            "{\"text\":{},\"labels\":\"x\"}\n",
            "1:1: \"text\" is an object; expected a string, a number or an array of them",
        ),
        (
            JsonLines,
            "",
            "{\"text\":\"a\",\"labels\":[[]]}\n",
            "1:1: \"labels\" is an array of other than strings and numbers; expected a string, a number or an array of them",
        ),
        (
            JsonLines,
            "",
            "{\"text\":\"a\",\"labels\":\"x\"}\n{\"text\":\"b\"}\n",
            "2:1: there is no column \"labels\"; the columns are text",
        ),
        (
            JsonLines,
            "",
            "{\"a\":\"b\",\"label\":\"x\",\"z\":1}\n",
            "1:1: which column holds what is not clear: the columns are a, label, z; say --text a --labels label",
        ),
    ]);
}

#[test]
fn what_is_remembered_is_used_where_nothing_is_said() {
    let first = "id,title,subjects\n1,a,x;y\n";
    let given = "text=title:2 labels=subjects separator=;";
    let read_first = read_table(first.as_bytes(), table(Csv, given), None).unwrap();
    let remembered = read_first.selection;
    assert_eq!(
        remembered.to_json().unwrap(),
        r#"{"text":["title:2"],"labels":"subjects","separator":";","id":"id"}"#
    );
    let known = read_first.documents.label_names;
    let again = |format, text: &'static str| {
        let table = Table {
            remembered: remembered.clone(),
            ..Table::new(format)
        };
        let read = read_table(text.as_bytes(), table, Some(&known));
        read.map(|read| (read.documents.texts, read.documents.labels))
            .map_err(|error| error.to_string())
    };
    for (format, text) in [
        (Csv, "subjects,other,Title\ny;z,b,c\n"),
        (Tsv, "title\tsubjects\nc\ty;z\n"),
        (JsonLines, "{\"title\":\"c\",\"subjects\":[\"y\",\"z\"]}\n"),
    ] {
        let (texts, labels) = again(format, text).unwrap();
        assert_eq!(texts, ["c\nc"], "{text}");
        // A label that is new gets an id beyond those known.
        assert_eq!(labels.row(0), [1, 2], "{text}");
    }
    // Other names are recognized, and two columns without names are text and labels.
    for text in ["text,label\nc,y;z\n", "c d e f,y;z\n"] {
        assert_eq!(again(Csv, text).unwrap().1.row(0), [1, 2]);
    }
    let missing = again(Csv, "id,name,kind\n1,a,b\n").unwrap_err();
    assert_eq!(
        missing,
        "1:1: there is no column \"title\"; the columns are id, name, kind"
    );
}
