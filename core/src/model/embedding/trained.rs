//! The method of a model of prototypes: weights, what made them, and the counts of its labels.

use super::{
    EmbeddingModel,
    build::{Form, Vectors, build},
};
use crate::{
    array::Array, data::Dataset, model::ModelError, parameters::embedding::EmbeddingTraining,
};

/// A model of prototypes with what made it and the counts of its labels.
#[derive(Clone, Debug)]
pub struct Embedding {
    model: EmbeddingModel,
    frequencies: Array<u32>,
    training: EmbeddingTraining,
}

impl Embedding {
    /// The model of trained vectors.
    pub(crate) fn from_vectors(
        vectors: &Vectors,
        training: &EmbeddingTraining,
        data: &Dataset,
    ) -> Result<Self, ModelError> {
        let (euclidean, bits) = match training {
            EmbeddingTraining::NearestMean(mean) => (true, mean.bits),
            EmbeddingTraining::Sampled(sampled) => (false, sampled.bits),
            EmbeddingTraining::Wsabie(wsabie) => (wsabie.is_euclidean(), wsabie.bits),
            // Weights of prototypes have 8 bits or 4.
            EmbeddingTraining::Memoir(memoir) => (false, if memoir.bits > 4 { 8 } else { 4 }),
            EmbeddingTraining::GivenVectors { .. } => (false, 8),
        };
        let form = Form {
            transform: training.transform(),
            euclidean,
            features: data.rows().features(),
            bits,
        };
        Ok(Self {
            model: build(vectors, &form)?,
            frequencies: data.labels().frequencies().into(),
            training: training.clone(),
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

    /// The same method with weights that learned the rows of `data` beside those of before.
    pub(crate) fn with_rows(&self, model: EmbeddingModel, data: &Dataset) -> Self {
        let mut frequencies = data.labels().frequencies();
        for (sum, &before) in frequencies.iter_mut().zip(self.frequencies.iter()) {
            *sum = sum.saturating_add(before);
        }
        Self {
            model,
            frequencies: frequencies.into(),
            training: self.training.clone(),
        }
    }

    /// The weights.
    #[must_use]
    pub fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    /// How many training rows carry each label.
    #[must_use]
    pub(crate) fn frequencies(&self) -> &Array<u32> {
        &self.frequencies
    }

    /// What made the model.
    #[must_use]
    pub fn training(&self) -> &EmbeddingTraining {
        &self.training
    }
}
