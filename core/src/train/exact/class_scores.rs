//! The inner loops of a survey: scores of all classes from dense features, and what they amount to.

use super::weights::FeatureWeights;

/// Classes whose largest score is looked at first.
pub const CHUNK: usize = 64;

/// A score that no class with a dual reaches: it stands for classes that are dealt with elsewhere.
pub const ASIDE: f32 = -1e30;

/// What is known of some classes: the sum of their shortfalls above 0, and the highest and lowest
/// score, or shortfall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chunk {
    /// The sum.
    pub sum: f64,
    /// The sums of what is above each of three thresholds.
    pub above: [f64; 3],
    /// The highest.
    pub high: f64,
    /// The lowest.
    pub low: f64,
}

/// Adds to the scores of all classes what dense features give, in their order.
#[inline(always)]
pub fn add_class_weights(sums: &mut [f32], lists: &[FeatureWeights], terms: &[(u32, f32)]) {
    let of = |feature: u32| &lists[feature as usize].weights[..];
    let (fours, last) = terms.as_chunks::<4>();
    for &[a, b, c, d] in fours {
        let weights = of(a.0).iter().zip(of(b.0)).zip(of(c.0)).zip(of(d.0));
        for (sum, (((&wa, &wb), &wc), &wd)) in sums.iter_mut().zip(weights) {
            *sum = *sum + wa * a.1 + wb * b.1 + wc * c.1 + wd * d.1;
        }
    }
    for &(feature, value) in last {
        for (sum, &weight) in sums.iter_mut().zip(of(feature)) {
            *sum += weight * value;
        }
    }
}

/// Sums and extremes of a chunk of scores, in sixteen lanes; `less` are the thresholds of shortfalls.
#[inline(always)]
#[must_use]
pub fn class_shortfalls(chunk: &[f32; CHUNK], base: f32, less: [f32; 3]) -> Chunk {
    let (mut sums, mut highs, mut lows) = ([0f32; 16], [ASIDE; 16], [-ASIDE; 16]);
    let mut above = [[0f32; 16]; 3];
    for part in chunk.as_chunks::<16>().0 {
        for lane in 0..16 {
            let score = part[lane];
            let short = base + score;
            sums[lane] += if short > 0.0 { short } else { 0.0 };
            for (above, less) in above.iter_mut().zip(less) {
                let over = short - less;
                above[lane] += if over > 0.0 { over } else { 0.0 };
            }
            highs[lane] = if score > highs[lane] {
                score
            } else {
                highs[lane]
            };
            let low = if score > 0.5 * ASIDE { score } else { -ASIDE };
            lows[lane] = if low < lows[lane] { low } else { lows[lane] };
        }
    }
    Chunk {
        sum: sums.iter().map(|&s| f64::from(s)).sum(),
        above: above.map(|sums| sums.iter().map(|&s| f64::from(s)).sum()),
        high: f64::from(highs.iter().copied().fold(ASIDE, f32::max)),
        low: f64::from(lows.iter().copied().fold(-ASIDE, f32::min)),
    }
}

/// The highest score of each chunk, in sixteen lanes.
#[inline(always)]
pub fn class_highs(sums: &[[f32; CHUNK]], highs: &mut [f32]) {
    for (chunk, high) in sums.iter().zip(highs) {
        let mut lanes = [ASIDE; 16];
        for part in chunk.as_chunks::<16>().0 {
            for (lane, &score) in lanes.iter_mut().zip(part) {
                *lane = if score > *lane { score } else { *lane };
            }
        }
        *high = lanes.iter().copied().fold(ASIDE, f32::max);
    }
}
