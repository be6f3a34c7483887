//! How many weights fit a number of bytes.

use super::pack::{Packing, Shape, SizeCounts, WeightSource, pack};
use crate::{
    array::Array, executor::Executor, model::mach::head_weights::HeadWeights, train::TrainError,
};

/// The search for the threshold by which weights fit a number of bytes.
pub(super) struct Search<'a> {
    pub(super) shape: Shape,
    pub(super) biases: Array<f32>,
    pub(super) importance: &'a [f32],
    /// Bytes of the model beside its weights.
    pub(super) beside: u64,
    pub(super) executor: &'a Executor,
}

/// Thresholds tried, unless none of them fits.
const TRIES: u32 = 8;

/// Thresholds tried at most: the halves of 2^64 weights come to one.
const MOST_TRIES: u32 = 64;

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
        let biases = self.biases.clone();
        pack(source, self.shape, packing, biases, self.executor)
    }

    /// As many of the largest weights, of `bits` bits, as fit into `budget` bytes with the rest of
    /// the model.
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
        let counts = SizeCounts::of(source, self.shape, self.importance, self.executor);
        let room = (budget - smallest) as f64;
        let (mut best, mut low, mut high) = (none, 0u64, counts.total());
        let mut guess = (room / (f64::from(bits) / 4.0)) as u64;
        for tried in 1..=MOST_TRIES {
            guess = guess.clamp(low, high);
            let weights = self.pack(source, bits, counts.threshold(guess))?;
            let bytes = weights.bytes() as u64 + self.beside;
            let fits = bytes <= budget;
            if fits {
                low = guess;
                best = weights;
                if guess == high || budget - bytes < budget / 50 {
                    break;
                }
            } else {
                high = guess.saturating_sub(1);
            }
            if high <= low || (tried >= TRIES && best.nonzeros() > 0) {
                break;
            }
            // Bytes hardly grow beyond the weights that are rounded to nothing, and few weights
            // take more bytes each than many: where too many were tried twice, the share that would
            // fit is too many again.
            let spent = (bytes.max(smallest + 1) - smallest) as f64;
            let next = (0.99 * guess as f64 * room / spent) as u64;
            let half = low + (high - low).div_ceil(2);
            guess = match (low + 1..=high).contains(&next) {
                true if fits || tried < 2 => next,
                true => next.min(half),
                false => half,
            };
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::Search;
    use crate::{
        array::Array,
        executor::Sequential,
        model::mach::head_weights::{Form, HeadWeights},
        random::Stream,
        train::{
            TrainError,
            mach::pack::{Packing, Shape, pack},
        },
    };
    use alloc::vec::Vec;

    const FEATURES: u32 = 1000;

    fn shape(repetitions: usize, buckets: usize) -> Shape {
        Shape {
            features: FEATURES,
            repetitions,
            buckets,
            centered: false,
        }
    }

    /// Weights of very different sizes; or in each record one that lets all others be rounded to
    /// nothing.
    fn weights(shape: Shape, alike: bool, dice: &mut Stream) -> HeadWeights {
        let width = shape.repetitions * shape.buckets;
        let mut all: Vec<f32> = Vec::new();
        for _ in 0..shape.records() {
            let large = dice.below(width as u64) as usize;
            all.extend((0..width).map(|place| match (alike, place == large) {
                (true, _) => ((dice.unit() - 0.5) * 10.0).powi(5) as f32,
                (false, true) => 100.0 * (1.0 + dice.unit()) as f32,
                (false, false) => dice.unit() as f32,
            }));
        }
        let form = Form::Dense(all.into());
        let biases = biases(shape);
        HeadWeights::from_parts(
            shape.features,
            shape.repetitions,
            shape.buckets,
            biases,
            form,
        )
        .unwrap()
    }

    fn biases(shape: Shape) -> Array<f32> {
        alloc::vec![0.0; shape.repetitions * shape.buckets].into()
    }

    #[test]
    fn any_budget_above_the_smallest_is_used_nearly_as_well_as_by_trying_all_thresholds() {
        let mut dice = Stream::new(5, 5);
        for (repetitions, buckets, alike) in
            [(4, 16, true), (1, 64, true), (4, 64, false), (9, 8, false)]
        {
            let shape = shape(repetitions, buckets);
            let source = weights(shape, alike, &mut dice);
            for bits in [4, 8] {
                let packed = |prune| {
                    let packing = Packing {
                        bits,
                        prune,
                        importance: &[],
                    };
                    pack(&source, shape, packing, biases(shape), &Sequential).unwrap()
                };
                let ladder = (0..75).map(|step| packed(3200.0 * 0.87f32.powi(step)));
                let ladder: Vec<HeadWeights> = ladder.collect();
                let smallest = packed(f32::MAX).bytes() as u64;
                let search = Search {
                    shape,
                    biases: biases(shape),
                    importance: &[],
                    beside: 100,
                    executor: &Sequential,
                };
                for more in [60u64, 300, 1000, 3000, 8000, 10_000, 11_000, 10_000_000] {
                    let budget = smallest + 100 + more;
                    let found = search.within(&source, bits, budget).unwrap();
                    let within = |w: &&HeadWeights| w.bytes() as u64 + 100 <= budget;
                    assert!(within(&&found));
                    let most = ladder
                        .iter()
                        .filter(within)
                        .map(HeadWeights::nonzeros)
                        .max();
                    // Eight of a few weights are within what thresholds are told apart by.
                    let (own, most) = (found.nonzeros(), most.unwrap_or(0));
                    assert!(
                        own as f64 + 8.0 >= 0.7 * most as f64,
                        "{own} of {most} weights of {bits} bits in {more} bytes, {repetitions} x {buckets}"
                    );
                }
                let refused = search.within(&source, bits, smallest + 99);
                let budget = smallest + 99;
                let smallest = smallest + 100;
                assert_eq!(refused.err(), Some(TrainError::Budget { budget, smallest }));
            }
        }
    }
}
