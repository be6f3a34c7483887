//! What is told of an epoch: loss, objective, weights, and how exact the oracle is.

use super::{choose::Scratch, draws::Pair, oracle_index::Index, trainer::MemoirTrainer};
use crate::executor::Executor;
use crate::parameters::memoir::oracle::Oracle;
use alloc::vec::Vec;

/// Figures of the weights as they are, on a sample of the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Rows of the sample.
    pub rows: usize,
    /// Share of the sample with a margin below 1, from 0 to 1.
    pub open: f64,
    /// Mean of `max(0, 1 + max_{r != y} w_r x - w_y x)` over the sample.
    pub loss: f64,
    /// What training minimizes: the loss, and `lambda` times the size of the weights.
    pub objective: f64,
    /// Share of the sample for which the oracle finds a best wrong class: 1 if it is exact.
    pub recall: f64,
    /// The paper's epsilon: by how much the margin of the best wrong class that the oracle finds is
    /// larger than the margin, on average. Where it finds none, by the distance to silence, a score
    /// of 0.
    pub margin_error: f64,
    /// The same for the worst row of the sample.
    pub worst_margin_error: f64,
    /// Number of weights.
    pub nonzeros: usize,
    /// Bytes held, without the data set.
    pub bytes: usize,
}

/// Rows of the sample, at most.
const SAMPLE: usize = 1_000;

/// Rows of a job.
const ROWS: usize = 32;

/// What is found for one row.
#[derive(Clone, Copy, Debug)]
struct Seen {
    short: f64,
    found: bool,
    margin_error: f64,
}

impl MemoirTrainer<'_> {
    /// Measures the weights of the last step (not their mean) on at most 1,000 rows, evenly spaced.
    ///
    /// Cost: one scoring of all classes and one search for each row of the sample, and one pass
    /// over the weights.
    #[must_use]
    pub(crate) fn measure(&self, executor: &Executor) -> Measured {
        let pairs = self.draws.pairs();
        let apart = pairs.len().div_ceil(SAMPLE).max(1);
        let mut sample: Vec<Pair> = pairs.to_vec();
        sample.sort_unstable_by_key(|pair| (pair.row, pair.class));
        let sample: Vec<Pair> = sample.into_iter().step_by(apart).collect();
        let parts = executor.map(
            sample.len().div_ceil(ROWS),
            || Scratch::new(self.weights.classes()),
            |scratch, job| {
                let part = sample.iter().skip(job * ROWS).take(ROWS);
                part.map(|&pair| self.see(pair, scratch))
                    .collect::<Vec<_>>()
            },
        );
        let rows = sample.len();
        let mut made = Measured {
            rows,
            nonzeros: self.weights.nonzeros(),
            bytes: self.bytes(),
            ..Measured::default()
        };
        for seen in parts.into_iter().flatten() {
            made.open += f64::from(u8::from(seen.short > 0.0));
            made.loss += seen.short;
            made.recall += f64::from(u8::from(seen.found));
            made.margin_error += seen.margin_error;
            made.worst_margin_error = made.worst_margin_error.max(seen.margin_error);
        }
        for sum in [
            &mut made.open,
            &mut made.loss,
            &mut made.recall,
            &mut made.margin_error,
        ] {
            *sum /= rows.max(1) as f64;
        }
        let size = if self.parameters.is_l1() {
            self.weights.sizes()
        } else {
            0.5 * self.weights.square()
        };
        made.objective = made.loss + self.parameters.lambda * size;
        made
    }

    fn see(&self, pair: Pair, scratch: &mut Scratch) -> Seen {
        scratch.terms.clear();
        self.rows.terms(pair.row, &mut scratch.terms);
        let asked = self.asked(pair);
        let wrong = |class: &u32| asked.labels.binary_search(class).is_err();
        let proposed: Vec<u32> = if self.parameters.oracle == Oracle::Exhaustive {
            Vec::new()
        } else {
            let mut proposer = self.index.as_ref().map(Index::proposer);
            self.proposals(asked, proposer.as_deref_mut(), scratch)
                .to_vec()
        };
        let Scratch { scores, terms, .. } = scratch;
        self.weights.score(terms, scores);
        let score = |class: u32| scores[class as usize];
        let best = |classes: &mut dyn Iterator<Item = u32>| {
            classes.filter(wrong).map(score).fold(f32::MIN, f32::max)
        };
        let exact = best(&mut self.seen.iter().copied());
        let found = if self.parameters.oracle == Oracle::Exhaustive {
            exact
        } else {
            // A class that is silent counts as found: it needs no search.
            best(&mut proposed.into_iter()).max(exact.min(0.0))
        };
        let scale = self.weights.scale();
        let margin = f64::from(score(pair.class)) - f64::from(exact);
        Seen {
            short: (1.0 - scale * margin).max(0.0),
            found: found >= exact,
            margin_error: scale * (f64::from(exact) - f64::from(found)),
        }
    }
}
