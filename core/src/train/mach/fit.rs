//! From data to a model.

use super::{
    MachKernels, Report, Trainer,
    assemble::{assemble, biases, dense, packed, shape},
};
use crate::{
    data::{Dataset, Split},
    executor::Executor,
    model::mach::{Mach, SeenLabels, centroids::Centroids},
    parameters::mach::{MachParameters, Optimizer},
    train::{TrainError, Training},
};
use core::ops::ControlFlow;

/// Rows held out are a tenth, but at most this many.
pub(super) const MOST_HELD_OUT: f64 = 3000.0;

pub(super) fn share(data: &Dataset) -> f64 {
    0.1f64.min(MOST_HELD_OUT / data.labels().measured().max(1) as f64)
}

pub(super) fn split(data: &Dataset, seed: u64) -> Result<Split, TrainError> {
    let share = share(data);
    data.labels()
        .split(share, seed)
        .map_err(|_| TrainError::TooFewRows {
            rows: data.len() as u64,
        })
}

impl MachParameters {
    /// Bytes of the most memory that training on `data` holds at once, without `data` itself:
    /// weights, sums of squares, sums for their mean, transformed values, codes and the order of
    /// rows. The number of threads does not change it.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset) -> u64 {
        let rows = u64::from(data.rows().features()) + 1;
        let heads = u64::from(self.repetitions);
        let width = heads * u64::from(self.buckets);
        let squares = match self.optimizer {
            Optimizer::FeatureAdaGrad => heads,
            Optimizer::Sgd => 0,
        };
        let sums = if self.averages() { width } else { 0 };
        let values = if self.exponent == 1.0 && !self.normalize {
            0
        } else {
            4 * data.rows().nonzeros() as u64
        };
        let labels = u64::from(data.labels().labels());
        4 * rows * (width + sums + squares)
            + values
            + 12 * data.len() as u64
            + labels * (4 * heads + 32)
    }

    pub(super) fn centroids(&self, data: &Dataset) -> Result<Option<Centroids>, TrainError> {
        if self.rerank == 0 {
            return Ok(None);
        }
        let seen = SeenLabels::new(&data.labels().frequencies());
        let entries = self.centroid_entries as usize;
        Centroids::build(data, &seen, self.transform(), entries).map(Some)
    }

    /// Trains from begin to end. `progress` hears of every part and may stop the work. Equal data
    /// and parameters give equal models for any executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress`
    /// said so.
    pub(crate) fn train(
        &self,
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
        mut progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Mach, TrainError> {
        let trainer = self.trainer(data, executor.threads(), kernels)?;
        trainer.train(executor, &mut progress)
    }
}

impl Trainer<'_> {
    /// The model of a training that has come to its end.
    ///
    /// # Errors
    /// If parts of the work are left, weights grew beyond all bounds, or memory is lacking.
    pub fn model(&self, executor: &Executor) -> Result<Mach, TrainError> {
        if !self.is_done() {
            return Err(TrainError::Stopped);
        }
        let (parameters, data) = (self.parameters(), self.data());
        let weights = if parameters.bits == 32 {
            dense(self, false)?
        } else {
            packed(self, shape(self), parameters, biases(self), data, executor)?
        };
        assemble(self, weights, parameters.centroids(data)?)
    }
}
