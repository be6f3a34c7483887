//! Training of models of prototypes.

use super::{Embedding, EmbeddingTraining, Method, Model};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::EmbeddingKernels,
    text::Vectorizer,
    train::{Provenance, TrainError, embedding::trainer, reduction::Projection},
};
use core::ops::ControlFlow;

impl Model {
    /// Trains prototypes of labels, in an embedding or directly on features; `progress` hears of every
    /// part of the work and may stop it. Equal data and parameters give equal models for any executor.
    ///
    /// # Errors
    /// As [`Embedding::train`].
    pub fn train_embedding(
        training: &EmbeddingTraining,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn EmbeddingKernels,
        progress: impl FnMut(trainer::Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let embedding = Embedding::train(training, data, executor, kernels, progress)?;
        let provenance = Provenance::new(training.name(), data, training.seed());
        Ok(Self::new(
            Method::Embedding(embedding),
            data,
            vectorizer,
            provenance,
        ))
    }

    /// As [`Model::train_embedding`], in the few dimensions of `projection`; the model answers rows as they are. Its
    /// record says how many dimensions.
    ///
    /// # Errors
    /// As [`Embedding::train_projected`].
    pub fn train_projected_embedding(
        training: &EmbeddingTraining,
        projection: &Projection,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn EmbeddingKernels,
        progress: impl FnMut(trainer::Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let embedding =
            Embedding::train_projected(training, projection, data, executor, kernels, progress)?;
        let mut provenance = Provenance::new(training.name(), data, training.seed());
        let dimensions = projection.dimensions() as f64;
        provenance.report.push(("reduced to".into(), dimensions));
        Ok(Self::new(
            Method::Embedding(embedding),
            data,
            vectorizer,
            provenance,
        ))
    }
}
