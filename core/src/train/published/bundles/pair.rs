//! Two bundles that meet, or one that meets itself, taken out of all bundles meanwhile.

use super::{
    bundle::Bundle,
    meeting::{Duals, Round, STEPS, Scratch, apply, fetch_ahead, fetch_moved, meet},
    moved::Moved,
};
use alloc::vec::Vec;
use hapax_processor::{FETCHES, Loop};

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
    pub(crate) fn take(bundles: &mut [Bundle], first: usize, second: usize) -> Self {
        Self {
            first,
            second,
            one: core::mem::take(&mut bundles[first]),
            other: (first != second).then(|| core::mem::take(&mut bundles[second])),
        }
    }

    /// Puts them back.
    pub(crate) fn put(self, bundles: &mut [Bundle]) {
        bundles[self.first] = self.one;
        if let Some(other) = self.other {
            bundles[self.second] = other;
        }
    }

    /// The numbers of the bundles.
    pub(crate) fn numbers(&self) -> (usize, usize) {
        (self.first, self.second)
    }

    /// Lets them meet: first the rows of the first bundle, then those of the second.
    #[inline(always)]
    fn meet(&mut self, round: Round<'_>, duals: &mut PairDuals) -> PairMoved {
        let mut scratch = Scratch::default();
        let (first, second) = (self.first, self.second);
        let mut moved = PairMoved::default();
        let both = [(&mut duals.0, &mut moved.0), (&mut duals.1, &mut moved.1)];
        let used = if first == second { 1 } else { 2 };
        for (side, (duals, moved)) in both.into_iter().take(used).enumerate() {
            let stream = [first * round.many + second, second * round.many + first][side] as u64;
            let (own, other) = self.sides(side);
            *moved = meet(round, own, other, duals, stream, &mut scratch);
        }
        moved
    }

    /// The bundles, the one first whose rows are visited: the first's, then the second's.
    fn sides(&mut self, side: usize) -> (&mut Bundle, Option<&mut Bundle>) {
        match (&mut self.other, side) {
            (Some(other), 0) => (&mut self.one, Some(other)),
            (Some(other), _) => (other, Some(&mut self.one)),
            (None, _) => (&mut self.one, None),
        }
    }

    /// Moves what they moved where they met; whether it can be that. If not, nothing is moved.
    #[must_use]
    #[inline(always)]
    fn follow(&mut self, round: Round<'_>, moved: &PairMoved) -> bool {
        let one = &self.one;
        let other = self.other.as_ref();
        let wrong = other.map_or(one.classes.len(), |other| other.classes.len());
        let rows = other.map_or(0, |other| other.rows.len());
        if !moved.0.fit(one.rows.len(), wrong) || !moved.1.fit(rows, one.classes.len()) {
            return false;
        }
        for (side, moved) in [&moved.0, &moved.1].into_iter().enumerate() {
            let (own, mut other) = self.sides(side);
            let mut ahead = moved.moves().skip(STEPS[2]);
            for (at, next) in moved.moves().enumerate() {
                if FETCHES {
                    let later = |rows: usize| Some(own.rows[moved.place(at + rows)?]);
                    let other = other.as_deref();
                    fetch_ahead(round.problem, (own, other), later);
                    if let Some(soon) = ahead.next() {
                        fetch_moved(round, own, other, soon);
                    }
                }
                apply(round, own, other.as_deref_mut(), next);
            }
        }
        true
    }
}

/// Two bundles that are to meet.
pub struct HoldMeeting<'a> {
    /// The bundles.
    pub pair: &'a mut Pair,
    /// The round.
    pub round: Round<'a>,
    /// The duals of their rows.
    pub duals: &'a mut PairDuals,
}

impl Loop for HoldMeeting<'_> {
    type Output = PairMoved;

    #[inline(always)]
    fn run(self) -> PairMoved {
        self.pair.meet(self.round, self.duals)
    }
}

/// Two bundles that met elsewhere, to be moved as they moved there; the output is whether they can.
pub struct FollowMeeting<'a> {
    /// The bundles.
    pub pair: &'a mut Pair,
    /// The round.
    pub round: Round<'a>,
    /// What they moved.
    pub moved: &'a PairMoved,
}

impl Loop for FollowMeeting<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.pair.follow(self.round, self.moved)
    }
}
