//! From sparse rows to dense ones of few dimensions, and from what those taught back to the sparse
//! rows.

use crate::{
    data::Dataset,
    executor::Executor,
    model::embedding::build::Vectors,
    parameters::RowTransform,
    sparse::{SparseRows, SparseVec, SparseView},
    train::{TrainError, error::array},
};
use alloc::vec::Vec;

/// The k directions in which training rows extend most, strongest first; made by
/// [`super::Reduction::fit`].
///
/// Features that no training row has count nothing. Memory: 4 k bytes a feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    transform: RowTransform,
    weights: Vec<f32>,
    singular_values: Vec<f64>,
}

/// Rows of a job.
const ROWS: usize = 1024;

impl Projection {
    pub(super) fn new(
        transform: RowTransform,
        weights: Vec<f32>,
        singular_values: Vec<f64>,
    ) -> Self {
        Self {
            transform,
            weights,
            singular_values,
        }
    }

    /// k.
    #[must_use]
    pub(crate) fn dimensions(&self) -> usize {
        self.singular_values.len()
    }

    /// D.
    #[must_use]
    pub(crate) fn features(&self) -> usize {
        self.weights.len() / self.dimensions().max(1)
    }

    /// What happens to rows first.
    #[must_use]
    pub(crate) fn transform(&self) -> RowTransform {
        self.transform
    }

    /// V by feature: k numbers each.
    #[cfg(test)]
    pub(crate) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// How far the training rows extend in each direction, falling.
    #[cfg(test)]
    pub(crate) fn singular_values(&self) -> &[f64] {
        &self.singular_values
    }

    /// The k numbers of a row, transformed first, in place of those in `point`; summed in f64.
    /// Features that are not known count nothing.
    pub(crate) fn apply(&self, row: SparseView<'_>, point: &mut Vec<f32>) {
        let k = self.dimensions();
        let mut values = Vec::with_capacity(row.len());
        self.transform.apply(row, &mut values);
        let mut sums = alloc::vec![0f64; k];
        for (&feature, &value) in row.indices().iter().zip(&values) {
            let vector = self.weights.get(feature as usize * k..).unwrap_or(&[]);
            for (sum, &weight) in sums.iter_mut().zip(vector) {
                *sum += f64::from(value) * f64::from(weight);
            }
        }
        point.clear();
        point.extend(sums.iter().map(|&sum| sum as f32));
    }

    /// The rows of `data` in k dimensions, with their labels. Rows of no known feature stay empty.
    ///
    /// # Errors
    /// If memory is lacking, or values are beyond the numbers of f32.
    pub fn reduce(&self, data: &Dataset, executor: &Executor) -> Result<Dataset, TrainError> {
        let k = self.dimensions();
        let parts = executor.map(data.len().div_ceil(ROWS), Vec::new, |point, job| {
            let rows = job * ROWS..((job + 1) * ROWS).min(data.len());
            let mut made = SparseRows::new(k as u32);
            for row in rows {
                self.apply(data.rows().row(row), point);
                let pairs = (0..).zip(point.iter().copied());
                let dense = SparseVec::from_pairs(pairs);
                let dense = dense.map_err(|_| TrainError::RowTooLong {
                    row: row as u64 + 1,
                })?;
                made.push_checked(dense.view());
            }
            Ok::<_, TrainError>(made)
        });
        let mut rows = SparseRows::new(k as u32);
        let bytes = 8 * (data.len() as u64) * k as u64;
        let room = data.len().saturating_mul(k);
        rows.reserve(data.len(), room)
            .map_err(|_| TrainError::OutOfMemory { bytes })?;
        for part in parts {
            part?.iter().for_each(|row| rows.push_checked(row));
        }
        Ok(data.with_rows(rows))
    }

    /// What was trained on reduced rows, for the rows as they were: `V W` takes the place of an
    /// embedding W of k numbers, which has M numbers a feature however large k is; without an
    /// embedding V is the embedding, and prototypes keep their k numbers (their products with V
    /// would have a number for each feature and label).
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn unfold(
        &self,
        vectors: Vectors,
        executor: &Executor,
    ) -> Result<Vectors, TrainError> {
        let embedding = if vectors.embedding.is_empty() {
            let mut whole = array(self.weights.len(), 0f32)?;
            whole.copy_from_slice(&self.weights);
            whole
        } else {
            self.times(&vectors.embedding, vectors.dimensions, executor)?
        };
        Ok(Vectors {
            embedding,
            ..vectors
        })
    }

    /// V times a matrix of k rows and `columns` columns, summed in f64.
    fn times(
        &self,
        matrix: &[f32],
        columns: usize,
        executor: &Executor,
    ) -> Result<Vec<f32>, TrainError> {
        let k = self.dimensions().max(1);
        let mut whole = array(self.features().saturating_mul(columns), 0f32)?;
        let jobs: Vec<_> = whole
            .chunks_mut((ROWS * columns).max(1))
            .zip(self.weights.chunks(ROWS * k))
            .collect();
        executor.map_items(jobs, |_, (out, weights)| {
            let mut sums = alloc::vec![0f64; columns];
            for (out, vector) in out.chunks_mut(columns.max(1)).zip(weights.chunks(k)) {
                sums.fill(0.0);
                for (&weight, line) in vector.iter().zip(matrix.chunks(columns.max(1))) {
                    for (sum, &value) in sums.iter_mut().zip(line) {
                        *sum += f64::from(weight) * f64::from(value);
                    }
                }
                out.iter_mut()
                    .zip(&sums)
                    .for_each(|(out, &sum)| *out = sum as f32);
            }
        });
        Ok(whole)
    }
}
