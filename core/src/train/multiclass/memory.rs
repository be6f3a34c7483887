//! How much memory training will need, before it begins.

use crate::data::Dataset;
use crate::parameters::multiclass::{MultiClassLoss, MultiClassSvm};
use crate::train::multiclass::lee_lin_wahba::row_step::LANES;

/// Classes that a row lists, as seen on texts; at most the others there are.
pub(crate) const LISTED: u64 = 20;

/// Labels from which numbers of classes and places take four bytes, not two.
const WIDE: u64 = 1 << 16;

impl MultiClassSvm {
    /// An estimate, in bytes, of the most memory that training on `data` will hold at once, without
    /// `data` itself.
    ///
    /// Rows are counted; how many classes they come to list is not known beforehand, so it is put
    /// at 20, and a feature's weights at what its rows can give them.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset) -> u64 {
        let (rows, labels) = (data.len() as u64, u64::from(data.labels().labels()));
        let features = u64::from(data.rows().features());
        let values = data.rows().nonzeros() as u64;
        if self.loss == MultiClassLoss::LeeLinWahba {
            let lanes = labels.next_multiple_of(LANES as u64);
            // Weights once more as they are stored, and in the model twice while it is made.
            let dense = 8 * (rows * lanes + features * (labels + 1)) + 12 * features * labels;
            return dense + 24 * values + 64 * rows;
        }
        let listed = LISTED.min(labels.saturating_sub(1));
        let weights = weights_of(data, listed);
        let number = if labels > WIDE { 4 } else { 2 };
        let duals = rows * (224 + 12 * listed) + number * values * (1 + listed);
        // A weight's class, which is there twice while lists grow, itself, and a byte of room to
        // grow.
        // The rows are there twice while the objective of the stored weights is computed.
        32 * values + duals + (2 * number + 5) * weights + 28 * features + 64 * labels
    }
}

/// About how many weights come to be, if rows list so many classes each.
pub(crate) fn weights_of(data: &Dataset, listed: u64) -> u64 {
    let labels = u64::from(data.labels().labels());
    let weights = |frequency: u32| (u64::from(frequency) * (1 + listed)).min(labels);
    // Where there is no memory to count them, there is none to train.
    let frequencies = data.rows().document_frequencies();
    frequencies.map_or(u64::MAX / 64, |all| all.into_iter().map(weights).sum())
}
