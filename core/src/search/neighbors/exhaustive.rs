//! The plain search: one query feature after the other, then a look at every row.

use super::Similarity;
use crate::{
    search::{Scored, Top},
    sparse::{SparseRows, SparseView},
};
use alloc::{vec, vec::Vec};

/// Postings of all features (feature to row ids and values), searched one query feature at a
/// time into dense accumulators. The twin that every faster search is held against.
///
/// Memory: 8 bytes a stored value, 12 bytes a row, one word a feature.
#[derive(Clone, Debug)]
pub struct Exhaustive {
    offsets: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f32>,
    lengths: Vec<u32>,
    norms: Vec<f64>,
}

/// The memory of one query of [`Exhaustive`]; reused from query to query.
#[derive(Clone, Debug, Default)]
pub struct ExhaustiveScratch {
    dots: Vec<f32>,
    counts: Vec<u32>,
    top: Top,
}

impl Exhaustive {
    /// Turns rows into postings.
    ///
    /// Cost: O(values stored + features).
    #[must_use]
    pub fn new(rows: &SparseRows) -> Self {
        let mut offsets = vec![0usize; rows.features() as usize + 1];
        for row in rows.iter() {
            for &feature in row.indices() {
                offsets[feature as usize + 1] += 1;
            }
        }
        for at in 1..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        let mut next = offsets.clone();
        let mut postings = Self {
            offsets,
            rows: vec![0; rows.nonzeros()],
            values: vec![0.0; rows.nonzeros()],
            lengths: rows.iter().map(|row| row.len() as u32).collect(),
            norms: rows.iter().map(|row| row.norm()).collect(),
        };
        for (id, row) in rows.iter().enumerate() {
            for (feature, value) in row.iter() {
                let at = &mut next[feature as usize];
                postings.rows[*at] = id as u32;
                postings.values[*at] = value;
                *at += 1;
            }
        }
        postings
    }

    /// The `neighbors` most similar rows of positive similarity, best first.
    ///
    /// Cost: O(postings of the query's features + n).
    pub fn search<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        similarity: Similarity,
        scratch: &'s mut ExhaustiveScratch,
    ) -> &'s [Scored] {
        let ExhaustiveScratch { dots, counts, top } = scratch;
        dots.clear();
        dots.resize(self.lengths.len(), 0.0);
        counts.clear();
        counts.resize(self.lengths.len(), 0);
        for (feature, value) in query.iter() {
            let Some(&[start, end]) = self.offsets.get(feature as usize..feature as usize + 2)
            else {
                break;
            };
            for (&row, &other) in self.rows[start..end].iter().zip(&self.values[start..end]) {
                dots[row as usize] += value * other;
                counts[row as usize] += 1;
            }
        }
        top.reset(neighbors);
        let norm = query.norm();
        for (id, (&dot, &count)) in dots.iter().zip(counts.iter()).enumerate() {
            if count == 0 {
                continue;
            }
            let both = query.len() + self.lengths[id] as usize;
            let score = similarity.of(dot, count as usize, both, norm * self.norms[id]);
            if score > 0.0 {
                let id = id as u32;
                top.push(Scored { id, score });
            }
        }
        top.sorted()
    }
}
