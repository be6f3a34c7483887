//! Models by one-vs-rest: from nothing, from an earlier model, with neighbors.

use super::{Linear, Method, Model};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::Provenance,
    parameters::one_vs_rest::OneVsRest,
    text::Vectorizer,
    train::{TrainError, dual::one_vs_rest::Report},
};
use core::ops::ControlFlow;

impl Model {
    /// Trains a linear model on `data` by one-vs-rest with mined negatives; `progress` hears of every part
    /// of the work and may stop it. Equal data and parameters give equal models for any executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so.
    pub fn train_ovr(
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let linear = Linear::train(parameters, data, executor, kernels, progress)?;
        let provenance = Provenance::new("ovr", data, parameters.seed);
        Ok(Self::new(
            Method::Linear(linear),
            data,
            vectorizer,
            provenance,
        ))
    }

    /// Trains as [`Model::train_ovr`] does, but starts from `start`, an earlier linear model of the same
    /// features; see [`crate::train::dual::trainer::Trainer::start_from`].
    ///
    /// # Errors
    /// As [`Model::train_ovr`], and if the model is not linear or does not fit the data.
    pub fn train_ovr_from(
        start: &Self,
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let Method::Linear(start) = &start.method else {
            return Err(TrainError::StartNotLinear);
        };
        let linear =
            Linear::train_from(Some(start), parameters, data, executor, kernels, progress)?;
        let provenance = Provenance::new("ovr", data, parameters.seed);
        let method = Method::Linear(linear);
        Ok(Self::new(method, data, vectorizer, provenance))
    }
}
