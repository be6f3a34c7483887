//! How one row's step changes weights, once the gradient of the logits is known: the last part of [`super::step`].

use super::step::{LANES, Line, Step};
use crate::float::inverse_sqrt_f32;

/// Added to accumulated squares before their root is divided by.
const TINY: f32 = 1e-20;

/// Terms between the one whose sums of squares are fetched and the one that is descended along: those sums are in no
/// cache yet, while the weights were read for the logits.
const AHEAD: usize = 6;

impl Step<'_> {
    #[inline(always)]
    pub(super) fn descend_by_feature(&mut self, fetch: impl Fn(&Line) + Copy) {
        let (width, heads) = (self.gradient.len(), self.sizes.len());
        for (place, term) in self.terms.iter().enumerate() {
            if let Some(later) = self.terms.get(place + AHEAD) {
                let start = later.row as usize * heads;
                let whole = heads.next_multiple_of(LANES);
                let sums = self.squares.get(start..start + whole).unwrap_or(&[]);
                sums.as_chunks::<LANES>().0.iter().for_each(fetch);
            }
            let at = term.row as usize;
            let Some(sums) = self.squares.get_mut(at * heads..(at + 1) * heads) else {
                continue;
            };
            let Some(weights) = self.weights.get_mut(at * width..(at + 1) * width) else {
                continue;
            };
            add_scaled(sums, self.sizes, term.value * term.value);
            let rate = self.rate * term.value;
            each_lane(
                self.steps,
                sums,
                #[inline(always)]
                |_, sum| rate * inverse_sqrt_f32(sum + TINY),
            );
            let blocks = weights.chunks_exact_mut(self.buckets);
            let gradients = self.gradient.chunks_exact(self.buckets);
            for ((weights, gradient), step) in blocks.zip(gradients).zip(self.steps.iter()) {
                descend_along(weights, gradient, *step, self.sparse);
            }
        }
    }

    #[inline(always)]
    pub(super) fn descend_by_weight(&mut self) {
        let width = self.gradient.len();
        for term in self.terms {
            let at = term.row as usize * width;
            let (Some(weights), Some(sums)) = (
                self.weights.get_mut(at..at + width),
                self.squares.get_mut(at..at + width),
            ) else {
                continue;
            };
            each_lane(
                sums,
                self.gradient,
                #[inline(always)]
                |sum, g| sum + (term.value * g) * (term.value * g),
            );
            let rate = self.rate * term.value;
            let gradients = self.gradient.as_chunks::<LANES>();
            let (chunks, rest) = weights.as_chunks_mut::<LANES>();
            let (sums, last) = sums.as_chunks::<LANES>();
            for ((weights, sums), gradient) in chunks.iter_mut().zip(sums).zip(gradients.0) {
                let mut lanes = *weights;
                for i in 0..LANES {
                    let step = rate * gradient[i] * inverse_sqrt_f32(sums[i] + TINY);
                    lanes[i] = moved(lanes[i], step, self.sparse);
                }
                *weights = lanes;
            }
            for ((weight, sum), g) in rest.iter_mut().zip(last).zip(gradients.1) {
                *weight = moved(
                    *weight,
                    rate * g * inverse_sqrt_f32(*sum + TINY),
                    self.sparse,
                );
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

    /// Pulls the touched weights toward zero.
    #[inline(always)]
    pub(super) fn shrink(&mut self) {
        let width = self.gradient.len();
        let [absolute, share] = self.shrink.map(|by| by * self.rate);
        for term in self.terms {
            let at = term.row as usize * width;
            for weight in self.weights.get_mut(at..at + width).unwrap_or(&mut []) {
                let less = (weight.abs() * (1.0 - share) - absolute).max(0.0);
                *weight = less.copysign(*weight);
            }
        }
    }
}

/// `a[i] = change(a[i], b[i])`.
///
/// All numbers of a vector are read before one is written: the compiler need not prove that `a` and `b` are apart.
#[inline(always)]
fn each_lane(a: &mut [f32], b: &[f32], change: impl Fn(f32, f32) -> f32 + Copy) {
    let (chunks, rest) = a.as_chunks_mut::<LANES>();
    let (others, last) = b.as_chunks::<LANES>();
    for (a, b) in chunks.iter_mut().zip(others) {
        let (mut lanes, b) = (*a, *b);
        for i in 0..LANES {
            lanes[i] = change(lanes[i], b[i]);
        }
        *a = lanes;
    }
    rest.iter_mut()
        .zip(last)
        .for_each(|(a, b)| *a = change(*a, *b));
}

/// `a[i] += scale * b[i]`.
#[inline(always)]
pub(super) fn add_scaled(a: &mut [f32], b: &[f32], scale: f32) {
    each_lane(
        a,
        b,
        #[inline(always)]
        |a, b| a + scale * b,
    );
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
