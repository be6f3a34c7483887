//! Questions to the duals of a row.

use super::{Duals, REST};

impl Duals {
    /// The dual of a class, by its number within the bundle.
    #[cfg(test)]
    pub(crate) fn of(&self, class: u32) -> f64 {
        let listed = self.listed.iter().find(|listed| listed.0 == class);
        listed.map_or(self.shared, |listed| listed.1)
    }

    /// Whether these can be the duals of a row, all of them from 0 to `cost`, for a bundle of so
    /// many classes.
    pub(crate) fn fit(&self, classes: usize, cost: f64) -> bool {
        let rising = self.listed.is_sorted_by(|a, b| a.0 < b.0);
        let last = self.listed.last();
        let all = self.listed.iter().map(|dual| dual.1).chain([self.shared]);
        let mut all = all.map(|dual| (0.0..=cost).contains(&dual));
        let rests = self.rest <= self.rested && self.rested <= REST;
        rising
            && last.is_none_or(|dual| (dual.0 as usize) < classes)
            && rests
            && all.all(|fits| fits)
    }
}
