//! From data to models of prototypes.

use super::{joint::EmbeddingReport, space::Space};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::embedding::{Embedding, build::Vectors},
    parameters::{RowTransform, embedding::EmbeddingTraining, wsabie::Wsabie},
    train::{TrainError, Training, Watch, heard, memoir::prototypes, reduction::Projection},
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

impl EmbeddingTraining {
    /// The most memory, in bytes, that training on `data` will hold at once, without `data` itself;
    /// in the few dimensions of `projection`, if there is one.
    #[must_use]
    pub fn memory_estimate(
        &self,
        projection: Option<&Projection>,
        data: &Dataset,
        threads: usize,
    ) -> u64 {
        let plain = match self {
            Self::NearestMean(mean) => mean.memory_estimate(data),
            Self::Sampled(sampled) => sampled.memory_estimate(data, threads),
            Self::Wsabie(wsabie) => wsabie.memory_estimate(data, threads),
            Self::Memoir(memoir) => memoir.memory_estimate(data, threads),
            Self::GivenVectors { .. } => 0,
        };
        let Some(projection) = projection else {
            return plain;
        };
        let (k, rows) = (projection.dimensions() as u64, data.len() as u64);
        let (features, labels) = (u64::from(data.rows().features()), data.labels().labels());
        let training = match self {
            Self::Wsabie(_) => plain,
            Self::Memoir(memoir) => {
                memoir.reduced_memory_estimate(rows, u64::from(labels), k, threads)
            }
            // Their prototypes have k coordinates then, and not one for each feature.
            _ => plain - (8 * u64::from(labels) * features.saturating_sub(k)).min(plain),
        };
        // Reduced rows, their transformed values, and the product or copy of the projection.
        let product = match self {
            Self::Wsabie(wsabie) => u64::from(wsabie.dimensions * wsabie.models),
            _ => k,
        };
        training + rows * (12 * k + 16) + 8 * features * product
    }
}

impl Embedding {
    /// As [`Embedding::train`], by [`Wsabie`] alone: a program that trains nothing else holds no
    /// other method.
    pub(crate) fn train_wsabie(
        wsabie: Wsabie,
        data: &Dataset,
        executor: &Executor,
        kernels: &dyn Kernels,
    ) -> Result<Self, TrainError> {
        let trainer = wsabie.trainer(data, kernels)?;
        let spaces = heard(trainer, executor, |_| ControlFlow::Continue(()))?;
        let vectors = joined(&spaces, data, |_| false)?.without_zeros();
        let training = EmbeddingTraining::Wsabie(wsabie);
        Ok(Self::from_vectors(&vectors, &training, data)?)
    }

    /// Trains on `data`; `watch` hears of every part of the work and may stop it. A training of
    /// nearest means has no parts.
    ///
    /// With a `projection` it happens in its few dimensions, and its transform takes the place of
    /// that of `training`. The model answers rows as they are: it holds the product of projection
    /// and embedding, or the projection where there is no embedding.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Diverged`] if steps were
    /// too long; [`TrainError::Stopped`] if `watch` said so; and as [`Projection::reduce`].
    pub(crate) fn train(
        training: &EmbeddingTraining,
        projection: Option<&Projection>,
        data: &Dataset,
        executor: &Executor,
        kernels: &dyn Kernels,
        watch: &mut dyn Watch<EmbeddingReport>,
    ) -> Result<Self, TrainError> {
        training.check()?;
        let Some(projection) = projection else {
            let vectors = vectors(training, data, executor, kernels, watch)?;
            return Ok(Self::from_vectors(&vectors, training, data)?);
        };
        let reduced = projection.reduce(data, executor)?;
        let as_it_is = RowTransform {
            exponent: 1.0,
            normalize: false,
        };
        let inner = training.with_transform(as_it_is);
        let made = vectors(&inner, &reduced, executor, kernels, watch)?;
        let whole = projection.unfold(made, executor)?;
        let training = training.with_transform(projection.transform());
        Ok(Self::from_vectors(&whole, &training, data)?)
    }
}

/// What training makes of the rows of `data`.
fn vectors(
    training: &EmbeddingTraining,
    data: &Dataset,
    executor: &Executor,
    kernels: &dyn Kernels,
    watch: &mut dyn Watch<EmbeddingReport>,
) -> Result<Vectors, TrainError> {
    match training {
        EmbeddingTraining::NearestMean(mean) => mean.train(data),
        EmbeddingTraining::Sampled(sampled) => sampled.trainer(data)?.train(executor, watch),
        EmbeddingTraining::Wsabie(wsabie) => {
            let trainer = wsabie.trainer(data, kernels)?;
            joined(&trainer.train(executor, watch)?, data, |_| false)
        }
        EmbeddingTraining::Memoir(memoir) => {
            let hears_of_nothing = &mut |_| ControlFlow::Continue(());
            prototypes::vectors(memoir, data, executor, false, hears_of_nothing)
        }
        // They are trained beside others only, and were given where those were.
        EmbeddingTraining::GivenVectors { .. } => Err(TrainError::NoFeatures),
    }
}

/// Models drawn independently, as one: their dimensions side by side, so that their scores add up.
/// Features of no training row, whose vectors are still random, count nothing unless they are
/// `known` otherwise.
pub(super) fn joined(
    spaces: &[Space],
    data: &Dataset,
    known: impl Fn(usize) -> bool,
) -> Result<Vectors, TrainError> {
    let (features, labels) = (
        data.rows().features() as usize,
        data.labels().labels() as usize,
    );
    let dimensions: usize = spaces.iter().map(|space| space.dimensions).sum();
    let mut embedding: Vec<f32> = Vec::new();
    let mut prototypes: Vec<f32> = Vec::new();
    let bytes = 4 * (features + labels).saturating_mul(dimensions) as u64;
    let lacking = |_| TrainError::OutOfMemory { bytes };
    embedding
        .try_reserve_exact(features.saturating_mul(dimensions))
        .map_err(lacking)?;
    prototypes
        .try_reserve_exact(labels.saturating_mul(dimensions))
        .map_err(lacking)?;
    let frequencies = data.rows().document_frequencies().map_err(lacking)?;
    for (feature, &rows) in frequencies.iter().enumerate() {
        let counts = rows > 0 || known(feature);
        for space in spaces {
            let m = space.dimensions;
            let vector = &space.embedding[feature * m..][..m];
            embedding.extend(
                vector
                    .iter()
                    .map(|&weight| if counts { weight } else { 0.0 }),
            );
        }
    }
    let mut prototype = Vec::new();
    for label in 0..labels as u32 {
        for space in spaces {
            prototype.resize(space.dimensions, 0.0);
            space.prototype(label, &mut prototype);
            prototypes.extend_from_slice(&prototype);
        }
    }
    Ok(Vectors {
        dimensions,
        embedding,
        features: None,
        prototypes,
    })
}
