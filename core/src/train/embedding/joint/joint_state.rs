//! The state of a joint training between two batches of visits.

use super::{LastViolators, Space, Trainer};
use crate::{
    kernels::panels::{LANES, panels_for},
    train::state::{Resumable, StateError, all_below, all_once, read, same, write},
};
use alloc::borrow::Cow;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    trained: Cow<'a, [Space]>,
    space: Cow<'a, Space>,
    last: Cow<'a, LastViolators>,
    rests: Cow<'a, [(u8, u8)]>,
    order: Cow<'a, [u32]>,
    epoch: u32,
    done: u64,
}

impl Resumable for Trainer<'_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let saved = Saved {
            trained: Cow::Borrowed(&self.trained),
            space: Cow::Borrowed(&self.space),
            last: Cow::Borrowed(&self.last),
            rests: Cow::Borrowed(&self.rests),
            order: Cow::Borrowed(&self.order),
            epoch: self.epoch,
            done: self.done as u64,
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        let (epochs, models) = (self.parameters.epochs, self.parameters.models);
        if saved.epoch > epochs * models {
            return Err(StateError::Beyond {
                what: "epoch",
                value: u64::from(saved.epoch),
                limit: u64::from(epochs * models) + 1,
            });
        }
        let trained = (saved.epoch / epochs) as usize;
        same("trained models", saved.trained.len(), trained)?;
        let all = saved.epoch == epochs * models;
        let under_way = (!all).then_some(&*saved.space);
        for space in saved.trained.iter().chain(under_way) {
            check(space, &self.space)?;
        }
        let classes = self.data.labels().labels() as usize;
        if !saved.last.fit(classes) {
            return Err(StateError::Disordered {
                what: "last violators",
            });
        }
        same("rows", saved.rests.len(), self.rests.len())?;
        all_below("row", &*saved.order, self.rests.len())?;
        let usable = |&&row: &&u32| self.rows.usable(row as usize);
        let learned = saved.order.iter().filter(usable).count();
        same("rows to learn from", saved.order.len(), learned)?;
        if saved.done > saved.order.len() as u64 {
            return Err(StateError::Beyond {
                what: "row of an epoch",
                value: saved.done,
                limit: saved.order.len() as u64 + 1,
            });
        }
        self.trained = saved.trained.into_owned();
        self.space = saved.space.into_owned();
        self.last = saved.last.into_owned();
        self.rests = saved.rests.into_owned();
        self.order = saved.order.into_owned();
        (self.epoch, self.done) = (saved.epoch, saved.done as usize);
        Ok(())
    }
}

/// Whether a space has the shape of `own`.
fn check(space: &Space, own: &Space) -> Result<(), StateError> {
    let classes = own.classes();
    same("dimensions", space.dimensions, own.dimensions)?;
    if space.euclidean != own.euclidean {
        return Err(StateError::Malformed);
    }
    same(
        "embedding weights",
        space.embedding.len(),
        own.embedding.len(),
    )?;
    same("prototype weights", space.panels.len(), own.panels.len())?;
    same("offsets", space.offsets.len(), panels_for(classes) * LANES)?;
    same("classes", space.class_at.len(), classes)?;
    same("slots", space.slot_of.len(), classes)?;
    same(
        "sums of classes",
        space.class_sums.len(),
        own.class_sums.len(),
    )?;
    same("sums of features", space.sums.len(), own.sums.len())?;
    all_once("slots", &space.class_at)?;
    let home = |(slot, &class): (usize, &u32)| space.slot_of[class as usize] as usize == slot;
    if space.class_at.iter().enumerate().all(home) {
        Ok(())
    } else {
        Err(StateError::Disordered { what: "slots" })
    }
}

#[cfg(test)]
mod tests {
    use super::Trainer;
    use crate::{
        executor::Sequential,
        kernels::Portable,
        parameters::wsabie::Wsabie,
        train::{Training, embedding::twin::blobs, state::Resumable},
    };
    use alloc::vec::Vec;

    fn ways() -> [Wsabie; 3] {
        let small = |way: Wsabie| Wsabie {
            dimensions: 5,
            epochs: 3,
            ..way
        };
        [
            small(Wsabie::published()),
            small(Wsabie {
                models: 2,
                batch: 4,
                ..Wsabie::default()
            }),
            small(Wsabie::plus_plus()),
        ]
    }

    fn ended(trainer: &mut Trainer<'_>) -> Vec<u8> {
        while trainer.step(&Sequential).is_some() {}
        trainer.to_bytes().unwrap()
    }

    #[test]
    fn a_training_left_after_any_part_ends_as_one_that_was_not() {
        let data = blobs(5000, 20, 9, 2);
        for way in ways() {
            let expected = ended(&mut way.trainer(&data, &Portable).unwrap());
            let mut left = way.trainer(&data, &Portable).unwrap();
            for part in 0..20 {
                let mut again = way.trainer(&data, &Portable).unwrap();
                again.resume(&left.to_bytes().unwrap()).unwrap();
                assert!(ended(&mut again) == expected, "left after {part}, {way:?}");
                if left.step(&Sequential).is_none() {
                    break;
                }
            }
        }
    }

    #[test]
    fn damaged_states_are_errors_or_other_numbers_but_never_a_panic() {
        let data = blobs(60, 20, 9, 2);
        for way in ways() {
            let mut left = way.trainer(&data, &Portable).unwrap();
            left.step(&Sequential);
            let bytes = left.to_bytes().unwrap();
            let mut refused = 0;
            for at in (0..bytes.len()).step_by(5) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << (at % 8);
                let mut again = way.trainer(&data, &Portable).unwrap();
                match again.resume(&damaged) {
                    Err(_) => refused += 1,
                    Ok(()) => {
                        let _ = again.step(&Sequential);
                    }
                }
                let mut cut = way.trainer(&data, &Portable).unwrap();
                assert!(at % 50 != 0 || cut.resume(&bytes[..at]).is_err());
            }
            assert!(refused > 10, "{refused} refused");
        }
    }
}
