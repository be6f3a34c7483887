//! What readers make of good input, and that any input at all gives a value or an error.

use super::executors::Backwards;
use hapax_core::{
    data::{
        Columns, Dataset, Documents, Format, IndexBase, LineReader, Names, ReadOptions, Row,
        Source, read,
    },
    executor::Sequential,
};
use proptest::prelude::*;

fn rows(text: &str, options: &ReadOptions) -> (Dataset, Option<IndexBase>) {
    let input = read(text.as_bytes(), options, &Sequential).unwrap();
    match input.source {
        Source::Rows(data) => (data, input.index_base),
        Source::Texts(_) => panic!("{text:?} was read as texts"),
    }
}

fn texts(text: &str, options: &ReadOptions) -> Documents {
    match read(text.as_bytes(), options, &Sequential).unwrap().source {
        Source::Texts(documents) => documents,
        Source::Rows(_) => panic!("{text:?} was read as rows"),
    }
}

fn names(documents: &Documents) -> Vec<String> {
    documents.label_names.iter().collect()
}

#[test]
fn xmc_rows_may_lack_labels_features_or_both() {
    let text = "\u{feff}6 4 3\r\n2,0,2 0:1 3:-.5\r\n 1:0 2:2\r\n1\r\n\r\n3:1\r\n \r\n\r\n";
    let (data, base) = rows(text, &ReadOptions::default());
    assert_eq!(base, Some(IndexBase::Zero));
    assert_eq!(
        (data.len(), data.rows().features(), data.labels().labels()),
        (6, 4, 3)
    );
    let labels: Vec<&[u32]> = data.labels().iter().collect();
    assert_eq!(labels, [&[0, 2][..], &[], &[1], &[], &[], &[]]);
    assert_eq!(data.rows().row(0).values(), [1.0, -0.5]);
    assert_eq!(
        data.rows().row(1).indices(),
        [2],
        "explicit zeros are left out"
    );
    assert_eq!(data.rows().row(4).indices(), [3]);
    assert_eq!(data.rows().nonzeros(), 4);
}

#[test]
fn svmlight_indices_count_from_one_unless_zero_occurs() {
    let options = ReadOptions::default();
    let (data, base) = rows(
        "# by hand\n-1 1:0.5 3:1 # a\n+2,-1 qid:7 2:1\n 3:1\n",
        &options,
    );
    assert_eq!(
        (base, data.rows().features(), data.len()),
        (Some(IndexBase::One), 3, 3)
    );
    assert_eq!(data.rows().row(0).indices(), [0, 2]);
    assert_eq!(
        data.label_names().unwrap().iter().collect::<Vec<_>>(),
        ["-1", "2"]
    );
    assert_eq!(data.labels().row(1), [0, 1]);
    assert!(data.labels().row(2).is_empty());

    let (data, base) = rows("1 2:1\n1 0:0 2:1\n", &options);
    assert_eq!((base, data.rows().features()), (Some(IndexBase::Zero), 3));
    assert_eq!(data.rows().row(0).indices(), [2]);

    let forced = ReadOptions {
        index_base: Some(IndexBase::Zero),
        ..options
    };
    let (data, base) = rows("1 2:1\n", &forced);
    assert_eq!(
        (base, data.rows().row(0).indices()),
        (Some(IndexBase::Zero), &[2][..])
    );
}

#[test]
fn test_sets_use_the_ids_of_the_training_set() {
    let (train, _) = rows("10 1:1\n9 1:1\n-3 2:1\n", &ReadOptions::default());
    let known = train.label_names().unwrap().clone();
    assert_eq!(known.iter().collect::<Vec<_>>(), ["-3", "9", "10"]);
    let options = ReadOptions {
        label_names: Some(known),
        ..ReadOptions::default()
    };
    let (test, _) = rows("4 1:1\n9 1:1\n1 1:1\n4,10 1:1\n", &options);
    let labels: Vec<&[u32]> = test.labels().iter().collect();
    assert_eq!(labels, [&[3][..], &[1], &[4], &[2, 3]]);
    let names: Vec<String> = test.label_names().unwrap().iter().collect();
    assert_eq!(names, ["-3", "9", "10", "4", "1"]);
}

#[test]
fn columns_in_both_orders_and_fasttext_lines() {
    let documents = texts(
        "Ein Text\t<http://a.b/c> zwei\t \t\n\nnothing known\t\n",
        &ReadOptions::default(),
    );
    assert_eq!(documents.texts, ["Ein Text", "nothing known"]);
    assert_eq!(names(&documents), ["http://a.b/c", "zwei"]);
    assert_eq!(
        documents.labels.iter().collect::<Vec<_>>(),
        [&[0, 1][..], &[]]
    );

    let options = ReadOptions {
        columns: Some(Columns::default().swapped()),
        ..ReadOptions::default()
    };
    let documents = texts("10,9\ta text\t\n\tnone\n big one, 2\tb\n", &options);
    assert_eq!(documents.texts, ["a text", "none", "b"]);
    assert_eq!(names(&documents), ["10", "2", "9", "big one"]);
    assert_eq!(
        documents.labels.iter().collect::<Vec<_>>(),
        [&[0, 2][..], &[], &[1, 3]]
    );

    let documents = texts(
        "__label__b __label__a some  text\n__label__a\tmore __label__c\n",
        &ReadOptions::default(),
    );
    assert_eq!(documents.texts, ["some text", "more"]);
    assert_eq!(names(&documents), ["a", "b", "c"]);
    assert_eq!(
        documents.labels.iter().collect::<Vec<_>>(),
        [&[0, 1][..], &[0, 2]]
    );
}

#[test]
fn named_columns_are_read_and_the_others_ignored() {
    let read = |columns: &str, separator: Option<&str>, text: &str| {
        let options = ReadOptions {
            format: Some(Format::Tsv),
            columns: Some(columns.parse().unwrap()),
            label_separator: separator.map(|separator| separator.parse().unwrap()),
            ..ReadOptions::default()
        };
        let documents = texts(text, &options);
        (documents.texts.join("/"), names(&documents).join("/"))
    };
    let expected = |texts: &str, names: &str| (texts.to_string(), names.to_string());
    assert_eq!(
        read("id,text,labels", None, "1\ta b\tc d\n2\te\tf\t\n"),
        expected("a b/e", "c/d/f")
    );
    assert_eq!(
        read("labels,id,text", None, "c d,e\t1\ta b\n"),
        expected("a b", "c d/e")
    );
    // What is ignored behind both may be missing.
    assert_eq!(
        read("text,labels,-,-", None, "a\tb\nc\td\te\tf\n"),
        expected("a/c", "b/d")
    );
    // So is what lies beyond the columns that are named.
    assert_eq!(
        read("labels,text", None, "b\ta\tx y\nd\tc\t\t \tz\n\te\n"),
        expected("a/c/e", "b/d")
    );
    assert_eq!(
        read("id,text,labels", None, "1\ta\tb\tx\n2\tc\td\n"),
        expected("a/c", "b/d")
    );
    assert_eq!(
        read(
            "text,labels",
            Some(";"),
            "a\tWorld War, 1914-1918; c\nb\t \n"
        ),
        expected("a/b", "World War, 1914-1918/c")
    );
    assert_eq!(
        read("labels,text", Some("none"), " Lost, or stolen \ta\n"),
        expected("a", "Lost, or stolen")
    );
    assert_eq!(
        read("labels,text", Some("space"), "b <c>\ta\n"),
        expected("a", "b/c")
    );
}

#[test]
fn lines_come_one_at_a_time() {
    let known = Names::new(["b", "a"]).unwrap();
    let options = ReadOptions {
        labels_optional: true,
        label_names: Some(known),
        ..ReadOptions::default()
    };
    let mut reader = LineReader::new(Format::Tsv, &options);
    let expected = |labels, text| Some(Row::Text { labels, text });
    assert_eq!(
        reader.read(b"x y\tnew a b\r\n"),
        Ok(expected(&[0, 1, 2], "x y"))
    );
    assert_eq!(reader.read(b"only text\n"), Ok(expected(&[], "only text")));
    assert_eq!(reader.read(b"\n"), Ok(None));
    assert_eq!(reader.read(b"z\tnew\n"), Ok(expected(&[2], "z")));
    assert!(reader.read(b"x y\ta\tb\n").is_err());

    let options = ReadOptions {
        columns: Some("id,text,labels".parse().unwrap()),
        ..options
    };
    let mut reader = LineReader::new(Format::Tsv, &options);
    assert_eq!(reader.read(b"7\tx y\ta\n"), Ok(expected(&[1], "x y")));
    assert_eq!(reader.read(b"7\tx y\n"), Ok(expected(&[], "x y")));
    assert_eq!(reader.read(b"only text\n"), Ok(expected(&[], "only text")));
    assert_eq!(reader.read(b"7\tx y\ta\tb\n"), Ok(expected(&[1], "x y")));

    let mut reader = LineReader::new(Format::Svmlight, &ReadOptions::default());
    assert_eq!(reader.read(b"# comment"), Ok(None));
    let Ok(Some(Row::Features { labels, features })) = reader.read(b"7 1:2 5:1") else {
        panic!("a row")
    };
    assert_eq!((labels, features.indices()), (&[0][..], &[0, 4][..]));
    let mut reader = LineReader::new(Format::FastText, &options);
    assert_eq!(reader.read(b"all text"), Ok(expected(&[], "all text")));
}

const FORMATS: [Option<Format>; 5] = [
    None,
    Some(Format::Xmc),
    Some(Format::Svmlight),
    Some(Format::Tsv),
    Some(Format::FastText),
];

/// Reads `bytes` in every way there is.
fn read_every_way(bytes: &[u8]) {
    for format in FORMATS {
        for (columns, index_base) in [
            (None, None),
            (Some(Columns::default().swapped()), Some(IndexBase::One)),
        ] {
            let options = ReadOptions {
                format,
                columns,
                index_base,
                ..ReadOptions::default()
            };
            let whole = read(bytes, &options, &Sequential);
            if let Err(error) = &whole {
                assert!(error.line >= 1 && error.column >= 1);
            }
            assert_eq!(whole, read(bytes, &options, &Backwards(3)));
            if let Some(format) = format {
                lines_agree_with_the_whole(bytes, format, &options, whole.is_ok());
            }
        }
    }
}

fn lines_agree_with_the_whole(bytes: &[u8], format: Format, options: &ReadOptions, good: bool) {
    let mut reader = LineReader::new(format, options);
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let result = reader.read(line);
        // What a whole input accepts, each line accepts, but for index 0, which only a
        // whole input can tell from a mistake, and a byte order mark.
        let excused = format == Format::Svmlight || bytes.starts_with(b"\xef\xbb\xbf");
        assert!(!good || excused || result.is_ok(), "{result:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_give_a_value_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        read_every_way(&bytes);
    }

    #[test]
    fn any_likely_text_gives_a_value_or_an_error(
        text in "([0-9]{1,2} [0-9]{1,2} [0-9]{1,2}\n)?([0-9,.:;#+ \t\r\n-]|[0-9] [0-9]:[0-9]\n|__label__|qid:|\u{feff}|é|[a-c]){0,60}",
    ) {
        read_every_way(text.as_bytes());
    }

    /// Several chunks of lines: the rows and the first mistake are the same.
    #[test]
    fn threads_never_show(broken in prop::option::of(0usize..40_000), threads in 2usize..5) {
        let mut text = String::from("40000 1000 50\n");
        for row in 0..40_000usize {
            let index = if broken == Some(row) { 1000 } else { row % 900 };
            text += &format!("{},{} {index}:0.{row} 999:1.5e0 \n", row % 50, row % 7);
        }
        if broken.is_some() {
            text += "this line is wrong too\n";
        }
        assert!(text.len() > 1 << 20, "needs more than one chunk");
        let options = ReadOptions::default();
        let one = read(text.as_bytes(), &options, &Sequential);
        prop_assert_eq!(&one, &read(text.as_bytes(), &options, &Backwards(threads)));
        if let Some(row) = broken {
            let error = one.unwrap_err();
            let start = format!("{},{} ", row % 50, row % 7).len();
            prop_assert_eq!((error.line, error.column), (row + 2, start + 1));
        }
    }
}
