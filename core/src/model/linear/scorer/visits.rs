//! What an answer reads of the weights: its cost, whatever the machine.

use super::{LinearScorer, PAGE};
use crate::sparse::SparseView;

impl LinearScorer {
    /// How many bytes of heads, and how many weights of tails, are added up for `row`.
    pub(crate) fn visits(&self, row: SparseView<'_>) -> (usize, usize) {
        let pages = self.order.len().div_ceil(PAGE);
        let known = row.indices().iter().map(|&feature| feature as usize);
        let of = |feature: usize| {
            let (start, end) = (feature * pages, (feature + 1) * pages);
            let tails = self.tail_offsets[end] - self.tail_offsets[start];
            (self.head_parts[feature].1 as usize, tails as usize)
        };
        known
            .filter(|&feature| feature < self.head_parts.len())
            .map(of)
            .fold((0, 0), |sums, of| (sums.0 + of.0, sums.1 + of.1))
    }
}
