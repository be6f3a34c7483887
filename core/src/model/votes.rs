//! From neighbors to labels.

use crate::{
    float,
    search::{Scored, Top},
};
use alloc::vec::Vec;

/// The votes of neighbors for the labels they carry: the score of a label is the sum of
/// `similarity^alpha` over the neighbors that carry it, added in the order of the neighbors.
#[derive(Clone, Debug, Default)]
pub struct Votes {
    sums: Vec<f64>,
    voted: Vec<u32>,
    top: Top,
}

impl Votes {
    /// Forgets all votes and makes room for `labels` labels.
    pub fn clear(&mut self, labels: usize) {
        for label in self.voted.drain(..) {
            if let Some(sum) = self.sums.get_mut(label as usize) {
                *sum = 0.0;
            }
        }
        self.sums.resize(labels, 0.0);
    }

    /// One neighbor of similarity `similarity` (above 0) votes for `labels`; labels without room
    /// get no votes.
    pub fn add(&mut self, similarity: f32, alpha: f64, labels: impl IntoIterator<Item = u32>) {
        let vote = float::power(f64::from(similarity), alpha);
        for label in labels {
            if let Some(sum) = self.sums.get_mut(label as usize) {
                if *sum == 0.0 {
                    self.voted.push(label);
                }
                *sum += vote;
            }
        }
    }

    /// The `k` labels with most votes, best first, ties by smaller id.
    pub fn best(&mut self, k: usize) -> &[Scored] {
        self.top.reset(k);
        for &id in &self.voted {
            if let Some(&sum) = self.sums.get(id as usize) {
                self.top.push(Scored {
                    id,
                    score: sum as f32,
                });
            }
        }
        self.top.sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::Votes;
    use alloc::vec::Vec;

    /// The worked example of the paper: one row like the query with labels 1 and 2, four
    /// rows less like it with labels 3, 5 and 6.
    #[test]
    fn the_papers_example() {
        let cosine = 3.0 / libm::sqrt(15.0);
        for (alpha, beta, winner, votes) in [
            (1.0, 0.0, 3, 3.098),
            (1.0, 1.0, 3, 1.859),
            (2.0, 0.0, 3, 2.4),
            (2.0, 1.0, 1, 0.864),
            (1.0, 2.0, 3, 1.115),
            (1.0, 3.0, 1, 0.669),
        ] {
            let less = (cosine * libm::pow(0.6, beta)) as f32;
            let mut all = Votes::default();
            for _ in 0..2 {
                all.clear(7);
                all.add(1.0, alpha, [1, 2]);
                (0..4).for_each(|_| all.add(less, alpha, [3, 5, 6]));
            }
            let best: Vec<_> = all.best(9).to_vec();
            assert_eq!(best.len(), 5);
            assert_eq!(best[0].id, winner);
            let score = best.iter().find(|label| label.id == 5).unwrap().score;
            assert!((score - votes).abs() < 1e-3, "{score} for {votes}");
        }
    }
}
