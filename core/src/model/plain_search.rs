//! The search that is obviously right, for tests.

use crate::{
    float,
    search::{NeighborSearch, Scored, rank},
    sparse::{SparseRows, SparseView},
};
use alloc::vec::Vec;

/// Compares the query with every row.
pub(super) struct PlainSearch(pub(super) SparseRows);

impl NeighborSearch for PlainSearch {
    type Scratch = Vec<Scored>;

    fn scratch(&self) -> Vec<Scored> {
        Vec::new()
    }

    fn nearest<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        beta: f64,
        found: &'s mut Vec<Scored>,
    ) -> &'s [Scored] {
        found.clear();
        for (id, row) in (0..).zip(self.0.iter()) {
            let (mut dot, mut shared) = (0.0, 0);
            for (feature, value) in query.iter() {
                if let Ok(at) = row.indices().binary_search(&feature) {
                    dot += f64::from(value) * f64::from(row.values()[at]);
                    shared += 1;
                }
            }
            let jaccard = f64::from(shared) / (query.len() + row.len()) as f64;
            let jaccard = jaccard / (1.0 - jaccard);
            let score = (dot / (query.norm() * row.norm()) * float::power(jaccard, beta)) as f32;
            if score > 0.0 {
                found.push(Scored { id, score });
            }
        }
        found.sort_by(rank);
        found.truncate(neighbors);
        found
    }
}
