//! The proof: weights rebuilt from the duals, and both objectives.

use super::{
    duals::RowDuals,
    problem::Problem,
    state::State,
    survey::{Search, Survey, survey},
};
use crate::executor::Executor;
use crate::train::{TrainError, multiclass::class_weights::Shard};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use hapax_processor::Processor;
use serde::{Deserialize, Serialize};

/// The share of the primal objective by which rounding takes a gap below 0 where weights are f64,
/// moved in every epoch.
pub const ROUNDING: f64 = 1e-7;

/// Both objectives of a solution, and what reaching it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The primal objective at the weights of the model, before pruning and rounding.
    pub primal: f64,
    /// The dual objective, which no primal objective can be below.
    pub dual: f64,
    /// The largest projected gradient of any dual.
    pub violation: f64,
    /// Passes over rows, in full or over listed classes.
    pub epochs: u32,
    /// Weights `r_c` that are not 0, before pruning.
    pub nonzeros: u64,
    /// Duals that are listed by class.
    pub duals: u64,
}

impl Certificate {
    /// The gap relative to the primal objective: 0 at the optimum.
    #[must_use]
    pub fn relative_gap(&self) -> f64 {
        (self.primal - self.dual) / self.primal.abs().max(1e-12)
    }

    /// The proof itself, if its gap is not below 0 by more than `rounding`.
    ///
    /// # Errors
    /// [`TrainError::Unproven`] otherwise: the primal objective of any weights is at least the dual
    /// one of any duals, so that one of the two is wrong.
    pub(crate) fn sound(self, rounding: f64) -> Result<Self, TrainError> {
        let (primal, dual) = (self.primal, self.dual);
        // Not a number is no proof either.
        if primal - dual >= -rounding {
            Ok(self)
        } else {
            Err(TrainError::Unproven { primal, dual })
        }
    }
}

/// The most by which rounding can take the gap of a solution's weights below 0.
///
/// A class that falls short by b, computed as b', adds `C max(0, b') - a b' >= 0` to the gap
/// wherever `0 <= a <= C`, so that only `a |b' - b|` can be lost. Scores are sums of f32: with n
/// terms `|b' - b| <= 2 (n + 4) 2^-24 (1 + sum_f |x_f| max_c |w_fc|)`. Besides, squares of weights
/// are those of rounded ones, and shortfalls are added up four at a time in f32.
///
/// Cost: a pass over all weights and all values; memory: 4 bytes a feature.
pub fn rounding(state: &State, proof: &Certificate) -> f64 {
    let unit = 0.5 * f64::from(f32::EPSILON);
    let weights = &state.weights;
    let largest = |feature: usize| -> f32 {
        let of = weights.of(feature).iter();
        of.fold(0.0, |most, weight| weight.abs().max(most))
    };
    let largest: Vec<f32> = (0..weights.features()).map(largest).collect();
    let squares: f64 = weights
        .all()
        .0
        .iter()
        .map(|&w| f64::from(w) * f64::from(w))
        .sum();
    let of = |(row, duals): (usize, &RowDuals)| {
        let row = state.problem.row(row);
        let terms = row.features.iter().zip(row.values);
        let sizes =
            terms.map(|(&feature, value)| f64::from(value.abs() * largest[feature as usize]));
        let most = 1.0 + sizes.sum::<f64>();
        duals.total * 2.0 * (row.features.len() + 4) as f64 * unit * most
    };
    let scores: f64 = state.duals.iter().enumerate().map(of).sum();
    scores + 4.0 * unit * squares + 8.0 * unit * proof.primal.abs()
}

/// Rows by feature, of a range of features.
struct Columns {
    ends: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Columns {
    fn new(problem: &Problem, range: &Range<u32>) -> Self {
        let mut ends = vec![0usize; range.len() + 2];
        for number in 0..problem.len() {
            for &feature in problem.row(number).features_in(range) {
                ends[(feature - range.start) as usize + 2] += 1;
            }
        }
        for at in 2..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut entries = vec![(0u32, 0f32); ends[ends.len() - 1]];
        for number in 0..problem.len() {
            let row = problem.row(number);
            for at in row.places_of(range) {
                let place = &mut ends[(row.features[at] - range.start) as usize + 1];
                entries[*place] = (number as u32, row.values[at]);
                *place += 1;
            }
        }
        ends.pop();
        Self { ends, entries }
    }

    /// Those of the feature at a place of the range.
    fn of(&self, at: usize) -> &[(u32, f32)] {
        &self.entries[self.ends[at]..self.ends[at + 1]]
    }
}

/// Computes all weights anew from the duals, in `f64`, and returns the dual objective.
///
/// Cost: O(values of the rows, times listed classes); memory: 8 bytes a value and, a thread, 9 a
/// class.
pub fn rebuild(state: &mut State, cuts: &[u32], executor: &Executor) -> f64 {
    let State {
        problem,
        duals,
        weights,
        ..
    } = state;
    let classes = weights.classes;
    let duals = &*duals;
    let problem = &*problem;
    let squares = executor.map_items(weights.shards(cuts), |_, mut shard: Shard<'_>| {
        let columns = Columns::new(problem, &shard.range);
        let mut sums = vec![0f64; classes];
        let mut seen = vec![false; classes];
        let (mut touched, mut listed) = (Vec::<u32>::new(), Vec::new());
        let mut squares = Vec::with_capacity(shard.range.len());
        for at in 0..shard.range.len() {
            let mut common = 0.0;
            let mut add = |class: u32, amount: f64| {
                if !seen[class as usize] {
                    seen[class as usize] = true;
                    touched.push(class);
                }
                sums[class as usize] += amount;
            };
            for &(number, value) in columns.of(at) {
                let duals = &duals[number as usize];
                let value = f64::from(value);
                common -= duals.shared * value;
                let own = problem.class(number as usize);
                add(own, (duals.total + duals.shared) * value);
                for (&class, &alpha) in duals.classes.iter().zip(&duals.alphas) {
                    if alpha != duals.shared {
                        add(class, (duals.shared - alpha) * value);
                    }
                }
            }
            let mut square = (classes - touched.len()) as f64 * common * common;
            for &class in &touched {
                let weight = sums[class as usize] + common;
                square += weight * weight;
            }
            squares.push(square);
            shard.background[at] = common as f32;
            if shard.is_dense(at) {
                for (weight, &sum) in shard.of(at).iter_mut().zip(&sums) {
                    *weight = sum as f32;
                }
            } else {
                listed.clear();
                shard.visit_classes(at, |class| listed.push(sums[class as usize] as f32));
                shard.of(at).copy_from_slice(&listed);
            }
            for class in touched.drain(..) {
                (sums[class as usize], seen[class as usize]) = (0.0, false);
            }
        }
        squares
    });
    let square: f64 = squares.iter().flatten().sum();
    let sum: f64 = duals.iter().map(|duals| duals.total).sum();
    sum - 0.5 * square
}

/// Rebuilds the weights and proves how good they are. The survey is of the new weights.
pub fn certify(
    state: &mut State,
    search: Search,
    cuts: &[u32],
    executor: &Executor,
    processor: Processor,
) -> (Certificate, Survey) {
    let dual = rebuild(state, cuts, executor);
    let found = survey(state, search, executor, processor);
    let certificate = Certificate {
        primal: 0.5 * state.weights.square() + found.loss,
        dual,
        violation: found.violation,
        epochs: 0,
        nonzeros: state.weights.nonzeros(),
        duals: state.duals.iter().map(|d| d.classes.len() as u64).sum(),
    };
    (certificate, found)
}
