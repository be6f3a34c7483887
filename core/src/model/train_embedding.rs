//! Training of models of prototypes.

use super::{Embedding, EmbeddingTraining, Method, Model};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    text::Vectorizer,
    train::{Provenance, TrainError, embedding::trainer},
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
        kernels: &dyn Kernels,
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
}
