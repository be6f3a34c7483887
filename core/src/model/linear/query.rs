//! A row as linear scoring sees it: transformed, then rounded to whole numbers.

use crate::{parameters::RowTransform, sparse::SparseView};
use alloc::vec::Vec;

/// A row of whole numbers, at most 32,767 in sum of sizes; see [`super::sums`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Features, in any order.
    pub features: Vec<u32>,
    /// Their values.
    pub values: Vec<i16>,
    /// What a sum is to be multiplied with, beside its label's scale.
    pub unit: f32,
    reals: Vec<f32>,
}

/// Sizes of a row's values add up to at most this.
const LIMIT: f64 = 32_767.0;

impl Query {
    /// Takes the place of `row`, transformed; features from `features` on are left out.
    pub(crate) fn set(&mut self, row: SparseView<'_>, transform: RowTransform, features: u32) {
        let known = row.indices().partition_point(|&id| id < features);
        self.reals.clear();
        transform.apply(row, &mut self.reals);
        self.reals.truncate(known);
        self.features.clear();
        self.features.extend_from_slice(&row.indices()[..known]);
        self.round();
    }

    /// Takes the place of a row that is transformed already.
    pub(crate) fn set_terms(&mut self, terms: impl Iterator<Item = (u32, f32)>) {
        self.features.clear();
        self.reals.clear();
        for (feature, value) in terms {
            self.features.push(feature);
            self.reals.push(value);
        }
        self.round();
    }

    /// Rounding to the nearest adds at most 1/2 to each size, so the unit leaves room for that;
    /// rows too long for the room are rounded toward zero.
    fn round(&mut self) {
        let total: f64 = self.reals.iter().map(|v| f64::from(v.abs())).sum();
        let room = 0.5 * self.reals.len() as f64;
        let (limit, half): (f64, f64) = if room <= 0.5 * LIMIT {
            (LIMIT - room - 1.0, 0.5)
        } else {
            (LIMIT - 1.0, 0.0)
        };
        let factor = if total > 0.0 { limit / total } else { 0.0 };
        // Values beyond what can be divided by count as an empty row.
        let factor = if factor.is_finite() { factor } else { 0.0 };
        self.values.clear();
        self.values.extend(self.reals.iter().map(|&value| {
            let scaled = f64::from(value) * factor;
            (scaled + half.copysign(scaled)) as i16
        }));
        self.unit = if factor > 0.0 {
            (128.0 / factor).min(super::MOST_UNIT) as f32
        } else {
            0.0
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Query;
    use crate::{parameters::RowTransform, sparse::SparseVec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sizes_never_add_up_to_more_than_sixteen_bits(
            values in prop::collection::vec(-1e6f32..1e6, 0..400),
            exponent in 0.0f64..3.0,
            normalize: bool,
        ) {
            let row = SparseVec::from_pairs(values.into_iter().enumerate().map(|(i, v)| (i as u32, v))).unwrap();
            let mut query = Query::default();
            query.set(row.view(), RowTransform { exponent, normalize }, 390);
            let total: i64 = query.values.iter().map(|v| i64::from(*v).abs()).sum();
            prop_assert!(total <= 32_767);
            prop_assert!(query.features.iter().all(|&id| id < 390));
        }
    }

    #[test]
    fn very_long_and_extreme_rows_stay_within_bounds() {
        let mut query = Query::default();
        query.set_terms((0..100_000).map(|id| (id, 1.0)));
        assert_eq!(query.values.iter().map(|v| i64::from(*v)).sum::<i64>(), 0);
        query.set_terms([(0, f32::MAX), (1, f32::MIN_POSITIVE)].into_iter());
        assert_eq!(query.values[1], 0);
        query.set_terms([(0, 1e-45)].into_iter());
        assert!(query.unit.is_finite());
    }
}
