//! The proof: weights rebuilt from the duals, and both objectives.

use super::{
    problem::Problem,
    state::State,
    survey::{Search, Survey, survey},
};
use crate::executor::Executor;
use crate::train::multiclass::class_weights::Shard;
use alloc::{vec, vec::Vec};
use core::ops::Range;
use hapax_processor::Processor;
use serde::{Deserialize, Serialize};

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
pub fn rebuild<E: Executor>(state: &mut State, cuts: &[u32], executor: &E) -> f64 {
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
pub fn certify<E: Executor>(
    state: &mut State,
    search: Search,
    cuts: &[u32],
    executor: &E,
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
