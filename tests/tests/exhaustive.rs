//! The plain search for neighbors: one feature of the query after the other, then a look at every
//! row. It is written from the definition alone, for tests and benches to hold fast searches to.

use hapax_core::{
    search::{Scored, rank},
    sparse::{SparseRows, SparseView},
};

/// For each feature the rows that have it, with their values.
pub struct Exhaustive<'a> {
    rows: &'a SparseRows,
    postings: Vec<Vec<(u32, f32)>>,
    /// Norms of the rows and how many features they have.
    norms: Vec<(f64, usize)>,
    /// The exponent of the Jaccard index.
    beta: f64,
}

impl<'a> Exhaustive<'a> {
    pub fn new(rows: &'a SparseRows, beta: f64) -> Self {
        let mut postings = vec![Vec::new(); rows.features() as usize];
        for (id, row) in rows.iter().enumerate() {
            for (feature, value) in row.iter() {
                postings[feature as usize].push((id as u32, value));
            }
        }
        Self {
            rows,
            postings,
            norms: rows
                .iter()
                .map(|row| (row.norm(), row.indices().len()))
                .collect(),
            beta,
        }
    }

    /// The `count` rows of the largest positive `J^beta * cos`, best first, where the Jaccard index
    /// J is that of the sets of stored features. Products and their sum are `f32`, in the order of
    /// features; the rest is computed in `f64` and rounded at the end.
    pub fn search(&self, query: SparseView<'_>, count: usize) -> Vec<Scored> {
        // The sum of products and the number of shared features of each row.
        let mut sums = vec![(0f32, 0u32); self.rows.len()];
        for (feature, value) in query.iter() {
            let Some(rows) = self.postings.get(feature as usize) else {
                continue;
            };
            for &(row, other) in rows {
                let (dot, shared) = &mut sums[row as usize];
                *dot += value * other;
                *shared += 1;
            }
        }
        let norm = query.norm();
        let score = |id: usize| {
            let (dot, shared) = (sums[id].0, sums[id].1 as usize);
            if shared == 0 || !dot.is_finite() {
                return None;
            }
            let ((length, row), own) = (self.norms[id], query.indices().len());
            let jaccard = self.power(shared as f64 / (own + row - shared) as f64);
            let score = (jaccard * (f64::from(dot) / (norm * length))) as f32;
            (score > 0.0).then_some(Scored {
                id: id as u32,
                score,
            })
        };
        let mut found: Vec<Scored> = (0..self.rows.len()).filter_map(score).collect();
        if found.len() > count {
            found.select_nth_unstable_by(count, rank);
            found.truncate(count);
        }
        found.sort_unstable_by(rank);
        found
    }

    /// Exact where multiplication or a square root gives the power.
    fn power(&self, jaccard: f64) -> f64 {
        match self.beta {
            0.0 => 1.0,
            0.5 => jaccard.sqrt(),
            1.0 => jaccard,
            2.0 => jaccard * jaccard,
            beta => libm::pow(jaccard, beta),
        }
    }
}
