//! Real files: they are read whole, and written again as they were.

use super::{executors::Backwards, writing};
use hapax_core::{
    data::{Columns, Dataset, Format, IndexBase, Input, ReadOptions, Source, read},
    executor::Sequential,
    text::{Vectorizer, VectorizerOptions},
};
use std::{collections::BTreeMap, process::Command};

/// The bytes of a data file; `None` where the test is left out.
fn shared(name: &str) -> Option<Vec<u8>> {
    let path = hapax_sets::path(name)?;
    let unpacked = Command::new("xz").arg("-dc").arg(&path).output().unwrap();
    assert!(unpacked.status.success(), "xz -dc {}", path.display());
    Some(unpacked.stdout)
}

fn read_shared(name: &str, options: &ReadOptions) -> Option<(Vec<u8>, Input)> {
    let bytes = shared(name)?;
    let input = read(&bytes, options, &Sequential).unwrap_or_else(|e| panic!("{name}:{e}"));
    assert_eq!(input, read(&bytes, options, &Backwards(2)).unwrap());
    Some((bytes, input))
}

fn rows(input: Input) -> Dataset {
    match input.source {
        Source::Rows(data) => data,
        Source::Texts(_) => panic!("rows were read as texts"),
    }
}

#[test]
fn xmc_files_are_written_as_they_were() {
    for (name, n, d, l) in [
        ("eurlex57k/test.txt.xz", 6000, 46_846, 4271),
        ("stackex-cs/train.txt.xz", 7498, 635, 274),
        ("onet-titles/train.txt.xz", 40_584, 21_475, 1016),
    ] {
        let Some((bytes, input)) = read_shared(name, &ReadOptions::default()) else {
            continue;
        };
        assert_eq!(input.format, Format::Xmc);
        let data = rows(input);
        let counts = (data.len(), data.rows().features(), data.labels().labels());
        assert_eq!(counts, (n, d, l));
        let written = writing::xmc(&data);
        let original = String::from_utf8(bytes).unwrap();
        for (left, right) in written.lines().zip(original.lines()) {
            assert_eq!(left.trim_end(), right.trim_end(), "{name}");
        }
        assert_eq!(written.lines().count(), original.lines().count());
    }
}

#[test]
fn every_test_set_and_every_text_is_read() {
    let Some(root) = hapax_sets::shared() else {
        return;
    };
    let sets = std::fs::read_dir(&root).unwrap().map(Result::unwrap);
    let mut names = Vec::new();
    for set in sets {
        let set = set.file_name().into_string().unwrap();
        for file in ["test.txt.xz", "test.raw.tsv.xz", "train.raw.tsv.xz"] {
            if root.join(&set).join(file).exists() {
                names.push(format!("{set}/{file}"));
            }
        }
    }
    assert!(!names.is_empty(), "no set in {}", root.display());
    // Some have a third column, which is ignored.
    let options = ReadOptions {
        columns: Some(Columns::default().swapped()),
        ..ReadOptions::default()
    };
    for name in names {
        let Some((bytes, input)) = read_shared(&name, &options) else {
            continue;
        };
        let lines = bytes.iter().filter(|&&b| b == b'\n').count();
        let header = usize::from(input.format == Format::Xmc);
        let rows = match input.source {
            Source::Rows(data) => data.len(),
            Source::Texts(documents) => documents.texts.len(),
        };
        assert_eq!(rows + header, lines, "{name}");
    }
}

#[test]
fn svmlight_files_share_the_labels_of_their_training_set() {
    for (set, classes, features, first) in [
        ("iris", 3, 4, "1"),
        ("glass", 6, 9, "1"),
        ("letter", 26, 16, "1"),
        ("splice", 2, 60, "-1"),
    ] {
        let train = read_shared(&format!("{set}/train.txt.xz"), &ReadOptions::default());
        let Some((_, train)) = train else { continue };
        assert_eq!(
            (train.format, train.index_base),
            (Format::Svmlight, Some(IndexBase::One))
        );
        let train = rows(train);
        let names = train.label_names().unwrap();
        assert_eq!(
            (names.len(), train.rows().features()),
            (classes, features),
            "{set}"
        );
        assert_eq!(names.get(0).as_deref(), Some(first));
        let options = ReadOptions {
            label_names: Some(names.clone()),
            ..ReadOptions::default()
        };
        if let Some((_, test)) = read_shared(&format!("{set}/test.txt.xz"), &options) {
            assert_eq!(
                rows(test).label_names(),
                Some(names),
                "{set}: no new labels"
            );
        }
    }
}

/// The data set's own features were made by another program with the same weights: the values of
/// words they share agree to the four decimals that file keeps, up to differences in
/// what counts as a word.
#[test]
fn text_becomes_rows_like_the_published_ones() {
    let options = ReadOptions {
        columns: Some(Columns::default().swapped()),
        ..ReadOptions::default()
    };
    let (Some((_, raw)), Some((_, made)), Some(vocabulary)) = (
        read_shared("onet-titles/train.raw.tsv.xz", &options),
        read_shared("onet-titles/train.txt.xz", &ReadOptions::default()),
        shared("onet-titles/vocab.tsv.xz"),
    ) else {
        return;
    };
    let Source::Texts(documents) = raw.source else {
        panic!("text was read as rows")
    };
    let made = rows(made);
    let (ours, rows_of_ours) =
        Vectorizer::fit_transform(&documents.texts, VectorizerOptions::default(), &Sequential)
            .unwrap();
    let theirs: Vec<(&str, u32)> = std::str::from_utf8(&vocabulary)
        .unwrap()
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(term, df)| (term, df.parse().unwrap()))
        .collect();
    let data = Dataset::new(rows_of_ours, documents.labels, Some(documents.label_names)).unwrap();
    let mut counts = BTreeMap::new();
    for feature in data.rows().iter().flat_map(|row| row.indices()) {
        *counts
            .entry(ours.feature_name(*feature).unwrap())
            .or_insert(0) += 1;
    }
    let same = theirs
        .iter()
        .filter(|(term, df)| counts.get(*term) == Some(df));
    let same = same.count();
    eprintln!("{same} of {} terms agree", theirs.len());
    assert!(
        same * 100 >= theirs.len() * 99,
        "{same} of {} terms agree",
        theirs.len()
    );
    assert_eq!(data.len(), made.len());
    let equal = (0..data.len())
        .filter(|&row| {
            let (ours, theirs) = (data.rows().row(row), made.rows().row(row));
            ours.indices().len() == theirs.indices().len()
                && ours
                    .iter()
                    .zip(theirs.iter())
                    .all(|(a, b)| (a.1 - b.1).abs() < 6e-4)
        })
        .count();
    eprintln!("{equal} of {} rows agree", data.len());
    assert!(
        equal * 100 >= data.len() * 95,
        "{equal} of {} rows agree",
        data.len()
    );
}
