//! The plain term-at-a-time search that the compact index is measured against.

use hapax::core::{
    float,
    search::{NeighborSearch, Scored, Top},
    sparse::{SparseRows, SparseView},
};

/// Exact: postings of 8 bytes, dense sums and counts, one pass over all rows at the end.
pub(crate) struct Twin {
    starts: Vec<usize>,
    postings: Vec<(u32, f32)>,
    lengths: Vec<u32>,
}

impl Twin {
    /// Inverts `rows`, every value divided by the norm of its row.
    pub(crate) fn new(rows: &SparseRows) -> Self {
        let mut starts = vec![0usize; rows.features() as usize + 1];
        for (feature, count) in rows.document_frequencies().into_iter().enumerate() {
            starts[feature + 1] = starts[feature] + count as usize;
        }
        let mut next = starts.clone();
        let mut postings = vec![(0, 0.0); rows.nonzeros()];
        for (id, row) in (0..).zip(rows.iter()) {
            let norm = row.norm();
            for (feature, value) in row.iter() {
                let at = &mut next[feature as usize];
                postings[*at] = (id, (f64::from(value) / norm) as f32);
                *at += 1;
            }
        }
        Self {
            starts,
            postings,
            lengths: rows.iter().map(|row| row.len() as u32).collect(),
        }
    }

    /// Bytes of the index.
    pub(crate) fn bytes(&self) -> usize {
        8 * self.postings.len() + 4 * self.lengths.len() + 8 * self.starts.len()
    }

    fn list(&self, feature: u32) -> &[(u32, f32)] {
        let feature = feature as usize;
        if feature + 1 < self.starts.len() {
            &self.postings[self.starts[feature]..self.starts[feature + 1]]
        } else {
            &[]
        }
    }
}

#[derive(Default)]
pub(crate) struct TwinScratch {
    sums: Vec<f32>,
    counts: Vec<u32>,
    top: Top,
}

impl NeighborSearch for Twin {
    type Scratch = TwinScratch;

    fn scratch(&self) -> TwinScratch {
        TwinScratch::default()
    }

    fn nearest<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        beta: f64,
        scratch: &'s mut TwinScratch,
    ) -> &'s [Scored] {
        let TwinScratch { sums, counts, top } = scratch;
        sums.resize(self.lengths.len(), 0.0);
        counts.resize(self.lengths.len(), 0);
        for (feature, value) in query.iter() {
            for &(row, weight) in self.list(feature) {
                sums[row as usize] += value * weight;
                counts[row as usize] += 1;
            }
        }
        top.reset(neighbors);
        let (norm, length) = (query.norm(), query.len() as u32);
        for (row, &own) in self.lengths.iter().enumerate() {
            if sums[row] > 0.0 {
                let union = length + own - counts[row];
                let jaccard = f64::from(counts[row]) / f64::from(union);
                let score = f64::from(sums[row]) / norm * float::power(jaccard, beta);
                top.push(Scored {
                    id: row as u32,
                    score: score as f32,
                });
            }
        }
        sums.fill(0.0);
        counts.fill(0);
        top.sorted()
    }
}
