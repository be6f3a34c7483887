//! Training of linear models by MEMOIR.

use super::{Embedding, Linear, Method, Model};
use crate::{
    data::Dataset,
    executor::Executor,
    model::Provenance,
    parameters::memoir::Memoir,
    text::Vectorizer,
    train::{TrainError, memoir::trainer, reduction::Projection},
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

    /// As [`Model::train_memoir`], in the few dimensions of `projection`: a model of prototypes that answers rows as
    /// they are (the paper's MEMOIR-LSH, where a search proposes the classes). Its record says how many dimensions. `begin` may set the training to a state.
    ///
    /// # Errors
    /// As [`Embedding::train_memoir`].
    pub fn train_projected_memoir(
        parameters: &Memoir,
        projection: &Projection,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        begin: impl FnOnce(&mut trainer::Trainer<'_>) -> ControlFlow<()>,
        progress: impl FnMut(trainer::Report, &trainer::Trainer<'_>) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let embedding =
            Embedding::train_memoir(parameters, projection, data, executor, begin, progress)?;
        let mut provenance = Provenance::new("memoir-lsh", data, parameters.seed);
        let dimensions = projection.dimensions() as f64;
        provenance.report.push(("reduced to".into(), dimensions));
        let method = Method::Embedding(embedding);
        Ok(Self::new(method, data, vectorizer, provenance))
    }
}
