//! How likely a label is to have been noticed, after which rare labels are weighted.

use super::EvaluationError;
use crate::float;
use alloc::vec::Vec;

/// The largest weight of a label, `2^20`: keeps sums of weights exact over `2^48` labels.
const LARGEST_WEIGHT: f64 = (1u64 << 20) as f64;

/// The inverse propensities `1 / p_l` of the labels.
///
/// Annotators overlook rare labels more often than frequent ones. With N training rows, `N_l` of
/// which carry label l, its propensity, the probability that a row to which it belongs
/// carries it, is modeled as
///
/// ```text
/// p_l = 1 / (1 + C (N_l + B)^-A)        C = (ln N - 1) (B + 1)^A
/// ```
///
/// A = 0.55 and B = 1.5 unless stated; the Extreme Classification Repository uses 0.5 and 0.4
/// for Wikipedia, 0.6 and 2.6 for Amazon. A label no training row carries, also one beyond L, has
/// `N_l = 0`. Below three rows C would be negative and a propensity above 1: there C = 0, every
/// propensity 1.
///
/// Memory: 8 bytes a label.
///
/// Jain, Prabhu, Varma: Extreme Multi-label Loss Functions (KDD 2016), section 4.
#[derive(Clone, Debug, PartialEq)]
pub struct Propensities {
    weights: Vec<f64>,
    weight_unseen: f64,
}

impl Propensities {
    /// A where nothing else is known.
    pub const A: f64 = 0.55;
    /// B where nothing else is known.
    pub const B: f64 = 1.5;

    /// The propensities of labels that occur `frequencies[l]` times in `rows` training rows,
    /// under the parameters `a` and `b`.
    ///
    /// ```
    /// use hapax_core::metrics::Propensities;
    /// let p = Propensities::new(&[100, 0], 1000, Propensities::A, Propensities::B)?;
    /// assert!((p.weight(0) - 1.770_43).abs() < 1e-5);
    /// assert!(p.weight(1) > p.weight(0), "rare labels weigh more");
    /// # Ok::<(), hapax_core::metrics::EvaluationError>(())
    /// ```
    ///
    /// # Errors
    /// If a parameter is out of its range or memory does not suffice.
    pub fn new(frequencies: &[u32], rows: usize, a: f64, b: f64) -> Result<Self, EvaluationError> {
        if !(a.is_finite() && a >= 0.0) {
            return Err(EvaluationError::BadExponent { a });
        }
        if !(b.is_finite() && b > 0.0) {
            return Err(EvaluationError::BadShift { b });
        }
        let c = (float::ln(rows as f64) - 1.0).max(0.0) * float::power(b + 1.0, a);
        let weigh = |frequency: f64| 1.0 + c * float::power(frequency + b, -a);
        let weight_unseen = weigh(0.0);
        // Not a comparison by `>`, which NaN (infinity times zero) would pass.
        if !(1.0..=LARGEST_WEIGHT).contains(&weight_unseen) {
            return Err(EvaluationError::WeightTooLarge {
                weight: weight_unseen,
                limit: LARGEST_WEIGHT,
            });
        }
        let mut weights = Vec::new();
        weights
            .try_reserve_exact(frequencies.len())
            .map_err(EvaluationError::Memory)?;
        weights.extend(frequencies.iter().map(|&n| weigh(f64::from(n))));
        Ok(Self {
            weights,
            weight_unseen,
        })
    }

    /// The inverse propensity of `label`: at least 1, the larger the rarer the label.
    #[must_use]
    pub fn weight(&self, label: u32) -> f64 {
        self.weights
            .get(label as usize)
            .copied()
            .unwrap_or(self.weight_unseen)
    }
}

#[cfg(test)]
mod tests {
    use super::{EvaluationError, Propensities};
    use alloc::string::ToString;

    #[test]
    fn weights_follow_the_formula() {
        // By hand: N = 20, C = (ln 20 - 1) 2.5^0.55 = 3.303555…
        let p = Propensities::new(&[1, 9, 0], 20, 0.55, 1.5).unwrap();
        let c = 1.995_732_273_553_991 * 2.5f64.powf(0.55);
        for (label, n) in [(0, 1.0), (1, 9.0), (2, 0.0), (77, 0.0)] {
            let expected = 1.0 + c / (n + 1.5f64).powf(0.55);
            assert!((p.weight(label) - expected).abs() < 1e-13);
        }
        // With N_l = 1 the factors of B cancel.
        assert!((p.weight(0) - 2.995_732_273_553_991).abs() < 1e-13);
    }

    #[test]
    fn tiny_training_data_weigh_every_label_alike() {
        for rows in 0..3 {
            let p = Propensities::new(&[1, 0], rows, 0.55, 1.5).unwrap();
            assert_eq!((p.weight(0), p.weight(1)), (1.0, 1.0));
        }
    }

    #[test]
    fn bad_parameters_are_refused() {
        for a in [-0.1, f64::NAN, f64::INFINITY] {
            let error = Propensities::new(&[1], 10, a, 1.5).unwrap_err();
            assert!(matches!(error, EvaluationError::BadExponent { .. }));
            assert!(error.to_string().contains(&a.to_string()));
        }
        for b in [0.0, -1.0, f64::NAN] {
            let error = Propensities::new(&[1], 10, 0.55, b).unwrap_err();
            assert!(matches!(error, EvaluationError::BadShift { .. }));
        }
        for (a, b) in [(40.0, 0.5), (1e300, 1.5)] {
            let error = Propensities::new(&[1], 10, a, b).unwrap_err();
            assert!(matches!(error, EvaluationError::WeightTooLarge { .. }));
        }
    }
}
