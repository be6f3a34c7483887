//! The part of training that solves labels.

use super::{
    Trainer,
    duals::{Duals, keep},
};
use crate::{
    executor::Executor,
    float,
    model::linear::build::LabelWeights,
    random::Stream,
    train::dual::label_solver::{Effort, SolverScratch},
};
use alloc::vec::Vec;

/// What solving a label gives.
#[derive(Default)]
pub(super) struct Solved {
    pub duals: Duals,
    pub weights: LabelWeights,
    sweeps: u32,
}

/// Jobs of solving between two reports.
const PART: usize = 64;

/// What [`OneVsRest::prior`] multiplies, for a label with `rows` rows.
fn familiarity(rows: usize) -> f64 {
    let rows = rows as f64;
    float::ln(2.0 * rows / (rows + 1.0))
}

impl Trainer<'_> {
    pub(super) fn solve_part<E: Executor>(&mut self, executor: &E) -> (usize, u64) {
        let part = PART.min(self.jobs.len() - self.jobs_done);
        let first = self.jobs_done;
        let this = &*self;
        let features = this.data.rows().features() as usize;
        let solved = executor.map(
            part,
            || SolverScratch::new(features),
            |scratch, job| -> Vec<Solved> {
                let labels = this.jobs.job(first + job).iter();
                labels
                    .map(|&label| this.solve(scratch, label as usize))
                    .collect()
            },
        );
        let mut sweeps = 0;
        for (job, solved) in solved.into_iter().enumerate() {
            let labels = self.jobs.job(first + job);
            for (&label, solved) in labels.iter().zip(solved) {
                self.duals[label as usize] = solved.duals;
                self.weights[label as usize] = solved.weights;
                sweeps += u64::from(solved.sweeps);
            }
            self.done += labels.len();
        }
        self.jobs_done += part;
        (self.duals.len(), sweeps)
    }

    /// Solves one label on its present working rows.
    pub(super) fn solve(&self, scratch: &mut SolverScratch, label: usize) -> Solved {
        let own = self.positives.of(label);
        if own.is_empty() {
            // Those of the model that training starts from, or none.
            return Solved {
                weights: self.weights[label].clone(),
                ..Solved::default()
            };
        }
        let last = self.round + 1 == self.rounds;
        let parameters = &self.parameters;
        let rows = if last || self.rows.short.is_empty() {
            &self.rows.full
        } else {
            &self.rows.short
        };
        self.collect(scratch, label, own);
        let effort = Effort {
            sweeps: if last {
                parameters.max_epochs
            } else {
                parameters.early_epochs
            },
            epsilon: parameters.epsilon,
            skip: 0.2 * parameters.epsilon,
        };
        let centroid = if last { parameters.centroid } else { 0.0 };
        let length = match centroid > 0.0 {
            true => scratch.centroid_length(rows),
            false => 0.0,
        };
        let job = u64::from(self.round) << 32 | label as u64;
        let mut stream = Stream::new(parameters.seed, job);
        let sweeps = scratch.solve(rows, parameters.bias, effort, &mut stream, self.kernels);
        if length > 0.0 {
            scratch.add_positives(rows, centroid / length);
        }
        let (prune, bits) = if last {
            (parameters.prune, parameters.bits)
        } else {
            (parameters.mine_prune, 8)
        };
        scratch.take_above(rows, prune);
        let mut bias = scratch.bias;
        if last && parameters.prior != 0.0 {
            bias += parameters.prior * familiarity(own.len());
        }
        let rounded = LabelWeights::round(&scratch.kept, bias as f32, bits);
        let duals = if last {
            Duals::default()
        } else {
            keep(scratch, own.len())
        };
        Solved {
            duals,
            weights: rounded,
            sweeps,
        }
    }

    /// Puts the working rows of a label into `scratch`: its own, then negatives.
    fn collect(&self, scratch: &mut SolverScratch, label: usize, own: &[u32]) {
        let duals = &self.duals[label];
        let parameters = &self.parameters;
        scratch.examples.clear();
        for (at, &row) in own.iter().enumerate() {
            let alpha = duals.positives.get(at).map_or(0.0, |&a| f64::from(a));
            scratch.push(parameters, row, true, alpha);
        }
        if self.all {
            let rows = 0..self.rows.full.len() as u32;
            for row in rows.filter(|row| own.binary_search(row).is_err()) {
                scratch.push(parameters, row, false, 0.0);
            }
            return;
        }
        let unseen = self.unseen.get(label).is_some_and(|&unseen| unseen);
        let fresh = if self.round == 0 || unseen {
            self.pool.of(own.len())
        } else {
            self.wrong.of(label)
        };
        let mut kept = duals.negatives.iter().copied().peekable();
        for &row in fresh {
            while let Some((before, alpha)) = kept.next_if(|&(before, _)| before < row) {
                scratch.push(parameters, before, false, f64::from(alpha));
            }
            let alpha = kept
                .next_if(|&(before, _)| before == row)
                .map_or(0.0, |(_, alpha)| alpha);
            if own.binary_search(&row).is_err() {
                scratch.push(parameters, row, false, f64::from(alpha));
            }
        }
        for (row, alpha) in kept {
            scratch.push(parameters, row, false, f64::from(alpha));
        }
    }
}
