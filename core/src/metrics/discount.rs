//! The discounts of ranks in nDCG.

use crate::float;
use alloc::vec::Vec;

/// `1 / log2(rank + 1)` for the ranks 1, 2, … and the sums of the first of them, as far as they
/// have been asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Discounts {
    discounts: Vec<f64>,
    sums: Vec<f64>,
}

impl Discounts {
    /// Makes the discounts of the ranks `1..=ranks` available.
    pub(super) fn reach(&mut self, ranks: usize) {
        while self.discounts.len() < ranks {
            let rank = self.discounts.len() + 1;
            let discount = float::ln(2.0) / float::ln((rank + 1) as f64);
            let before = self.sums.last().copied().unwrap_or(0.0);
            self.discounts.push(discount);
            self.sums.push(before + discount);
        }
    }

    /// The discount at position `position` (rank less 1), 0 beyond what was reached.
    pub(super) fn at(&self, position: usize) -> f64 {
        self.discounts.get(position).copied().unwrap_or(0.0)
    }

    /// The DCG of hits at the first `hits` ranks, of those that were reached.
    pub(super) fn ideal(&self, hits: usize) -> f64 {
        match hits.min(self.sums.len()).checked_sub(1) {
            Some(last) => self.sums[last],
            None => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Discounts;

    #[test]
    fn the_first_discounts() {
        let mut discounts = Discounts::default();
        discounts.reach(3);
        assert!((discounts.at(0) - 1.0).abs() < 1e-15);
        assert!((discounts.at(1) - 0.630_929_753_571_457_4).abs() < 1e-15);
        assert!((discounts.at(2) - 0.5).abs() < 1e-15);
        assert!((discounts.ideal(3) - 2.130_929_753_571_457_4).abs() < 1e-15);
        assert_eq!(discounts.ideal(0), 0.0);
        assert_eq!(discounts.at(3), 0.0);
    }
}
