//! What the probabilities of a calibrated model are worth on test rows.

use crate::{
    failure::Failure,
    output::print,
    table::{percent, table},
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::{Calibration, Model, Scratch},
    },
    kernels,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Answers of a row that may pass a threshold.
const DEPTH: usize = 32;

/// Bins of equally many rows for the calibration error.
const BINS: usize = 15;

/// The confidences of the table.
const CONFIDENCES: [f32; 6] = [0.0, 0.5, 0.7, 0.8, 0.9, 0.95];

/// What the probabilities are worth.
pub struct Worth {
    /// The thresholds of the best F1 in training.
    above: (f32, f32),
    micro_f1: f64,
    macro_f1: f64,
    /// At the threshold for micro-F1.
    example_f1: f64,
    /// The mean distance of probability and frequency of the first answer, over [`BINS`] bins.
    calibration_error: f64,
    /// Confidence, share of rows whose first answer has it, and how many of those are right.
    coverage: Vec<(f32, f64, f64)>,
}

/// An answer of a row: probability, label, whether it is right.
type Answer = (f32, u32, bool);

impl Worth {
    /// Answers the rows of `test` again, deeper; `None` of a model without probabilities.
    pub fn of(model: &Model, test: &Dataset, threads: &Executor) -> Option<Self> {
        let calibration = model.calibration()?;
        let scratch = || Scratch::new(kernels::best());
        let rows: Vec<Vec<Answer>> = threads.map(test.len(), scratch, |scratch, row| {
            let best = model.predict(test.rows().row(row), DEPTH, scratch);
            let best = best.unwrap_or_default();
            let truth = test.labels().row(row);
            let probabilities = calibration.probabilities(best).zip(best);
            let answers = probabilities.map(|(p, s)| (p, s.id, truth.contains(&s.id)));
            answers.collect()
        });
        Some(Self::from(calibration, &rows, test))
    }

    fn from(calibration: &Calibration, rows: &[Vec<Answer>], test: &Dataset) -> Self {
        let (micro_f1, _, example_f1) = f1(rows, test, calibration.micro_f1);
        let (_, macro_f1, _) = f1(rows, test, calibration.macro_f1);
        let first = |row: &Vec<Answer>| {
            row.first()
                .map_or((0.0, false), |&(p, _, right)| (p, right))
        };
        let mut first: Vec<(f32, bool)> = rows.iter().map(first).collect();
        first.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut confidences = CONFIDENCES.to_vec();
        confidences.push(calibration.abstain);
        confidences.sort_by(f32::total_cmp);
        let coverage = confidences.into_iter().map(|confidence| {
            let sure = &first[..first.partition_point(|row| row.0 >= confidence)];
            let share = sure.len() as f64 / first.len().max(1) as f64;
            (confidence, share, rate(sure))
        });
        Self {
            above: (calibration.micro_f1, calibration.macro_f1),
            micro_f1,
            macro_f1,
            example_f1,
            calibration_error: calibration_error(&first),
            coverage: coverage.collect(),
        }
    }

    pub fn json(&self) -> Value {
        let coverage = self.coverage.iter().map(|(confidence, share, accuracy)| {
            json!({"confidence": confidence, "coverage": share, "accuracy": accuracy})
        });
        json!({
            "above_for_micro_f1": self.above.0, "micro_f1": self.micro_f1, "example_f1": self.example_f1,
            "above_for_macro_f1": self.above.1, "macro_f1": self.macro_f1,
            "calibration_error": self.calibration_error,
            "coverage": coverage.collect::<Vec<_>>(),
        })
    }

    pub fn print(&self) -> Result<(), Failure> {
        print(format_args!(
            "at a threshold: micro-F1 {}   example-F1 {}   (probability {} or more)   macro-F1 {}   ({} or more)",
            percent(self.micro_f1),
            percent(self.example_f1),
            self.above.0,
            percent(self.macro_f1),
            self.above.1,
        ))?;
        print(format_args!(
            "calibration error of the first answer {:.4}",
            self.calibration_error
        ))?;
        let mut lines = table(&["confidence", "rows", "right"]);
        for &(confidence, share, accuracy) in &self.coverage {
            lines.add_row([format!("{confidence}"), percent(share), percent(accuracy)]);
        }
        print(lines)
    }
}

/// The share of rows that are right.
fn rate(rows: &[(f32, bool)]) -> f64 {
    let right = rows.iter().filter(|row| row.1).count();
    right as f64 / rows.len().max(1) as f64
}

/// Rows sorted by probability, in bins of equally many: the mean distance of the bins' mean
/// probability and share of right ones.
fn calibration_error(first: &[(f32, bool)]) -> f64 {
    let bin = |at: usize| &first[at * first.len() / BINS..(at + 1) * first.len() / BINS];
    let sum: f64 = (0..BINS)
        .map(|at| {
            let rows = bin(at);
            let expected: f64 = rows.iter().map(|row| f64::from(row.0)).sum();
            (expected - rate(rows) * rows.len() as f64).abs()
        })
        .sum();
    sum / first.len().max(1) as f64
}

/// Micro-, macro- and example-F1 of the answers from a probability on. A label that is neither in
/// the truth nor answered counts in none; a row without labels or answers counts 0.
fn f1(rows: &[Vec<Answer>], test: &Dataset, above: f32) -> (f64, f64, f64) {
    let mut labels: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let (mut both, mut sizes, mut examples) = (0, 0, 0.0);
    for (row, truth) in rows.iter().zip(test.labels().iter()) {
        let given: Vec<&Answer> = row.iter().filter(|answer| answer.0 >= above).collect();
        let right = given.iter().filter(|answer| answer.2).count();
        let size = given.len() + truth.len();
        (both, sizes) = (both + right, sizes + size);
        examples += 2.0 * right as f64 / size.max(1) as f64;
        for &&(_, label, right) in &given {
            let counts = labels.entry(label).or_default();
            (counts.0, counts.1) = (counts.0 + usize::from(right), counts.1 + 1);
        }
        truth
            .iter()
            .for_each(|&label| labels.entry(label).or_default().1 += 1);
    }
    let of = |&(both, sizes): &(usize, usize)| 2.0 * both as f64 / sizes.max(1) as f64;
    let mean = labels.values().map(of).sum::<f64>() / labels.len().max(1) as f64;
    (
        of(&(both, sizes)),
        mean,
        examples / rows.len().max(1) as f64,
    )
}

#[cfg(test)]
mod tests {
    use super::{Answer, calibration_error, f1};
    use hapax::core::{
        data::{Dataset, LabelLists},
        sparse::{SparseRows, SparseVec},
    };

    #[test]
    fn f1_is_counted_from_the_threshold_on() {
        let (mut rows, mut lists) = (SparseRows::new(1), LabelLists::new(4));
        for labels in [vec![0, 1], vec![2]] {
            let row = SparseVec::from_pairs([(0, 1.0)]).unwrap();
            rows.push(row.view()).unwrap();
            lists.push(labels);
        }
        let test = Dataset::new(rows, lists, None).unwrap();
        let answers: [Vec<Answer>; 2] = [
            vec![(0.9, 0, true), (0.6, 3, false), (0.2, 1, true)],
            vec![(0.4, 2, true)],
        ];
        // Above 0.5: label 0 rightly, label 3 wrongly, 1 and 2 missed.
        let (micro, mean, example) = f1(&answers, &test, 0.5);
        assert!((micro - 2.0 / 5.0).abs() < 1e-12);
        assert!((mean - 1.0 / 4.0).abs() < 1e-12);
        assert!((example - 0.25).abs() < 1e-12);
        assert!((f1(&answers, &test, 0.0).0 - 6.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn probabilities_that_are_frequencies_have_no_error() {
        let right = |at: usize| (0.75, !at.is_multiple_of(4));
        let rows: Vec<_> = (0..600).map(right).collect();
        assert!(calibration_error(&rows) < 1e-9);
        let sure: Vec<_> = rows.iter().map(|row| (1.0, row.1)).collect();
        assert!((calibration_error(&sure) - 0.25).abs() < 1e-9);
    }
}
