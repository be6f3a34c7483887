//! Values raised to a power, to give large ones more weight or less.

use crate::{
    float,
    sparse::{SparseError, SparseRows},
};
use alloc::vec::Vec;

/// Every value `v` as `sign(v) * |v|^exponent`, kept within the finite numbers other than zero, so
/// that no entry is lost. An exponent above 1 lets a row's few large values decide more.
///
/// # Errors
/// If the exponent is not finite, for then a value would not be.
pub fn raise_values(rows: &SparseRows, exponent: f64) -> Result<SparseRows, SparseError> {
    if exponent == 1.0 {
        return Ok(rows.clone());
    }
    let mut offsets = Vec::with_capacity(rows.len() + 1);
    offsets.push(0);
    let mut indices = Vec::with_capacity(rows.nonzeros());
    let mut values = Vec::with_capacity(rows.nonzeros());
    for row in rows.iter() {
        indices.extend_from_slice(row.indices());
        values.extend(row.values().iter().map(|&value| raise(value, exponent)));
        offsets.push(indices.len());
    }
    SparseRows::from_parts(offsets, indices, values, rows.features())
}

fn raise(value: f32, exponent: f64) -> f32 {
    let size = float::power(f64::from(value.abs()), exponent);
    let size = size.clamp(f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)) as f32;
    if value < 0.0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::raise_values;
    use crate::sparse::{SparseRows, SparseView};

    #[test]
    fn signs_and_supports_stay() {
        let mut rows = SparseRows::new(4);
        let row = SparseView::new(&[0, 1, 3], &[4.0, -9.0, 1e-30]).unwrap();
        rows.push(row).unwrap();
        let raised = raise_values(&rows, 0.5).unwrap();
        assert_eq!(raised.row(0).values()[..2], [2.0, -3.0]);
        assert_eq!(
            raise_values(&rows, 2.0).unwrap().row(0).values()[2],
            f32::MIN_POSITIVE
        );
        assert_eq!(raise_values(&rows, 1.0).unwrap(), rows);
        assert!(raise_values(&rows, f64::NAN).is_err());
    }
}
