//! The method of a model that training of linear machines made: the weights and what belongs to
//! them.

use super::{
    LinearModel, LinearScratch,
    fused::FusedNearest,
    fused_embedding::{FusedEmbedding, predict},
};
use crate::{
    array::Array,
    data::Dataset,
    model::{ModelError, embedding::EmbeddingScratch, nearest::NearestScratch},
    parameters::linear::LinearTraining,
    search::Scored,
    sparse::SparseView,
};
use alloc::{boxed::Box, collections::TryReserveError};

/// A linear model with the parameters that made it and the counts of its labels.
#[derive(Clone, Debug)]
pub struct Linear {
    model: LinearModel,
    frequencies: Array<u32>,
    parameters: LinearTraining,
    /// Neighbors that vote, too.
    nearest: Option<Box<FusedNearest>>,
    /// An embedding whose scores are added.
    embedding: Option<Box<FusedEmbedding>>,
    /// Prototypes over given vectors of words, whose scores are added.
    vectors: Option<Box<FusedEmbedding>>,
}

impl Linear {
    /// Of weights that a training made of `data`.
    #[must_use]
    pub(crate) fn new(model: LinearModel, parameters: LinearTraining, data: &Dataset) -> Self {
        Self {
            model,
            frequencies: data.labels().frequencies().into(),
            parameters,
            nearest: None,
            embedding: None,
            vectors: None,
        }
    }

    /// The same with neighbors that vote, and an embedding whose scores are added.
    pub(crate) fn with(
        self,
        nearest: Option<FusedNearest>,
        embedding: Option<FusedEmbedding>,
    ) -> Self {
        Self {
            nearest: nearest.map(Box::new),
            embedding: embedding.map(Box::new),
            ..self
        }
    }

    /// The same with prototypes over given vectors of words.
    pub(crate) fn with_vectors(self, vectors: Option<FusedEmbedding>) -> Self {
        Self {
            vectors: vectors.map(Box::new),
            ..self
        }
    }

    /// The `k` best labels for `row`, best first.
    ///
    /// # Errors
    /// If memory is lacking for the search of neighbors, where the model has them.
    pub(crate) fn predict<'s>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut LinearScratch,
        (nearest, embedding): (&mut NearestScratch, &mut EmbeddingScratch),
    ) -> Result<&'s [Scored], ModelError> {
        let embeddings = [self.embedding(), self.vectors()];
        match (embeddings[0].or(embeddings[1]), &self.nearest) {
            (None, None) => Ok(self.model.predict(row, k, scratch)),
            (None, Some(fused)) => fused.predict(&self.model, row, k, scratch, nearest),
            (Some(_), near) => {
                let shares = match near {
                    Some(near) => Some((near.nearest().shares(row, nearest)?, near.weight())),
                    None => None,
                };
                let asked = (row, k);
                Ok(predict(
                    &self.model,
                    embeddings,
                    asked,
                    shares,
                    scratch,
                    embedding,
                ))
            }
        }
    }

    /// The neighbors that vote, too, in a fused model.
    #[must_use]
    pub fn nearest(&self) -> Option<&FusedNearest> {
        self.nearest.as_deref()
    }

    /// The embedding whose scores are added, in a fused model.
    #[must_use]
    pub fn embedding(&self) -> Option<&FusedEmbedding> {
        self.embedding.as_deref()
    }

    /// The prototypes over given vectors of words whose scores are added, in a fused model.
    #[must_use]
    pub(crate) fn vectors(&self) -> Option<&FusedEmbedding> {
        match cfg!(feature = "given-vectors") {
            true => self.vectors.as_deref(),
            false => None,
        }
    }

    /// From what a file stored; `None` if the parts do not fit each other.
    pub(crate) fn from_stored(
        model: LinearModel,
        frequencies: Array<u32>,
        parameters: LinearTraining,
    ) -> Option<Self> {
        let fits = parameters.check().is_ok()
            && frequencies.len() == model.labels() as usize
            && model.parts().transform == parameters.transform();
        fits.then_some(Self {
            model,
            frequencies,
            parameters,
            nearest: None,
            embedding: None,
            vectors: None,
        })
    }

    /// The same method with weights that went on with `data`, and with other parts beside them.
    pub(crate) fn went_on(
        &self,
        model: LinearModel,
        data: &Dataset,
        (nearest, embedding): (Option<FusedNearest>, Option<FusedEmbedding>),
    ) -> Self {
        let mut frequencies = data.labels().frequencies();
        for (sum, &before) in frequencies.iter_mut().zip(self.frequencies.iter()) {
            *sum = sum.saturating_add(before);
        }
        Self {
            model,
            frequencies: frequencies.into(),
            parameters: self.parameters.clone(),
            nearest: nearest.map(Box::new),
            embedding: embedding.map(Box::new),
            vectors: None,
        }
    }

    /// The same method with other weights.
    pub(crate) fn with_model(&self, model: LinearModel) -> Self {
        Self {
            model,
            ..self.clone()
        }
    }

    /// Makes queries fast; see [`LinearModel::prepare`].
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn prepare(&mut self) -> Result<usize, TryReserveError> {
        self.model.prepare()
    }

    /// The weights.
    #[must_use]
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// How many training rows carry each label.
    #[must_use]
    pub(crate) fn frequencies(&self) -> &Array<u32> {
        &self.frequencies
    }

    /// What the user chose, or the automatic rule.
    #[must_use]
    pub fn parameters(&self) -> &LinearTraining {
        &self.parameters
    }
}
