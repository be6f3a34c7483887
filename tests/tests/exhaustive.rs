//! The plain search for neighbors: one feature of the query after the other, then a look at every
//! row. It is written from the definition alone, for tests and benches to hold fast searches to.

use hapax_core::{
    search::{Scored, rank},
    sparse::{SparseRows, SparseView},
};

/// For each feature the rows that have it, with their values.
pub struct Exhaustive<'a> {
    rows: &'a SparseRows,
    postings: Vec<Vec<(usize, f32)>>,
    /// The exponent of the Jaccard index.
    beta: f64,
}

impl<'a> Exhaustive<'a> {
    pub fn new(rows: &'a SparseRows, beta: f64) -> Self {
        let mut postings = vec![Vec::new(); rows.features() as usize];
        for (id, row) in rows.iter().enumerate() {
            for (feature, value) in row.iter() {
                postings[feature as usize].push((id, value));
            }
        }
        Self {
            rows,
            postings,
            beta,
        }
    }

    /// The `count` rows of the largest positive `J^beta * cos`, best first, where the Jaccard index
    /// J is that of the sets of stored features. Products and their sum are `f32`, in the order of
    /// features; the rest is computed in `f64` and rounded at the end.
    pub fn search(&self, query: SparseView<'_>, count: usize) -> Vec<Scored> {
        let (mut dots, mut shared) = (vec![0f32; self.rows.len()], vec![0; self.rows.len()]);
        for (feature, value) in query.iter() {
            let rows = self.postings.get(feature as usize);
            for &(row, other) in rows.into_iter().flatten() {
                dots[row] += value * other;
                shared[row] += 1;
            }
        }
        let score = |id: usize| {
            let row = self.rows.row(id);
            let either = query.indices().len() + row.indices().len() - shared[id];
            let jaccard = self.power(shared[id] as f64 / either as f64);
            let score = (jaccard * (f64::from(dots[id]) / (query.norm() * row.norm()))) as f32;
            let known = shared[id] > 0 && dots[id].is_finite() && score > 0.0;
            known.then_some(Scored {
                id: id as u32,
                score,
            })
        };
        let mut found: Vec<Scored> = (0..self.rows.len()).filter_map(score).collect();
        found.sort_unstable_by(rank);
        found.truncate(count);
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
