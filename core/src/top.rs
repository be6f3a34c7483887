//! The k best under one total order: higher score first, then smaller id.

use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::Ordering;
use serde::{Deserialize, Serialize};

/// An id (of a label, a row) and its score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// What was scored.
    pub id: u32,
    /// Its score: finite, higher is better.
    pub score: f32,
}

/// The order of all answers: `Less` means `a` comes before `b`, having the higher score
/// or, with equal scores, the smaller id.
#[must_use]
pub fn rank(a: &Scored, b: &Scored) -> Ordering {
    // Adding zero turns -0 into +0, which total_cmp would tell apart.
    (b.score + 0.0)
        .total_cmp(&(a.score + 0.0))
        .then(a.id.cmp(&b.id))
}

/// An item of a heap whose greatest is the worst answer. One number is compared without a branch,
/// which [`rank`] is not, and heaps do little else.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    /// Its [`place`].
    key: u64,
    /// As it was: the key has +0 for -0.
    score: f32,
}

/// A number that rises with the place in the order of [`rank`]: the score's bits turned round, then
/// the id.
pub(crate) fn place(item: Scored) -> u64 {
    // Adding zero turns -0 into +0. Of numbers below zero the bits rise as they fall.
    let bits = (item.score + 0.0).to_bits();
    let falling = match bits >> 31 {
        0 => !(bits | 1 << 31),
        _ => bits,
    };
    u64::from(falling) << 32 | u64::from(item.id)
}

/// The place that `before` of these have before them. What `places` holds afterwards is scratch.
///
/// By the eight bits from the first in which they differ: those that have the bits of the one
/// looked for are kept, until they are few enough to be sorted. Time: mostly two passes over all,
/// and a table of 2 kB for each time.
///
/// # Panics
/// If there are not more of them.
pub(crate) fn nth(mut places: &mut [u64], mut before: usize) -> u64 {
    const FEW: usize = 32;
    while places.len() > FEW {
        let first = places[0];
        let differing = places.iter().fold(0, |bits, place| bits | (place ^ first));
        let shift = (u64::BITS - differing.leading_zeros()).saturating_sub(8);
        let digit = |place: u64| usize::from((place >> shift) as u8);
        let mut counts = [0; 256];
        for &place in &*places {
            counts[digit(place)] += 1;
        }
        let mut wanted = 0;
        while before >= counts[wanted] {
            before -= counts[wanted];
            wanted += 1;
        }
        if counts[wanted] == places.len() {
            return first;
        }
        let mut kept = 0;
        for at in 0..places.len() {
            if digit(places[at]) == wanted {
                places[kept] = places[at];
                kept += 1;
            }
        }
        places = &mut places[..kept];
    }
    places.sort_unstable();
    places[before]
}

impl Ranked {
    fn new(item: Scored) -> Self {
        Self {
            key: place(item),
            score: item.score,
        }
    }

    fn scored(self) -> Scored {
        Scored {
            id: self.key as u32,
            score: self.score,
        }
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl Eq for Ranked {}
impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

/// Keeps the k best of all items pushed, whatever their order of arrival.
///
/// Cost: O(1) for an item that is not among the best so far, O(log k) for one that is.
#[derive(Clone, Debug, Default)]
pub struct Top {
    k: usize,
    heap: BinaryHeap<Ranked>,
    sorted: Vec<Scored>,
}

impl Top {
    /// Will keep the `k` best.
    #[must_use]
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            heap: BinaryHeap::new(),
            sorted: Vec::new(),
        }
    }

    /// Forgets all items and will keep the `k` best of the next ones; keeps its memory.
    pub(crate) fn reset(&mut self, k: usize) {
        self.k = k;
        self.heap.clear();
        self.sorted.clear();
    }

    /// Offers an item.
    pub(crate) fn push(&mut self, item: Scored) {
        let item = Ranked::new(item);
        if self.heap.len() < self.k {
            self.heap.push(item);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && item < *worst
        {
            *worst = item;
        }
    }

    /// The worst of the k best, once there are k: whoever ranks behind it is out.
    #[must_use]
    pub(crate) fn threshold(&self) -> Option<Scored> {
        if self.heap.len() < self.k {
            None
        } else {
            self.heap.peek().map(|worst| worst.scored())
        }
    }

    /// The best items, best first. The selection starts anew with the next push after
    /// `Top::reset`.
    pub fn sorted(&mut self) -> &[Scored] {
        self.sorted.clear();
        self.sorted
            .extend(self.heap.iter().map(|item| item.scored()));
        self.sorted.sort_unstable_by(rank);
        &self.sorted
    }
}

#[cfg(test)]
mod tests {
    use super::{Ranked, Scored, Top, nth, place, rank};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_sorting_everything(scores in prop::collection::vec(-3i8..3, 0..60), k in 0usize..70) {
            let items: Vec<Scored> = scores.iter().enumerate()
                .map(|(id, &score)| Scored { id: id as u32, score: f32::from(score) * 0.5 })
                .collect();
            let mut all = items.clone();
            all.sort_by(rank);
            all.truncate(k);
            let mut top = Top::new(k);
            for &item in items.iter().rev() {
                top.push(item);
            }
            prop_assert_eq!(top.sorted(), &all[..]);
        }
    }

    proptest! {
        #[test]
        fn the_nth_is_that_of_sorting(
            mut places in prop::collection::vec(any::<u64>(), 1..400),
            shift in 0u32..64,
            bits in 1u32..64,
            common: u64,
            before: prop::sample::Index,
        ) {
            // Those that differ in few bits only, of all that are set.
            let spread = |place: &mut u64| *place = common ^ ((*place >> (64 - bits)) << shift);
            places.iter_mut().for_each(spread);
            let mut sorted = places.clone();
            sorted.sort_unstable();
            let before = before.index(places.len());
            prop_assert_eq!(nth(&mut places, before), sorted[before]);
        }
    }

    #[test]
    fn zeros_of_both_signs_are_equal_and_stay_as_they_are() {
        let of = |id, score| Scored { id, score };
        assert!(rank(&of(0, -0.0), &of(1, 0.0)).is_lt());
        assert!(rank(&of(1, 0.0), &of(0, -0.0)).is_gt());
        let mut top = Top::new(1);
        for item in [of(1, 0.0), of(0, -0.0), of(1, 0.0)] {
            top.push(item);
        }
        let best = top.sorted()[0];
        assert!(best.id == 0 && best.score.is_sign_negative());
    }

    #[test]
    fn the_threshold_is_the_worst_of_as_many_as_are_wanted() {
        let of = |id, score| Scored { id, score };
        let mut top = Top::new(2);
        let mut thresholds = Vec::new();
        for item in [of(0, 1.0), of(1, 3.0), of(2, 2.0), of(3, 0.5)] {
            thresholds.push(top.threshold());
            top.push(item);
        }
        let (first, later) = (Some(of(0, 1.0)), Some(of(2, 2.0)));
        assert_eq!(thresholds, [None, None, first, later]);
        assert_eq!(top.threshold(), later);
        assert_eq!(top.sorted(), [of(1, 3.0), of(2, 2.0)]);
        top.reset(1);
        assert_eq!((top.threshold(), top.sorted()), (None, &[][..]));
        top.push(of(9, -1.0));
        assert_eq!(top.sorted(), [of(9, -1.0)]);
    }

    #[test]
    fn places_rise_as_ranks_do() {
        let scores = [f32::MAX, 2.0, 1.5e-40, 0.0, -1.5e-40, -2.0, f32::MIN];
        let items = scores.iter().flat_map(|&score| {
            let of = move |id| Scored { id, score };
            [of(0), of(7), of(u32::MAX)]
        });
        let items: Vec<Scored> = items.collect();
        assert!(items.is_sorted_by(|a, b| rank(a, b).is_lt()));
        assert!(items.is_sorted_by(|&a, &b| Ranked::new(a) < Ranked::new(b)));
        for before in 0..items.len() {
            let mut places: Vec<u64> = items.iter().rev().map(|&item| place(item)).collect();
            assert_eq!(nth(&mut places, before), place(items[before]));
        }
    }
}
