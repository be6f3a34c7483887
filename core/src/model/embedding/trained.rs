//! The method of a model of prototypes: weights, what made them, and the counts of its labels.

use super::{
    EmbeddingModel,
    build::{Form, Vectors, build},
};
use crate::{
    array::Array,
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::linear::query::RowTransform,
    train::{
        ParamError, TrainError,
        embedding::{
            nearest_mean::NearestMean, parameters::Wsabie, sampled::Sampled, space::Space,
            trainer::Report,
        },
    },
};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use serde::{Deserialize, Serialize};

/// What trains a model of prototypes, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EmbeddingTraining {
    /// The mean of the rows of each label.
    NearestMean(NearestMean),
    /// One against all, or pairs of labels, by sampling.
    Sampled(Sampled),
    /// Joint training of an embedding and prototypes.
    Wsabie(Wsabie),
}

impl EmbeddingTraining {
    /// The name of the algorithm, as on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NearestMean(_) => "nearest-mean",
            Self::Sampled(sampled) => sampled.name(),
            Self::Wsabie(wsabie) => wsabie.name(),
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub fn check(&self) -> Result<(), ParamError> {
        match self {
            Self::NearestMean(mean) => mean.check(),
            Self::Sampled(sampled) => sampled.check(),
            Self::Wsabie(wsabie) => wsabie.check(),
        }
    }

    /// The seed of all that is random; 0 where nothing is.
    #[must_use]
    pub fn seed(&self) -> u64 {
        match self {
            Self::NearestMean(_) => 0,
            Self::Sampled(sampled) => sampled.seed,
            Self::Wsabie(wsabie) => wsabie.seed,
        }
    }

    /// What happens to rows first.
    #[must_use]
    pub fn transform(&self) -> RowTransform {
        match self {
            Self::NearestMean(mean) => mean.transform(),
            Self::Sampled(sampled) => sampled.transform(),
            Self::Wsabie(wsabie) => wsabie.transform(),
        }
    }

    /// The most memory, in bytes, that training on `data` will hold at once, without `data` itself.
    #[must_use]
    pub fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        match self {
            Self::NearestMean(mean) => mean.memory_estimate(data),
            Self::Sampled(sampled) => sampled.memory_estimate(data, threads),
            Self::Wsabie(wsabie) => wsabie.memory_estimate(data, threads),
        }
    }
}

/// A model of prototypes with what made it and the counts of its labels.
#[derive(Clone, Debug)]
pub struct Embedding {
    model: EmbeddingModel,
    frequencies: Array<u32>,
    training: EmbeddingTraining,
}

impl Embedding {
    /// Trains on `data`; `progress` hears of every part of the work and may stop it.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Diverged`] if steps were too long;
    /// [`TrainError::Stopped`] if `progress` said so.
    pub fn train(
        training: &EmbeddingTraining,
        data: &Dataset,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        training.check()?;
        let (vectors, euclidean, bits) = match training {
            EmbeddingTraining::NearestMean(mean) => (mean.train(data)?, true, mean.bits),
            EmbeddingTraining::Sampled(sampled) => (
                sampled.train(data, executor, progress)?,
                false,
                sampled.bits,
            ),
            EmbeddingTraining::Wsabie(wsabie) => {
                let spaces = wsabie.train(data, executor, kernels, progress)?;
                (joined(&spaces, data)?, wsabie.is_euclidean(), wsabie.bits)
            }
        };
        let features = data.rows().features();
        let form = Form {
            transform: training.transform(),
            euclidean,
            features,
            bits,
        };
        Ok(Self {
            model: build(&vectors, &form)?,
            frequencies: data.labels().frequencies().into(),
            training: training.clone(),
        })
    }

    /// Of spaces that joint training with `wsabie` made of `data`.
    pub(crate) fn from_spaces(
        spaces: &[Space],
        wsabie: &Wsabie,
        data: &Dataset,
    ) -> Result<Self, TrainError> {
        let form = Form {
            transform: wsabie.transform(),
            euclidean: wsabie.is_euclidean(),
            features: data.rows().features(),
            bits: wsabie.bits,
        };
        Ok(Self {
            model: build(&joined(spaces, data)?, &form)?,
            frequencies: data.labels().frequencies().into(),
            training: EmbeddingTraining::Wsabie(wsabie.clone()),
        })
    }

    /// From what a file stored; `None` if the parts do not fit each other.
    pub(crate) fn from_stored(
        model: EmbeddingModel,
        frequencies: Array<u32>,
        training: EmbeddingTraining,
    ) -> Option<Self> {
        let fits = training.check().is_ok()
            && frequencies.len() == model.parts().labels as usize
            && model.parts().transform == training.transform();
        fits.then_some(Self {
            model,
            frequencies,
            training,
        })
    }

    /// The same method with other weights.
    pub(crate) fn with_model(&self, model: EmbeddingModel) -> Self {
        Self {
            model,
            ..self.clone()
        }
    }

    /// The weights.
    #[must_use]
    pub fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    /// How many training rows carry each label.
    #[must_use]
    pub fn frequencies(&self) -> &Array<u32> {
        &self.frequencies
    }

    /// What made the model.
    #[must_use]
    pub fn training(&self) -> &EmbeddingTraining {
        &self.training
    }
}

/// Models drawn independently, as one: their dimensions side by side, so that their scores add up. Features of no
/// training row, whose vectors are still random, count nothing.
fn joined(spaces: &[Space], data: &Dataset) -> Result<Vectors, TrainError> {
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
    for (feature, &rows) in data.rows().document_frequencies().iter().enumerate() {
        for space in spaces {
            let m = space.dimensions;
            let vector = &space.embedding[feature * m..][..m];
            embedding.extend(
                vector
                    .iter()
                    .map(|&weight| if rows > 0 { weight } else { 0.0 }),
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
        prototypes,
    })
}
