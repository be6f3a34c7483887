//! Every mistake in an input has its message, with the right place.

use hapax_core::{
    data::{Columns, Format, IndexBase, LineReader, ReadOptions, read},
    executor::Sequential,
};

fn message(text: &[u8], options: &ReadOptions) -> String {
    match read(text, options, &Sequential) {
        Ok(input) => panic!("{:?} was read as {input:?}", String::from_utf8_lossy(text)),
        Err(error) => error.to_string(),
    }
}

fn check(format: Option<Format>, cases: &[(&str, &str)]) {
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    for (text, expected) in cases {
        assert_eq!(message(text.as_bytes(), &options), *expected, "{text:?}");
    }
}

#[test]
fn of_headers_of_xmc() {
    let cases = [
        ("", "1:1: the input is empty; at least one row is needed"),
        (
            "\r\n",
            "1:1: the input is empty; at least one row is needed",
        ),
        (
            "0 3 3\n",
            "1:1: the input is empty; at least one row is needed",
        ),
        (
            "0 1:1\n",
            "1:1: expected the header `rows features labels`, three whole numbers, found `0 1:1`",
        ),
        (
            "1 5000000000 2\n",
            "1:3: number of features 5000000000 is above the limit, 4294967294",
        ),
        (
            "2 9 9\n0 1:1\n",
            "1:1: the header declares 2 rows but 1 follow",
        ),
        (
            "1 9 9\n0 1:1\n\n1 2:1\n",
            "4:1: the header declares 1 rows but more follow",
        ),
    ];
    check(Some(Format::Xmc), &cases);
}

#[test]
fn of_rows_of_xmc() {
    let cases = [
        (
            "1 9 9\n9 1:1\n",
            "2:1: label 9 is not below the number of labels in the header, 9",
        ),
        ("1 9 9\n1,,2 1:1\n", "2:3: a label is empty"),
        ("1 9 9\n1, 1:1\n", "2:3: a label is empty"),
        ("1 9 9\n1,x 1:1\n", "2:3: label `x` is not a whole number"),
        ("1 9 9\n-1 1:1\n", "2:1: label `-1` is not a whole number"),
        (
            "1 9 9\n0 9:1\n",
            "2:3: feature index 9 is not below the number of features in the header, 9",
        ),
        (
            "1 9 9\n0 1:1 9:1\n",
            "2:7: feature index 9 is not below the number of features in the header, 9",
        ),
        (
            "1 9 9\n0 7:1 5:1\n",
            "2:7: feature index 5 follows 7; indices must rise",
        ),
        (
            "1 9 9\r\n0 7:1 7:1\r\n",
            "2:7: feature index 7 follows 7; indices must rise",
        ),
        (
            "2 9 9\n0 1:1\n0 7\n",
            "3:3: expected a feature as `index:value`, found `7`",
        ),
        (
            "1 9 9\n0 x:1\n",
            "2:3: feature index `x` is not a whole number",
        ),
        (
            "1 9 9\n0 :1\n",
            "2:3: feature index `` is not a whole number",
        ),
        (
            "1 9 9\n0 1.0:1\n",
            "2:3: feature index `1.0` is not a whole number",
        ),
        (
            "1 9 9\n0 99999999999:1\n",
            "2:3: feature index 99999999999 is above the limit, 4294967294",
        ),
        (
            "1 9 9\n0 1:one\n",
            "2:5: feature value `one` is not a number",
        ),
        ("1 9 9\n0 1:\n", "2:5: feature value `` is not a number"),
        (
            "1 9 9\n0 1:1 2:NaN\n",
            "2:9: feature value NaN is not finite; values must lie within the range of f32",
        ),
        (
            "1 9 9\n0 1:-1e39\n",
            "2:5: feature value -1e39 is not finite; values must lie within the range of f32",
        ),
    ];
    check(Some(Format::Xmc), &cases);
}

#[test]
fn of_svmlight() {
    let cases = [
        ("1 1:1\none 1:1\n", "2:1: label `one` is not a whole number"),
        ("1,x 1:1\n", "1:3: label `x` is not a whole number"),
        ("+-1 1:1\n", "1:1: label `+-1` is not a whole number"),
        ("1.5 1:1\n", "1:1: label `1.5` is not a whole number"),
        ("1, 1:1\n", "1:3: a label is empty"),
        (
            "1 qid:4 3:1 2:1 # so\n",
            "1:13: feature index 2 follows 3; indices must rise",
        ),
        (
            "1 2 # 3:1\n",
            "1:3: expected a feature as `index:value`, found `2`",
        ),
        (
            "# nothing\n",
            "1:1: the input is empty; at least one row is needed",
        ),
        (
            "1 1:inf\n",
            "1:5: feature value inf is not finite; values must lie within the range of f32",
        ),
    ];
    check(Some(Format::Svmlight), &cases);
    let options = ReadOptions {
        format: Some(Format::Svmlight),
        index_base: Some(IndexBase::One),
        ..ReadOptions::default()
    };
    assert_eq!(
        message(b"1 1:1\n1 qid:1  0:1\n", &options),
        "2:10: feature index 0 where indices start at 1; read the input as 0-based"
    );
}

#[test]
fn of_text() {
    check(
        Some(Format::Tsv),
        &[
            (
                "a\tb\nno label\n",
                "2:9: expected a tab between the text and its labels",
            ),
            (
                "größe\n",
                "1:6: expected a tab between the text and its labels",
            ),
            (
                "a\tb\t\ngröße\tb\tc\t\n",
                "2:9: the line has 3 columns, but only 2 are named: text,labels; name all columns in the file's \
                 order, such as id,text,labels",
            ),
            (
                "a\tb\t \t\tc\n",
                "1:8: the line has 5 columns, but only 2 are named: text,labels; name all columns in the file's \
                 order, such as id,text,labels",
            ),
        ],
    );
    check(
        Some(Format::FastText),
        &[
            (
                "__label__a b\nc d\n",
                "2:1: expected at least one `__label__` in the line",
            ),
            ("é __label__ b\n", "1:12: a label is empty"),
        ],
    );
    let options = ReadOptions {
        format: Some(Format::Tsv),
        columns: Some(Columns::default().swapped()),
        ..ReadOptions::default()
    };
    assert_eq!(
        message(b"\xc3\xa9,,b\ttext\n", &options),
        "1:3: a label is empty"
    );
    assert_eq!(
        message(b"a\ttext\n\xc3\xa9\t\xe9t\xe9\n", &options),
        "2:3: byte 0xe9 is not UTF-8; convert the input to UTF-8"
    );
}

#[test]
fn of_named_columns() {
    for (columns, separator, text, expected) in [
        (
            "id,text,labels",
            None,
            "1\ta\tb\n2\ta b\n",
            "2:6: expected labels in column 3, but the line has 2 columns",
        ),
        (
            "labels,id,text",
            None,
            "1\n",
            "1:2: expected text in column 3, but the line has 1 column",
        ),
        (
            "text,labels",
            Some(";"),
            "a\tb; ;c\n",
            "1:6: a label is empty",
        ),
        ("text,labels", Some(";"), "a\tb;\n", "1:5: a label is empty"),
    ] {
        let options = ReadOptions {
            format: Some(Format::Tsv),
            columns: Some(columns.parse().unwrap()),
            label_separator: separator.map(|separator: &str| separator.parse().unwrap()),
            ..ReadOptions::default()
        };
        assert_eq!(message(text.as_bytes(), &options), expected);
    }
}

#[test]
fn long_tokens_are_shortened() {
    let options = ReadOptions {
        format: Some(Format::Xmc),
        ..ReadOptions::default()
    };
    let text = format!("1 9 9\n0 {}\n", "é".repeat(1000));
    let expected = format!(
        "2:3: expected a feature as `index:value`, found `{}…`",
        "é".repeat(40)
    );
    assert_eq!(message(text.as_bytes(), &options), expected);
}

#[test]
fn of_single_lines() {
    let mut reader = LineReader::new(Format::Xmc, &ReadOptions::default());
    assert!(reader.read(b"2 9 9\n").unwrap().is_none());
    assert_eq!(
        reader.read(b"9 1:1\n").unwrap_err().to_string(),
        "2:1: label 9 is not below the number of labels in the header, 9"
    );
    assert!(
        reader.read(b"8 1:1\n").unwrap().is_some(),
        "goes on after a mistake"
    );
}
