//! Rows that may be neighbors, chosen by their bounds.

use alloc::vec::Vec;

/// Rows and their bounds, packed so that integers order them: the bits of the bound (which is
/// not negative) above the row id.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    keys: Vec<u64>,
}

/// The bounds of all rows, and what is left out.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a> {
    pub(super) rows: &'a [f32],
    /// The highest of each 64 rows.
    pub(super) highest: &'a [f32],
    /// One bit a row.
    pub(super) removed: &'a [u64],
}

impl Candidates {
    /// Chooses the `count` rows of highest positive bounds, in no order.
    pub(super) fn choose_best(&mut self, bounds: Bounds<'_>, count: usize) {
        self.keys.clear();
        let limit = count.min(bounds.rows.len()).saturating_mul(4).max(256);
        let mut least = 0.0;
        for word in 0..bounds.highest.len() {
            if bounds.highest[word] > least {
                self.push_word(bounds, word, least);
                if self.keys.len() >= limit {
                    least = self.keep_best(count).max(least);
                }
            }
        }
        self.keep_best(count);
    }

    /// Chooses all rows whose bounds exceed `least`, highest first.
    pub(super) fn choose_above(&mut self, bounds: Bounds<'_>, least: f32) {
        self.keys.clear();
        for word in 0..bounds.highest.len() {
            if bounds.highest[word] > least {
                self.push_word(bounds, word, least);
            }
        }
        self.keys.sort_unstable_by(|a, b| b.cmp(a));
    }

    /// Appends those of 64 rows whose bounds exceed `least`.
    fn push_word(&mut self, bounds: Bounds<'_>, word: usize, least: f32) {
        let removed = bounds.removed.get(word).copied().unwrap_or(0);
        let rows = bounds.rows.get(word * 64..).unwrap_or(&[]);
        let mut found = [0u64; 64];
        let mut count = 0;
        for (within, &bound) in rows.iter().take(64).enumerate() {
            found[count % 64] = u64::from(bound.to_bits()) << 32 | (word * 64 + within) as u64;
            count += usize::from(bound > least && removed >> within & 1 == 0);
        }
        self.keys.extend_from_slice(&found[..count]);
    }

    /// Drops all but the `count` highest; returns the lowest bound kept, 0 if nothing was dropped.
    fn keep_best(&mut self, count: usize) -> f32 {
        if self.keys.len() <= count || count == 0 {
            return 0.0;
        }
        let (_, &mut last, _) = self.keys.select_nth_unstable_by(count - 1, |a, b| b.cmp(a));
        self.keys.truncate(count);
        f32::from_bits((last >> 32) as u32)
    }

    /// Up to four rows at a time, with the bound of the first.
    pub(super) fn fours(&self) -> impl Iterator<Item = (f32, [u32; 4], usize)> {
        self.keys.chunks(4).map(|keys| {
            let bound = f32::from_bits((keys[0] >> 32) as u32);
            let rows = core::array::from_fn(|lane| keys.get(lane).map_or(0, |&key| key as u32));
            (bound, rows, keys.len())
        })
    }

    /// The rows chosen.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.keys.iter().map(|&key| key as u32 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Candidates};
    use crate::random::Stream;
    use alloc::vec::Vec;

    #[test]
    fn the_best_and_those_above_are_found() {
        let mut stream = Stream::new(9, 0);
        let rows: Vec<f32> = (0..5000).map(|_| stream.below(400) as f32).collect();
        let highest: Vec<f32> = rows
            .chunks(64)
            .map(|rows| rows.iter().copied().fold(0.0, f32::max))
            .collect();
        let removed = [u64::MAX, 5];
        let bounds = Bounds {
            rows: &rows,
            highest: &highest,
            removed: &removed,
        };
        let is_left =
            |row: usize| row >= 128 || (64..128).contains(&row) && 5 >> (row - 64) & 1 == 0;
        let mut left: Vec<f32> = (0..5000)
            .filter(|&row| is_left(row))
            .map(|row| rows[row])
            .collect();
        left.sort_by(|a, b| b.total_cmp(a));
        let mut candidates = Candidates::default();
        for count in [1, 7, 75, 2000, 9000] {
            candidates.choose_best(bounds, count);
            let mut found: Vec<f32> = candidates.rows().map(|row| rows[row]).collect();
            assert!(candidates.rows().all(is_left));
            found.sort_by(|a, b| b.total_cmp(a));
            let positive = left.iter().filter(|&&bound| bound > 0.0).count();
            assert_eq!(found, left[..count.min(positive)]);
        }
        candidates.choose_above(bounds, 300.0);
        let found: Vec<f32> = candidates.rows().map(|row| rows[row]).collect();
        let expected: Vec<f32> = left
            .iter()
            .copied()
            .filter(|&bound| bound > 300.0)
            .collect();
        assert_eq!(found, expected);
    }
}
