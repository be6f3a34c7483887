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
        executor::Executor,
        model::Model,
        parameters::MachParameters,
        train::{Trained, mach::Report},
    },
    kernels,
};

impl TrainMach {
    /// Trains all epochs, keeping checkpoints where they were asked for.
    pub(super) fn by_parts(
        &self,
        parameters: &MachParameters,
        training: &mut Training,
        threads: &Executor,
        epochs: &mut Epochs,
    ) -> Result<Model, Failure> {
        let vectorizer = training.vectorizer.take();
        let data = &training.data;
        let trainer = parameters.trainer(data, threads.threads(), kernels::best())?;
        let keeper = self.common.checkpoints.keeper()?;
        let belonging = ("mach", parameters, data);
        let mach = keeper.train(trainer, belonging, threads, |report| epochs.tell(report))?;
        Ok(Model::made(Trained::Mach(mach), data, vectorizer))
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
