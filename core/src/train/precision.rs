//! How good answers to held-out rows are: what is counted, and what settings are compared by.

use crate::{data::LabelLists, search::Scored};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The shares of right labels among the first 1, 3 and 5, averaged over rows; ranks that are not
/// filled count as wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// Precision at 1.
    pub at_1: f64,
    /// Precision at 3.
    pub at_3: f64,
    /// Precision at 5.
    pub at_5: f64,
}

impl Precision {
    /// How many answers a judgment looks at.
    pub(crate) const DEPTH: usize = 5;
    const DEPTHS: [usize; 3] = [1, 3, Self::DEPTH];

    /// The mean of the three: what parameters are chosen by.
    #[must_use]
    pub(crate) fn mean(&self) -> f64 {
        (self.at_1 + self.at_3 + self.at_5) / 3.0
    }
}

/// How much macro-F1 counts beside the mean of P@1, P@3 and P@5: a setting may cost a point of
/// precision only if it gains so many times as much over labels. `benches/record/choice.md` has
/// what other weights choose.
const MACRO_F1: f64 = 0.1;

/// Answers to held-out rows as they are counted: those right among the first 1, 3 and 5, and which
/// labels were right, answered or missed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    hits: [u64; 3],
    rows: u64,
    /// Answers of a row that count for macro-F1.
    cut: usize,
    /// A label and whether it was the truth ([`TRUTH`]), an answer ([`ANSWER`]) or both, for each
    /// row.
    decisions: Vec<u64>,
}

const TRUTH: u64 = 0;
const ANSWER: u64 = 1;
const BOTH: u64 = 2;

/// What was counted, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    /// Precision at 1, 3 and 5.
    pub precision: Precision,
    /// Macro-F1 of as many answers a row as rows have labels on average.
    pub macro_f1: f64,
    /// Number of rows.
    pub rows: usize,
}

impl Figures {
    /// What settings are compared by.
    pub(crate) fn worth(&self) -> f64 {
        self.precision.mean() + MACRO_F1 * self.macro_f1
    }
}

impl Tally {
    /// For answers of models trained on rows with these labels.
    pub(crate) fn of(labels: &LabelLists) -> Self {
        let mean = labels.total() as f64 / labels.len().max(1) as f64;
        Self {
            cut: (mean + 0.5).max(1.0) as usize,
            ..Self::default()
        }
    }

    /// Counts the answers to a row, best first, whose labels are `truth`.
    pub(crate) fn count(&mut self, best: &[Scored], truth: &[u32]) {
        for (rank, scored) in best.iter().enumerate() {
            let right = truth.binary_search(&scored.id).is_ok();
            if right {
                let depths = self.hits.iter_mut().zip(Precision::DEPTHS);
                depths
                    .filter(|(_, depth)| rank < *depth)
                    .for_each(|(hits, _)| *hits += 1);
            }
            if rank < self.cut {
                let kind = if right { BOTH } else { ANSWER };
                self.decisions.push(u64::from(scored.id) << 2 | kind);
            }
        }
        let truth = truth.iter().map(|&label| u64::from(label) << 2 | TRUTH);
        self.decisions.extend(truth);
        self.rows += 1;
    }

    /// Those of both.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        for (hits, more) in self.hits.iter_mut().zip(other.hits) {
            *hits += more;
        }
        self.rows += other.rows;
        self.cut = self.cut.max(other.cut);
        self.decisions.extend_from_slice(&other.decisions);
        self
    }

    /// What was counted so far.
    pub(crate) fn figures(&mut self) -> Figures {
        let rows = self.rows.max(1) as f64;
        let share = |at: usize| self.hits[at] as f64 / (Precision::DEPTHS[at] as f64 * rows);
        Figures {
            precision: Precision {
                at_1: share(0),
                at_3: share(1),
                at_5: share(2),
            },
            rows: self.rows as usize,
            macro_f1: self.macro_f1(),
        }
    }

    /// The mean of F1 over the labels that rows have or were given.
    fn macro_f1(&mut self) -> f64 {
        self.decisions.sort_unstable();
        let (mut sum, mut labels) = (0.0, 0_u32);
        for of_label in self.decisions.chunk_by(|a, b| a >> 2 == b >> 2) {
            let both = of_label.iter().filter(|&&d| d & 3 == BOTH).count();
            // What is both stands among the decisions once as truth and once as both.
            sum += 2.0 * both as f64 / of_label.len() as f64;
            labels += 1;
        }
        sum / f64::from(labels.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::{data::LabelLists, search::Scored};

    #[test]
    fn answers_count_by_their_rank_and_labels_alike() {
        let answer = |id| Scored { id, score: 0.0 };
        let mut labels = LabelLists::new(9);
        labels.push([1, 2]);
        let mut tally = Tally::of(&labels);
        tally.count(&[answer(4), answer(1), answer(2)], &[2, 4]);
        assert_eq!(tally.hits, [1, 2, 2]);
        tally.count(&[], &[2]);
        let figures = tally.clone().and(&tally).figures();
        assert_eq!((figures.rows, figures.precision.at_1), (4, 0.5));
        let mean = (0.5 + 2.0 / 6.0 + 2.0 / 10.0) / 3.0;
        assert!((figures.precision.mean() - mean).abs() < 1e-12);
        // Of the first two answers 4 is right each time, 1 never; 2 is missed each time.
        assert!((figures.macro_f1 - 1.0 / 3.0).abs() < 1e-12);
        assert!(figures.worth() > figures.precision.mean());
    }
}
