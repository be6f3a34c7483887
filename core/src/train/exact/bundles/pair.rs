//! Two bundles that meet, or one that meets itself, taken out of all bundles meanwhile.

use super::{
    bundle::Bundle,
    meeting::{Duals, Round, Scratch, apply, meet},
    moved::Moved,
};
use alloc::vec::Vec;

/// The duals of a pair of bundles: of the first one's rows, and of the second one's.
pub type PairDuals = (Vec<Duals>, Vec<Duals>);

/// What the first bundle's rows moved, and what the second one's did.
pub type PairMoved = (Moved, Moved);

/// The bundles of a meeting.
#[derive(Debug)]
pub struct Pair {
    first: usize,
    second: usize,
    one: Bundle,
    /// Nothing if the first one meets itself.
    other: Option<Bundle>,
}

impl Pair {
    /// Takes two bundles out.
    pub fn take(bundles: &mut [Bundle], first: usize, second: usize) -> Self {
        Self {
            first,
            second,
            one: core::mem::take(&mut bundles[first]),
            other: (first != second).then(|| core::mem::take(&mut bundles[second])),
        }
    }

    /// Puts them back.
    pub fn put(self, bundles: &mut [Bundle]) {
        bundles[self.first] = self.one;
        if let Some(other) = self.other {
            bundles[self.second] = other;
        }
    }

    /// The numbers of the bundles.
    pub fn numbers(&self) -> (usize, usize) {
        (self.first, self.second)
    }

    /// Lets them meet: first the rows of the first bundle, then those of the second.
    pub fn meet(&mut self, round: Round<'_>, duals: &mut PairDuals) -> PairMoved {
        let mut scratch = Scratch::default();
        let (first, second, one) = (self.first, self.second, &mut self.one);
        let stream = (first * round.many + second) as u64;
        let other = self.other.as_mut();
        let moved = meet(round, one, other, &mut duals.0, stream, &mut scratch);
        let Some(other) = &mut self.other else {
            return (moved, Moved::default());
        };
        let stream = (second * round.many + first) as u64;
        let one = Some(one);
        let back = meet(round, other, one, &mut duals.1, stream, &mut scratch);
        (moved, back)
    }

    /// Moves what they moved where they met; whether it can be that. If not, nothing is moved.
    #[must_use]
    pub fn follow(&mut self, round: Round<'_>, (moved, back): &PairMoved) -> bool {
        let one = &mut self.one;
        let wrong = self
            .other
            .as_ref()
            .map_or(one.classes.len(), |other| other.classes.len());
        let rows = self.other.as_ref().map_or(0, |other| other.rows.len());
        if !moved.fit(one.rows.len(), wrong) || !back.fit(rows, one.classes.len()) {
            return false;
        }
        for next in moved.moves() {
            apply(round, one, self.other.as_mut(), next);
        }
        if let Some(other) = &mut self.other {
            for next in back.moves() {
                apply(round, other, Some(&mut *one), next);
            }
        }
        true
    }
}
