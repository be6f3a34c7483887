//! Training part by part, with checkpoints.

use super::{
    super::{
        super::{failure::Failure, progress::Progress},
        Training,
    },
    TrainMach,
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::{Model, mach::EarlyStopping},
        parameters::mach::MachParameters,
        train::{
            TrainError,
            mach::{Report, Trainer},
            state::Resumable,
        },
    },
    kernels,
    threads::Threads,
};

impl TrainMach {
    /// Trains all epochs, keeping checkpoints where they were asked for.
    pub(super) fn by_parts(
        &self,
        parameters: &MachParameters,
        training: Training,
        threads: &Threads,
        epochs: &mut Epochs,
    ) -> Result<Model, Failure> {
        let data = &training.data;
        let trainer = parameters.trainer(data, threads.threads(), kernels::best())?;
        let step = |trainer: &mut Trainer<'_>| Ok(trainer.step(threads));
        let trainer = self.to_the_end((parameters, data), trainer, step, epochs)?;
        let mach = parameters.finish(&trainer, data, threads)?;
        Ok(Model::from_mach(mach, data, training.vectorizer))
    }

    /// The same, until an epoch does not raise the precision on rows held out.
    pub(super) fn until_worse(
        &self,
        parameters: &MachParameters,
        training: Training,
        threads: &Threads,
        epochs: &mut Epochs,
    ) -> Result<Model, Failure> {
        let (data, count) = (&training.data, threads.threads());
        let trainer = EarlyStopping::new(parameters, data, count, kernels::best())?;
        let step = |trainer: &mut EarlyStopping| trainer.step(threads);
        let trainer = self.to_the_end((parameters, data), trainer, step, epochs)?;
        let mach = trainer.finish(threads)?;
        Ok(Model::from_mach(mach, data, training.vectorizer))
    }

    /// Goes on until `step` has no part left.
    fn to_the_end<T: Resumable>(
        &self,
        (parameters, data): (&MachParameters, &Dataset),
        mut trainer: T,
        step: impl Fn(&mut T) -> Result<Option<Report>, TrainError>,
        epochs: &mut Epochs,
    ) -> Result<T, Failure> {
        let mut keeper = self.common.checkpoints.keeper()?;
        keeper.begin("mach", parameters, data, &mut trainer)?;
        while let Some(report) = step(&mut trainer)? {
            epochs.tell(report);
            keeper.border(&trainer)?;
        }
        Ok(trainer)
    }
}

/// The progress of epochs, one after the other.
#[derive(Default)]
pub struct Epochs {
    shown: Option<(u32, Progress)>,
    pub loss: Option<f64>,
}

impl Epochs {
    pub fn tell(&mut self, report: Report) {
        if !matches!(&self.shown, Some((epoch, _)) if *epoch == report.epoch) {
            self.shown = Some((report.epoch, Progress::new("learning rows", report.of)));
        }
        if let Some((_, progress)) = &self.shown {
            progress.set(report.done, report.of);
        }
        self.loss = Some(report.loss);
    }
}
