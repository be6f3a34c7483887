//! The state of a MEMOIR training between two steps.

use super::{Storage, Trainer};
use crate::train::{
    memoir::feature_lists::SavedLists,
    state::{Resumable, StateError, read, write},
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    steps: u64,
    /// Of the stream of balanced draws.
    position: u64,
    weights: SavedLists<'a>,
}

impl Resumable for Trainer<'_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        // What a search that follows the weights knows is not saved.
        let Storage::Features(weights) = &self.weights.0 else {
            return Err(StateError::Unwritable);
        };
        let saved = Saved {
            steps: self.t,
            position: self.draws.position(),
            weights: weights.saved(),
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        if saved.steps > self.total {
            return Err(StateError::Beyond {
                what: "step",
                value: saved.steps,
                limit: self.total.saturating_add(1),
            });
        }
        let Storage::Features(weights) = &mut self.weights.0 else {
            return Err(StateError::Malformed);
        };
        weights.restore(saved.weights)?;
        self.t = saved.steps;
        let batch = u64::from(self.parameters.batch);
        self.draws
            .go_to(self.t.saturating_mul(batch), saved.position);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Trainer;
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::{
            memoir::parameters::{Draws, Length, Memoir},
            state::Resumable,
        },
    };
    use alloc::vec::Vec;

    fn data() -> Dataset {
        let mut dice = Stream::new(5, 5);
        let (mut rows, mut labels) = (SparseRows::new(40), LabelLists::new(30));
        for row in 0..700u32 {
            let terms = (0..6).map(|_| {
                let feature = (u64::from(row % 30) + dice.below(12)) % 40;
                (feature as u32, 0.2 + dice.unit() as f32)
            });
            let terms: Vec<(u32, f32)> = terms.collect();
            rows.push(SparseVec::from_pairs(terms).unwrap().view())
                .unwrap();
            labels.push([row % 30]);
        }
        Dataset::new(rows, labels, None).unwrap()
    }

    fn ways() -> [Memoir; 4] {
        let base = Memoir {
            length: Length::Epochs(22),
            ..Memoir::default()
        };
        [
            base.clone(),
            Memoir {
                draws: Draws::Balanced,
                ..base.clone()
            },
            Memoir {
                batch: 100,
                ..base.clone()
            },
            base.with_l1(30),
        ]
    }

    fn ended(trainer: &mut Trainer<'_>) -> Vec<u8> {
        while trainer.step(&Sequential).is_some() {}
        trainer.to_bytes().unwrap()
    }

    #[test]
    fn a_training_left_after_any_part_ends_as_one_that_was_not() {
        let data = data();
        for way in ways() {
            let expected = ended(&mut way.trainer(&data).unwrap());
            let mut left = way.trainer(&data).unwrap();
            for part in 0..60 {
                if part % 3 == 0 {
                    let mut again = way.trainer(&data).unwrap();
                    again.resume(&left.to_bytes().unwrap()).unwrap();
                    assert!(
                        ended(&mut again) == expected,
                        "left after {part} of {way:?}"
                    );
                }
                if left.step(&Sequential).is_none() {
                    break;
                }
            }
        }
    }

    #[test]
    fn damaged_states_are_errors_or_other_numbers_but_never_a_panic() {
        let data = data();
        for way in ways() {
            let mut left = way.trainer(&data).unwrap();
            (0..12).for_each(|_| {
                left.step(&Sequential);
            });
            let bytes = left.to_bytes().unwrap();
            let mut refused = 0;
            for at in (0..bytes.len()).step_by(61) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                let mut again = way.trainer(&data).unwrap();
                if again.resume(&damaged).is_err() {
                    refused += 1;
                } else if at % 5 == 0 {
                    again.step(&Sequential);
                }
                let mut cut = way.trainer(&data).unwrap();
                assert!(at % 2 != 0 || cut.resume(&bytes[..at]).is_err());
            }
            assert!(refused > 0, "nothing was refused");
        }
    }
}
