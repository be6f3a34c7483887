//! One-vs-rest on several machines.

use super::{
    super::{super::failure::Failure, Common, Training, sharded::Sharded},
    TrainOvr, choose,
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        parameters::OneVsRest,
        text::Vectorizer,
        train::{
            Calibrating, TrainError, Training as _,
            one_vs_rest::{FusedWeights, Trainer},
        },
    },
    kernels,
};

impl Sharded for TrainOvr {
    /// Those of the machines, what of them is not serialized ([`OneVsRest::softmax`]), the weights
    /// of what answers beside them, and what the choice answered to held-out rows.
    type Parameters = (OneVsRest, f64, FusedWeights, Calibrating);
    type Parts<'a> = Trainer<'a>;

    const NAME: &str = "ovr";

    fn common(&self) -> &Common {
        &self.common
    }

    fn read(&self, planning: bool, threads: &Executor) -> Result<Training, Failure> {
        let plain = self.given()?.over(&self.fixed());
        // What was chosen then stands among the arguments of the plan.
        self.common
            .read_choosing(planning.then_some(&plain), &[], threads)
    }

    fn choose(&self, training: &Training, threads: &Executor) -> Result<Self::Parameters, Failure> {
        if self.gap.is_some() || self.from.is_some() {
            let rule = "--gap and --from do not go with parts yet";
            return Err(Failure::Input(rule.into()));
        }
        self.check()?;
        let (fixed, given) = (self.fixed(), self.given()?);
        let choice = choose(&fixed, &given, training, threads)?;
        let softmax = choice.parameters.softmax;
        let calibrating = choice.calibrating;
        Ok((choice.parameters, softmax, choice.fused, calibrating))
    }

    fn begun((.., calibrating): &Self::Parameters) -> Calibrating {
        calibrating.clone()
    }

    fn parts<'a>(
        (parameters, softmax, ..): &Self::Parameters,
        data: &'a Dataset,
        threads: &Executor,
    ) -> Result<Trainer<'a>, TrainError> {
        with(parameters, *softmax).trainer(data, threads, kernels::best())
    }

    fn model(
        (parameters, softmax, fused, _): &Self::Parameters,
        mut parts: Trainer<'_>,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        threads: &Executor,
    ) -> Result<Model, TrainError> {
        let parameters = &with(parameters, *softmax);
        // A second head is trained where the parts come together.
        while parts.step(threads).is_some() {}
        let linear = parts.finish(threads)?;
        let rows = (data, vectorizer);
        fused.model(linear, parameters, rows, threads, kernels::best())
    }
}

fn with(parameters: &OneVsRest, softmax: f64) -> OneVsRest {
    OneVsRest {
        softmax,
        ..parameters.clone()
    }
}
