//! The index behind a model, whichever it is.

use crate::{
    executor::Executor,
    kernels::Kernels,
    search::{
        Scored,
        neighbors::{Exhaustive, ExhaustiveScratch, Similarity},
    },
    sparse::{SparseRows, SparseVec, SparseView},
    train::TrainError,
};

/// An index of rows.
#[derive(Clone, Debug)]
pub(super) struct Index {
    rows: SparseRows,
    postings: Exhaustive,
}

/// The memory of a search.
#[derive(Debug, Default)]
pub(super) struct IndexScratch(ExhaustiveScratch);

impl IndexScratch {
    pub(super) fn new(_kernels: &'static dyn Kernels) -> Self {
        Self::default()
    }
}

impl Index {
    pub(super) fn exact(rows: &SparseRows, _executor: &impl Executor) -> Result<Self, TrainError> {
        Ok(Self {
            rows: rows.clone(),
            postings: Exhaustive::new(rows),
        })
    }

    pub(super) fn rebuilt(
        &self,
        rows: &SparseRows,
        executor: &impl Executor,
    ) -> Result<Self, TrainError> {
        Self::exact(rows, executor)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn features(&self) -> u32 {
        self.rows.features()
    }

    pub(super) fn row(&self, position: usize, into: &mut SparseVec) {
        *into = self.rows.row(position).to_owned();
    }

    pub(super) fn search<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        similarity: Similarity,
        _removed: &[u64],
        scratch: &'s mut IndexScratch,
    ) -> &'s [Scored] {
        self.postings
            .search(query, neighbors, similarity, &mut scratch.0)
    }
}
