//! Which weights a process changes where several train one machine: those of the features before a border, or those of
//! the border's and of the features after it.
//!
//! A score is the sum over a row's features of the first half, in their order, plus that over those of the second. So two
//! processes that have one half each find the bits that one process finds which has both.

use super::problem::{Problem, Row};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// How many there are.
pub const HALVES: usize = 2;

/// The border between the halves, and what this process has.
#[derive(Clone, Debug, Default)]
pub struct Halves {
    /// The first feature of the second half.
    middle: u32,
    /// D.
    features: u32,
    /// The features whose weights are changed here, and whose places rows have here.
    held: Range<u32>,
    /// The halves that this process writes into checkpoints.
    saved: Range<usize>,
}

impl Halves {
    /// Both halves, which take about equally long to read and change.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        let features = problem.features() as u32;
        Self {
            middle: equal_parts(problem, 0..features, HALVES)[1],
            features,
            held: 0..features,
            saved: 0..HALVES,
        }
    }

    /// What process `rank` of `ranks` has: all if it is on its own, else one half. Half `h` is that of processes h,
    /// h + 2, h + 4 and so on.
    pub fn hold(&mut self, rank: usize, ranks: usize) {
        if ranks == 1 {
            (self.held, self.saved) = (0..self.features, 0..HALVES);
        } else {
            self.held = self.half(rank % HALVES);
            self.saved = rank..(rank + 1).min(HALVES).max(rank);
        }
    }

    /// The halves that this process writes into checkpoints: each is written by one.
    #[must_use]
    pub fn saved(&self) -> Range<usize> {
        self.saved.clone()
    }

    /// All features.
    #[must_use]
    pub fn all(&self) -> Range<u32> {
        0..self.features
    }

    /// The features of a half.
    #[must_use]
    #[inline]
    pub fn half(&self, half: usize) -> Range<u32> {
        if half == 0 {
            0..self.middle
        } else {
            self.middle..self.features
        }
    }

    /// Which half a feature is of.
    #[must_use]
    pub fn half_of(&self, feature: u32) -> usize {
        usize::from(feature >= self.middle)
    }

    /// The features that this process has.
    #[must_use]
    #[inline]
    pub fn held(&self) -> &Range<u32> {
        &self.held
    }

    /// Those of a row's features that this process has.
    #[must_use]
    #[inline]
    pub fn of<'a>(&self, row: Row<'a>) -> Row<'a> {
        if self.held.len() == self.features as usize {
            row
        } else {
            row.part(row.places_of(&self.held))
        }
    }

    /// How many of a row's features are of the first half.
    #[must_use]
    #[inline]
    pub fn first_of(&self, row: Row<'_>) -> usize {
        row.features
            .partition_point(|&feature| feature < self.middle)
    }
}

/// Borders of `parts` ranges of a range of features that take about equally long to read and change: its first feature,
/// where each part but the last ends, and its end.
///
/// The rarer a feature, the less likely are its weights in a cache: a value of the rarest feature counts two and a half
/// times one of the most frequent, as measured on texts (1.6 to 4.1 times).
#[must_use]
pub fn equal_parts(problem: &Problem, range: Range<u32>, parts: usize) -> Vec<u32> {
    let mut counts = vec![0u128; range.len()];
    for row in 0..problem.len() {
        for &feature in problem.row(row).features_in(&range) {
            counts[(feature - range.start) as usize] += 1;
        }
    }
    let values: u128 = counts.iter().sum();
    let mut before = 0;
    let costs = counts.into_iter().map(|count| {
        before += count;
        count * (2 * values + 3 * before)
    });
    let costs: Vec<u128> = costs.collect();
    let total: u128 = costs.iter().sum();
    let (mut borders, mut sum) = (vec![range.start], 0);
    for (feature, cost) in range.clone().zip(costs) {
        if borders.len() < parts && sum * parts as u128 >= total * borders.len() as u128 {
            borders.push(feature);
        }
        sum += cost;
    }
    borders.resize(parts, range.end);
    borders.push(range.end);
    borders
}

#[cfg(test)]
mod tests {
    use super::{Halves, equal_parts};
    use crate::train::exact::problem::tests::random;

    #[test]
    fn parts_hold_all_features_and_the_first_half_more_values() {
        let problem = random(300, 90, 7, 1);
        for (range, parts) in [
            (0..90, 1),
            (0..90, 2),
            (13..90, 3),
            (88..90, 5),
            (40..40, 2),
        ] {
            let borders = equal_parts(&problem, range.clone(), parts);
            assert_eq!(borders.len(), parts + 1);
            assert_eq!((borders[0], borders[parts]), (range.start, range.end));
            assert!(borders.is_sorted(), "{borders:?}");
        }
        let mut halves = Halves::new(&problem);
        let count = |range| -> usize {
            let rows = (0..problem.len()).map(|row| problem.row(row).features_in(&range).len());
            rows.sum()
        };
        let (first, second) = (count(halves.half(0)), count(halves.half(1)));
        assert_eq!(first + second, problem.values());
        let share = first as f64 / problem.values() as f64;
        assert!((0.55..0.65).contains(&share), "{share}");
        for rank in 0..5 {
            halves.hold(rank, 5);
            for row in 0..problem.len() {
                let row = problem.row(row);
                let (first, held) = (halves.first_of(row), halves.of(row).features);
                let expected = [&row.features[..first], &row.features[first..]][rank % 2];
                assert_eq!(held, expected);
            }
        }
    }
}
