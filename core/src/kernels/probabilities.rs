//! Probabilities of the buckets of one head from their logits.

use super::terms::LANES;
use crate::float::exp_f32;

/// The sum of lanes, in halves.
#[inline(always)]
pub(crate) fn fold(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] += lanes[i + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Turns the logits of one head into probabilities that sum to 1.
#[inline(always)]
pub(crate) fn softmax(logits: &mut [f32]) {
    let mut lanes = [f32::MIN; LANES];
    let (chunks, rest) = logits.as_chunks::<LANES>();
    for chunk in chunks {
        (0..LANES).for_each(|i| {
            lanes[i] = if chunk[i] > lanes[i] {
                chunk[i]
            } else {
                lanes[i]
            }
        });
    }
    let largest = lanes
        .iter()
        .chain(rest)
        .fold(f32::MIN, |a, &b| if b > a { b } else { a });
    let mut lanes = [0f32; LANES];
    let (chunks, rest) = logits.as_chunks_mut::<LANES>();
    for chunk in chunks {
        for i in 0..LANES {
            chunk[i] = exp_f32(chunk[i] - largest);
            lanes[i] += chunk[i];
        }
    }
    for (value, lane) in rest.iter_mut().zip(&mut lanes) {
        *value = exp_f32(*value - largest);
        *lane += *value;
    }
    let factor = 1.0 / fold(lanes);
    logits.iter_mut().for_each(|value| *value *= factor);
}

/// Turns each logit into the probability of its bucket.
#[inline(always)]
pub(crate) fn sigmoids(logits: &mut [f32]) {
    logits
        .iter_mut()
        .for_each(|value| *value = 1.0 / (1.0 + exp_f32(-*value)));
}
