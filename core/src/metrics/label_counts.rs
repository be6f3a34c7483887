//! What is counted for each label: F1 and coverage.

use super::sum::Sum;
use alloc::collections::BTreeMap;

/// The counts of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    /// Rows that carry the label.
    truth: u64,
    /// Rows whose predicted set holds it.
    predicted: u64,
    /// Rows of both kinds.
    both: u64,
    /// The best position at which a row that carries it has it among its answers.
    best: usize,
}

impl Default for Counts {
    fn default() -> Self {
        Self {
            truth: 0,
            predicted: 0,
            both: 0,
            best: usize::MAX,
        }
    }
}

/// The counts of all labels that occur in truth or prediction.
///
/// Memory: in proportion to the number of different labels met, whatever their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LabelCounts(BTreeMap<u32, Counts>);

impl LabelCounts {
    /// A row carries `label`.
    pub(super) fn add_truth(&mut self, label: u32) {
        self.0.entry(label).or_default().truth += 1;
    }

    /// The predicted set of a row holds `label`, rightly or not.
    pub(super) fn add_predicted(&mut self, label: u32, right: bool) {
        let counts = self.0.entry(label).or_default();
        counts.predicted += 1;
        counts.both += u64::from(right);
    }

    /// A row that carries `label` has it at `position` of its answers.
    pub(super) fn add_hit(&mut self, label: u32, position: usize) {
        let counts = self.0.entry(label).or_default();
        counts.best = counts.best.min(position);
    }

    /// Adds the counts of other rows.
    pub(super) fn merge(&mut self, other: &Self) {
        for (&label, counts) in &other.0 {
            let own = self.0.entry(label).or_default();
            own.truth += counts.truth;
            own.predicted += counts.predicted;
            own.both += counts.both;
            own.best = own.best.min(counts.best);
        }
    }

    /// The share of the labels in the truth that are hit at least once in the first `k`.
    pub(super) fn coverage(&self, k: usize) -> f64 {
        let in_truth = self.0.values().filter(|counts| counts.truth > 0).count();
        let hit = self.0.values().filter(|counts| counts.best < k).count();
        ratio(hit as u64, in_truth as u64)
    }

    /// F1 of all decisions taken together.
    pub(super) fn micro_f1(&self) -> f64 {
        let (both, sizes) = self.0.values().fold((0, 0), |(both, sizes), counts| {
            (both + counts.both, sizes + counts.predicted + counts.truth)
        });
        ratio(2 * both, sizes)
    }

    /// The mean of the labels' F1, and the harmonic mean of their mean precision and mean recall.
    pub(super) fn macro_f1(&self) -> (f64, f64) {
        let (mut f1, mut precision, mut recall) = (Sum::default(), Sum::default(), Sum::default());
        for counts in self.0.values() {
            f1.add(ratio(2 * counts.both, counts.predicted + counts.truth));
            precision.add(ratio(counts.both, counts.predicted));
            recall.add(ratio(counts.both, counts.truth));
        }
        // Every label here occurs in truth or prediction: a hit beyond the cut is in the truth.
        let labels = self.0.len() as u64;
        let (p, r) = (precision.mean(labels), recall.mean(labels));
        let of_means = if p + r > 0.0 {
            2.0 * p * r / (p + r)
        } else {
            0.0
        };
        (f1.mean(labels), of_means)
    }
}

/// `part / whole`, 0 if `whole` is 0.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
