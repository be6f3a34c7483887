//! From data to a model: training, and early stopping.

use super::{
    Mach,
    assemble::{assemble, biases, dense, packed, shape},
    centroids::Centroids,
};
use crate::{
    data::{Dataset, Split},
    executor::Executor,
    kernels::MachKernels,
    train::{
        TrainError,
        mach::{MachParameters, Report, SeenLabels, Trainer},
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
        if self.early_stopping {
            return self.train_until_worse(data, executor, kernels, &mut progress);
        }
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

    /// Holds out a tenth of the rows, stops after the first epoch that does not raise its precision, and
    /// keeps the weights of the epoch before.
    fn train_until_worse<E: Executor>(
        &self,
        data: &Dataset,
        executor: &E,
        kernels: &'static dyn MachKernels,
        progress: &mut impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Mach, TrainError> {
        self.check()?;
        let split = split(data, self.seed)?;
        let (rest, held_out) = (data.select(split.train()), data.select(split.held_out()));
        let single = Self {
            averaged_epochs: 1,
            ..self.clone()
        };
        let mut trainer = single.trainer(&rest, executor.threads(), kernels)?;
        let mut best: Option<(f64, Mach)> = None;
        while let Some(report) = trainer.step(executor) {
            if progress(report).is_break() {
                return Err(TrainError::Stopped);
            }
            if report.done < report.of {
                continue;
            }
            let mach = assemble(&trainer, dense(&trainer, false)?, self.centroids(&rest)?);
            let precision = mach.judge(&held_out, executor, kernels).mean();
            match &best {
                Some((least, _)) if precision <= *least => break,
                _ => best = Some((precision, mach)),
            }
        }
        let (_, mach) = best.ok_or(TrainError::Stopped)?;
        if self.bits == 32 {
            return Ok(mach);
        }
        let biases = mach.weights().biases().clone();
        let weights = packed(
            mach.weights(),
            shape(&trainer),
            self,
            biases,
            &rest,
            executor,
        )?;
        Ok(mach.with_weights(weights))
    }
}
