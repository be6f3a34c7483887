//! Who meets whom, when and where.

use crate::{
    data::Dataset,
    parameters::multiclass::MultiClassSvm,
    train::{
        multiclass::{
            memory::{LISTED, weights_of},
            problem::Problem,
        },
        published::bundles::tournament,
    },
};
use alloc::vec::Vec;

/// Most bundles of few classes and of many. More of them occupy more processes; but the more there
/// are, the less of a row's duals are solved for at once, and the more epochs it takes.
const MOST: [usize; 2] = [8, 16];

/// Classes that are many.
const MANY: usize = 1000;

/// The meetings of an epoch, and the process of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The rows of each bundle.
    rows: Vec<usize>,
    ranks: usize,
}

impl Plan {
    /// For a problem and so many processes.
    pub(crate) fn new(problem: &Problem, ranks: usize) -> Self {
        let mut rows = alloc::vec![0; bundles_of(problem.classes())];
        let many = rows.len();
        for row in 0..problem.len() {
            rows[problem.class(row) as usize % many] += 1;
        }
        Self { rows, ranks }
    }

    /// Number of bundles M, even.
    pub(crate) fn bundles(&self) -> usize {
        self.rows.len()
    }

    /// Rounds of an epoch: the first, in which bundles meet themselves, and the tournament's.
    pub(crate) fn rounds(&self) -> usize {
        1 + tournament::rounds(self.bundles())
    }

    /// The meetings of a round and the process that holds each. A bundle that meets itself is its
    /// own partner.
    pub(crate) fn meetings(&self, round: usize) -> Vec<(usize, usize, usize)> {
        let meetings = self.seated(round).into_iter();
        meetings
            .map(|(a, b, slot)| (a, b, self.rank(slot)))
            .collect()
    }

    /// Places where two bundles can meet: each is always with the same process.
    pub(crate) fn slots(&self) -> usize {
        self.bundles() / 2
    }

    /// The process of a slot.
    pub(crate) fn rank(&self, slot: usize) -> usize {
        slot * self.ranks / self.slots()
    }

    /// The meetings of a round and their slots, which do not depend on the number of processes:
    /// next to each other are one of many rows and one of few, so that processes have about as much
    /// to do.
    pub(crate) fn seated(&self, round: usize) -> Vec<(usize, usize, usize)> {
        let many = self.bundles();
        let mut pairs: Vec<(usize, usize)> = if round == 0 {
            (0..many).map(|bundle| (bundle, bundle)).collect()
        } else {
            let pairs = (0..many).filter_map(|first| {
                let second = tournament::partner(first, round - 1, many)?;
                (first < second).then_some((first, second))
            });
            pairs.collect()
        };
        let each = pairs.len() / self.slots();
        pairs.sort_by_key(|pair| core::cmp::Reverse(self.rows[pair.0] + self.rows[pair.1]));
        let seated = spread(pairs.len()).into_iter().enumerate();
        seated
            .map(|(seat, at)| (pairs[at].0, pairs[at].1, seat / each))
            .collect()
    }

    /// The process that looks at a bundle when the gap is computed.
    pub(crate) fn looker(&self, bundle: usize) -> usize {
        bundle * self.ranks / self.bundles()
    }
}

/// How many bundles there are of so many classes: an even number.
pub fn bundles_of(classes: usize) -> usize {
    let most = MOST[usize::from(classes >= MANY)];
    classes.next_multiple_of(2).min(most)
}

/// The numbers of `many` things in another order: the first next to the last, the second to the
/// last but one; couples from both ends by turns.
fn spread(many: usize) -> Vec<usize> {
    let couples = many.div_ceil(2);
    let mut order = Vec::with_capacity(many);
    for turn in 0..couples {
        let couple = if turn % 2 == 0 {
            turn / 2
        } else {
            couples - 1 - turn / 2
        };
        order.push(couple);
        if many - 1 - couple != couple {
            order.push(many - 1 - couple);
        }
    }
    order
}

impl MultiClassSvm {
    /// As [`MemoryEstimate`](crate::train::MemoryEstimate), of training by bundles of labels that
    /// rotate (`crate::train::published::bundles`), in one process; of several each holds its share
    /// of the duals only.
    #[must_use]
    pub fn rotating_memory_estimate(&self, data: &Dataset) -> u64 {
        let (rows, labels) = (data.len() as u64, u64::from(data.labels().labels()));
        let (features, values) = (data.rows().features(), data.rows().nonzeros() as u64);
        let bundles = bundles_of(data.labels().labels() as usize) as u64;
        let listed = LISTED.min(labels.saturating_sub(1));
        let duals = rows * (bundles * 40 + 16 * listed);
        // A weight and its class, with room to grow.
        24 * weights_of(data, listed) + 40 * bundles * u64::from(features) + duals + 24 * values
    }
}

#[cfg(test)]
mod tests {
    use super::{Plan, spread};
    use crate::train::multiclass::problem::tests::random;
    use alloc::vec::Vec;

    #[test]
    fn every_pair_meets_once_an_epoch_and_every_bundle_once_a_round() {
        for classes in [2, 3, 6, 17, 1200] {
            let problem = random(classes as usize + 100, 9, classes, 1);
            for ranks in 1..5 {
                let plan = Plan::new(&problem, ranks);
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

    #[test]
    fn two_processes_have_about_as_many_rows_of_bundles_that_differ() {
        // Those of cpv-it.
        let rows = [
            2052, 1274, 1068, 868, 862, 801, 760, 744, 741, 722, 714, 703, 684, 674, 668, 664,
        ];
        let plan = Plan {
            rows: rows.to_vec(),
            ranks: 2,
        };
        let all: usize = rows.iter().sum();
        for round in 0..plan.rounds() {
            let first = plan.meetings(round).into_iter().filter(|m| m.2 == 0);
            let rows_of = |m: (usize, usize, usize)| {
                if m.0 == m.1 {
                    rows[m.0]
                } else {
                    rows[m.0] + rows[m.1]
                }
            };
            let first: usize = first.map(rows_of).sum();
            let share = first as f64 / all as f64;
            assert!((0.44..0.56).contains(&share), "round {round}: {share}");
        }
    }

    #[test]
    fn spreading_couples_few_with_many() {
        assert_eq!(spread(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        assert_eq!(spread(3), [0, 2, 1]);
        for many in 0..20 {
            let mut order = spread(many);
            order.sort_unstable();
            assert_eq!(order, (0..many).collect::<Vec<_>>());
        }
    }
}
