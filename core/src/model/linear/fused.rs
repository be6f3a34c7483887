//! A linear model and nearest neighbors that answer together.
//!
//! # Problem
//! A linear model knows what rows of a label have in common; neighbors know which labels occurred together
//! in rows just like the query. The fused score of a label l for a row x, over all labels, is
//!
//! ```text
//! s_l = linear_l(x) + weight * share_l(x),     0 <= share_l <= 1
//! ```
//!
//! where `share_l` is the label's share of the votes of x's neighbors ([`Nearest::shares`]), 0 for a label
//! that no neighbor carries. It is exact with respect to the two parts: every label has its score, in
//! `f32`, product and sum rounded one after the other. The neighbors come from a compact index, which is
//! small and approximate.
//!
//! The weight is fitted: both parts are trained on nine tenths of the rows (or all but 2,000), the weight that
//! ranks the others best by the mean of P@1, P@3 and P@5 is taken, and both parts are trained again on
//! all rows.
//!
//! Cost: training twice; a query costs a search more. A prepared model looks up the linear scores of the labels with
//! shares and ranks only these and the best linear ones, with the same bits. A mean of rows ([`OneVsRest::centroid`]) is linear
//! and needs no such part: it is added to the weights.

pub mod training;

use super::{
    LinearModel, LinearScratch,
    scorer::{LinearScorer, ScorerScratch},
};
use crate::{
    data::{Dataset, Split},
    executor::Executor,
    kernels::Kernels,
    model::nearest::{Nearest, NearestParameters, NearestScratch},
    search::{Scored, Top, compact::CompactOptions},
    sparse::SparseView,
    train::{TrainError, dual::parameters::OneVsRest},
};
use alloc::vec;

/// The neighbors of a fused model and what their votes count.
#[derive(Clone, Debug)]
pub struct FusedNearest {
    nearest: Nearest,
    weight: f32,
}

/// The largest weight of shares.
const MOST_WEIGHT: f32 = 1e6;

/// Weights that are tried.
const WEIGHTS: [f32; 8] = [0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5];

/// Rows that are held out, at most.
const MOST_HELD_OUT: f64 = 2_000.0;

/// Answers that are judged.
const DEPTH: usize = 5;

impl FusedNearest {
    /// The parts, if the weight is finite and from 0 to 1,000,000.
    pub(crate) fn new(nearest: Nearest, weight: f32) -> Option<Self> {
        (0.0..=MOST_WEIGHT)
            .contains(&weight)
            .then_some(Self { nearest, weight })
    }

    /// The neighbors.
    #[must_use]
    pub fn nearest(&self) -> &Nearest {
        &self.nearest
    }

    /// What a share of 1 adds to a score.
    #[must_use]
    pub fn weight(&self) -> f32 {
        self.weight
    }

    /// The `k` best labels of `linear` and these neighbors together, best first.
    pub(crate) fn predict<'s>(
        &self,
        linear: &LinearModel,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut LinearScratch,
        nearest: &mut NearestScratch,
    ) -> Result<&'s [Scored], TrainError> {
        let shares = self.nearest.shares(row, nearest)?;
        scratch.top.reset(k);
        if let Some(scorer) = &linear.scorer {
            let fast = scratch.fast.get_or_insert_default();
            let wanted = shares.iter().map(|share| share.id);
            let (best, scores) = scorer.predict_with(row, k, wanted, scratch.kernels, fast);
            merge(best, scores, shares, self.weight, &mut scratch.top);
            return Ok(scratch.top.sorted());
        }
        linear.add_up(row, scratch);
        let LinearScratch {
            query, sums, top, ..
        } = scratch;
        rank(linear.scores(sums, query.unit), shares, self.weight, top);
        Ok(top.sorted())
    }
}

/// The rows of a data set by which the weight of the neighbors is fitted.
#[derive(Clone, Debug)]
pub struct HeldOut {
    train: Dataset,
    test: Dataset,
}

impl HeldOut {
    /// A tenth of the rows of `data` is held out, and at most 2,000.
    ///
    /// # Errors
    /// If there are less than two rows.
    pub fn of(parameters: &OneVsRest, data: &Dataset) -> Result<Self, TrainError> {
        let share = f64::min(0.1, MOST_HELD_OUT / data.len().max(1) as f64);
        let split =
            Split::new(data.len(), share, parameters.seed).map_err(|_| TrainError::TooFewRows {
                rows: data.len() as u64,
            })?;
        Ok(Self {
            train: data.select(split.train()),
            test: data.select(split.held_out()),
        })
    }
}

/// The neighbors of a fused model, over a compact index of the rows of `data`.
fn neighbors(data: &Dataset) -> Result<Nearest, TrainError> {
    let default = NearestParameters::default();
    let parameters = NearestParameters {
        neighbors: default.neighbors.min(data.len() as u32),
        ..default
    };
    Nearest::train_compact(parameters, data, &CompactOptions::default())
}

/// Pushes all labels with their fused scores; `shares` by rising label.
fn rank(scores: impl Iterator<Item = f32>, shares: &[Scored], weight: f32, top: &mut Top) {
    let mut shares = shares.iter().peekable();
    for (id, linear) in scores.enumerate() {
        let id = id as u32;
        let score = match shares.next_if(|share| share.id == id) {
            Some(share) => linear + weight * share.score,
            None => linear,
        };
        top.push(Scored { id, score });
    }
}

/// Pushes the labels among which the best fused ones are: `best`, the best linear ones, as many as are to be found,
/// and those with shares, whose linear scores are `scores`.
///
/// Shares add nothing below 0, so that a label without one that is among the best fused ones has as many or fewer
/// before it by linear scores.
fn merge(best: &[Scored], scores: &[f32], shares: &[Scored], weight: f32, top: &mut Top) {
    let alone = |label: &&Scored| {
        shares
            .binary_search_by_key(&label.id, |share| share.id)
            .is_err()
    };
    best.iter().filter(alone).for_each(|&label| {
        top.push(label);
    });
    for (share, &linear) in shares.iter().zip(scores) {
        let score = linear + weight * share.score;
        top.push(Scored {
            id: share.id,
            score,
        });
    }
}

/// The weight with the largest mean of P@1, P@3 and P@5 on `test`; the smallest among equals.
fn fit<E: Executor>(
    linear: &LinearModel,
    neighbors: &Nearest,
    test: &Dataset,
    executor: &E,
    kernels: &'static dyn Kernels,
) -> Result<f32, TrainError> {
    let scorer = LinearScorer::new(linear).map_err(|_| TrainError::OutOfMemory {
        bytes: linear.bytes() as u64,
    })?;
    let scratch = || {
        let top = Top::default();
        (ScorerScratch::default(), NearestScratch::new(kernels), top)
    };
    let by_row = executor.map(test.len(), scratch, |(scratch, nearest, top), row| {
        let features = test.rows().row(row);
        let shares = neighbors.shares(features, nearest)?;
        let wanted = shares.iter().map(|share| share.id);
        let (best, scores) = scorer.predict_with(features, DEPTH, wanted, kernels, scratch);
        let truth = test.labels().row(row);
        let gains = WEIGHTS.map(|weight| {
            top.reset(DEPTH);
            merge(best, scores, shares, weight, top);
            gain(top.sorted(), truth)
        });
        Ok::<_, TrainError>(gains)
    });
    let mut sums = vec![0u64; WEIGHTS.len()];
    for gains in by_row {
        sums.iter_mut()
            .zip(gains?)
            .for_each(|(sum, gain)| *sum += gain);
    }
    let best = sums.iter().max().copied().unwrap_or(0);
    let first = sums.iter().position(|&sum| sum == best);
    Ok(WEIGHTS[first.unwrap_or(0)])
}

/// 15 times the sum of P@1, P@3 and P@5, a whole number.
fn gain(best: &[Scored], truth: &[u32]) -> u64 {
    let worth = [15 + 5 + 3, 5 + 3, 5 + 3, 3, 3];
    let ranked = best.iter().zip(worth);
    ranked
        .filter(|(scored, _)| truth.binary_search(&scored.id).is_ok())
        .map(|(_, worth)| worth)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::{FusedNearest, HeldOut, gain, neighbors, rank, training::FusedTraining};
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::{linear::LinearScratch, nearest::NearestScratch},
        random::Stream,
        search::{Scored, Top},
        sparse::{SparseRows, SparseVec},
        train::dual::parameters::{Negatives, OneVsRest},
    };
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    pub(super) fn data(count: usize) -> Dataset {
        let mut stream = Stream::new(3, 1);
        let (mut rows, mut lists) = (SparseRows::new(90), LabelLists::new(30));
        for _ in 0..count {
            let label = stream.below(28) as u32;
            let own = (0..3).map(|at| (label * 3 + at, 1.0));
            let noise: Vec<_> = (0..6)
                .map(|_| (stream.below(90) as u32, 1.0 + stream.unit() as f32))
                .collect();
            let row = SparseVec::from_pairs(own.chain(noise)).unwrap();
            rows.push(row.view()).unwrap();
            lists.push([label, (label + 1) % 28]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    #[test]
    fn every_label_has_the_sum_of_both_scores() {
        let data = data(300);
        let parameters = OneVsRest {
            negatives: Negatives::All,
            ..OneVsRest::default()
        };
        let go_on = |_| ControlFlow::Continue(());
        let linear = parameters
            .train(&data, &Sequential, &Portable, go_on)
            .unwrap();
        let mut prepared = linear.clone();
        prepared.prepare().unwrap();
        let fused = FusedNearest::new(neighbors(&data).unwrap(), 0.75).unwrap();
        let mut scratch = (LinearScratch::default(), NearestScratch::default());
        for row in data.rows().iter().take(40) {
            // The twin: all linear scores, all shares, added up and sorted.
            let mut expected = linear.predict(row, 30, &mut scratch.0).to_vec();
            let shares = fused.nearest.shares(row, &mut scratch.1).unwrap().to_vec();
            assert!(shares.iter().all(|s| 0.0 < s.score && s.score <= 1.0));
            assert!(!shares.is_empty());
            for label in &mut expected {
                if let Some(share) = shares.iter().find(|s| s.id == label.id) {
                    label.score += 0.75 * share.score;
                }
            }
            expected.sort_by(crate::search::rank);
            for k in [1, 3, 30] {
                for linear in [&linear, &prepared] {
                    let found = fused.predict(linear, row, k, &mut scratch.0, &mut scratch.1);
                    assert_eq!(found.unwrap(), &expected[..k]);
                }
            }
        }
    }

    #[test]
    fn the_weight_is_fitted_and_the_same_for_any_executor() {
        let data = data(400);
        let parameters = OneVsRest::default();
        let held_out = HeldOut::of(&parameters, &data).unwrap();
        let train = || {
            let new = FusedTraining::new(&parameters, &data, &held_out, &Sequential, &Portable);
            let mut training = new.unwrap();
            while training.step().unwrap().is_some() {}
            training.finish().unwrap().1.weight()
        };
        assert_eq!(train().to_bits(), train().to_bits());
        assert!(FusedNearest::new(neighbors(&data).unwrap(), f32::NAN).is_none());
        assert!(FusedNearest::new(neighbors(&data).unwrap(), -1.0).is_none());
    }

    #[test]
    fn gains_count_right_answers_by_rank() {
        let answer = |id| Scored { id, score: 0.0 };
        assert_eq!(gain(&[answer(1), answer(2), answer(3)], &[1, 3]), 23 + 8);
        let mut top = Top::new(2);
        rank(
            [0.5, 0.25].into_iter(),
            &[Scored { id: 1, score: 1.0 }],
            1.0,
            &mut top,
        );
        assert_eq!(top.sorted()[0], Scored { id: 1, score: 1.25 });
    }
}
