//! A linear model and embeddings that answer together.
//!
//! # Problem
//! A linear model has a weight for each pair of feature and label that matters, and knows nothing
//! of a label for a feature that its few rows lack. An embedding of few dimensions shares what it
//! learns among labels that are alike, and vectors of words that were given know words that no row
//! has. The fused score of a label l for a row x, over all labels, is
//!
//! ```text
//! s_l = linear_l(x) + weight * embedded_l(x) + its weight * vectors_l(x)
//! ```
//!
//! and, where neighbors vote, too, the label's share of their votes times their weight
//! ([`super::fused`]). Every label has its score, in `f32`, products and sums rounded one after the
//! other, so the first k are exact. The weight is one of what
//! [`choice`](crate::train::one_vs_rest::choice) finds on held-out rows.
//!
//! Cost: a query takes what both parts take, and all labels are ranked. Memory of a query: 4 bytes
//! a label.

use super::{LinearModel, LinearScratch, fused::MOST_WEIGHT};
use crate::{
    model::embedding::{Embedding, EmbeddingScratch},
    parameters::EmbeddingTraining,
    search::Scored,
    sparse::SparseView,
};

/// One of each embedding that may answer beside weights: of what was learned from the rows, and of
/// prototypes over given vectors, in this order.
pub(crate) type ByEmbedding<T> = [T; 2];

/// The place of the embedding that was learned, in [`ByEmbedding`].
pub(crate) const LEARNED: usize = 0;

/// The place of prototypes over given vectors.
pub(crate) const GIVEN: usize = 1;

/// The embedding of a fused model and how many times its scores count.
#[derive(Clone, Debug)]
pub struct FusedEmbedding {
    embedding: Embedding,
    weight: f32,
}

impl FusedEmbedding {
    /// The parts, if the weight is finite and from 0 to 1,000,000.
    pub(crate) fn new(embedding: Embedding, weight: f32) -> Option<Self> {
        (0.0..=MOST_WEIGHT)
            .contains(&weight)
            .then_some(Self { embedding, weight })
    }

    /// The embedding.
    #[must_use]
    pub fn embedding(&self) -> &Embedding {
        &self.embedding
    }

    /// Its place in [`ByEmbedding`].
    pub(crate) fn place(&self) -> usize {
        match self.embedding.training() {
            EmbeddingTraining::GivenVectors { .. } => GIVEN,
            _ => LEARNED,
        }
    }

    /// How many times its scores count, for a file to borrow.
    pub(crate) fn weight_stored(&self) -> &[f32] {
        core::slice::from_ref(&self.weight)
    }

    /// How many times its scores count.
    #[must_use]
    pub fn weight(&self) -> f32 {
        self.weight
    }
}

/// The `k` best labels of `linear` and these embeddings together, best first, with the shares of
/// neighbors' votes and their weight, if there are any.
pub(super) fn predict<'s>(
    linear: &LinearModel,
    embeddings: &[FusedEmbedding],
    (row, k): (SparseView<'_>, usize),
    shares: Option<(&[Scored], f32)>,
    scratch: &'s mut LinearScratch,
    space: &mut EmbeddingScratch,
) -> &'s [Scored] {
    linear.score_all(row, scratch);
    let LinearScratch { all, top, .. } = scratch;
    for fused in embeddings {
        let model = fused.embedding.model();
        model.add_scores(row, fused.weight, all, space);
    }
    if let Some((shares, weight)) = shares {
        for share in shares {
            if let Some(score) = all.get_mut(share.id as usize) {
                *score += weight * share.score;
            }
        }
    }
    top.reset(k);
    let mut least = f32::NEG_INFINITY;
    for (id, &score) in (0..).zip(&*all) {
        if score >= least {
            top.push(Scored { id, score });
            least = top
                .threshold()
                .map_or(f32::NEG_INFINITY, |worst| worst.score);
        }
    }
    top.sorted()
}
