//! Who meets whom: every pair of M groups exactly once, in as few rounds as possible.
//!
//! The round-robin tournament (1-factorization of the complete graph) of paper 002's Algorithm 5,
//! with its residues corrected: as printed it misses pairs for even M and most pairs for odd M.

/// Number of rounds for `groups` groups: one less than the next even number; 0 for a single group.
#[must_use]
pub fn rounds(groups: usize) -> usize {
    if groups < 2 {
        0
    } else {
        groups.next_multiple_of(2) - 1
    }
}

/// Whom `group` meets in `round`; nobody where the number of groups is odd and its turn is to rest.
/// In round 0 of four groups, 0 meets 3 and 1 meets 2.
#[must_use]
pub fn partner(group: usize, round: usize, groups: usize) -> Option<usize> {
    let last = rounds(groups);
    let other = if group == last {
        round
    } else if group == round {
        last
    } else {
        (2 * round + last - group) % last
    };
    (other < groups && other != group).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::{partner, rounds};
    use alloc::vec;

    #[test]
    fn every_pair_meets_exactly_once() {
        for groups in 1..=200 {
            let mut met = vec![0u32; groups * groups];
            for round in 0..rounds(groups) {
                for group in 0..groups {
                    let Some(other) = partner(group, round, groups) else {
                        assert!(groups % 2 == 1);
                        continue;
                    };
                    assert_eq!(partner(other, round, groups), Some(group));
                    met[group * groups + other] += 1;
                }
            }
            for first in 0..groups {
                for second in 0..groups {
                    let once = u32::from(first != second);
                    assert_eq!(met[first * groups + second], once, "{groups} groups");
                }
            }
        }
    }
}
