//! The metrics against values computed by an independent program; see the heads of the files
//! in `tests/data` for how.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use hapax_core::{
    data::LabelLists,
    executor::Sequential,
    metrics::{Evaluation, Options, Propensities, Report},
    search::Scored,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// One file: settings, rows (labels, answers) and expected figures by name.
#[derive(Default)]
struct Fixture {
    numbers: BTreeMap<String, Vec<f64>>,
    rows: Vec<[Vec<u32>; 2]>,
    expected: BTreeMap<String, Vec<f64>>,
}

fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T>
where
    T::Err: std::fmt::Debug,
{
    text.split_whitespace()
        .map(|number| number.parse().unwrap())
        .collect()
}

impl Fixture {
    fn read(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let mut fixture = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (key, rest) = line.split_once(' ').unwrap();
            match key {
                "row" => {
                    let (truth, answers) = rest.split_once('>').unwrap();
                    fixture.rows.push([numbers(truth), numbers(answers)]);
                }
                "expect" => {
                    let (name, values) = rest.split_once(' ').unwrap();
                    fixture.expected.insert(name.into(), numbers(values));
                }
                _ => {
                    fixture.numbers.insert(key.into(), numbers(rest));
                }
            }
        }
        fixture
    }

    fn integers(&self, key: &str) -> Vec<usize> {
        self.numbers[key].iter().map(|&n| n as usize).collect()
    }

    fn propensities(&self) -> Propensities {
        let frequencies: Vec<u32> = self.numbers["frequencies"]
            .iter()
            .map(|&n| n as u32)
            .collect();
        let (a, b) = (self.numbers["parameters"][0], self.numbers["parameters"][1]);
        Propensities::new(&frequencies, self.integers("training_rows")[0], a, b).unwrap()
    }

    /// The report over rows added in parts of `length`, the last part first.
    fn report(&self, length: usize) -> Report {
        let propensities = self.propensities();
        let options = Options {
            propensities: Some(&propensities),
            cut: self.integers("cut")[0],
        };
        let mut whole = Evaluation::new(&self.integers("ks"), options).unwrap();
        for rows in self.rows.chunks(length).rev() {
            let mut truth = LabelLists::new(0);
            rows.iter()
                .for_each(|[ids, _]| truth.push(ids.iter().copied()));
            whole.add_all(
                &truth,
                &Sequential,
                || (),
                |(), row, answers| {
                    answers.clear();
                    answers.extend(rows[row][1].iter().map(|&id| Scored { id, score: 0.0 }));
                },
            );
        }
        whole.finish().unwrap()
    }
}

fn check(name: &str) {
    let fixture = Fixture::read(name);
    let report = fixture.report(usize::MAX);
    let figures = [
        ("precision", report.precision.clone()),
        ("attainable", report.attainable_precision.clone()),
        ("capped", report.r_precision.clone()),
        ("recall", report.recall.clone()),
        ("ndcg", report.ndcg.clone()),
        ("psp", report.psp.clone().unwrap()),
        ("psndcg", report.psndcg.clone().unwrap()),
        ("coverage", report.coverage.clone()),
        ("accuracy", vec![report.accuracy]),
        ("micro_f1", vec![report.micro_f1]),
        ("macro_f1", vec![report.macro_f1]),
        ("macro_f1_of_means", vec![report.macro_f1_of_means]),
    ];
    assert_eq!(fixture.expected.len(), figures.len(), "{name}");
    for (figure, values) in figures {
        let expected = &fixture.expected[figure];
        assert_eq!(values.len(), expected.len(), "{name} {figure}");
        for (value, wanted) in values.iter().zip(expected) {
            let off = (value - wanted).abs();
            assert!(off < 1e-12, "{name} {figure}: {value}, expected {wanted}");
        }
    }
    for length in [1, 7, 32] {
        assert_eq!(
            fixture.report(length),
            report,
            "{name} in parts of {length}"
        );
    }
}

#[test]
fn multilabel_rows_with_gaps_agree_with_an_independent_program() {
    check("metrics_multilabel.txt");
}

#[test]
fn complete_multilabel_rows_agree_with_several_programs() {
    check("metrics_complete.txt");
}

#[test]
fn single_label_rows_agree_with_an_independent_program() {
    check("metrics_single_label.txt");
}

/// By sets, row for row, as the definitions are written.
#[test]
fn r_precision_and_example_f1_agree_with_their_slow_twins() {
    for name in ["metrics_multilabel.txt", "metrics_single_label.txt"] {
        let fixture = Fixture::read(name);
        let report = fixture.report(7);
        let cut = fixture.integers("cut")[0];
        let set =
            |ids: &[u32], k: usize| -> BTreeSet<u32> { ids.iter().take(k).copied().collect() };
        let mean = |figure: &dyn Fn(&BTreeSet<u32>, &[u32]) -> f64| -> f64 {
            let rows = fixture.rows.iter();
            let all: f64 = rows
                .map(|[truth, answers]| figure(&set(truth, usize::MAX), answers))
                .sum();
            all / fixture.rows.len() as f64
        };
        let example_f1 = mean(&|truth, answers| {
            let predicted = set(answers, cut);
            let sizes = predicted.len() + truth.len();
            let both = predicted.intersection(truth).count();
            if sizes == 0 {
                0.0
            } else {
                2.0 * both as f64 / sizes as f64
            }
        });
        assert!((report.example_f1 - example_f1).abs() < 1e-12, "{name}");
        assert!(example_f1 > 0.0, "{name}");
        for (&k, &value) in report.ks.iter().zip(&report.r_precision) {
            let slow = mean(&|truth, answers| match truth.len().min(k) {
                0 => 0.0,
                most => set(answers, k).intersection(truth).count() as f64 / most as f64,
            });
            assert!((value - slow).abs() < 1e-12, "{name} @{k}: {value}, {slow}");
        }
    }
}
