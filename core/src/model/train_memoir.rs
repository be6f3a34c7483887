//! Training of linear models by MEMOIR.

use super::{Linear, Method, Model};
use crate::{
    data::Dataset,
    executor::Executor,
    text::Vectorizer,
    train::{
        Provenance, TrainError,
        memoir::{parameters::Memoir, trainer},
    },
};
use core::ops::ControlFlow;

impl Model {
    /// Trains a linear model on `data` by MEMOIR; `progress` hears of every part of the work and may stop it. Equal
    /// data and parameters give equal models for any executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so.
    pub fn train_memoir(
        parameters: &Memoir,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        progress: impl FnMut(trainer::Report, &trainer::Trainer<'_>) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let linear = Linear::train_memoir(parameters, data, executor, progress)?;
        let name = parameters.name();
        let provenance = Provenance::new(name, data, parameters.seed);
        let method = Method::Linear(linear);
        Ok(Self::new(method, data, vectorizer, provenance))
    }
}
