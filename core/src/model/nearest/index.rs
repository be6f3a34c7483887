//! The index behind a model, whichever it is.

use crate::{
    executor::Executor,
    kernels::Kernels,
    search::{
        Scored,
        compact::{CompactIndex, CompactScratch},
        neighbors::{Exhaustive, ExhaustiveScratch, Similarity},
    },
    sparse::{SparseRows, SparseVec, SparseView},
    train::TrainError,
};

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
            Self::Compact(_) => todo!(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Exact { rows, .. } => rows.len(),
            Self::Compact(index) => index.rows(),
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

    pub(super) fn search<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        similarity: Similarity,
        _removed: &[u64],
        scratch: &'s mut IndexScratch,
    ) -> &'s [Scored] {
        match self {
            Self::Exact { postings, .. } => {
                postings.search(query, neighbors, similarity, &mut scratch.exact)
            }
            Self::Compact(index) => {
                index.search(query, neighbors, similarity.beta(), &mut scratch.compact)
            }
        }
    }
}
