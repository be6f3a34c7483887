//! What happens to a row's values before training and prediction.

use crate::{float, sparse::SparseView};
use alloc::vec::Vec;

/// What happens to a row's values before training and prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowTransform {
    /// Values are raised to this power, signs kept: a finite number, at least 0.
    pub exponent: f64,
    /// Whether the row is then divided by its Euclidean length.
    pub normalize: bool,
}

impl RowTransform {
    /// The transformed values of `row`, behind those already in `out`.
    pub(crate) fn apply(&self, row: SparseView<'_>, out: &mut Vec<f32>) {
        let start = out.len();
        let mut square = 0f64;
        out.extend(row.values().iter().map(|&value| {
            let raised = if self.exponent == 1.0 {
                value
            } else {
                let size = float::power(f64::from(value.abs()), self.exponent);
                (size as f32).min(f32::MAX).copysign(value)
            };
            square += f64::from(raised) * f64::from(raised);
            raised
        }));
        if self.normalize && square > 0.0 {
            let factor = 1.0 / float::sqrt(square);
            for value in &mut out[start..] {
                *value = (f64::from(*value) * factor) as f32;
            }
        }
    }
}
