//! Rows that may be neighbors, chosen by their bounds.

use crate::{kernels::bounds::RUN, top::nth};
use alloc::vec::Vec;

/// Rows and their bounds, packed so that rising integers order them: the bits of the bound (which
/// is not negative) above the row id, all of them turned round.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    keys: Vec<u64>,
}

/// The bounds of all rows.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a> {
    pub(super) rows: &'a [f32],
    /// The highest of each [`RUN`] rows.
    pub(super) highest: &'a [f32],
}

impl Candidates {
    /// A bound that at least `count` rows reach: the `count`-th of the highest of each run.
    pub(super) fn reached(&mut self, bounds: Bounds<'_>, count: usize) -> f32 {
        self.keys.clear();
        let highest = bounds.highest.iter();
        self.keys
            .extend(highest.map(|high| !u64::from(high.to_bits())));
        if count == 0 || count > self.keys.len() {
            return 0.0;
        }
        let last = nth(&mut self.keys, count - 1);
        f32::from_bits(!last as u32)
    }

    /// Chooses all rows whose bounds are positive and at least `least`, highest first.
    pub(super) fn choose(&mut self, bounds: Bounds<'_>, least: f32) {
        self.keys.clear();
        for (run, (rows, &high)) in bounds.rows.chunks(RUN).zip(bounds.highest).enumerate() {
            if high > 0.0 && high >= least {
                for (within, &bound) in rows.iter().enumerate() {
                    if bound > 0.0 && bound >= least {
                        let row = (run * RUN + within) as u64;
                        self.keys.push(!(u64::from(bound.to_bits()) << 32 | row));
                    }
                }
            }
        }
        self.keys.sort_unstable();
    }

    /// Up to four rows at a time, with the bound of the first.
    pub(super) fn fours(&self) -> impl Iterator<Item = (f32, [u32; 4], usize)> {
        self.keys.chunks(4).map(|keys| {
            let bound = f32::from_bits((!keys[0] >> 32) as u32);
            let rows = core::array::from_fn(|lane| keys.get(lane).map_or(0, |&key| !key as u32));
            (bound, rows, keys.len())
        })
    }

    /// The rows chosen.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.keys.iter().map(|&key| !key as u32 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Candidates, RUN};
    use crate::random::Stream;
    use alloc::vec::Vec;

    #[test]
    fn all_above_a_bound_are_chosen_and_the_first_bound_is_low_enough() {
        let mut stream = Stream::new(9, 0);
        let rows: Vec<f32> = (0..5000).map(|_| stream.below(400) as f32).collect();
        let highest: Vec<f32> = rows
            .chunks(RUN)
            .map(|rows| rows.iter().copied().fold(0.0, f32::max))
            .collect();
        let bounds = Bounds {
            rows: &rows,
            highest: &highest,
        };
        let mut candidates = Candidates::default();
        for count in [0, 1, 7, 75, 300, 313, 9000] {
            let least = candidates.reached(bounds, count);
            candidates.choose(bounds, least);
            let found: Vec<f32> = candidates.rows().map(|row| rows[row]).collect();
            let mut expected = rows.clone();
            expected.retain(|&bound| bound > 0.0 && bound >= least);
            expected.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(found, expected);
            assert!(found.len() >= count.min(expected.len()));
        }
    }
}
