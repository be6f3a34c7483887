//! The state of a MACH training. Heads never meet, so states of disjoint heads make up a state of
//! all.

use super::{HeadGroup, Trainer};
use crate::train::state::{Resumable, StateError, read, same, write};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

/// Heads side by side, as one thread trained them.
#[derive(Serialize, Deserialize)]
struct Heads<'a> {
    first: u32,
    heads: u32,
    weights: Cow<'a, [f32]>,
    squares: Cow<'a, [f32]>,
    /// Empty unless a mean has begun and not ended.
    sums: Cow<'a, [f32]>,
    loss: Cow<'a, [f64]>,
}

#[derive(Serialize, Deserialize)]
struct MachState<'a> {
    epoch: u32,
    done: u64,
    groups: Vec<Heads<'a>>,
}

impl<'a> Heads<'a> {
    fn of(group: &'a HeadGroup, sums: bool) -> Self {
        Self {
            first: group.first as u32,
            heads: group.heads as u32,
            weights: Cow::Borrowed(&group.weights),
            squares: Cow::Borrowed(&group.squares),
            sums: Cow::Borrowed(if sums { &group.sums } else { &[] }),
            loss: Cow::Borrowed(&group.loss),
        }
    }
}

impl Resumable for Trainer<'_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let sums = self.sums_at(self.epoch);
        let groups = self.groups.iter();
        let state = MachState {
            epoch: self.epoch,
            done: self.done as u64,
            groups: groups.map(|group| Heads::of(group, sums)).collect(),
        };
        write(&state, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        self.resume_all(&[bytes])
    }
}

impl Trainer<'_> {
    /// Goes on from states of disjoint heads, all of the same moment.
    ///
    /// # Errors
    /// If one is no such state, they are of different moments, or a head is missing.
    pub(crate) fn resume_all(&mut self, states: &[&[u8]]) -> Result<(), StateError> {
        let mut moment = None;
        let mut filled = alloc::vec![false; self.codes.repetitions()];
        for bytes in states {
            let state: MachState<'_> = read(bytes)?;
            let now = (state.epoch, state.done);
            let (epoch, done) = *moment.get_or_insert(now);
            same("epochs done", now.0 as usize, epoch as usize)?;
            same("rows done of an epoch", now.1 as usize, done as usize)?;
            state
                .groups
                .iter()
                .try_for_each(|heads| self.fill(heads, state.epoch, &mut filled))?;
        }
        let (epoch, done) = moment.ok_or(StateError::Malformed)?;
        let own = || self.groups.iter().flat_map(|g| g.first..g.first + g.heads);
        let found = own().filter(|&head| filled[head]).count();
        same("classifiers", found, own().count())?;
        if epoch > self.parameters.epochs || done >= self.order.len() as u64 {
            return Err(StateError::Beyond {
                what: "row of an epoch",
                value: done,
                limit: self.order.len() as u64,
            });
        }
        // A new trainer has the order of epoch 0; each epoch shuffles that of the one before.
        while self.epoch < epoch {
            self.epoch += 1;
            self.shuffle();
        }
        self.done = done as usize;
        Ok(())
    }

    /// Whether a mean has begun and not ended when `epoch` epochs are over.
    fn sums_at(&self, epoch: u32) -> bool {
        let parameters = &self.parameters;
        let open = parameters.first_averaged() + 1..parameters.epochs;
        parameters.averages() && open.contains(&epoch)
    }

    /// Takes over what a state, left after `epoch` epochs, says of heads that are trained here.
    fn fill(
        &mut self,
        heads: &Heads<'_>,
        epoch: u32,
        filled: &mut [bool],
    ) -> Result<(), StateError> {
        let rows = self.features() as usize + 1;
        let buckets = self.parameters.buckets as usize;
        let (first, count) = (heads.first as usize, heads.heads as usize);
        same("losses", heads.loss.len(), count)?;
        let Some(end) = first.checked_add(count).filter(|&end| end <= filled.len()) else {
            return Err(StateError::Beyond {
                what: "classifier",
                value: (first as u64).saturating_add(count as u64),
                limit: filled.len() as u64 + 1,
            });
        };
        let squares = self.course().squares(1);
        same("weights", heads.weights.len(), rows * count * buckets)?;
        same(
            "sums of squares",
            heads.squares.len(),
            rows * count * squares,
        )?;
        let sums = if self.sums_at(epoch) { buckets } else { 0 };
        same("sums of weights", heads.sums.len(), rows * count * sums)?;
        for group in &mut self.groups {
            let both = group.first.max(first)..(group.first + group.heads).min(end);
            if both.is_empty() {
                continue;
            }
            for (per_head, from, to) in [
                (buckets, &heads.weights, &mut group.weights),
                (squares, &heads.squares, &mut group.squares),
                (sums, &heads.sums, &mut group.sums),
            ] {
                let (from_width, to_width) = (count * per_head, group.heads * per_head);
                let from_at = (both.start - first) * per_head;
                let to_at = (both.start - group.first) * per_head;
                let width = both.len() * per_head;
                for row in 0..rows {
                    to[row * to_width + to_at..][..width]
                        .copy_from_slice(&from[row * from_width + from_at..][..width]);
                }
            }
            let loss = &heads.loss[both.start - first..][..both.len()];
            group.loss[both.start - group.first..][..both.len()].copy_from_slice(loss);
        }
        for head in &mut filled[first..end] {
            if core::mem::replace(head, true) {
                return Err(StateError::Disordered {
                    what: "classifiers",
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        kernels::Portable,
        parameters::mach::{MachParameters, Optimizer},
        train::{
            Training,
            mach::{
                Trainer,
                tests::{data, parameters},
            },
            state::{Resumable, StateError},
        },
    };
    use alloc::vec::Vec;

    fn steps(trainer: &mut Trainer<'_>, count: usize) {
        for _ in 0..count {
            let _ = trainer.step(&Sequential);
        }
    }

    fn finished(mut trainer: Trainer<'_>) -> Vec<u8> {
        steps(&mut trainer, 100);
        assert!(trainer.is_done());
        assert!(trainer.step(&Sequential).is_none());
        trainer.to_bytes().unwrap()
    }

    #[test]
    fn a_training_left_at_any_part_ends_as_one_that_was_not_for_any_number_of_threads() {
        let data = data(1500, 9, false, 6);
        for (optimizer, averaged_epochs) in [(Optimizer::FeatureAdaGrad, 2), (Optimizer::Sgd, 1)] {
            let p = MachParameters {
                averaged_epochs,
                dropout: 0.2,
                epochs: 2,
                ..parameters(optimizer)
            };
            let whole = |threads| p.trainer(&data, threads, &Portable).unwrap();
            let expected = finished(whole(1));
            for (parts, threads) in [(0, 1), (1, 3), (2, 2), (3, 4), (4, 1)] {
                let mut left = whole(threads);
                steps(&mut left, parts);
                let mut again = whole(1);
                again.resume(&left.to_bytes().unwrap()).unwrap();
                assert!(finished(again) == expected, "left after {parts} parts");
            }
        }
    }

    #[test]
    fn heads_trained_apart_make_up_the_whole() {
        let data = data(300, 9, true, 6);
        let p = parameters(Optimizer::FeatureAdaGrad);
        let whole = p.trainer(&data, 1, &Portable).unwrap();
        let expected = finished(whole);
        for shards in [1, 2, 3, 7] {
            let heads = p.repetitions as usize;
            let part = |shard: usize| {
                let range = shard * heads / shards..(shard + 1) * heads / shards;
                finished(p.trainer_of(range, &data, 2, &Portable).unwrap())
            };
            let parts: Vec<Vec<u8>> = (0..shards).map(part).collect();
            let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let mut merged = p.trainer(&data, 1, &Portable).unwrap();
            merged.resume_all(&parts).unwrap();
            assert!(merged.to_bytes().unwrap() == expected, "{shards} shards");
            if shards > heads {
                continue;
            }
            let mut missing = p.trainer(&data, 1, &Portable).unwrap();
            assert!(missing.resume_all(&parts[1..]).is_err());
            let twice: Vec<&[u8]> = parts.iter().chain(&parts[..1]).copied().collect();
            let twice = p.trainer(&data, 1, &Portable).unwrap().resume_all(&twice);
            assert!(matches!(twice, Err(StateError::Disordered { .. })));
        }
    }

    #[test]
    fn damaged_states_are_errors() {
        let data = data(100, 9, false, 6);
        let p = parameters(Optimizer::FeatureAdaGrad);
        let mut left = p.trainer(&data, 1, &Portable).unwrap();
        steps(&mut left, 1);
        let bytes = left.to_bytes().unwrap();
        for at in 0..bytes.len().min(60) {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                // Numbers may be others; nothing may panic, and nothing may be too long.
                let _ = p.trainer(&data, 1, &Portable).unwrap().resume(&damaged);
            }
            let mut fresh = p.trainer(&data, 1, &Portable).unwrap();
            assert_eq!(fresh.resume(&bytes[..at]), Err(StateError::Malformed));
        }
        let other = MachParameters {
            buckets: p.buckets - 1,
            ..p.clone()
        };
        let refused = other.trainer(&data, 1, &Portable).unwrap().resume(&bytes);
        assert!(matches!(refused, Err(StateError::Differs { .. })));
    }
}
