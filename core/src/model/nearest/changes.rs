//! Rows learned and removed since the index was built.

use crate::{
    search::{Scored, neighbors::Similarity},
    sparse::{SparseVec, SparseView},
};
use alloc::vec::Vec;

/// A row learned after the index was built.
#[derive(Clone, Debug)]
pub(crate) struct AddedRow {
    pub(crate) id: u32,
    pub(crate) row: SparseVec,
    pub(crate) labels: Vec<u32>,
}

/// The difference between the index and the model.
#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// By rising id.
    added: Vec<AddedRow>,
    /// One bit for each row of the index, as long as it needs to be.
    removed: Vec<u64>,
    removed_count: usize,
    next_id: u32,
    /// Every label learned is below it, be its rows there or not.
    labels: u32,
}

impl Changes {
    /// No changes; the next row learned will have the id `next_id`.
    pub(crate) fn new(next_id: u32) -> Self {
        Self {
            added: Vec::new(),
            removed: Vec::new(),
            removed_count: 0,
            next_id,
            labels: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed_count == 0
    }

    pub(crate) fn next_id(&self) -> u32 {
        self.next_id
    }

    pub(crate) fn added(&self) -> &[AddedRow] {
        &self.added
    }

    /// How many rows of the index are removed.
    pub(crate) fn removed(&self) -> usize {
        self.removed_count
    }

    /// A bit for each row of the index: set where it is removed. May end early.
    pub(crate) fn removed_bits(&self) -> &[u64] {
        &self.removed
    }

    pub(crate) fn is_removed(&self, position: usize) -> bool {
        self.removed
            .get(position / 64)
            .is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    /// A number that every label learned is below.
    pub(crate) fn labels(&self) -> u32 {
        self.labels
    }

    /// Counts labels up to `labels`, though they may have no rows.
    pub(crate) fn widen(&mut self, labels: u32) {
        self.labels = self.labels.max(labels);
    }

    /// Adds a row with rising labels and gives it an id; `None` once ids are used up.
    pub(crate) fn add(&mut self, row: SparseVec, labels: Vec<u32>) -> Option<u32> {
        let id = self.next_id;
        self.next_id = id.checked_add(1)?;
        self.widen(labels.last().map_or(0, |&last| last.saturating_add(1)));
        self.added.push(AddedRow { id, row, labels });
        Some(id)
    }

    /// Removes the row at this position of the index; whether it was there.
    pub(crate) fn remove_indexed(&mut self, position: usize) -> bool {
        if self.is_removed(position) {
            return false;
        }
        if self.removed.len() <= position / 64 {
            self.removed.resize(position / 64 + 1, 0);
        }
        self.removed[position / 64] |= 1 << (position % 64);
        self.removed_count += 1;
        true
    }

    /// Removes an added row; whether it was there.
    pub(crate) fn remove_added(&mut self, id: u32) -> bool {
        match self.added.binary_search_by_key(&id, |row| row.id) {
            Ok(at) => {
                self.added.remove(at);
                true
            }
            Err(_) => false,
        }
    }

    /// Appends the added rows that are similar to `query`, by their slots, which follow `indexed`.
    pub(crate) fn search(
        &self,
        query: SparseView<'_>,
        similarity: Similarity,
        indexed: usize,
        into: &mut Vec<Scored>,
    ) {
        for (at, added) in self.added.iter().enumerate() {
            let score = similarity.between(query, added.row.view());
            if score > 0.0 {
                into.push(Scored {
                    id: (indexed + at) as u32,
                    score,
                });
            }
        }
    }
}
