//! The models that trainings make: weights or rows, with what made them and a record of it.

use super::{Parameters, TrainError, Watch, embedding, memoir, reduction::Projection};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{Embedding, Linear, Mach, Method, Model, Nearest, Provenance, linear::LinearModel},
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
use alloc::{boxed::Box, vec, vec::Vec};
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
    ) -> Result<Self, TrainError> {
        let nearest = Nearest::train(parameters, data)?;
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
        executor: &Executor,
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
        executor: &Executor,
        measuring: bool,
        watch: &mut dyn Watch<memoir::MemoirReport>,
    ) -> Result<Self, TrainError> {
        let embedding =
            Embedding::train_memoir(parameters, projection, data, executor, measuring, watch)?;
        let mut provenance = Provenance::new("memoir-lsh", data, parameters.seed);
        let dimensions = projection.dimensions() as f64;
        provenance.report.push(("reduced to".into(), dimensions));
        let method = Method::Embedding(embedding);
        Ok(Self::new(method, data, vectorizer, provenance))
    }

    /// Trains prototypes of labels, in an embedding or directly on features; `watch` hears of every
    /// part of the work and may stop it, or go on with what was left. Equal data and parameters
    /// give equal models for any executor.
    ///
    /// With a `projection` training happens in its few dimensions. The model answers rows as they
    /// are, and its record says how many dimensions.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Diverged`] if steps were
    /// too long; [`TrainError::Stopped`] if `watch` said so.
    pub fn train_embedding(
        training: &EmbeddingTraining,
        projection: Option<&Projection>,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &Executor,
        kernels: &dyn Kernels,
        watch: &mut dyn Watch<embedding::EmbeddingReport>,
    ) -> Result<Self, TrainError> {
        let embedding = Embedding::train(training, projection, data, executor, kernels, watch)?;
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

    /// The weights from which another training can start.
    ///
    /// # Errors
    /// [`TrainError::StartNotLinear`], and [`TrainError::StartTransform`] if features are
    /// standardized or weighed, as no training of one method alone has them.
    pub fn weights_to_start_from(&self) -> Result<&LinearModel, TrainError> {
        match &self.method {
            _ if self.standardization.is_some() => Err(TrainError::StartTransform),
            Method::Linear(linear) => Ok(linear.model()),
            _ => Err(TrainError::StartNotLinear),
        }
    }

    /// The model of what training on `data` made, whose rows `vectorizer` made if they were texts.
    /// A proof goes into the record of what made the model.
    // Inlined, so that a program has the arms of what it trains alone.
    #[must_use]
    #[inline(always)]
    pub fn made(made: Trained<'_>, data: &Dataset, vectorizer: Option<Vectorizer>) -> Self {
        let linear = |weights, training| Method::Linear(Linear::new(weights, training, data));
        let (method, name, seed, report) = match made {
            Trained::Nearest(nearest) => (Method::Nearest(nearest), "nearest", 0, Vec::new()),
            Trained::Mach(mach) => {
                let seed = mach.parameters().seed;
                (Method::Mach(Box::new(mach)), "mach", seed, Vec::new())
            }
            Trained::Memoir(weights, memoir) => {
                let method = linear(weights, LinearTraining::Memoir(memoir.clone()));
                (method, memoir.name(), memoir.seed, Vec::new())
            }
            Trained::MultiClass(machine, svm) => {
                let training = LinearTraining::MultiClass(svm.clone());
                let (proof, gap) = (machine.certificate, machine.stored_gap());
                let report = vec![
                    ("primal", proof.primal),
                    ("dual", proof.dual),
                    ("relative gap", proof.relative_gap()),
                    ("relative gap of the stored weights", gap),
                    ("epochs", f64::from(proof.epochs)),
                    ("non-zeros before pruning", proof.nonzeros as f64),
                ];
                let method = linear(machine.model.clone(), training);
                (method, svm.name(), svm.seed, report)
            }
            Trained::OneVsRest(proven, parameters) => {
                let report = vec![
                    ("relative gap", proven.certificate.relative_gap()),
                    ("relative gap of the stored weights", proven.stored_gap()),
                ];
                let method = linear(proven.model, LinearTraining::OneVsRest(parameters.clone()));
                (method, parameters.name(), parameters.seed, report)
            }
        };
        let mut provenance = Provenance::new(name, data, seed);
        for (name, value) in report {
            provenance.report.push((name.into(), value));
        }
        Self::new(method, data, vectorizer, provenance)
    }
}

/// What a training made, with the parameters that the model keeps.
#[derive(Debug)]
pub enum Trained<'a> {
    /// Rows to find neighbors among.
    Nearest(Nearest),
    /// Heads over buckets.
    Mach(Mach),
    /// Weights of MEMOIR.
    Memoir(LinearModel, &'a Memoir),
    /// A multi-class machine.
    MultiClass(&'a Machine, &'a MultiClassSvm),
    /// One-vs-rest with all negatives, run to a proven gap.
    OneVsRest(ProvenOneVsRest, &'a OneVsRest),
}
