//! The duals of one row: few by class, the rest in one number.

use crate::train::multiclass::narrow_vec::Numbers;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The duals of a row: those of its listed classes, and one that all other wrong classes share.
///
/// Memory: 12 bytes a listed class and 2 for each value of the row and listed class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RowDuals {
    /// The dual that every class which is not listed shares.
    pub shared: f64,
    /// The sum of the row's duals.
    pub total: f64,
    /// Listed classes, in the order in which they were listed.
    pub classes: Vec<u32>,
    /// Their duals.
    pub alphas: Vec<f64>,
    /// For each feature of the row the places of its own class and of the listed ones among the
    /// feature's weights.
    pub places: Numbers,
    /// In how many visits, one after the other, the duals did not move.
    pub still: u32,
}

impl RowDuals {
    /// How many classes of `classes` share one dual.
    #[must_use]
    #[inline]
    pub(crate) fn sharing(&self, classes: usize) -> usize {
        classes - 1 - self.classes.len()
    }
}

/// The duals of consecutive rows, in at most so many parts, each with the number of its first row.
pub fn chunks(duals: &mut [RowDuals], parts: usize) -> Vec<(usize, &mut [RowDuals])> {
    let each = duals.len().div_ceil(parts.max(1)).max(1);
    let numbered = duals.chunks_mut(each).enumerate();
    numbered.map(|(at, part)| (at * each, part)).collect()
}
