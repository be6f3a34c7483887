//! Crammer-Singer and Weston-Watkins machines, epoch by epoch.
//!
//! The two share their dual `D(a) = sum_ic a_ic - 1/2 sum_c |w_c|²` with `w_y += a_ic x_i` and
//! `w_c -= a_ic x_i` for every row i and class c ≠ y_i, under `a_ic >= 0` and a cap: `a_ic <= C`
//! for Weston-Watkins, `sum_c a_ic <= C` for Crammer-Singer. All duals of a row are solved for at
//! once ([`super::row_step`]); rows follow each other in random order.
//!
//! Of a row's L - 1 duals only those of its listed classes are kept one by one; the others share
//! one. Epochs are of two kinds. A full one ([`super::survey`]) scores all classes for all rows at
//! fixed weights, which gives the gap exactly and finds the classes that rows must list: those that
//! add more to the gap than what is still wanted allows. The others ([`super::sweep`]) solve for
//! the listed duals and the shared one, at a cost that does not depend on L. As rows' shares of the
//! gap shrink, rows are left alone until the next full epoch.
//!
//! Cost: a full epoch O(weights of the rows' features); another O(values, times listed classes).
//! Memory: 8 bytes a value; 2 a value and listed class of its row; 6 a weight (4 and 8 from 65,537
//! classes on): neither N x L nor L x D is ever dense.

use super::{
    certificate::{Certificate, certify},
    listing::{Turn, list, unlist},
    row_step::Steps,
    schedule::Schedule,
    state::State,
    survey::{Part, Search, Survey, survey, survey_part},
    sweep::Sweeper,
};
use crate::{executor::Executor, random::Stream};
use crate::{
    parameters::multiclass::{MultiClassSvm, Shrinking},
    train::multiclass::prune_lists::forget_if_many,
};
use alloc::vec::Vec;
use hapax_processor::Processor;

/// What an epoch did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Its number, from 1.
    pub epoch: u32,
    /// Whether it was over all rows and all classes at the same weights.
    pub full: bool,
    /// Rows visited.
    pub rows: u64,
    /// The relative gap found by the last full epoch.
    pub gap: f64,
}

/// Training under way: call [`Trainer::epoch`] until it returns `None`.
#[derive(Debug)]
pub struct Trainer {
    parameters: MultiClassSvm,
    state: State,
    sweeper: Option<Sweeper>,
    /// Rows that the next sweep visits.
    active: Vec<u32>,
    schedule: Schedule,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
    /// By what the weights were multiplied in the end.
    multiple: f64,
    /// Rows whose duals were given at the start and have no places yet.
    relist: Vec<u32>,
    /// What the sweeper of the training that this one goes on from had learned.
    remembered: Option<(u32, f64, f64)>,
    /// Classes that rows list from the beginning; no rows if they begin with their own only.
    likely: Vec<Vec<u32>>,
}

/// Most classes that a row lists at once.
pub const MOST: usize = 8;

/// Listed classes without a dual leave the list if they fall this far short of one.
const IDLE: f64 = 0.01;

impl Trainer {
    /// Does the next epoch, or returns `None` if training has ended.
    pub(crate) fn epoch(&mut self, executor: &Executor, processor: Processor) -> Option<Report> {
        if self.certificate.is_some() {
            return None;
        }
        let mut sweeper = match self.sweeper.take() {
            Some(sweeper) => sweeper,
            None => self.start(executor),
        };
        self.epochs += 1;
        // The last epoch is the one that proves.
        let last = self.epochs >= self.parameters.max_epochs;
        let all = self.schedule.sweeps == 0 || self.active.is_empty();
        let full = last || all && self.schedule.passes == 0;
        let rows = if full {
            self.full_epoch(&mut sweeper, executor, processor);
            self.state.problem.len()
        } else if all {
            self.by_parts(&mut sweeper, executor, processor);
            self.state.problem.len()
        } else {
            self.sweep(&mut sweeper, executor, processor)
        };
        self.sweeper = Some(sweeper);
        Some(Report {
            epoch: self.epochs,
            full,
            rows: rows as u64,
            gap: self.gap,
        })
    }

    fn sweep(&mut self, sweeper: &mut Sweeper, executor: &Executor, processor: Processor) -> usize {
        let mut stream = Stream::new(self.parameters.seed, u64::from(self.epochs));
        let mut rows = core::mem::take(&mut self.active);
        stream.shuffle(&mut rows);
        let shrinking = self.parameters.shrinking;
        let tolerance = self.schedule.tolerance;
        let steps = Steps {
            tolerance,
            length: self.state.limits.over * self.schedule.length(),
        };
        let mut still = Vec::new();
        let mut keep = Vec::with_capacity(rows.len());
        let swept = sweeper.sweep(
            &mut self.state,
            &rows,
            steps,
            executor,
            processor,
            |row, gap, moved| match shrinking {
                Shrinking::Bounds if gap <= tolerance => {}
                Shrinking::Counter(_) => still.push((row, moved)),
                _ => keep.push(row),
            },
        );
        if let Shrinking::Counter(most) = shrinking {
            for (row, moved) in still {
                let duals = &mut self.state.duals[row as usize];
                duals.still = if moved { 0 } else { duals.still + 1 };
                if duals.still < most {
                    keep.push(row);
                }
            }
        }
        self.active = keep;
        self.schedule.swept(swept.gap);
        swept.visited
    }

    /// Looks at all classes for a part of the rows and solves for these rows, then for the next
    /// part: what the first ones moved is known when the classes of later ones are chosen.
    fn by_parts(&mut self, sweeper: &mut Sweeper, executor: &Executor, processor: Processor) {
        let (search, count) = (self.search(), self.state.problem.len());
        let of = Schedule::parts(self.state.limits);
        for first in 0..of {
            let part = Part { first, of };
            let found = survey_part(&self.state, search, part, executor, processor);
            unlist(&mut self.state, &found.idle, executor);
            self.list_found(&found, sweeper, executor);
            self.active = part.of(count).map(|row| row as u32).collect();
            self.sweep(sweeper, executor, processor);
        }
        self.active.clear();
        self.schedule.passed();
    }

    fn search(&self) -> Search {
        Search {
            tolerance: self.schedule.tolerance,
            epsilon: if self.parameters.epsilon > 0.0 {
                0.5 * self.parameters.epsilon
            } else {
                f64::INFINITY
            },
            most: MOST,
            usual: self.schedule.usual(),
            idle: IDLE,
            less: self.schedule.lesser(),
        }
    }

    fn full_epoch(&mut self, sweeper: &mut Sweeper, executor: &Executor, processor: Processor) {
        let last = self.epochs >= self.parameters.max_epochs;
        let (search, hopeful) = (self.search(), self.schedule.hopeful);
        let mut found = Survey::default();
        if !last && !hopeful {
            found = survey(&self.state, search, executor, processor);
        }
        if last || hopeful || self.is_enough(found.best(search).gap, found.violation) {
            let proof;
            (proof, found) = certify(&mut self.state, search, sweeper.cuts(), executor, processor);
            let (best, multiple) = self.multiply(proof, &found, search);
            if last || self.is_enough(best.relative_gap(), proof.violation) {
                self.gap = best.relative_gap();
                (self.certificate, self.multiple) = (Some(best), multiple);
                self.state.weights.multiply(multiple as f32);
                return;
            }
        }
        let best = found.best(search);
        self.gap = best.gap;
        self.schedule.lessen(best.less);
        self.plan(&found, best.gap);
        sweeper.judge(found.dual());
        unlist(&mut self.state, &found.idle, executor);
        forget_if_many(&mut self.state, &found.idle, executor);
        self.list_found(&found, sweeper, executor);
    }

    /// Lists the classes that a survey found rows to lack.
    fn list_found(&mut self, found: &Survey, sweeper: &Sweeper, executor: &Executor) {
        let (rows, fresh, cuts) = (&found.rows, &found.fresh, sweeper.cuts());
        list(&mut self.state, rows, fresh, Turn::Later, cuts, executor);
    }

    /// By what weights are to be multiplied, if their gap is not small enough, and the proof then.
    fn multiply(&self, proof: Certificate, found: &Survey, search: Search) -> (Certificate, f64) {
        let proof = Certificate {
            epochs: self.epochs,
            ..proof
        };
        if self.is_enough(proof.relative_gap(), proof.violation) {
            return (proof, 1.0);
        }
        let square = 2.0 * (proof.primal - found.loss);
        let best = found.best_of(search, square, proof.dual);
        let primal = best.primal;
        (Certificate { primal, ..proof }, best.factor)
    }

    fn is_enough(&self, gap: f64, violation: f64) -> bool {
        gap <= self.parameters.gap || violation <= self.parameters.epsilon
    }

    /// Decides what the sweeps until the next full epoch must reach, and which rows they visit.
    fn plan(&mut self, found: &Survey, gap: f64) {
        self.schedule.plan(&self.parameters, found, gap);
        let off = self.parameters.shrinking == Shrinking::Off;
        self.active.clear();
        let gaps = found.gaps.iter().enumerate();
        let busy = gaps.filter(|&(_, &gap)| off || gap > self.schedule.tolerance);
        self.active.extend(busy.map(|(row, _)| row as u32));
        for duals in &mut self.state.duals {
            duals.still = 0;
        }
    }

    /// Runs all epochs.
    #[cfg(test)]
    pub fn run(&mut self, executor: &Executor, processor: Processor) -> Certificate {
        while self.epoch(executor, processor).is_some() {}
        self.certificate.unwrap_or_default()
    }

    /// The proof, once training has ended.
    #[must_use]
    pub(crate) fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// By what the weights that belong to the duals were multiplied in the end: 1 or slightly more.
    #[must_use]
    #[cfg(test)]
    pub fn multiple(&self) -> f64 {
        self.multiple
    }

    /// The solution as it stands.
    #[must_use]
    #[cfg(test)]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes the solution out.
    #[must_use]
    pub(crate) fn into_state(self) -> State {
        self.state
    }
}

mod beginning;
mod rows_state;
#[cfg(test)]
mod tests;
