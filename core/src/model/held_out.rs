//! A tenth of the training rows, set aside to judge parameters by.

use crate::random::Stream;
use alloc::vec::Vec;

/// Held-out rows are at most this many: more would cost time and tell little.
const MOST: usize = 2000;

/// A division of the training rows into those that learn and those that judge.
pub(super) struct HeldOut {
    /// Rows to learn from, rising.
    pub(super) fit: Vec<usize>,
    /// Rows to judge by, rising: a tenth, drawn at random.
    pub(super) judge: Vec<usize>,
}

impl HeldOut {
    /// Divides `rows` rows; `None` if one of the parts would be empty.
    pub(super) fn new(rows: usize, seed: u64) -> Option<Self> {
        if rows < 2 {
            return None;
        }
        let mut order: Vec<usize> = (0..rows).collect();
        Stream::new(seed, 0).shuffle(&mut order);
        let mut fit = order.split_off((rows / 10).clamp(1, MOST));
        order.sort_unstable();
        fit.sort_unstable();
        Some(Self { fit, judge: order })
    }
}

#[cfg(test)]
mod tests {
    use super::{HeldOut, MOST};

    #[test]
    fn every_row_is_in_one_part() {
        for rows in [2, 9, 100, 60_000] {
            let parts = HeldOut::new(rows, 7).unwrap();
            assert_eq!(parts.judge.len(), (rows / 10).clamp(1, MOST));
            let mut all = [parts.fit, parts.judge].concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..rows));
        }
        assert!(HeldOut::new(1, 7).is_none());
    }
}
