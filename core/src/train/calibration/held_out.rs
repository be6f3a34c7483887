//! Held-out rows and what a model answered to them.

use super::{Calibrated, LEAST_ROWS, fit::fit, thresholds::Thresholds};
use crate::{
    data::LabelLists,
    executor::Executor,
    model::{
        Calibration, Model, Scratch,
        calibration::{Curve, Scale},
    },
    search::Scored,
    sparse::SparseRows,
};
use alloc::{vec, vec::Vec};
use serde::{Deserialize, Serialize};

/// Answers of a row that are looked at.
pub(in crate::train) const ANSWERS: usize = 32;

/// Answers of which none is right where `none` is to say so.
const FIRST: usize = 5;

/// Rows answered in one job.
const BATCH: usize = 64;

/// Answers of all held-out rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub(super) struct HeldOut {
    /// Where the answers of each row end.
    ends: Vec<usize>,
    answers: Vec<Scored>,
    right: Vec<bool>,
    /// Rows that carry each label.
    truth: Vec<u32>,
}

/// What was written of [`HeldOut`].
#[derive(Deserialize)]
struct Unchecked {
    ends: Vec<usize>,
    answers: Vec<Scored>,
    right: Vec<bool>,
    truth: Vec<u32>,
}

impl TryFrom<Unchecked> for HeldOut {
    type Error = &'static str;

    fn try_from(read: Unchecked) -> Result<Self, Self::Error> {
        let Unchecked {
            ends,
            answers,
            right,
            truth,
        } = read;
        let all = answers.len();
        let ends_there = ends.is_sorted() && ends.last().copied().unwrap_or(0) == all;
        let known = |of: &Scored| (of.id as usize) < truth.len() && of.score.is_finite();
        match ends_there && right.len() == all && answers.iter().all(known) {
            true => Ok(Self {
                ends,
                answers,
                right,
                truth,
            }),
            false => Err("answers to held-out rows do not fit each other"),
        }
    }
}

impl HeldOut {
    /// None yet, of a model of so many labels.
    pub(super) fn of(labels: u32) -> Self {
        Self {
            ends: Vec::new(),
            answers: Vec::new(),
            right: Vec::new(),
            truth: vec![0; labels as usize],
        }
    }

    /// Adds rows, their labels and the model's answers.
    pub(super) fn ask(
        &mut self,
        model: &Model,
        (rows, labels): (&SparseRows, &LabelLists),
        executor: &Executor,
        scratch: impl Fn() -> Scratch + Sync,
    ) {
        let jobs = rows.len().div_ceil(BATCH);
        let answered = executor.map(jobs, scratch, |scratch, job| {
            let batch = job * BATCH..((job + 1) * BATCH).min(rows.len());
            let one = |row| {
                let best = model.predict(rows.row(row), ANSWERS, scratch);
                let best = best.unwrap_or_default().iter();
                best.copied().filter(|s| s.score > f32::MIN).collect()
            };
            batch.map(one).collect::<Vec<Vec<Scored>>>()
        });
        for (row, best) in answered.iter().flatten().enumerate() {
            self.push(best, labels.row(row));
        }
    }

    /// Adds a row: its answers, best first, and its labels.
    pub(super) fn push(&mut self, best: &[Scored], labels: &[u32]) {
        let right = |scored: &Scored| labels.binary_search(&scored.id).is_ok();
        self.answers.extend(best);
        self.right.extend(best.iter().map(right));
        self.ends.push(self.answers.len());
        for &label in labels {
            // What was read back may be of other data.
            if let Some(rows) = self.truth.get_mut(label as usize) {
                *rows += 1;
            }
        }
    }

    /// The answers of each row, and which are right.
    fn rows(&self) -> impl Iterator<Item = (&[Scored], &[bool])> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).map(|(start, &end)| start..end);
        ranges.map(|range| (&self.answers[range.clone()], &self.right[range]))
    }

    /// The curves and the thresholds, and what they are worth; `None` if there are too few rows.
    pub(super) fn fit(&self, scale: Scale) -> Option<(Calibration, Calibrated)> {
        let (mut first, mut later, mut none) = (Vec::new(), Vec::new(), Vec::new());
        for (best, right) in self.rows() {
            let Some(inputs) = scale.row_inputs(best) else {
                continue;
            };
            first.push((inputs, right[0]));
            none.push((inputs, !right.iter().take(FIRST).any(|&right| right)));
            later.extend((1..best.len()).map(|at| (scale.later_inputs(best, at), right[at])));
        }
        if first.len() < LEAST_ROWS {
            return None;
        }
        let later = match later.is_empty() {
            // A model of one answer a row: nothing comes later.
            true => Curve {
                low: [0.0; 3],
                high: [0.0; 3],
                weights: vec![0.0; Curve::<3>::TERMS],
            },
            false => fit(&later),
        };
        let mut calibration = Calibration {
            micro_f1: 0.0,
            macro_f1: 0.0,
            abstain: 0.0,
            first: fit(&first),
            later,
            none: fit(&none),
            scale,
        };
        let mut thresholds = Thresholds::new(&self.truth);
        for (best, right) in self.rows() {
            let probabilities = calibration.probabilities(best);
            thresholds.push(probabilities.zip(best).zip(right));
        }
        let told = thresholds.choose(&mut calibration);
        Some((calibration, told))
    }
}
