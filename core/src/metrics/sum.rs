//! A sum of real numbers that does not depend on their order.

/// Bits behind the binary point.
const FRACTION: u32 = 60;

/// The sum of non-negative numbers in fixed point: a multiple of `2^-60`, up to `2^68`.
///
/// Adding integers is associative and commutative, so the sum of many rows has the same bits
/// however the rows were divided among threads and merged. A number is cut off to a multiple of
/// `2^-60`, which leaves every number of `2^-8` and more as it is, so a mean is off by less than
/// `2^-60`. Beyond `2^68` the sum stays at its largest value, which keeps the order irrelevant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum(u128);

impl Sum {
    /// Adds `value`; negative numbers and NaN count as zero.
    pub(super) fn add(&mut self, value: f64) {
        // The product is exact (a power of two) and the conversion saturates.
        let scaled = (value * (1u64 << FRACTION) as f64) as u128;
        self.0 = self.0.saturating_add(scaled);
    }

    /// Adds another sum.
    pub(super) fn merge(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    /// The sum divided by `count`; 0 if nothing was counted.
    pub(super) fn mean(self, count: u64) -> f64 {
        if count == 0 {
            return 0.0;
        }
        self.0 as f64 / (1u64 << FRACTION) as f64 / count as f64
    }

    /// The quotient of two sums; 0 if `whole` is zero.
    pub(super) fn share_of(self, whole: Self) -> f64 {
        if whole.0 == 0 {
            return 0.0;
        }
        self.0 as f64 / whole.0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Sum;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn sum_of(values: &[f64]) -> Sum {
        let mut sum = Sum::default();
        for &value in values {
            sum.add(value);
        }
        sum
    }

    proptest! {
        #[test]
        fn any_order_and_division_gives_the_same_bits(
            values in prop::collection::vec(0.0f64..50.0, 1..200),
            cut in 0usize..200,
        ) {
            let whole = sum_of(&values);
            let (front, back) = values.split_at(cut.min(values.len()));
            let mut parts = sum_of(back);
            parts.merge(sum_of(front));
            prop_assert_eq!(parts, whole);
            let backwards: Vec<f64> = values.iter().rev().copied().collect();
            prop_assert_eq!(sum_of(&backwards), whole);
            let plain = values.iter().sum::<f64>() / values.len() as f64;
            prop_assert!((whole.mean(values.len() as u64) - plain).abs() < 1e-12);
        }
    }

    #[test]
    fn ends_and_odd_values() {
        assert_eq!(sum_of(&[]).mean(0), 0.0);
        assert_eq!(sum_of(&[f64::NAN, -3.0, 0.25]).mean(1), 0.25);
        let full = sum_of(&[f64::INFINITY, 1.0]);
        assert_eq!(full, sum_of(&[1.0, f64::MAX]));
        assert_eq!(sum_of(&[0.5]).share_of(sum_of(&[2.0])), 0.25);
        assert_eq!(sum_of(&[0.5]).share_of(sum_of(&[])), 0.0);
    }
}
