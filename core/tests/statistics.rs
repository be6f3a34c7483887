//! Statistics of real data sets against their published counts and against numpy.
//!
//! The parser here is a plain one of its own, so that the readers are not tested by themselves.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use hapax_core::{
    data::{Dataset, LabelLists, Statistics, Summary},
    metrics::{Evaluation, Options},
    sparse::{SparseRows, SparseVec},
};
use std::process::Command;

/// Reads `part` of data set `name`; `None` where the test is left out.
fn read(name: &str, part: &str) -> Option<Dataset> {
    let file = hapax_sets::path(&format!("{name}/{part}.txt.xz"))?;
    let unpacked = Command::new("xz").arg("-dc").arg(&file).output().unwrap();
    assert!(unpacked.status.success(), "xz -dc {}", file.display());
    Some(parse(&String::from_utf8(unpacked.stdout).unwrap()))
}

/// XMC text if the first line holds three sizes, svmlight (features from 1) otherwise.
fn parse(text: &str) -> Dataset {
    let first = text.lines().next().unwrap();
    let sizes: Vec<u32> = first.split(' ').filter_map(|n| n.parse().ok()).collect();
    let xmc = sizes.len() == 3;
    let base = u32::from(!xmc);
    let (mut rows, mut labels) = (Vec::new(), LabelLists::new(0));
    for line in text.lines().skip(usize::from(xmc)) {
        let (ids, entries) = line.split_once(' ').unwrap_or((line, ""));
        let ids = ids.split(',').filter(|id| !id.is_empty());
        labels.push(ids.map(|id| id.parse().unwrap()));
        let pairs = entries.split_whitespace().map(|entry| {
            let (index, value) = entry.split_once(':').unwrap();
            let index: u32 = index.parse().unwrap();
            (index - base, value.parse().unwrap())
        });
        rows.push(SparseVec::from_pairs(pairs).unwrap());
    }
    let largest = rows
        .iter()
        .filter_map(|row| row.view().indices().last().copied());
    let features = if xmc {
        sizes[1]
    } else {
        largest.max().unwrap() + 1
    };
    let mut matrix = SparseRows::new(features);
    for row in &rows {
        matrix.push(row.view()).unwrap();
    }
    let mut data = Dataset::new(matrix, labels, None).unwrap();
    if xmc {
        assert_eq!(rows.len(), sizes[0] as usize);
        data.widen(0, sizes[2]);
    }
    data
}

fn statistics(name: &str, part: &str) -> Option<Statistics> {
    read(name, part).map(|data| Statistics::of(&data).unwrap())
}

/// Minimum, quartiles and maximum, and the mean, as numpy 2.4 computes them
/// (`percentile` with its default method).
fn check(found: Option<Summary>, numbers: [f64; 5], mean: f64) {
    let found = found.unwrap();
    let five = [
        f64::from(found.minimum),
        found.lower_quartile,
        found.median,
        found.upper_quartile,
        f64::from(found.maximum),
    ];
    assert_eq!(five, numbers);
    assert!((found.mean - mean).abs() < 1e-10, "{} {mean}", found.mean);
}

#[test]
fn iris_and_glass_agree_with_numpy() {
    let Some(iris) = statistics("iris", "train") else {
        return;
    };
    assert_eq!((iris.rows, iris.features), (134, 4));
    assert!(iris.single_label);
    check(
        iris.rows_per_label,
        [42.0, 43.5, 45.0, 46.0, 47.0],
        134.0 / 3.0,
    );
    check(
        iris.features_per_row,
        [3.0, 4.0, 4.0, 4.0, 4.0],
        526.0 / 134.0,
    );
    check(
        iris.rows_per_feature,
        [124.0, 131.5, 134.0, 134.0, 134.0],
        131.5,
    );
    let Some(glass) = statistics("glass", "train") else {
        return;
    };
    assert_eq!((glass.rows, glass.features), (192, 9));
    // Classes 1 to 6: the id 0 has no row.
    assert_eq!((glass.labels, glass.labels_without_rows), (7, 1));
    check(glass.rows_per_label, [9.0, 12.5, 22.0, 50.25, 70.0], 32.0);
    check(
        glass.rows_per_feature,
        [189.0, 192.0, 192.0, 192.0, 192.0],
        1725.0 / 9.0,
    );
}

#[test]
fn eurlex_agrees_with_its_publication_and_numpy() {
    let Some(found) = statistics("eurlex57k", "train") else {
        return;
    };
    assert_eq!(
        (found.rows, found.features, found.labels),
        (45_000, 46_846, 4_271)
    );
    assert_eq!(found.labels_without_rows, 4_271 - 4_108);
    assert_eq!((found.rows_without_labels, found.single_label), (0, false));
    check(
        found.rows_per_label,
        [1.0, 2.0, 7.0, 28.0, 3645.0],
        55.579_844_206_426_486,
    );
    check(
        found.labels_per_row,
        [1.0, 4.0, 5.0, 6.0, 26.0],
        5.073_822_222_222_222,
    );
    check(
        found.features_per_row,
        [47.0, 126.0, 157.0, 232.0, 926.0],
        197.719_822_222_222_23,
    );
    check(
        found.rows_per_feature,
        [3.0, 4.0, 7.0, 24.0, 45_000.0],
        189.928_531_784_997_66,
    );
    let attainable = [1.0, 0.980_518_518_518_518_5, 0.877_751_111_111_111_1];
    for ((_, value), expected) in found.attainable_precision.iter().zip(attainable) {
        assert!((value - expected).abs() < 1e-14);
    }
}

#[test]
fn rows_without_features_and_unused_labels_are_counted() {
    let (Some(train), Some(test)) = (
        statistics("onet-titles", "train"),
        statistics("onet-titles", "test"),
    ) else {
        return;
    };
    assert_eq!((train.rows, test.rows), (40_584, 4_325));
    assert_eq!(
        (train.rows_without_features, test.rows_without_features),
        (1_049, 141)
    );
    check(
        train.labels_per_row,
        [1.0, 1.0, 1.0, 1.0, 41.0],
        1.219_298_245_614_035,
    );
    check(
        train.features_per_row,
        [0.0, 2.0, 3.0, 5.0, 146.0],
        4.489_306_130_494_776,
    );
    let used = |name, part| {
        let found = statistics(name, part).unwrap();
        found.labels as usize - found.labels_without_rows
    };
    assert_eq!(
        (used("corel5k", "train"), used("corel5k", "test")),
        (371, 263)
    );
    let reuters = ["train", "test"].map(|part| used("reuters21578-modapte", part));
    assert_eq!(reuters, [115, 93]);
    let intents = statistics("clinc150", "train").unwrap();
    check(intents.rows_per_label, [100.0; 5], 100.0);
    assert!(intents.single_label);
    assert_eq!(
        statistics("clinc150", "test")
            .unwrap()
            .rows_without_features,
        5
    );
}

#[test]
fn attainable_precision_is_what_an_oracle_attains() {
    let Some(data) = read("stackex-cs", "test") else {
        return;
    };
    let found = Statistics::of(&data).unwrap();
    let ks = found.attainable_precision.map(|(k, _)| k);
    let attainable = found.attainable_precision.map(|(_, most)| most);
    let mut oracle = Evaluation::new(&ks, Options::default()).unwrap();
    for labels in data.labels().iter() {
        oracle.add_ids(labels, labels);
    }
    let report = oracle.finish().unwrap();
    assert_eq!(report.precision, attainable);
    assert_eq!(report.attainable_precision, attainable);
    assert_eq!(report.rows_without_labels, found.rows_without_labels as u64);
    assert_eq!((report.coverage[2], report.micro_f1 < 1.0), (1.0, true));
}
