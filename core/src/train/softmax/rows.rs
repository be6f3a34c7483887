//! Rows after their transform, and what dropout leaves of them.

use super::DROPOUT;
use crate::{data::Dataset, parameters::RowTransform, random::Stream, train::TrainError};
use alloc::{vec, vec::Vec};

/// Rows as training sees them.
pub(super) struct Rows {
    /// The rows' values after the transform, and where each row starts.
    values: Vec<f32>,
    starts: Vec<usize>,
    /// 1 over the mean of the squared lengths of rows: rates are for rows of length 1.
    pub scale: f32,
}

impl Rows {
    pub(super) fn new(data: &Dataset, transform: RowTransform) -> Result<Self, TrainError> {
        let stored = data.rows().nonzeros();
        let (mut values, mut starts) = (Vec::new(), vec![0]);
        let lacking = |_| TrainError::OutOfMemory {
            bytes: 4 * stored as u64,
        };
        values.try_reserve_exact(stored).map_err(lacking)?;
        for row in data.rows().iter() {
            transform.apply(row, &mut values);
            starts.push(values.len());
        }
        let squares = values.iter().map(|&v| f64::from(v) * f64::from(v));
        let square = squares.sum::<f64>() / data.len().max(1) as f64;
        Ok(Self {
            values,
            starts,
            scale: match square > 0.0 {
                true => (1.0 / square) as f32,
                false => 0.0,
            },
        })
    }

    /// The features and values of a row that are not left out in this epoch.
    #[inline(always)]
    pub(super) fn left(
        &self,
        data: &Dataset,
        row: usize,
        (seed, epoch): (u64, u32),
        take: &mut impl FnMut(u32, f32),
    ) {
        let mut stream = Stream::new(seed, u64::from(epoch) << 32 | row as u64);
        let indices = data.rows().row(row).indices();
        for (&feature, &value) in indices.iter().zip(&self.values[self.starts[row]..]) {
            if stream.unit() >= DROPOUT {
                take(feature, value / (1.0 - DROPOUT) as f32);
            }
        }
    }
}
