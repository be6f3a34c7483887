//! How similar two sparse vectors are: a power of the Jaccard index times the cosine.

use crate::{float, sparse::SparseView};

/// The similarity `J^beta * cos` of a query x and a row d.
///
/// * `J = c / (|x|_0 + |d|_0 - c)`, where c features are stored in both: the Jaccard index of
///   the sets of stored features;
/// * `cos = dot / (|x| |d|)`, where `dot` is the `f32` sum of the `f32` products of shared
///   features in rising order of feature, and the norms are `f64` (see [`SparseView::norm`]);
/// * the result is computed in `f64` and rounded to `f32`.
///
/// Every search computes exactly this, so that their answers agree to the bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Similarity {
    beta: f64,
}

impl Similarity {
    /// `J^beta * cos`, for a finite `beta >= 0`.
    pub(crate) const fn new(beta: f64) -> Self {
        Self { beta }
    }

    /// The exponent of the Jaccard index.
    #[must_use]
    pub(crate) fn beta(self) -> f64 {
        self.beta
    }

    /// The similarity of two vectors.
    ///
    /// Cost: O(|x|_0 + |d|_0).
    #[must_use]
    pub(crate) fn between(self, x: SparseView<'_>, d: SparseView<'_>) -> f32 {
        let (mut dot, mut shared) = (0f32, 0usize);
        let mut rest = d.iter().peekable();
        for (feature, value) in x.iter() {
            while rest.next_if(|&(other, _)| other < feature).is_some() {}
            if let Some((_, other)) = rest.next_if(|&(other, _)| other == feature) {
                dot += value * other;
                shared += 1;
            }
        }
        self.of(dot, shared, x.len() + d.len(), x.norm() * d.norm())
    }

    /// The similarity from its parts: `both` is `|x|_0 + |d|_0`, `norms` is `|x| |d|`.
    /// Zero where no feature is shared or the dot product overflows.
    pub(crate) fn of(self, dot: f32, shared: usize, both: usize, norms: f64) -> f32 {
        if shared == 0 || !dot.is_finite() {
            return 0.0;
        }
        let jaccard = shared as f64 / (both - shared) as f64;
        (float::power(jaccard, self.beta) * (f64::from(dot) / norms)) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::Similarity;
    use crate::sparse::SparseVec;

    /// A row of cosine 1/2 and Jaccard index 1/4 with the query.
    #[test]
    fn beta_scales_by_the_jaccard_index() {
        let x = SparseVec::from_pairs([(0, 1.0), (3, 1.0)]).unwrap();
        let d = SparseVec::from_pairs([(0, 1.0), (2, 0.8), (5, 0.6)]).unwrap();
        for (beta, expected) in [(0.0, 0.5), (1.0, 0.125), (2.0, 0.031_25)] {
            let similarity = Similarity::new(beta).between(x.view(), d.view());
            assert!((similarity - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn nothing_shared_and_overflow_are_zero() {
        let similarity = Similarity::new(1.0);
        let x = SparseVec::from_pairs([(0, f32::MAX), (1, f32::MAX)]).unwrap();
        let d = SparseVec::from_pairs([(2, 1.0)]).unwrap();
        assert_eq!(similarity.between(x.view(), d.view()), 0.0);
        assert_eq!(similarity.between(x.view(), x.view()), 0.0);
        assert_eq!(similarity.between(d.view(), Default::default()), 0.0);
    }
}
