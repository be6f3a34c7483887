//! The index behind a model, whichever it is.

use super::evidence::{SharedFeature, shared_features};
use crate::{
    executor::Executor,
    kernels::Kernels,
    search::{
        Scored,
        compact::{CompactIndex, CompactOptions, CompactScratch},
        neighbors::{Exhaustive, ExhaustiveScratch, Similarity},
    },
    sparse::{SparseRows, SparseVec, SparseView},
    train::TrainError,
};
use alloc::vec::Vec;

/// An index of rows.
#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// All that the rows hold.
    Exact {
        rows: SparseRows,
        postings: Exhaustive,
    },
    /// What is left after pruning and rounding.
    Compact(CompactIndex),
}

/// The memory of a search.
#[derive(Debug, Default)]
pub(super) struct IndexScratch {
    exact: ExhaustiveScratch,
    compact: CompactScratch,
}

impl IndexScratch {
    pub(super) fn new(_kernels: &'static dyn Kernels) -> Self {
        Self::default()
    }

    /// How many words of posting lists the last search of a compact index read.
    pub(super) fn words_read(&self) -> usize {
        self.compact.words_read()
    }
}

impl Index {
    pub(crate) fn exact(rows: SparseRows, _executor: &impl Executor) -> Result<Self, TrainError> {
        let postings = Exhaustive::new(&rows);
        Ok(Self::Exact { rows, postings })
    }

    pub(super) fn rebuilt(
        &self,
        rows: SparseRows,
        executor: &impl Executor,
    ) -> Result<Self, TrainError> {
        match self {
            Self::Exact { .. } => Self::exact(rows, executor),
            Self::Compact(index) => Self::compact(&rows, &index.options()),
        }
    }

    pub(super) fn compact(rows: &SparseRows, options: &CompactOptions) -> Result<Self, TrainError> {
        CompactIndex::build(rows, options)
            .map(Self::Compact)
            .map_err(TrainError::from)
    }

    /// All rows as they are kept.
    pub(super) fn to_rows(&self) -> Result<SparseRows, TrainError> {
        match self {
            Self::Exact { rows, .. } => Ok(rows.clone()),
            Self::Compact(index) => Ok(index.to_rows()?),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Exact { rows, .. } => rows.len(),
            Self::Compact(index) => index.rows(),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Exact { rows, .. } => 8 * rows.nonzeros(),
            Self::Compact(index) => index.bytes(),
        }
    }

    pub(super) fn features(&self) -> u32 {
        match self {
            Self::Exact { rows, .. } => rows.features(),
            Self::Compact(index) => index.features(),
        }
    }

    pub(super) fn row(&self, position: usize, into: &mut SparseVec) {
        *into = match self {
            Self::Exact { rows, .. } => rows.row(position).to_owned(),
            Self::Compact(index) => index.row(position as u32),
        };
    }

    /// The features that a row shares with what a search looks at of `query`.
    pub(super) fn shared(&self, query: SparseView<'_>, position: usize) -> Vec<SharedFeature> {
        match self {
            Self::Exact { rows, .. } => shared_features(query, rows.row(position)),
            Self::Compact(index) => {
                let shared = index.shared(query, position as u32).into_iter();
                shared
                    .map(|(feature, share)| SharedFeature { feature, share })
                    .collect()
            }
        }
    }

    pub(super) fn search<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        similarity: Similarity,
        removed: &[u64],
        scratch: &'s mut IndexScratch,
    ) -> &'s [Scored] {
        match self {
            Self::Exact { postings, .. } => {
                postings.search(query, neighbors, similarity, &mut scratch.exact)
            }
            Self::Compact(index) => {
                let beta = similarity.beta();
                index.search(query, neighbors, beta, removed, &mut scratch.compact)
            }
        }
    }
}
