//! Labels trained directly on features by sampling: one against all, or in pairs.
//!
//! Problem: find `beta_g` (D) for each of L labels, so that f_g = beta_g . x is large for rows of g
//! and small for others, |beta_g| <= C. Steps are AdaGrad's with one sum a label: `A_g += |x|²/d`
//! with d the mean number of stored values, and `beta_g += λ s x / sqrt(A_g)`, after which the
//! prototype is put back into the ball.
//!
//! * One against all: an epoch takes every label y of every row, and for each draws `balance`
//!   labels the row does not carry; a label g with target s = +1 for y, -1 for the others steps if
//!   `b - s f_g > 0`. Labels depend on nothing but their draws, so they are trained side by side.
//! * Pairs (AUC): each such pair (y, v) steps both if `b - f_y + f_v > 0`; one v for each y.
//!
//! Paper: Gupta, Bengio, Weston 2014, tables 5 and 8. Cost: the row's stored values for each label
//! drawn. Memory: L x D numbers, and 12 bytes for each draw of a part of an epoch.

mod sampled_state;
#[cfg(test)]
mod tests;

use super::{
    joint::EmbeddingReport,
    sampling::{PART, State},
};
use crate::{
    data::Dataset,
    executor::Executor,
    model::embedding::build::Vectors,
    parameters::sampled::{Sampled, SampledDraws},
    random::Stream,
    train::{TrainError, Training},
};
use alloc::vec::Vec;

impl Sampled {
    /// The most memory, in bytes, that training on `data` with `threads` threads will hold, without
    /// `data` itself.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        let (features, labels) = (
            u64::from(data.rows().features()),
            u64::from(data.labels().labels()),
        );
        let all = data.labels().total().saturating_mul(self.draws_a_label()) as u64;
        let draws = all.min(PART as u64 + self.draws_a_label() as u64);
        let rows = 4 * data.rows().nonzeros() as u64 + 17 * data.len() as u64;
        // Prototypes are held twice: while labels are trained side by side, and while the model is
        // made.
        let twice = 8 * features * (labels + 32 * threads as u64);
        twice + 12 * draws + rows + 32 * labels
    }

    /// Begins training: checks everything.
    ///
    /// # Errors
    /// Bad parameters, unusable data and lacking memory.
    pub(crate) fn trainer<'a>(&self, data: &'a Dataset) -> Result<SampledTrainer<'a>, TrainError> {
        self.check()?;
        let mut trainer = SampledTrainer {
            state: State::new(self, data)?,
            order: Vec::new(),
            dice: Stream::new(self.seed, 0),
            epoch: 0,
            done: 0,
        };
        trainer.begin_epoch();
        Ok(trainer)
    }
}

/// Training by sampled steps under way.
pub(crate) struct SampledTrainer<'a> {
    pub(super) state: State<'a>,
    pub(super) order: Vec<u32>,
    pub(super) dice: Stream,
    pub(super) epoch: u32,
    pub(super) done: usize,
}

impl SampledTrainer<'_> {
    /// Puts the rows that can be learned from in the order of this epoch.
    pub(super) fn begin_epoch(&mut self) {
        self.order = (0..self.state.rows.count() as u32).collect();
        self.order
            .retain(|&row| self.state.rows.usable(row as usize));
        let job = (1 << 62) + u64::from(self.epoch);
        self.dice = Stream::new(self.state.parameters.seed, job);
        self.dice.shuffle(&mut self.order);
        self.done = 0;
    }
}

impl Training for SampledTrainer<'_> {
    type Report = EmbeddingReport;
    type Made = Vectors;

    fn step(&mut self, executor: &Executor) -> Option<EmbeddingReport> {
        let epochs = self.state.parameters.epochs;
        if self.epoch == epochs {
            return None;
        }
        let (order, of) = (&self.order, self.order.len());
        self.done = self.state.draw(order, self.done, &mut self.dice);
        let violated = match self.state.parameters.draws {
            SampledDraws::Balance(_) => self.state.train_labels(executor),
            SampledDraws::Pairs => self.state.train_pairs(),
        };
        let report = EmbeddingReport {
            epoch: self.epoch,
            epochs,
            done: self.done,
            of,
            violated,
            ignored: 0,
        };
        if self.done >= of {
            self.epoch += 1;
            self.begin_epoch();
        }
        Some(report)
    }

    fn finish(self, _: &Executor) -> Result<Vectors, TrainError> {
        if self.epoch < self.state.parameters.epochs {
            return Err(TrainError::Stopped);
        }
        Ok(self.state.finish())
    }
}
