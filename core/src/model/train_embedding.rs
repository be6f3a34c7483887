//! Training of models of prototypes.

use super::{Embedding, EmbeddingTraining, Method, Model};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::Provenance,
    text::Vectorizer,
    train::{
        TrainError,
        embedding::trainer,
        reduction::Projection,
        state::{Hearing, Watch},
    },
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
        let watch = &mut Hearing(progress);
        Self::train_watched_embedding(training, None, data, vectorizer, executor, kernels, watch)
    }

    /// As [`Model::train_embedding`], in the few dimensions of `projection`; the model answers rows as they are. Its
    /// record says how many dimensions.
    ///
    /// # Errors
    /// As [`Embedding::train_watched`].
    pub fn train_projected_embedding(
        training: &EmbeddingTraining,
        projection: &Projection,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(trainer::Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let (projection, watch) = (Some(projection), &mut Hearing(progress));
        Self::train_watched_embedding(
            training, projection, data, vectorizer, executor, kernels, watch,
        )
    }

    /// As [`Model::train_embedding`], or [`Model::train_projected_embedding`] with a `projection`, watched, so that
    /// it can be left and gone on with.
    ///
    /// # Errors
    /// As [`Embedding::train_watched`].
    pub fn train_watched_embedding(
        training: &EmbeddingTraining,
        projection: Option<&Projection>,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        watch: &mut dyn Watch<trainer::Report>,
    ) -> Result<Self, TrainError> {
        let embedding =
            Embedding::train_watched(training, projection, data, executor, kernels, watch)?;
        let mut provenance = Provenance::new(training.name(), data, training.seed());
        if let Some(projection) = projection {
            let dimensions = projection.dimensions() as f64;
            provenance.report.push(("reduced to".into(), dimensions));
        }
        Ok(Self::new(
            Method::Embedding(embedding),
            data,
            vectorizer,
            provenance,
        ))
    }
}
