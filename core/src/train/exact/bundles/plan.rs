//! Who meets whom, when and where.

use crate::train::exact::tournament;
use alloc::vec::Vec;

/// Most bundles of few classes and of many. More of them occupy more processes; but the more there are, the less of a
/// row's duals are solved for at once, and the more epochs it takes.
const MOST: [usize; 2] = [8, 16];

/// Classes that are many.
const MANY: usize = 1000;

/// The meetings of an epoch, and the process of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    bundles: usize,
    ranks: usize,
}

impl Plan {
    /// For so many classes and processes.
    pub fn new(classes: usize, ranks: usize) -> Self {
        Self {
            bundles: classes
                .next_multiple_of(2)
                .min(MOST[usize::from(classes >= MANY)]),
            ranks,
        }
    }

    /// Number of bundles M, even.
    pub fn bundles(self) -> usize {
        self.bundles
    }

    /// Rounds of an epoch: the first, in which bundles meet themselves, and the tournament's.
    pub fn rounds(self) -> usize {
        1 + tournament::rounds(self.bundles)
    }

    /// The meetings of a round and the process that holds each. A bundle that meets itself is its own partner.
    pub fn meetings(self, round: usize) -> Vec<(usize, usize, usize)> {
        let meetings = self.seated(round).into_iter();
        meetings
            .map(|(a, b, slot)| (a, b, self.rank(slot)))
            .collect()
    }

    /// Places where two bundles can meet: each is always with the same process.
    pub fn slots(self) -> usize {
        self.bundles / 2
    }

    /// The process of a slot.
    pub fn rank(self, slot: usize) -> usize {
        slot * self.ranks / self.slots()
    }

    /// The meetings of a round and their slots, which do not depend on the number of processes.
    pub fn seated(self, round: usize) -> Vec<(usize, usize, usize)> {
        if round == 0 {
            return (0..self.bundles).map(|b| (b, b, b / 2)).collect();
        }
        let pairs = (0..self.bundles).filter_map(|first| {
            let second = tournament::partner(first, round - 1, self.bundles)?;
            (first < second).then_some((first, second))
        });
        let seated = pairs.enumerate();
        seated.map(|(slot, (a, b))| (a, b, slot)).collect()
    }

    /// The process that looks at a bundle when the gap is computed.
    pub fn looker(self, bundle: usize) -> usize {
        bundle * self.ranks / self.bundles
    }
}

#[cfg(test)]
mod tests {
    use super::Plan;

    #[test]
    fn every_pair_meets_once_an_epoch_and_every_bundle_once_a_round() {
        for classes in [2, 3, 6, 17, 5000] {
            for ranks in 1..5 {
                let plan = Plan::new(classes, ranks);
                let many = plan.bundles();
                let mut met = alloc::vec![0; many * many];
                for round in 0..plan.rounds() {
                    let mut seen = alloc::vec![0; many];
                    for (first, second, rank) in plan.meetings(round) {
                        met[first * many + second] += 1;
                        assert!(rank < ranks);
                        seen[first] += 1;
                        seen[second] += u32::from(first != second);
                    }
                    assert!(seen.iter().all(|&times| times == 1), "round {round}");
                }
                for bundle in 0..many {
                    assert!(plan.looker(bundle) < ranks);
                }
                for first in 0..many {
                    for second in 0..many {
                        assert_eq!(met[first * many + second], u32::from(first <= second));
                    }
                }
            }
        }
    }
}
