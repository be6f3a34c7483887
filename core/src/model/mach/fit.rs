//! From data to a model.

use super::{
    Mach,
    assemble::{assemble, biases, dense, packed, shape},
    centroids::Centroids,
};
use crate::{
    data::{Dataset, Split},
    executor::Executor,
    kernels::MachKernels,
    parameters::mach::MachParameters,
    train::{
        TrainError,
        mach::{Report, SeenLabels, Trainer},
    },
};
use core::ops::ControlFlow;

/// Rows held out are a tenth, but at most this many.
pub(super) const MOST_HELD_OUT: f64 = 3000.0;

/// Goes through all epochs; `each` hears of every part.
pub(super) fn run(
    trainer: &mut Trainer<'_>,
    executor: &impl Executor,
    each: &mut impl FnMut(Report) -> ControlFlow<()>,
) -> Result<(), TrainError> {
    while let Some(report) = trainer.step(executor) {
        if each(report).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    Ok(())
}

pub(super) fn share(data: &Dataset) -> f64 {
    0.1f64.min(MOST_HELD_OUT / data.len().max(1) as f64)
}

pub(super) fn split(data: &Dataset, seed: u64) -> Result<Split, TrainError> {
    let share = share(data);
    Split::new(data.len(), share, seed).map_err(|_| TrainError::TooFewRows {
        rows: data.len() as u64,
    })
}

impl MachParameters {
    pub(super) fn centroids(&self, data: &Dataset) -> Result<Option<Centroids>, TrainError> {
        if self.rerank == 0 {
            return Ok(None);
        }
        let seen = SeenLabels::new(&data.labels().frequencies());
        let entries = self.centroid_entries as usize;
        Centroids::build(data, &seen, self.transform(), entries).map(Some)
    }

    /// Trains from begin to end. `progress` hears of every part and may stop the work. Equal data and
    /// parameters give equal models for any executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so.
    pub fn train<E: Executor>(
        &self,
        data: &Dataset,
        executor: &E,
        kernels: &'static dyn MachKernels,
        mut progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Mach, TrainError> {
        let mut trainer = self.trainer(data, executor.threads(), kernels)?;
        run(&mut trainer, executor, &mut progress)?;
        self.finish(&trainer, data, executor)
    }

    /// The model of a training of these parameters on `data` that has come to its end.
    ///
    /// # Errors
    /// If parts of the work are left, weights grew beyond all bounds, or memory is lacking.
    pub fn finish<E: Executor>(
        &self,
        trainer: &Trainer<'_>,
        data: &Dataset,
        executor: &E,
    ) -> Result<Mach, TrainError> {
        if !trainer.is_done() {
            return Err(TrainError::Stopped);
        }
        let weights = if self.bits == 32 {
            dense(trainer, false)?
        } else {
            packed(
                trainer,
                shape(trainer),
                self,
                biases(trainer),
                data,
                executor,
            )?
        };
        Ok(assemble(trainer, weights, self.centroids(data)?))
    }
}
