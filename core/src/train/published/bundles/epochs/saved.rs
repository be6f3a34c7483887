//! The state of a tournament between two epochs, in shares: one for each slot of the plan, with the
//! bundles that met there last and the duals of all pairs that meet there.

use super::{Bundle, PairDuals, Tournament};
use crate::train::published::bundles::bundle::Content;
use crate::train::state::{Shared, StateError, read, same, write};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Share<'a> {
    epochs: u32,
    tolerance: f64,
    gap: f64,
    bundles: Vec<(u32, Content)>,
    duals: Vec<(u32, u32, Cow<'a, PairDuals>)>,
}

impl Tournament {
    /// The bundles that met in a slot in the last round of an epoch.
    fn bundles_of(&self, slot: usize) -> Vec<usize> {
        let last = self.plan.seated(self.plan.rounds() - 1);
        let here = last.into_iter().filter(|meeting| meeting.2 == slot);
        here.flat_map(|(first, second, _)| [first, second])
            .collect()
    }

    /// The pairs that meet in a slot.
    fn pairs_of(&self, slot: usize) -> Vec<(usize, usize)> {
        let rounds = 0..self.plan.rounds();
        let all = rounds.flat_map(|round| self.plan.seated(round));
        all.filter(|meeting| meeting.2 == slot)
            .map(|(first, second, _)| (first, second))
            .collect()
    }

    /// Whether all lengths and numbers are those of the problem.
    fn check(&self, slot: usize, share: &Share<'_>) -> Result<(), StateError> {
        let limit = self.parameters.max_epochs;
        if !(1..=limit).contains(&share.epochs) {
            return Err(StateError::Beyond {
                what: "epoch",
                value: u64::from(share.epochs),
                limit: u64::from(limit) + 1,
            });
        }
        if self.epochs > 0 {
            same("epochs", share.epochs as usize, self.epochs as usize)?;
        }
        let here = share.bundles.iter().map(|bundle| bundle.0 as usize);
        let pairs = share.duals.iter();
        let pairs = pairs.map(|pair| (pair.0 as usize, pair.1 as usize));
        if !here.eq(self.bundles_of(slot)) || !pairs.eq(self.pairs_of(slot)) {
            return Err(StateError::Malformed);
        }
        let sound = share.tolerance.is_finite() && share.gap.is_finite();
        let can_hold =
            |(number, content): &(u32, Content)| self.bundles[*number as usize].can_hold(content);
        if !sound || !share.bundles.iter().all(can_hold) {
            return Err(StateError::Malformed);
        }
        for (first, second, duals) in &share.duals {
            let (one, other) = (
                &self.bundles[*first as usize],
                &self.bundles[*second as usize],
            );
            let rows = if first == second { 0 } else { other.rows.len() };
            same("rows with duals", duals.0.len(), one.rows.len())?;
            same("rows with duals", duals.1.len(), rows)?;
            let cost = self.parameters.cost;
            let fit = |duals: &[super::Duals], of: &Bundle| {
                duals.iter().all(|dual| dual.fit(of.classes.len(), cost))
            };
            if !fit(&duals.0, other) || !fit(&duals.1, one) {
                return Err(StateError::Malformed);
            }
        }
        Ok(())
    }
}

impl Shared for Tournament {
    fn shares(&self) -> usize {
        self.plan.slots()
    }

    fn here(&self) -> Vec<usize> {
        let slots = 0..self.plan.slots();
        slots
            .filter(|&slot| self.plan.rank(slot) == self.rank)
            .collect()
    }

    fn save_share(&self, slot: usize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let is_here = slot < self.plan.slots() && self.plan.rank(slot) == self.rank;
        if !is_here || self.epochs == 0 || self.certificate.is_some() {
            return Err(StateError::Unwritable);
        }
        let many = self.bundles.len();
        let bundles = self.bundles_of(slot).into_iter();
        let pairs = self.pairs_of(slot).into_iter();
        let share = Share {
            epochs: self.epochs,
            tolerance: self.tolerance,
            gap: self.gap,
            bundles: bundles
                .map(|number| (number as u32, self.bundles[number].content()))
                .collect(),
            duals: pairs
                .map(|(first, second)| {
                    let duals = Cow::Borrowed(&self.duals[first * many + second]);
                    (first as u32, second as u32, duals)
                })
                .collect(),
        };
        write(&share, sink)
    }

    fn resume_share(&mut self, slot: usize, bytes: &[u8]) -> Result<(), StateError> {
        let share: Share<'_> = read(bytes)?;
        self.check(slot, &share)?;
        for (number, content) in &share.bundles {
            self.bundles[*number as usize].set(content);
        }
        if self.plan.rank(slot) == self.rank {
            let many = self.bundles.len();
            for (first, second, duals) in share.duals {
                self.duals[first as usize * many + second as usize] = duals.into_owned();
            }
        }
        (self.epochs, self.gap) = (share.epochs, share.gap);
        self.tolerance = share.tolerance;
        self.time = share.epochs.saturating_mul(self.plan.rounds() as u32);
        Ok(())
    }
}
