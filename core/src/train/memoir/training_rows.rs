//! The rows as training sees them: transformed, with the constant feature behind.

use crate::parameters::memoir::Memoir;
use crate::{data::Dataset, sparse::SparseRows, train::TrainError};
use alloc::vec::Vec;

/// Rows of a data set, transformed when they are asked for.
///
/// Memory: 8 bytes a row where values are only scaled, 4 bytes a value where they are raised to a
/// power.
#[derive(Clone, Debug)]
pub(crate) struct TrainingRows<'a> {
    rows: &'a SparseRows,
    kept: Kept,
    bias: f32,
}

#[derive(Clone, Debug)]
enum Kept {
    /// What the values of each row are to be multiplied with.
    Factors(Vec<f64>),
    /// All values, and where each row begins.
    Values(Vec<f32>, Vec<usize>),
}

impl<'a> TrainingRows<'a> {
    pub(crate) fn new(data: &'a Dataset, parameters: &Memoir) -> Result<Self, TrainError> {
        let (rows, transform) = (data.rows(), parameters.transform());
        let kept = if transform.exponent == 1.0 {
            let mut factors = reserve(rows.len(), 8)?;
            factors.extend(rows.iter().map(|row| match row.norm() {
                norm if transform.normalize && norm > 0.0 => 1.0 / norm,
                _ => 1.0,
            }));
            Kept::Factors(factors)
        } else {
            let (mut values, mut starts) = (reserve(rows.nonzeros(), 4)?, reserve(rows.len(), 8)?);
            for row in rows.iter() {
                starts.push(values.len());
                transform.apply(row, &mut values);
            }
            Kept::Values(values, starts)
        };
        let bias = parameters.bias as f32;
        Ok(Self { rows, kept, bias })
    }

    /// Number of features, the constant one included.
    pub(crate) fn features(&self) -> usize {
        self.rows.features() as usize + usize::from(self.bias != 0.0)
    }

    /// Appends the features of a row and their values to `out`.
    pub(crate) fn terms(&self, row: u32, out: &mut Vec<(u32, f32)>) {
        let row = row as usize;
        let view = self.rows.row(row);
        match &self.kept {
            Kept::Factors(factors) => {
                let factor = factors[row];
                let scaled = |value: f32| (f64::from(value) * factor) as f32;
                out.extend(view.iter().map(|(feature, value)| (feature, scaled(value))));
            }
            Kept::Values(values, starts) => {
                let values = &values[starts[row]..starts[row] + view.len()];
                out.extend(view.indices().iter().copied().zip(values.iter().copied()));
            }
        }
        if self.bias != 0.0 {
            out.push((self.rows.features(), self.bias));
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match &self.kept {
            Kept::Factors(factors) => 8 * factors.len(),
            Kept::Values(values, starts) => 4 * values.len() + 8 * starts.len(),
        }
    }
}

fn reserve<T>(count: usize, size: u64) -> Result<Vec<T>, TrainError> {
    let mut made = Vec::new();
    made.try_reserve_exact(count)
        .map_err(|_| TrainError::OutOfMemory {
            bytes: size * count as u64,
        })?;
    Ok(made)
}
