//! How right answers are, in three numbers.

use serde::{Deserialize, Serialize};

/// The shares of right labels among the first 1, 3 and 5, averaged over rows; ranks that are not
/// filled count as wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Precision {
    /// Precision at 1.
    pub at_1: f64,
    /// Precision at 3.
    pub at_3: f64,
    /// Precision at 5.
    pub at_5: f64,
}

impl Precision {
    /// How many answers a judgment looks at.
    pub(crate) const DEPTH: usize = 5;

    /// The mean of the three: what parameters are chosen by.
    #[must_use]
    pub(crate) fn mean(&self) -> f64 {
        (self.at_1 + self.at_3 + self.at_5) / 3.0
    }
}
