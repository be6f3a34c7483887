//! How many weights fit a number of bytes.

use super::{
    pack::{Packing, Shape, SizeCounts, WeightSource, pack},
    weights::HeadWeights,
};
use crate::{array::Array, train::TrainError};

/// The search for the threshold by which weights fit a number of bytes.
pub(super) struct Search<'a> {
    pub(super) shape: Shape,
    pub(super) biases: Array<f32>,
    pub(super) importance: &'a [f32],
    /// Bytes of the model beside its weights.
    pub(super) beside: u64,
}

/// Thresholds tried at most.
const TRIES: u32 = 5;

impl Search<'_> {
    fn pack(
        &self,
        source: &impl WeightSource,
        bits: u32,
        prune: f32,
    ) -> Result<HeadWeights, TrainError> {
        let packing = Packing {
            bits,
            prune,
            importance: self.importance,
        };
        pack(source, self.shape, packing, self.biases.clone())
    }

    /// As many of the largest weights, of `bits` bits, as fit into `budget` bytes with the rest of the model.
    pub(super) fn within(
        &self,
        source: &impl WeightSource,
        bits: u32,
        budget: u64,
    ) -> Result<HeadWeights, TrainError> {
        let none = self.pack(source, bits, f32::MAX)?;
        let smallest = none.bytes() as u64 + self.beside;
        if smallest > budget {
            return Err(TrainError::Budget { budget, smallest });
        }
        let counts = SizeCounts::of(source, self.shape, self.importance);
        let (mut best, mut low, mut high) = (none, 0u64, counts.total());
        let mut guess = ((budget - smallest) as f64 / (f64::from(bits) / 4.0)) as u64;
        for _ in 0..TRIES {
            guess = guess.clamp(low, high);
            let weights = self.pack(source, bits, counts.threshold(guess))?;
            let bytes = weights.bytes() as u64 + self.beside;
            let spent = (bytes.max(smallest + 1) - smallest) as f64;
            let next = (0.99 * guess as f64 * (budget - smallest) as f64 / spent) as u64;
            if bytes <= budget {
                low = low.max(guess);
                best = weights;
                if guess == high || budget - bytes < budget / 50 {
                    break;
                }
            } else {
                high = high.min(guess.saturating_sub(1));
            }
            if high <= low {
                break;
            }
            guess = if (low..=high).contains(&next) && next != guess {
                next
            } else {
                low + (high - low) / 2
            };
        }
        Ok(best)
    }
}
