//! MACH on several machines.

use super::{
    super::{super::failure::Failure, Common, Training, sharded::Sharded},
    TrainMach,
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        parameters::MachParameters,
        text::Vectorizer,
        train::{TrainError, Trained, mach::MachParts},
    },
    kernels,
};

impl Sharded for TrainMach {
    type Parameters = MachParameters;
    type Parts<'a> = MachParts<'a>;

    const NAME: &str = "mach";

    fn common(&self) -> &Common {
        &self.common
    }

    fn choose(&self, training: &Training, _threads: &Executor) -> Result<MachParameters, Failure> {
        self.check()?;
        if self.common.max_bytes.is_some() {
            let rule = "--max-bytes needs all heads at once: leave it out of a plan, and make the model \
                        smaller with `hapax compact`";
            return Err(Failure::Input(rule.into()));
        }
        Ok(self.chosen(&training.data))
    }

    fn parts<'a>(
        parameters: &MachParameters,
        data: &'a Dataset,
        threads: &Executor,
    ) -> Result<MachParts<'a>, TrainError> {
        MachParts::new(parameters, data, threads.threads(), kernels::best())
    }

    fn model(
        _parameters: &MachParameters,
        parts: MachParts<'_>,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        _threads: &Executor,
    ) -> Result<Model, TrainError> {
        Ok(Model::made(
            Trained::Mach(parts.finish()?),
            data,
            vectorizer,
        ))
    }
}
