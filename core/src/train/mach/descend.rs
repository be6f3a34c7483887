//! How one row's step changes weights, once the gradient of the logits is known: the last part of
//! [`super::step`].

use super::step::Step;
use crate::{
    float::inverse_sqrt_f32,
    kernels::terms::{LANES, add_scaled, each_lane},
};
use hapax_processor::fetch_second;

/// Added to accumulated squares before their root is divided by.
const TINY: f32 = 1e-20;

impl Step<'_> {
    /// First the sums of squares of all terms, whose roots are then taken side by side, whatever
    /// the number of heads; then the weights.
    #[inline(always)]
    pub(super) fn descend_by_feature(&mut self) {
        let (width, heads) = (self.gradient.len(), self.sizes.len());
        for (place, term) in self.terms.iter().enumerate() {
            let at = term.row as usize * heads;
            let (Some(sums), Some(steps)) = (
                self.squares.get_mut(at..at + heads),
                self.steps.get_mut(place * heads..(place + 1) * heads),
            ) else {
                continue;
            };
            add_scaled(sums, self.sizes, term.value * term.value);
            steps.copy_from_slice(sums);
        }
        for step in self.steps.iter_mut() {
            *step = inverse_sqrt_f32(*step + TINY);
        }
        for (place, term) in self.terms.iter().enumerate() {
            let at = term.row as usize;
            let (Some(weights), Some(steps)) = (
                self.weights.get_mut(at * width..(at + 1) * width),
                self.steps.get_mut(place * heads..(place + 1) * heads),
            ) else {
                continue;
            };
            let rate = self.rate * term.value;
            for step in steps.iter_mut() {
                *step *= rate;
            }
            if self.sparse || !self.buckets.is_multiple_of(LANES) {
                descend_heads(weights, self.gradient, steps, self.buckets, self.sparse);
            } else {
                descend_vectors(weights, self.gradient, steps, self.buckets / LANES);
            }
        }
    }

    #[inline(always)]
    pub(super) fn descend(&mut self) {
        let width = self.gradient.len();
        for term in self.terms {
            let at = term.row as usize * width;
            if let Some(weights) = self.weights.get_mut(at..at + width) {
                descend_along(weights, self.gradient, self.rate * term.value, self.sparse);
            }
        }
    }
}

/// A weight after a step; one of 0 stays if `sparse`.
#[inline(always)]
fn moved(weight: f32, step: f32, sparse: bool) -> f32 {
    if sparse && weight == 0.0 {
        0.0
    } else {
        weight - step
    }
}

/// `weights[i] -= step * gradient[i]`; those of 0 stay if `sparse`.
#[inline(always)]
fn descend_along(weights: &mut [f32], gradient: &[f32], step: f32, sparse: bool) {
    if sparse {
        each_lane(
            weights,
            gradient,
            #[inline(always)]
            |w, g| moved(w, step * g, true),
        );
    } else {
        add_scaled(weights, gradient, -step);
    }
}

/// [`descend_along`] head by head, each with a step of its own.
#[inline(always)]
fn descend_heads(
    weights: &mut [f32],
    gradient: &[f32],
    steps: &[f32],
    buckets: usize,
    sparse: bool,
) {
    for (head, step) in steps.iter().enumerate() {
        let at = head * buckets;
        let block = (
            weights.get_mut(at..at + buckets),
            gradient.get(at..at + buckets),
        );
        if let (Some(weights), Some(gradient)) = block {
            descend_along(weights, gradient, *step, sparse);
        }
    }
}

/// The same where a head is so many whole vectors, which are fetched line by line: rows are in the
/// second cache.
#[inline(always)]
fn descend_vectors(weights: &mut [f32], gradient: &[f32], steps: &[f32], vectors: usize) {
    let (weights, _) = weights.as_chunks_mut::<LANES>();
    let (gradient, _) = gradient.as_chunks::<LANES>();
    let count = steps.len() * vectors;
    let (Some(weights), Some(gradient)) = (weights.get_mut(..count), gradient.get(..count)) else {
        return;
    };
    for (head, &step) in steps.iter().enumerate() {
        for at in head * vectors..(head + 1) * vectors {
            fetch_second(&weights[at]);
            let (mut lanes, along) = (weights[at], gradient[at]);
            for i in 0..LANES {
                lanes[i] -= step * along[i];
            }
            weights[at] = lanes;
        }
    }
}
