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
    let (mut highs, mut lows) = ([ASIDE; 16], [-ASIDE; 16]);
    let mut sum = [0f32; 16];
    let [mut first, mut second, mut third] = [[0f32; 16]; 3];
    for part in chunk.as_chunks::<16>().0 {
        for lane in 0..16 {
            let score = part[lane];
            let short = base + score;
            sum[lane] += above(short, 0.0);
            first[lane] += above(short, less[0]);
            second[lane] += above(short, less[1]);
            third[lane] += above(short, less[2]);
            let high = highs[lane];
            highs[lane] = if score > high { score } else { high };
            let (aside, low) = (score <= 0.5 * ASIDE, lows[lane]);
            lows[lane] = if aside || score > low { low } else { score };
        }
    }
    Chunk {
        sum: add_up(&sum),
        above: [add_up(&first), add_up(&second), add_up(&third)],
        high: f64::from(highs.iter().copied().fold(ASIDE, f32::max)),
        low: f64::from(lows.iter().copied().fold(-ASIDE, f32::min)),
    }
}

#[inline(always)]
fn above(short: f32, less: f32) -> f32 {
    let over = short - less;
    if over > 0.0 { over } else { 0.0 }
}

/// The sum of sixteen lanes, by halves.
#[inline(always)]
fn add_up(lanes: &[f32; 16]) -> f64 {
    let mut eight = [0f64; 8];
    for at in 0..8 {
        eight[at] = f64::from(lanes[at]) + f64::from(lanes[at + 8]);
    }
    let mut four = [0f64; 4];
    for at in 0..4 {
        four[at] = eight[at] + eight[at + 4];
    }
    (four[0] + four[2]) + (four[1] + four[3])
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
