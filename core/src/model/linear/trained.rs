//! The method of a model that training of linear machines made: the weights and what belongs to
//! them.

use super::{
    LinearModel, LinearScratch,
    fused::FusedNearest,
    fused_embedding::{FusedEmbedding, GIVEN, LEARNED, predict},
};
use crate::{
    array::Array,
    data::Dataset,
    model::{ModelError, embedding::EmbeddingScratch, nearest::NearestScratch},
    parameters::linear::LinearTraining,
    search::Scored,
    sparse::SparseView,
};
use alloc::{boxed::Box, collections::TryReserveError, vec::Vec};

/// A linear model with the parameters that made it and the counts of its labels.
#[derive(Clone, Debug)]
pub struct Linear {
    model: LinearModel,
    frequencies: Array<u32>,
    parameters: LinearTraining,
    /// Neighbors that vote, too.
    nearest: Option<Box<FusedNearest>>,
    /// What scores are added of, in the order of their places.
    embeddings: Vec<FusedEmbedding>,
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
            embeddings: Vec::new(),
        }
    }

    /// The same with neighbors that vote, and embeddings whose scores are added, in the order of
    /// their places.
    pub(crate) fn with(
        self,
        nearest: Option<FusedNearest>,
        embeddings: Vec<FusedEmbedding>,
    ) -> Self {
        Self {
            nearest: nearest.map(Box::new),
            embeddings,
            ..self
        }
    }

    /// The same without the embedding of this place.
    pub(crate) fn without(mut self, place: usize) -> Self {
        self.embeddings.retain(|fused| fused.place() != place);
        self
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
        match (&*self.embeddings, &self.nearest) {
            ([], None) => Ok(self.model.predict(row, k, scratch)),
            ([], Some(fused)) => fused.predict(&self.model, row, k, scratch, nearest),
            (embeddings, near) => {
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

    /// The embedding that was learned whose scores are added, in a fused model.
    #[must_use]
    pub fn embedding(&self) -> Option<&FusedEmbedding> {
        self.embedding_at(LEARNED)
    }

    /// The prototypes over given vectors of words whose scores are added, in a fused model.
    pub(crate) fn vectors(&self) -> Option<&FusedEmbedding> {
        self.embedding_at(GIVEN)
    }

    /// The embedding of this place whose scores are added, in a fused model.
    pub(crate) fn embedding_at(&self, place: usize) -> Option<&FusedEmbedding> {
        self.embeddings.iter().find(|fused| fused.place() == place)
    }

    /// All embeddings whose scores are added, in the order of their places.
    pub(crate) fn embeddings(&self) -> &[FusedEmbedding] {
        &self.embeddings
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
            embeddings: Vec::new(),
        })
    }

    /// The same method with weights that went on with `data`, and with other parts beside them.
    pub(crate) fn went_on(
        &self,
        model: LinearModel,
        data: &Dataset,
        (nearest, embeddings): (Option<FusedNearest>, Vec<FusedEmbedding>),
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
            embeddings,
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
