//! Rows to learn from and rows held out to choose by, always the same ones.

use crate::random::Stream;
use alloc::{collections::TryReserveError, vec::Vec};
use core::{fmt, ops::Range};

/// The job number of the stream that draws a split, far from those that trainers count up
/// from 0: frozen, for a change here changes every tuned model.
const SPLIT_JOB: u64 = 0x7370_6c69_7400_0000;

/// A division of rows in two. Both lists are rising and together hold every row once.
///
/// Memory: one word a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The rows to learn from, rising.
    pub train: Vec<usize>,
    /// The rows to judge by, rising.
    pub held_out: Vec<usize>,
}

/// Why rows cannot be divided.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SplitError {
    /// The share to hold out is not between 0 and 1.
    BadShare {
        /// The refused share.
        share: f64,
    },
    /// One of the two sides would be empty.
    EmptySide {
        /// Number of rows.
        rows: usize,
        /// How many of them would be held out.
        held_out: usize,
    },
    /// There is no memory for the row numbers.
    Memory(TryReserveError),
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadShare { share } => write!(
                f,
                "the share of rows to hold out is {share}: give a number above 0 and below 1, \
                 such as 0.1"
            ),
            Self::EmptySide { rows, held_out } => write!(
                f,
                "of {rows} rows {held_out} would be held out, but both sides need a row: \
                 give more rows or another share"
            ),
            Self::Memory(error) => write!(f, "no memory for the row numbers: {error}"),
        }
    }
}

impl core::error::Error for SplitError {}

impl Split {
    /// Holds out `share` of the rows `0..rows`, drawn at random under `seed`: `share * rows` of
    /// them, rounded, but at least one, and at least one left for training.
    ///
    /// Cost: O(rows). Errors as those of [`LabelLists::split`](super::LabelLists::split).
    pub(crate) fn new(rows: usize, share: f64, seed: u64) -> Result<Self, SplitError> {
        check(share)?;
        if rows < 2 {
            return Err(SplitError::EmptySide { rows, held_out: 0 });
        }
        // The conversion cuts off, so adding a half rounds.
        let held_out = ((rows as f64 * share + 0.5) as usize).clamp(1, rows - 1);
        let mut order = Vec::new();
        order.try_reserve_exact(rows).map_err(SplitError::Memory)?;
        order.extend(0..rows);
        Stream::new(seed, SPLIT_JOB).shuffle(&mut order);
        let mut train = order.split_off(held_out);
        train.sort_unstable();
        order.sort_unstable();
        Ok(Self {
            train,
            held_out: order,
        })
    }

    /// With further rows to learn from, which follow all others.
    pub(super) fn and_learn_from(mut self, rows: Range<usize>) -> Result<Self, SplitError> {
        let room = self.train.try_reserve_exact(rows.len());
        room.map_err(SplitError::Memory)?;
        self.train.extend(rows);
        Ok(self)
    }
}

fn check(share: f64) -> Result<(), SplitError> {
    if share > 0.0 && share < 1.0 {
        Ok(())
    } else {
        Err(SplitError::BadShare { share })
    }
}

#[cfg(test)]
mod tests {
    use super::{Split, SplitError};
    use alloc::{string::ToString, vec::Vec};
    use proptest::prelude::*;

    fn is_division(split: &Split, rows: usize) -> bool {
        let rising = |side: &[usize]| side.windows(2).all(|pair| pair[0] < pair[1]);
        let mut all: Vec<usize> = [&split.train[..], &split.held_out[..]].concat();
        all.sort_unstable();
        rising(&split.train) && rising(&split.held_out) && all.into_iter().eq(0..rows)
    }

    proptest! {
        #[test]
        fn every_row_is_on_one_side(rows in 2usize..300, share in 0.001f64..0.999, seed: u64) {
            let split = Split::new(rows, share, seed).unwrap();
            prop_assert!(is_division(&split, rows));
            prop_assert_eq!(&split, &Split::new(rows, share, seed).unwrap());
            let wanted = (rows as f64 * share).round().clamp(1.0, rows as f64 - 1.0);
            prop_assert!((split.held_out.len() as f64 - wanted).abs() < 0.5);
        }
    }

    /// Frozen: a change here changes which rows are held out everywhere.
    #[test]
    fn the_held_out_rows_are_frozen() {
        let split = Split::new(50, 0.1, 42).unwrap();
        assert_eq!(split.held_out, FROZEN);
        assert_ne!(split, Split::new(50, 0.1, 43).unwrap());
    }

    // Computed by another program, in Python.
    const FROZEN: [usize; 5] = [9, 25, 36, 41, 49];

    /// Each row is held out equally often: chi-squared over the rows, p = 1e-4.
    #[test]
    fn every_row_is_held_out_equally_often() {
        let mut counts = [0u32; 10];
        for seed in 0..10_000 {
            for &row in &Split::new(10, 0.3, seed).unwrap().held_out {
                counts[row] += 1;
            }
        }
        let chi: f64 = counts
            .iter()
            .map(|&c| (f64::from(c) - 3e3).powi(2) / 3e3)
            .sum();
        assert!(chi < 33.7, "{counts:?}");
    }

    #[test]
    fn each_rule_has_its_refusal() {
        for share in [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY] {
            let error = Split::new(10, share, 0).unwrap_err();
            assert!(matches!(error, SplitError::BadShare { .. }));
            assert!(error.to_string().contains(&share.to_string()));
        }
        for rows in [0, 1] {
            let error = Split::new(rows, 0.5, 0).unwrap_err();
            assert_eq!(error, SplitError::EmptySide { rows, held_out: 0 });
        }
        let error = Split::new(usize::MAX, 0.5, 0).unwrap_err();
        assert!(matches!(error, SplitError::Memory(_)));
    }
}
