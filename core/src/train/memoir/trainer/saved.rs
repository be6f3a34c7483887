//! The state of a MEMOIR training between two steps.

use super::{Storage, Trainer};
use crate::train::{
    memoir::{feature_lists::SavedLists, parameters::Average},
    state::{Resumable, StateError, holds, read, write},
};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    steps: u64,
    /// Of the stream of balanced draws.
    position: u64,
    weights: SavedLists<'a>,
}

impl Trainer<'_> {
    /// How many of so many steps count in the mean of the weights.
    fn averaged(&self, steps: u64) -> u64 {
        let averages = self.parameters.average == Average::SecondHalf && !self.parameters.is_l1();
        let before = if averages { self.total / 2 } else { steps };
        steps.saturating_sub(before)
    }
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
        let averaged = self.averaged(saved.steps);
        let Storage::Features(weights) = &mut self.weights.0 else {
            return Err(StateError::Malformed);
        };
        weights.restore(saved.weights, averaged)?;
        let batch = u64::from(self.parameters.batch);
        self.draws.go_to(saved.steps.saturating_mul(batch));
        let place = saved.position == self.draws.position();
        holds("the place among the random draws", place)?;
        self.t = saved.steps;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Saved, Trainer};
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::{
            memoir::{
                feature_lists::SavedList,
                list::Beside,
                parameters::{Draws, Length, Memoir},
            },
            state::{Resumable, StateError, read, write},
        },
    };
    use alloc::{borrow::Cow, string::ToString, vec, vec::Vec};

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

    /// What a state is made of, to be damaged.
    fn parts(bytes: &[u8]) -> Saved<'static> {
        read(bytes).unwrap()
    }

    fn refusal(way: &Memoir, data: &Dataset, state: &Saved<'_>) -> Option<StateError> {
        let mut bytes = Vec::new();
        write(state, &mut |piece| bytes.extend_from_slice(piece)).unwrap();
        way.trainer(data).unwrap().resume(&bytes).err()
    }

    /// The first list that holds something.
    fn first<'s>(state: &'s mut Saved<'static>) -> &'s mut SavedList<'static> {
        let mut lists = state.weights.lists.iter_mut();
        lists.find(|list| !list.entries.is_empty()).unwrap()
    }

    type Damage = fn(&mut Saved<'static>);

    /// What is refused of the states of each way, and as what: the words of the error.
    const DAMAGES: [(Damage, &str); 11] = [
        (|s| s.steps = u64::MAX, "step 18446744073709551615 occurs"),
        (|s| s.position += 1, "the place among the random draws"),
        (
            |s| drop(s.weights.lists.pop()),
            "it has 39 features, but this training 40",
        ),
        (|s| s.weights.scale = 0.0, "the scale of the weights"),
        (|s| s.weights.scale = 1.5, "the scale of the weights"),
        (|s| s.weights.scale = f64::NAN, "the scale of the weights"),
        (
            |s| s.weights.square = f64::INFINITY,
            "the length of the weights",
        ),
        (
            |s| first(s).entries.to_mut()[0].class = 30,
            "class 30 occurs, but must be below 30",
        ),
        (
            |s| {
                let entries = first(s).entries.to_mut();
                entries[0].class = entries[1].class;
            },
            "the classes of a feature are out of order, or occur twice",
        ),
        (
            |s| first(s).entries.to_mut()[0].value = f32::NAN,
            "a weight: a number",
        ),
        (
            |s| first(s).entries.to_mut().truncate(1),
            "numbers beside weights",
        ),
    ];

    #[test]
    fn each_rule_of_a_state_has_its_refusal() {
        let data = data();
        for way in ways() {
            let mut left = way.trainer(&data).unwrap();
            // Until a mean is kept, where one is.
            while left
                .step(&Sequential)
                .is_some_and(|report| report.done < left.total * 3 / 4)
            {}
            let bytes = left.to_bytes().unwrap();
            assert_eq!(refusal(&way, &data, &parts(&bytes)), None);
            let refused = |what: &str, damage: &dyn Fn(&mut Saved<'static>)| {
                let mut state = parts(&bytes);
                damage(&mut state);
                let error = refusal(&way, &data, &state);
                let text = error.map(|error| error.to_string());
                assert!(
                    text.as_ref().is_some_and(|text| text.contains(what)),
                    "{text:?} instead of {what:?} in {way:?}"
                );
            };
            for (damage, what) in DAMAGES {
                refused(what, &damage);
            }
            let (beside, number) = (
                "what is kept beside the weights",
                "a number beside a weight",
            );
            refused(number, &|s| first(s).extra.to_mut()[0] = f32::NAN);
            refused("numbers beside weights", &|s| {
                first(s).extra.to_mut().clear();
            });
            refused(beside, &|s| {
                s.weights.beside = Cow::Owned(Beside::Penalties { now: vec![1.0; 29] });
            });
            if way.is_l1() {
                refused(number, &|s| first(s).extra.to_mut()[0] = 1e30);
                refused(number, &|s| first(s).extra.to_mut()[0] = -1e-9);
                for now in [-1.0, f64::INFINITY] {
                    refused(beside, &|s| {
                        s.weights.beside = Cow::Owned(Beside::Penalty { now });
                    });
                }
            } else {
                let length = "the length of the weights";
                // l1 keeps no mean, which is what tells how many steps there were.
                refused(beside, &|s| s.steps -= 1);
                refused(beside, &|s| s.steps += 1);
                refused(length, &|s| s.weights.square *= 1.1);
                refused(length, &|s| first(s).entries.to_mut()[0].value += 1e3);
                refused(beside, &|s| s.weights.beside = Cow::Owned(Beside::Nothing));
                for (scales, steps) in [(-1.0, 0), (f64::NAN, 0), (1e12, 0), (0.5, 1)] {
                    refused(beside, &|s| {
                        let Beside::Sums { steps: done, .. } = *s.weights.beside else {
                            panic!("no mean is kept")
                        };
                        let steps = steps + done;
                        s.weights.beside = Cow::Owned(Beside::Sums { scales, steps });
                    });
                }
            }
        }
    }

    #[test]
    fn a_table_is_made_for_long_lists_only() {
        let data = data();
        let way = ways()[0].clone();
        let mut left = way.trainer(&data).unwrap();
        left.step(&Sequential);
        let mut state = parts(&left.to_bytes().unwrap());
        let list = first(&mut state);
        list.entries.to_mut().truncate(2);
        list.places = true;
        let error = refusal(&way, &data, &state);
        let what = "a table of a short list";
        assert_eq!(error, Some(StateError::Impossible { what }));
    }

    #[test]
    fn any_flipped_bit_is_an_error_or_a_training_that_ends_and_any_cut_is_an_error() {
        let data = data();
        for way in ways() {
            let mut left = way.trainer(&data).unwrap();
            (0..12).for_each(|_| {
                left.step(&Sequential);
            });
            let bytes = left.to_bytes().unwrap();
            for at in (0..bytes.len()).step_by(61) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                let mut again = way.trainer(&data).unwrap();
                if again.resume(&damaged).is_ok() && at % 5 == 0 {
                    while again.step(&Sequential).is_some() {}
                    // A weight of l1 may become so large that sums of it are not finite.
                    again
                        .weights()
                        .visit(|_, _, weight| assert!(way.is_l1() || weight.is_finite()));
                    again.finish().unwrap();
                }
                let mut cut = way.trainer(&data).unwrap();
                assert!(at % 2 != 0 || cut.resume(&bytes[..at]).is_err());
            }
            let long = [&bytes[..], &[0]].concat();
            let refused = way.trainer(&data).unwrap().resume(&long);
            assert_eq!(refused, Err(StateError::Trailing { bytes: 1 }));
        }
    }
}
