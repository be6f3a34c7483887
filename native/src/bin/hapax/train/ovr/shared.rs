//! One-vs-rest on several machines.

use super::{
    super::{super::failure::Failure, Common, sharded::Sharded},
    Fuse, TrainOvr, choose,
};
use hapax::{
    core::{
        data::Dataset,
        model::Model,
        text::Vectorizer,
        train::{
            TrainError,
            dual::{choice::Given, parameters::OneVsRest, trainer::LabelParts},
        },
    },
    kernels,
    threads::Threads,
};

impl Sharded for TrainOvr {
    type Parameters = OneVsRest;
    type Parts<'a> = LabelParts<'a>;

    const NAME: &str = "ovr";

    fn common(&self) -> &Common {
        &self.common
    }

    fn choose(&self, data: &Dataset, threads: &Threads) -> Result<OneVsRest, Failure> {
        if self.gap.is_some() || self.fuse == Fuse::Nearest || self.from.is_some() {
            let rule = "--gap, --fuse nearest and --from do not go with parts yet";
            return Err(Failure::Input(rule.into()));
        }
        let fixed = self.fixed();
        let given = Given {
            neighbors: Some(false),
            ..self.given()
        };
        given.over(&fixed).check().map_err(TrainError::from)?;
        Ok(choose(&fixed, &given, data, threads)?.parameters)
    }

    fn parts<'a>(
        parameters: &OneVsRest,
        data: &'a Dataset,
        threads: &Threads,
    ) -> Result<LabelParts<'a>, TrainError> {
        LabelParts::new(parameters, data, threads, kernels::best())
    }

    fn model(
        parameters: &OneVsRest,
        parts: LabelParts<'_>,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        _threads: &Threads,
    ) -> Result<Model, TrainError> {
        Ok(Model::from_ovr(
            parts.finish()?,
            parameters,
            data,
            vectorizer,
        ))
    }
}
