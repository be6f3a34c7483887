//! Signs of products with Gaussian vectors: what the codes of SimpleLSH are made of.

use crate::{float, random::Stream, sparse::SparseView};
use alloc::{vec, vec::Vec};

/// Projects sparse vectors of any dimension to a few.
///
/// Gaussian numbers are drawn from 4,096 equally likely values: the middles of the quantiles of the
/// normal distribution. They follow from the seed, the feature and the bit alone; those of the
/// first features, up to a megabyte, are kept, since dense rows have these again and again.
///
/// Cost: one number a stored value and bit.
#[derive(Clone, Debug)]
pub(super) struct Projection {
    bits: usize,
    seed: u64,
    /// The positive half of the quantiles.
    quantiles: Vec<f32>,
    /// What the number behind a vector is multiplied with.
    padding: Vec<f32>,
    ratio: f64,
    /// The numbers of the first features.
    kept: Vec<f32>,
}

/// So many numbers are kept.
const KEPT: usize = 1 << 18;

/// Two to this power positive quantiles.
const QUANTILE_BITS: u32 = 11;

/// The job number of the Gaussian numbers of the padding, beyond all features.
const PADDING: u64 = 1 << 32;

impl Projection {
    /// Lengths from one power of `ratio` to the next share a `U`: the larger of the two.
    pub(crate) fn new(bits: usize, ratio: f64, seed: u64) -> Self {
        let count = 1 << QUANTILE_BITS;
        let quantile = |at: u32| half_normal((f64::from(at) + 0.5) / f64::from(count)) as f32;
        let mut made = Self {
            bits,
            seed,
            quantiles: (0..count).map(quantile).collect(),
            padding: Vec::new(),
            ratio: ratio.max(1.01),
            kept: Vec::new(),
        };
        let mut padding = vec![0.0; bits];
        made.add(PADDING, 1.0, &mut padding);
        made.padding = padding;
        let mut kept = vec![0.0; KEPT - KEPT % bits.max(1)];
        for (feature, numbers) in kept.chunks_exact_mut(bits.max(1)).enumerate() {
            made.add(feature as u64, 1.0, numbers);
        }
        made.kept = kept;
        made
    }

    /// The `U` of a vector of this length.
    pub(crate) fn bound(&self, length: f64) -> f64 {
        if length > 0.0 {
            let power = float::ln(length) / float::ln(self.ratio);
            // A length that is a power itself is its own bound, whatever the logarithm's last
            // digit.
            float::power(self.ratio, float::ceil(power - 1e-9))
        } else {
            0.0
        }
    }

    /// Adds `value` times the Gaussian vector of a feature.
    fn add(&self, feature: u64, value: f32, out: &mut [f32]) {
        let place = usize::try_from(feature).unwrap_or(usize::MAX);
        let start = place.saturating_mul(self.bits);
        if let Some(numbers) = self.kept.get(start..start.saturating_add(self.bits)) {
            for (sum, a) in out.iter_mut().zip(numbers) {
                *sum += value * a;
            }
            return;
        }
        const EACH: usize = 64 / (QUANTILE_BITS as usize + 1);
        let mut stream = Stream::new(self.seed, feature);
        for part in out.chunks_mut(EACH) {
            let mut bits = stream.bits();
            for sum in part {
                let size = self.quantiles[(bits & ((1 << QUANTILE_BITS) - 1)) as usize];
                let negative = (bits >> QUANTILE_BITS) & 1 == 1;
                *sum += value * if negative { -size } else { size };
                bits >>= QUANTILE_BITS + 1;
            }
        }
    }

    /// The projections of a query.
    pub(crate) fn query(&self, row: &[(u32, f32)], out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.bits, 0.0);
        for &(feature, value) in row {
            self.add(u64::from(feature), value, out);
        }
    }

    /// The projections of an item with `sqrt(U^2 - ||w||^2)` behind; its `U`.
    pub(crate) fn item(&self, item: SparseView<'_>, out: &mut Vec<f32>) -> f64 {
        out.clear();
        out.resize(self.bits, 0.0);
        for (feature, value) in item.iter() {
            self.add(u64::from(feature), value, out);
        }
        self.pad(item.norm(), out)
    }

    /// Adds to the projections of an item of this length those of `sqrt(U^2 - ||w||^2)`; its `U`.
    pub(crate) fn pad(&self, length: f64, out: &mut [f32]) -> f64 {
        let bound = self.bound(length);
        let pad = float::sqrt((bound * bound - length * length).max(0.0)) as f32;
        for (sum, a) in out.iter_mut().zip(&self.padding) {
            *sum += pad * a;
        }
        bound
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * (self.quantiles.len() + self.padding.len() + self.kept.len())
    }
}

/// The value below which a Gaussian number's size lies with probability `p` (bisection).
fn half_normal(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if float::error_function(middle / core::f64::consts::SQRT_2) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Signs as bits, 64 a word; a zero counts as positive.
pub(super) fn signs(projections: &[f32], out: &mut Vec<u64>) {
    for part in projections.chunks(64) {
        let bits = part.iter().enumerate();
        out.push(bits.fold(0, |word, (at, p)| word | u64::from(*p >= 0.0) << at));
    }
}

#[cfg(test)]
mod tests {
    use super::{Projection, half_normal};
    use alloc::vec::Vec;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        for (p, z) in [(0.5, 0.674_489_75), (0.95, 1.959_963_985)] {
            assert!((half_normal(p) - z).abs() < 1e-8);
        }
        let projection = Projection::new(100_000, 2.0, 7);
        let mut all = Vec::new();
        projection.query(&[(3, 1.0)], &mut all);
        let count = all.len() as f64;
        let mean = all.iter().map(|a| f64::from(*a)).sum::<f64>() / count;
        let square = all.iter().map(|a| f64::from(*a).powi(2)).sum::<f64>() / count;
        // Standard errors: 0.0032 and 0.0045.
        assert!(
            mean.abs() < 0.013 && (square - 1.0).abs() < 0.019,
            "{mean} {square}"
        );
    }

    #[test]
    fn a_length_is_at_most_its_bound() {
        let projection = Projection::new(64, 1.5, 7);
        for length in [1e-9, 0.3, 1.0, 1.5, 1.5000001, 77.0] {
            let bound = projection.bound(length);
            assert!(length <= bound * (1.0 + 1e-8) && bound < 1.51 * length);
        }
    }
}
