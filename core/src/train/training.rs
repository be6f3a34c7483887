//! One way to train: part by part, heard of and left between two parts, to what training makes.

use super::{TrainError, state::Resumable};
use crate::executor::Executor;
use core::ops::ControlFlow;

/// A training under way. The caller owns the loop, or leaves it to [`Training::train`].
pub trait Training: Resumable + Sized {
    /// How far it has come, after a part of the work.
    type Report;
    /// What it makes.
    type Made;

    /// Does the next part of the work; none where there is no more to do, or no going on, of which
    /// [`Training::finish`] says why.
    fn step(&mut self, executor: &Executor) -> Option<Self::Report>;

    /// Ends training.
    ///
    /// # Errors
    /// [`TrainError::Stopped`] if parts of the work are left; weights beyond all bounds, or a model
    /// too large for its form.
    fn finish(self, executor: &Executor) -> Result<Self::Made, TrainError>;

    /// Does all steps and ends training.
    ///
    /// # Errors
    /// [`TrainError::Stopped`] if `watch` said so, and as [`Training::finish`].
    fn train(
        mut self,
        executor: &Executor,
        watch: &mut dyn Watch<Self::Report>,
    ) -> Result<Self::Made, TrainError> {
        run(&mut self, executor, watch)?;
        self.finish(executor)
    }
}

/// Hears of a training that can be left: where it begins, and after each part of its work, of which
/// `R` tells. Either may stop it.
pub trait Watch<R> {
    /// Training begins: here it can be set to a state.
    fn begin(&mut self, _training: &mut dyn Resumable) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A part is done.
    fn part(&mut self, report: R, training: &dyn Resumable) -> ControlFlow<()>;
}

/// A function hears of parts, and may stop training; nothing is gone on with.
impl<R, F: FnMut(R) -> ControlFlow<()>> Watch<R> for F {
    fn part(&mut self, report: R, _: &dyn Resumable) -> ControlFlow<()> {
        self(report)
    }
}

/// Does all steps, from where `watch` says.
///
/// # Errors
/// [`TrainError::Stopped`] if `watch` said so.
pub(crate) fn run<T: Training>(
    training: &mut T,
    executor: &Executor,
    watch: &mut dyn Watch<T::Report>,
) -> Result<(), TrainError> {
    going(watch.begin(training))?;
    while let Some(report) = training.step(executor) {
        going(watch.part(report, training))?;
    }
    Ok(())
}

/// Does all steps and ends training; `progress` hears of every part and may stop it. Unlike
/// [`Training::train`] it asks for no state, so that a program which keeps none holds no code for
/// that.
pub(crate) fn heard<T: Training>(
    mut training: T,
    executor: &Executor,
    mut progress: impl FnMut(T::Report) -> ControlFlow<()>,
) -> Result<T::Made, TrainError> {
    while let Some(report) = training.step(executor) {
        going(progress(report))?;
    }
    training.finish(executor)
}

/// Refuses to go on where a watch said so.
pub(crate) fn going(flow: ControlFlow<()>) -> Result<(), TrainError> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(TrainError::Stopped),
    }
}
