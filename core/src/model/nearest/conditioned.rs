//! Rows as the search compares them.

use crate::{
    float::power,
    sparse::{SparseRows, SparseVec, SparseView},
};

/// Norms outside of this range are brought into it, so that no product overflows or vanishes.
const NORMS: core::ops::Range<f64> = 1.0 / 1_048_576.0..1_048_576.0;

/// Turns every value `v` of `row` into `sign(v) |v|^exponent`, and scales the row by a power of two
/// where its norm is very large or small. Cosine and Jaccard similarity do not see the scale, and
/// scaling by a power of two is exact, so ordinary rows with exponent 1 stay as they are.
///
/// Values more than 2^126 times smaller than the norm vanish. `into` is overwritten.
pub(crate) fn condition(row: SparseView<'_>, exponent: f64, into: &mut SparseVec) {
    let raised = |value: f32| {
        let magnitude = power(f64::from(value.abs()), exponent).clamp(f64::MIN_POSITIVE, f64::MAX);
        if value < 0.0 { -magnitude } else { magnitude }
    };
    let largest = row
        .values()
        .iter()
        .map(|&v| raised(v).abs())
        .fold(0.0, f64::max);
    // Relative to the largest value the sum of squares can neither overflow nor vanish.
    let squares: f64 = row
        .values()
        .iter()
        .map(|&v| (raised(v) / largest) * (raised(v) / largest))
        .sum();
    let norm = largest * crate::float::sqrt(squares);
    let scale = if NORMS.contains(&norm) || row.is_empty() {
        1.0
    } else {
        power_of_two_below(norm)
    };
    into.clear();
    for (index, value) in row.iter() {
        // Indices rise as they did in `row` and values are at most the norm: finite.
        let _ = into.push(index, (raised(value) / scale) as f32);
    }
}

/// The largest power of two that is not above `value`, which is positive; between 2^-1000 and
/// 2^1000.
fn power_of_two_below(value: f64) -> f64 {
    let exponent = (value.to_bits() >> 52) as i64 - 1023;
    f64::from_bits(((exponent.clamp(-1000, 1000) + 1023) as u64) << 52)
}

/// All rows, each conditioned.
pub(crate) fn conditioned_rows(rows: &SparseRows, exponent: f64) -> SparseRows {
    let mut conditioned = SparseRows::new(rows.features());
    let mut buffer = SparseVec::default();
    for row in rows.iter() {
        condition(row, exponent, &mut buffer);
        // Cannot fail: conditioning keeps or drops indices.
        let _ = conditioned.push(buffer.view());
    }
    conditioned
}

#[cfg(test)]
mod tests {
    use super::condition;
    use crate::sparse::{SparseVec, SparseView};
    use proptest::prelude::*;

    fn conditioned(values: &[f32], exponent: f64) -> SparseVec {
        let indices: alloc::vec::Vec<u32> = (0..values.len() as u32).collect();
        let mut into = SparseVec::default();
        condition(
            SparseView::new(&indices, values).unwrap(),
            exponent,
            &mut into,
        );
        into
    }

    #[test]
    fn ordinary_rows_are_left_alone() {
        assert_eq!(
            conditioned(&[0.5, -2.0, 1e-4], 1.0).view().values(),
            [0.5, -2.0, 1e-4]
        );
        assert_eq!(conditioned(&[0.5, -2.0], 2.0).view().values(), [0.25, -4.0]);
        assert!(conditioned(&[], 1.0).view().is_empty());
    }

    proptest! {
        #[test]
        fn every_row_ends_with_a_norm_that_products_survive(
            values in prop::collection::vec(prop::num::f32::NORMAL, 1..8),
            exponent in 0.01f64..8.0,
        ) {
            let norm = conditioned(&values, exponent).view().norm();
            prop_assert!((1e-7..1e7).contains(&norm), "norm {norm}");
        }
    }
}
