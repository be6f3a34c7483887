//! The inner loops of a survey: scores of all classes from dense features, and what they amount to.

use crate::train::multiclass::{class_weights::ClassWeights, narrow_vec::Numbers};
use core::{array::from_fn, hint::black_box};

/// Classes whose largest score is looked at first.
pub const CHUNK: usize = 64;

/// A score that no class with a dual reaches: it stands for classes that are dealt with elsewhere.
pub const ASIDE: f32 = -1e30;

/// Adds to the scores of all classes what dense features give, in their order.
#[inline(always)]
pub fn add_class_weights(sums: &mut [f32], weights: &ClassWeights, terms: &[(u32, f32)]) {
    let of = |feature: u32| weights.of(feature as usize);
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

/// Adds to the scores what lists of weights give, in their order.
#[inline(always)]
pub fn add_listed_weights(sums: &mut [f32], weights: &ClassWeights, terms: &[(u32, f32)]) {
    match weights.lists() {
        Numbers::Narrow(classes) => add_listed(sums, classes, weights, terms),
        Numbers::Wide(classes) => add_listed(sums, classes, weights, terms),
    }
}

#[inline(always)]
fn add_listed<C: Copy + Into<u32>>(
    sums: &mut [f32],
    classes: &[C],
    weights: &ClassWeights,
    terms: &[(u32, f32)],
) {
    for &(feature, value) in terms {
        let (weights, list) = (weights.of(feature as usize), weights.list(feature as usize));
        for (&class, &weight) in classes[list].iter().zip(weights) {
            sums[class.into() as usize] += weight * value;
        }
    }
}

/// The sums of a chunk's shortfalls above 0, and above each of three thresholds, in sixteen lanes.
#[inline(always)]
#[must_use]
pub fn class_shortfalls(chunk: &[f32; CHUNK], base: f32, less: [f32; 3]) -> [f64; 4] {
    let mut sum = [0f32; 16];
    let [mut first, mut second, mut third] = [[0f32; 16]; 3];
    for part in chunk.as_chunks::<16>().0 {
        for lane in 0..16 {
            let short = base + part[lane];
            sum[lane] += above(short, 0.0);
            first[lane] += above(short, less[0]);
            second[lane] += above(short, less[1]);
            third[lane] += above(short, less[2]);
        }
    }
    [sum, first, second, third].map(|lanes| add_up(&lanes))
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
        // Chunks taken side by side would be read by gathering, which takes four times as long.
        *high = class_high(black_box(chunk));
    }
}

#[inline(always)]
fn class_high(chunk: &[f32; CHUNK]) -> f32 {
    let parts = chunk.as_chunks::<16>().0;
    let lanes = parts[1..].iter().fold(parts[0], |lanes, part| {
        from_fn(|lane| higher(lanes[lane], part[lane]))
    });
    by_halves(&lanes, higher)
}

/// The lowest score of a chunk that is not [`ASIDE`], in sixteen lanes; its opposite if all are.
#[inline(always)]
#[must_use]
pub fn class_low(chunk: &[f32; CHUNK]) -> f32 {
    let mut lanes = [-ASIDE; 16];
    for part in chunk.as_chunks::<16>().0 {
        for lane in 0..16 {
            let (score, low) = (part[lane], lanes[lane]);
            let aside = score <= 0.5 * ASIDE;
            lanes[lane] = if aside || score > low { low } else { score };
        }
    }
    by_halves(&lanes, |a, b| if b < a { b } else { a })
}

#[inline(always)]
fn higher(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Sixteen lanes made one.
#[inline(always)]
fn by_halves(lanes: &[f32; 16], of: impl Fn(f32, f32) -> f32) -> f32 {
    let mut eight = [0f32; 8];
    for at in 0..8 {
        eight[at] = of(lanes[at], lanes[at + 8]);
    }
    let mut four = [0f32; 4];
    for at in 0..4 {
        four[at] = of(eight[at], eight[at + 4]);
    }
    of(of(four[0], four[2]), of(four[1], four[3]))
}
