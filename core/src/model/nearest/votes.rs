//! From neighbors to labels.

use crate::{
    float::power,
    search::{Scored, Top},
};
use alloc::vec::Vec;

/// Adds up votes. Memory grows with the votes cast for one query, not with the number of labels.
#[derive(Debug, Default)]
pub(crate) struct Votes {
    /// Label, turn and vote: within a label votes are added in turn, so that sums never differ.
    cast: Vec<(u32, u32, f64)>,
    top: Top,
    shares: Vec<Scored>,
}

impl Votes {
    /// Adds a neighbor's vote to a label.
    pub(crate) fn cast(&mut self, vote: f64, label: u32) {
        let turn = self.cast.len() as u32;
        self.cast.push((label, turn, vote));
    }

    /// All labels with votes by rising id, each with its share of `total`; all votes are forgotten.
    pub(crate) fn shares(&mut self, total: f64) -> &[Scored] {
        self.cast
            .sort_unstable_by_key(|&(label, turn, _)| (label, turn));
        self.shares.clear();
        for votes in self.cast.chunk_by(|a, b| a.0 == b.0) {
            let sum: f64 = votes.iter().map(|&(_, _, vote)| vote).sum();
            self.shares.push(Scored {
                id: votes[0].0,
                score: (sum / total).min(1.0) as f32,
            });
        }
        self.cast.clear();
        &self.shares
    }

    /// The `k` labels with the most votes, best first; all votes are forgotten.
    pub(crate) fn best(&mut self, k: usize) -> &[Scored] {
        self.cast
            .sort_unstable_by_key(|&(label, turn, _)| (label, turn));
        self.top.reset(k);
        for votes in self.cast.chunk_by(|a, b| a.0 == b.0) {
            let sum: f64 = votes.iter().map(|&(_, _, vote)| vote).sum();
            self.top.push(Scored {
                id: votes[0].0,
                score: sum as f32,
            });
        }
        self.cast.clear();
        self.top.sorted()
    }
}

/// The vote of a neighbor, `similarity^alpha`: finite and positive whatever alpha is.
pub(crate) fn vote(similarity: f32, alpha: f64) -> f64 {
    power(f64::from(similarity), alpha).clamp(f64::from(f32::MIN_POSITIVE), 1e30)
}

#[cfg(test)]
mod tests {
    use super::{Votes, vote};

    #[test]
    fn votes_add_up_and_are_forgotten() {
        let mut votes = Votes::default();
        for (weight, label) in [(0.25, 1), (0.25, 3), (0.5, 3)] {
            votes.cast(weight, label);
        }
        let best: alloc::vec::Vec<_> = votes.best(5).iter().map(|s| (s.id, s.score)).collect();
        assert_eq!(best, [(3, 0.75), (1, 0.25)]);
        assert!(votes.best(5).is_empty());
    }

    #[test]
    fn any_real_alpha_gives_finite_votes() {
        for alpha in [-40.0, -1.0, 0.0, 0.3, 40.0] {
            let vote = vote(1e-30, alpha) as f32;
            assert!(vote.is_finite() && vote > 0.0, "alpha {alpha}: {vote}");
        }
    }
}
