//! Joint training of an embedding and class prototypes, part by part.
//!
//! Problem: rows `x` of D features, each with a set Y of labels among L classes; find `W` (M x D)
//! and `beta_g` (M) so that for z = W x and f_g = beta_g . z, or f_g = -|beta_g - z|², every class
//! of Y is ahead of every other by the margin b. The loss of a row is `w |b - f_y + f_v|+` for a
//! class y drawn from Y and violators v found by sampling (paper: Gupta, Bengio, Weston 2014, with
//! WARP of Weston, Bengio, Usunier 2011).
//!
//! One epoch visits the rows in random order. A visit draws y, leaves if the chain of last
//! violators says so ([`super::last_violators`]), finds violators ([`super::visit`]), and steps
//!
//! ```text
//! beta_y -= λ g / sqrt(A_y),  g = -w z     or 2 w (beta_y - z),    A_y += |g|²/M
//! beta_v -= λ g / sqrt(A_v),  g = w_v z    or -2 w_v (beta_v - z), A_v += |g|²/M
//! W_f    -= λ x_f G / sqrt(A_f),  G = sum_v w_v (beta_v - beta_y), A_f += x_f²|G|²/M
//!                                 (G twice that for distances)
//! ```
//!
//! As published, AdaGrad has one sum a row of W, `A_j += G_j²|x|²/d`: then all features share its
//! M sums. With sparse rows d is the mean number of stored values, for with all features a first
//! step would be far too long. Gradients of 0 make no step, so that prototypes may begin at 0.
//!
//! With AdaGrad and neither norms nor decay in play, (λ, b, W) and (cλ, c²b, cW) give the same
//! run but for the factor c: only b/λ² matters.
//!
//! Cost of a visit: M for each stored value, and for each class tried; of its steps M for each
//! stored value and violator. Memory: [`Wsabie::memory_estimate`].
//!
//! The steps of a batch of visits are made after all of them, in their order, so the model does not
//! depend on the number of threads.

mod joint_state;

use super::{
    last_violators::LastViolators,
    learn::Buffers,
    learning_on::Known,
    rows::Rows,
    space::Space,
    visit::{Outcome, Visit, VisitRule, Visited},
};
use crate::parameters::wsabie::Wsabie;
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    random::Stream,
    train::{TrainError, Training, error::array},
};
use alloc::vec::Vec;
use hapax_processor::Processor;

/// How far training has come, after a part of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// The epoch, from 0; those of further models of an ensemble follow.
    pub epoch: u32,
    /// Number of epochs of all models.
    pub epochs: u32,
    /// Rows visited in this epoch.
    pub done: usize,
    /// Rows of this epoch.
    pub of: usize,
    /// Of the rows of this part, how many had violators and were learned from.
    pub violated: usize,
    /// How many were ignored for a last violator.
    pub ignored: usize,
}

/// Training under way: its models so far, and what the next steps need.
pub(crate) struct Trainer<'a> {
    pub(super) parameters: Wsabie,
    pub(super) data: &'a Dataset,
    pub(super) processor: Processor,
    pub(super) rows: Rows,
    pub(super) batch: usize,
    pub(super) harmonic: Vec<f32>,
    pub(super) trained: Vec<Space>,
    pub(super) space: Space,
    pub(super) last: LastViolators,
    /// Of each row, how many epochs it still rests, and how often in a row it was satisfied.
    pub(super) rests: Vec<(u8, u8)>,
    pub(super) order: Vec<u32>,
    pub(super) epoch: u32,
    pub(super) done: usize,
    pub(super) visits: Vec<Visited>,
    pub(super) buffers: Buffers,
    /// What each model starts with, where an earlier one learns on.
    known: Option<Known>,
    /// Why there is no going on.
    failed: Option<TrainError>,
}

/// Multiplications a visit costs, from which on batches are worth their while.
const COSTLY_VISIT: usize = 40_000;

/// Rows of a batch then.
const BATCH: usize = 16;

impl Wsabie {
    /// Begins training on `data`: checks everything and draws the start.
    ///
    /// # Errors
    /// If a parameter is out of range, there is nothing to learn from, or memory is lacking.
    pub(crate) fn trainer<'a>(
        &self,
        data: &'a Dataset,
        kernels: &dyn Kernels,
    ) -> Result<Trainer<'a>, TrainError> {
        self.trainer_from(data, kernels, None)
    }

    /// As [`Wsabie::trainer`], where vectors that are known stay as they are.
    pub(super) fn trainer_from<'a>(
        &self,
        data: &'a Dataset,
        kernels: &dyn Kernels,
        known: Option<Known>,
    ) -> Result<Trainer<'a>, TrainError> {
        self.check()?;
        let rows = Rows::new(data, self.transform())?;
        let classes = data.labels().labels() as usize;
        let tried = classes.min(2 * 256);
        let cost = self.dimensions as usize * (2 * rows.mean_values() as usize + tried);
        let batch = match self.batch {
            0 if cost < COSTLY_VISIT => 1,
            0 => BATCH,
            given => given as usize,
        };
        let mut harmonic = array(classes + 1, 0f32)?;
        let mut sum = 0f64;
        for (rank, weight) in harmonic.iter_mut().enumerate().skip(1) {
            sum += 1.0 / rank as f64;
            *weight = sum as f32;
        }
        let mut trainer = Trainer {
            parameters: self.clone(),
            processor: kernels.processor(),
            batch,
            harmonic,
            trained: Vec::new(),
            space: self.start(data, known.as_ref(), 0)?,
            last: LastViolators::new(classes),
            rests: array(data.len(), (0, 0))?,
            order: Vec::new(),
            epoch: 0,
            done: 0,
            visits: Vec::new(),
            buffers: Buffers::default(),
            known,
            failed: None,
            data,
            rows,
        };
        trainer.begin_epoch()?;
        Ok(trainer)
    }

    fn start(
        &self,
        data: &Dataset,
        known: Option<&Known>,
        model: u32,
    ) -> Result<Space, TrainError> {
        let mut dice = Stream::new(self.seed, START_JOB + u64::from(model));
        let (features, classes) = (data.rows().features(), data.labels().labels());
        let mut space = Space::new(self, features as usize, classes as usize, &mut dice)?;
        if let Some(known) = known {
            known.hold(&mut space, model);
        }
        Ok(space)
    }
}

/// Jobs of the streams for the start of each model, for the order of each epoch, and for each
/// visit.
const START_JOB: u64 = 1 << 61;
const ORDER_JOB: u64 = 1 << 62;
const VISIT_JOB: u64 = 1 << 63;

impl Training for Trainer<'_> {
    type Report = EmbeddingReport;
    type Made = Vec<Space>;

    fn step(&mut self, executor: &Executor) -> Option<EmbeddingReport> {
        let epochs = self.parameters.epochs * self.parameters.models;
        if self.epoch == epochs || self.failed.is_some() {
            return None;
        }
        let part = (self.order.len() / 8)
            .max(4096)
            .next_multiple_of(self.batch);
        let end = (self.done + part).min(self.order.len());
        let mut report = EmbeddingReport {
            epoch: self.epoch,
            epochs,
            of: self.order.len(),
            ..EmbeddingReport::default()
        };
        while self.done < end {
            let batch = self.done..(self.done + self.batch).min(end);
            self.done = batch.end;
            self.visit_all(batch, executor);
            for visited in &self.visits {
                match visited.outcome {
                    Outcome::Violated => report.violated += 1,
                    Outcome::Ignored => report.ignored += 1,
                    Outcome::Satisfied => {}
                }
            }
            self.learn(executor);
        }
        report.done = self.done;
        if self.done == self.order.len() {
            self.failed = self.end_epoch().err();
        }
        Some(report)
    }

    fn finish(self, _: &Executor) -> Result<Vec<Space>, TrainError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.epoch < self.parameters.epochs * self.parameters.models {
            return Err(TrainError::Stopped);
        }
        Ok(self.trained)
    }
}

impl Trainer<'_> {
    /// The sums of squared gradients of the classes, for tests.
    #[cfg(test)]
    pub(super) fn class_sums(&self) -> Vec<f32> {
        self.space.class_sums.clone()
    }

    /// The last violators, for tests.
    #[cfg(test)]
    pub(super) fn last_violators(&self) -> &LastViolators {
        &self.last
    }

    /// Bytes held now, without the data set.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let trained: usize = self.trained.iter().map(Space::bytes).sum();
        let visits = self.visits.iter();
        let visits = visits.map(|v| 4 * (v.point.capacity() + v.gradient.capacity()) + 160);
        self.space.bytes()
            + trained
            + self.buffers.bytes()
            + visits.sum::<usize>()
            + self.rows.bytes()
            + 4 * (self.order.capacity() + self.harmonic.capacity() + self.space.classes())
            + 2 * self.rests.capacity()
    }

    fn begin_epoch(&mut self) -> Result<(), TrainError> {
        let mut dice = Stream::new(self.parameters.seed, ORDER_JOB + u64::from(self.epoch));
        self.order.clear();
        for (row, (rest, _)) in (0..).zip(&mut self.rests) {
            if !self.rows.usable(row as usize) {
                continue;
            }
            if *rest > 0 {
                *rest -= 1;
            } else {
                self.order.push(row);
            }
        }
        dice.shuffle(&mut self.order);
        self.done = 0;
        self.space.deal(&mut dice)
    }

    pub(super) fn end_epoch(&mut self) -> Result<(), TrainError> {
        self.epoch += 1;
        if self.epoch.is_multiple_of(self.parameters.epochs) {
            let model = self.epoch / self.parameters.epochs;
            let more = model < self.parameters.models;
            let next = if more {
                self.parameters
                    .start(self.data, self.known.as_ref(), model)?
            } else {
                Space::default()
            };
            self.trained.push(core::mem::replace(&mut self.space, next));
            if !more {
                return Ok(());
            }
            self.last = LastViolators::new(self.space.classes());
            self.rests.fill((0, 0));
        }
        self.begin_epoch()
    }

    /// Visits the rows of a batch, as the weights are now.
    pub(super) fn visit_all(&mut self, batch: core::ops::Range<usize>, executor: &Executor) {
        let mut visits = core::mem::take(&mut self.visits);
        let rule = VisitRule {
            margin: self.parameters.margin as f32,
            search: self.parameters.search,
            rank_weight: self.parameters.rank_weight,
            links: self.parameters.violators,
            harmonic: &self.harmonic,
            last: &self.last,
        };
        let this = &*self;
        if batch.len() > 1 && executor.threads() > 1 {
            let first = batch.start;
            visits = executor.map(
                batch.len(),
                || (),
                |(), job| {
                    let mut out = Visited::default();
                    this.visit(first + job, &rule, &mut out);
                    out
                },
            );
        } else {
            visits.resize_with(batch.len(), Visited::default);
            for (at, out) in batch.zip(&mut visits) {
                this.visit(at, &rule, out);
            }
        }
        self.visits = visits;
    }

    /// Visits the row at this place of the epoch's order.
    fn visit(&self, at: usize, rule: &VisitRule<'_>, out: &mut Visited) {
        let row = self.order[at] as usize;
        let job = VISIT_JOB + (u64::from(self.epoch) << 32) + at as u64;
        let mut dice = Stream::new(self.parameters.seed, job);
        let labels = self.data.labels().row(row);
        out.row = row;
        out.positive = labels[dice.below(labels.len() as u64) as usize];
        let (features, values) = self.rows.row(self.data, row);
        self.processor.run(Visit {
            space: &self.space,
            rule,
            features,
            values,
            labels,
            dice,
            out,
        });
    }
}
