//! The index behind a model, whichever it is.

use super::evidence::shared_features;
use crate::{
    kernels::Kernels,
    model::ModelError,
    search::{
        Scored,
        compact::{CompactIndex, CompactOptions, CompactScratch},
        neighbors::{NeighborIndex, NeighborScratch, RowBuffer, Similarity},
    },
    sparse::{SparseRows, SparseView},
};
use alloc::{boxed::Box, vec::Vec};

/// An index of rows.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// All that the rows hold.
    Exact(Box<NeighborIndex>),
    /// What is left after pruning and rounding.
    Compact(CompactIndex),
}

/// The memory of a search.
#[derive(Debug, Default)]
pub(crate) struct IndexScratch {
    exact: NeighborScratch,
    compact: CompactScratch,
}

impl IndexScratch {
    pub(crate) fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            exact: NeighborScratch::new(kernels),
            compact: CompactScratch::default(),
        }
    }

    /// How many words of posting lists the last search of a compact index read.
    pub(crate) fn words_read(&self) -> usize {
        self.compact.words_read()
    }
}

impl Index {
    pub(crate) fn exact(rows: &SparseRows) -> Result<Self, ModelError> {
        NeighborIndex::build(rows)
            .map(|index| Self::Exact(Box::new(index)))
            .map_err(ModelError::from)
    }

    pub(crate) fn compact(rows: &SparseRows, options: &CompactOptions) -> Result<Self, ModelError> {
        CompactIndex::build(rows, options)
            .map(Self::Compact)
            .map_err(ModelError::from)
    }

    /// An index of the same kind over other rows.
    pub(crate) fn rebuilt(&self, rows: &SparseRows) -> Result<Self, ModelError> {
        match self {
            Self::Exact(_) => Self::exact(rows),
            Self::Compact(index) => Self::compact(rows, &index.options()),
        }
    }

    /// All rows as they are kept.
    pub(crate) fn to_rows(&self) -> Result<SparseRows, ModelError> {
        match self {
            Self::Exact(index) => {
                let mut rows = SparseRows::new(index.features());
                let mut buffer = RowBuffer::default();
                for position in 0..index.len() {
                    // Cannot fail: the row came from rows over the same features.
                    let _ = rows.push(index.row(position, &mut buffer));
                }
                Ok(rows)
            }
            Self::Compact(index) => Ok(index.to_rows()?),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Exact(index) => index.len(),
            Self::Compact(index) => index.rows(),
        }
    }

    /// Features that rows can have, stored or not.
    pub(crate) fn features(&self) -> u32 {
        match self {
            Self::Exact(index) => index.features(),
            Self::Compact(index) => index.features(),
        }
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Exact(index) => index.bytes(),
            Self::Compact(index) => index.bytes(),
        }
    }

    /// The features that a row shares with what a search looks at of `query`, in no order, each
    /// with its share of the cosine.
    pub(crate) fn shared(&self, query: SparseView<'_>, position: usize) -> Vec<Scored> {
        match self {
            Self::Exact(index) => {
                let mut buffer = RowBuffer::default();
                shared_features(query, index.row(position, &mut buffer))
            }
            Self::Compact(index) => index.shared(query, position as u32),
        }
    }

    /// The most similar rows, by position, without those whose bit is set in `removed`.
    pub(crate) fn search<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        similarity: Similarity,
        removed: &[u64],
        scratch: &'s mut IndexScratch,
    ) -> Result<&'s [Scored], ModelError> {
        match self {
            Self::Exact(index) => {
                let exact = &mut scratch.exact;
                Ok(index.search(query, neighbors, similarity, removed, exact)?)
            }
            Self::Compact(index) => {
                let beta = similarity.beta();
                Ok(index.search(query, neighbors, beta, removed, &mut scratch.compact))
            }
        }
    }
}
