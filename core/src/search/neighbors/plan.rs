//! What a query asks of the index, and how far rounding can lead its bounds astray.
//!
//! Let q = x/|x| and d = d_i/|d_i|. The tail's share of the cosine is estimated by
//! `(sum_j w_j v_ij) / F` over shared tail features, with v_ij the posted value in steps s_j and
//! `w_j = round(F q_j s_j)`. Then
//!
//! * `|v_ij s_j - d_j| <= s_j / 2` by rounding of values: together at most
//!   `E_1 = sum_j |q_j| s_j / 2` over the query's tail;
//! * `|w_j - F q_j s_j| = r_j` by rounding of weights: together at most
//!   `E_2 = sum_j r_j max|v| / F`;
//! * the `f32` dot product of c shared features exceeds the true one by at most
//!   `(c + 1) 2^-24` of `|x| |d|` (with underflow excluded by a least norm of 2^-40), and
//!   conversions to `f32` add less: together `E_3 = (|x|_0 + 8) 2^-22`.
//!
//! `slack = E_1 + E_2 + E_3` (times 1.001 for its own rounding) is added to every estimate. The
//! remaining dozen operations of a bound each err by 2^-24 of it and are covered by the factor
//! 1.00001 on the whole.
//!
//! F is so large that a sum just fits its bits: by Cauchy-Schwarz
//! `|sum_j w_j v_ij| <= F (1 + E_1) + m max|v| / 2` for any m shared features and in any
//! order of summation, and this must stay below 2^21.

use super::{
    NeighborIndex,
    build::SMALLEST_NORM,
    cut::{GROUPS, group},
    index::ABSENT,
};
use crate::kernels::bounds::{SUM_BITS, SUM_ZERO};
use crate::{float, sparse::SparseView};
use alloc::vec::Vec;

/// Most shared tail features that can be counted beside the sum.
const MOST_SHARED: usize = (1 << (32 - SUM_BITS)) - 1;

/// A tail feature of the query: what each posting adds is `value * weight + base`, wrapping.
#[derive(Clone, Copy, Debug)]
pub(super) struct TailFeature {
    pub(super) tail: u32,
    pub(super) weight: u32,
    pub(super) base: u32,
    share: f64,
}

/// The parts of a query that the bounds need; see the module's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) selected: Vec<u16>,
    pub(super) tails: Vec<TailFeature>,
    pub(super) group_weights: [u16; GROUPS],
    pub(super) group_scale: f32,
    pub(super) sum_scale: f32,
    pub(super) slack: f32,
}

impl Plan {
    /// Prepares for `query`; false if no bounds can be had and every row must be scored.
    pub(super) fn prepare(&mut self, index: &NeighborIndex, query: SparseView<'_>) -> bool {
        let norm = query.norm();
        self.selected.clear();
        self.tails.clear();
        if !index.bounded || norm < SMALLEST_NORM {
            return false;
        }
        let mut squares = [0f64; GROUPS];
        for (feature, value) in query.iter() {
            let place = match index.places.get(feature as usize) {
                None | Some(&ABSENT) => continue,
                Some(&place) => place,
            };
            let share = f64::from(value) / norm;
            if let Some(tail) = place.checked_sub(index.heads) {
                self.tails.push(TailFeature {
                    tail,
                    weight: 0,
                    base: 0,
                    share,
                });
            } else {
                self.selected.push(place as u16);
                squares[group(place as usize, index.heads as usize)] += share * share;
            }
        }
        self.weigh_groups(squares.map(float::sqrt));
        self.weigh_tail(index, query.len())
    }

    /// Weights that sum to at most 257, so that a weighted sum of bytes fits 16 bits.
    fn weigh_groups(&mut self, norms: [f64; GROUPS]) {
        let total: f64 = norms.iter().sum();
        let scale = if total > 0.0 {
            (257 - GROUPS) as f64 / total
        } else {
            1.0
        };
        for (weight, norm) in self.group_weights.iter_mut().zip(norms) {
            let floor = (norm * scale) as u16;
            *weight = floor + u16::from(f64::from(floor) < norm * scale);
        }
        self.group_scale = (1.000_001 / (255.0 * scale)) as f32;
    }

    fn weigh_tail(&mut self, index: &NeighborIndex, query_length: usize) -> bool {
        let step = |tail: u32| f64::from(index.steps.get(tail as usize).copied().unwrap_or(0.0));
        let shared = self.tails.len().min(index.longest_tail as usize);
        if shared > MOST_SHARED {
            return false;
        }
        let largest = if index.signed { 128.0 } else { 255.0 };
        let value_error: f64 = self
            .tails
            .iter()
            .map(|feature| feature.share.abs() * step(feature.tail) / 2.0)
            .sum();
        let room = f64::from(SUM_ZERO) - 2.0 - shared as f64 * largest / 2.0;
        let scale = room / (1.001 * (1.0 + value_error));
        let mut weight_error = 0.0;
        for feature in &mut self.tails {
            let exact = scale * feature.share * step(feature.tail);
            // Rounds to the nearest, half away from zero.
            let rounded = (exact + if exact < 0.0 { -0.5 } else { 0.5 }) as i32;
            weight_error += (exact - f64::from(rounded)).abs() * largest / scale;
            feature.weight = rounded as u32;
            feature.base =
                (1u32 << SUM_BITS).wrapping_sub(rounded.wrapping_mul(index.zero()) as u32);
        }
        let float_error = (query_length as f64 + 8.0) / f64::from(1 << SUM_BITS);
        self.sum_scale = (1.0 / scale) as f32;
        self.slack = ((value_error + weight_error + float_error) * 1.001) as f32;
        true
    }
}
