//! The models that trainings make: weights or rows, with what made them and a record of it.

use super::{Hearing, Parameters, TrainError, Watch, embedding, memoir, reduction::Projection};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{Embedding, Linear, Method, Model, Nearest, Provenance, linear::LinearModel},
    parameters::{
        NearestParameters, embedding::EmbeddingTraining, linear::LinearTraining, memoir::Memoir,
        multiclass::MultiClassSvm, one_vs_rest::OneVsRest,
    },
    text::Vectorizer,
    train::{
        multiclass::machine::Machine,
        one_vs_rest::{FusedWeights, proof::ProvenOneVsRest, training::Report},
    },
};
use core::ops::ControlFlow;

impl Model {
    /// Trains a nearest-neighbor model on `data`, whose rows `vectorizer` made if they were texts.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; see [`Nearest::train`].
    pub fn train_nearest(
        parameters: NearestParameters,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
    ) -> Result<Self, TrainError> {
        let nearest = Nearest::train(parameters, data, executor)?;
        let provenance = Provenance::new("nearest", data, 0);
        Ok(Self::new(
            Method::Nearest(nearest),
            data,
            vectorizer,
            provenance,
        ))
    }

    /// Trains a linear model on `data` by one-vs-rest with mined negatives; `progress` hears of
    /// every part of the work and may stop it. Equal data and parameters give equal models for any
    /// executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress`
    /// said so.
    pub fn train_ovr(
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let weights = parameters.train(data, executor, kernels, progress)?;
        let rows = (data, vectorizer);
        FusedWeights::default().model(weights, parameters, rows, executor, kernels)
    }

    /// As `Model::train_memoir`, in the few dimensions of `projection`: a model of prototypes
    /// that answers rows as they are (the paper's MEMOIR-LSH, where a search proposes the classes).
    /// Its record says how many dimensions. With `measuring`, reports have the figures of each
    /// pass.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `watch` said
    /// so.
    pub fn train_projected_memoir(
        parameters: &Memoir,
        projection: &Projection,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        measuring: bool,
        watch: &mut dyn Watch<memoir::trainer::Report>,
    ) -> Result<Self, TrainError> {
        let embedding =
            Embedding::train_memoir(parameters, projection, data, executor, measuring, watch)?;
        let mut provenance = Provenance::new("memoir-lsh", data, parameters.seed);
        let dimensions = projection.dimensions() as f64;
        provenance.report.push(("reduced to".into(), dimensions));
        let method = Method::Embedding(embedding);
        Ok(Self::new(method, data, vectorizer, provenance))
    }

    /// Trains prototypes of labels, in an embedding or directly on features; `progress` hears of
    /// every part of the work and may stop it. Equal data and parameters give equal models for any
    /// executor.
    ///
    /// # Errors
    /// As [`Embedding::train`].
    pub fn train_embedding(
        training: &EmbeddingTraining,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(embedding::joint::Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let watch = &mut Hearing(progress);
        Self::train_watched_embedding(training, None, data, vectorizer, executor, kernels, watch)
    }

    /// As [`Model::train_embedding`], watched, so that it can be left and gone on with; in the few
    /// dimensions of `projection`, if there is one. The model answers rows as they are, and its
    /// record says how many dimensions.
    ///
    /// # Errors
    /// As `Embedding::train_watched`.
    pub fn train_watched_embedding(
        training: &EmbeddingTraining,
        projection: Option<&Projection>,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        watch: &mut dyn Watch<embedding::joint::Report>,
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

    /// The linear model of one-vs-rest with all negatives, run to a proven gap.
    #[must_use]
    pub fn from_proven_ovr(
        made: ProvenOneVsRest,
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let mut provenance = Provenance::new("ovr", data, parameters.seed);
        for (name, value) in [
            ("relative gap", made.certificate.relative_gap()),
            ("relative gap of the stored weights", made.stored_gap()),
        ] {
            provenance.report.push((name.into(), value));
        }
        let training = LinearTraining::OneVsRest(parameters.clone());
        let linear = Linear::new(made.model, training, data);
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }

    /// The linear model that a multi-class machine of `data` gives; its proof goes into the record
    /// of what made the model.
    #[must_use]
    pub fn from_machine(
        machine: &Machine,
        parameters: &MultiClassSvm,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let training = LinearTraining::MultiClass(parameters.clone());
        let linear = Linear::new(machine.model.clone(), training, data);
        let mut provenance = Provenance::new(parameters.name(), data, parameters.seed);
        let proof = machine.certificate;
        for (name, value) in [
            ("primal", proof.primal),
            ("dual", proof.dual),
            ("relative gap", proof.relative_gap()),
            ("relative gap of the stored weights", machine.stored_gap()),
            ("epochs", f64::from(proof.epochs)),
            ("non-zeros before pruning", proof.nonzeros as f64),
        ] {
            provenance.report.push((name.into(), value));
        }
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }

    /// The model of neighbors among the rows of `data`.
    #[must_use]
    pub fn from_nearest(nearest: Nearest, data: &Dataset, vectorizer: Option<Vectorizer>) -> Self {
        let provenance = Provenance::new("nearest", data, 0);
        Self::new(Method::Nearest(nearest), data, vectorizer, provenance)
    }

    /// The model of weights that MEMOIR with `parameters` made of `data`.
    #[must_use]
    pub fn from_memoir(
        weights: LinearModel,
        parameters: &Memoir,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
    ) -> Self {
        let provenance = Provenance::new(parameters.name(), data, parameters.seed);
        let training = LinearTraining::Memoir(parameters.clone());
        let linear = Linear::new(weights, training, data);
        Self::new(Method::Linear(linear), data, vectorizer, provenance)
    }
}
