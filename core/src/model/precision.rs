//! Precision at 1, 3 and 5, what parameters are judged by.

use crate::search::Scored;

/// The shares of right labels among the first 1, 3 and 5, averaged over rows; ranks that are not
/// filled count as wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Precision {
    /// Precision at 1.
    pub at_1: f64,
    /// Precision at 3.
    pub at_3: f64,
    /// Precision at 5.
    pub at_5: f64,
}

impl Precision {
    /// How many answers a judgment looks at.
    pub const DEPTH: usize = 5;

    /// The mean of the three: what parameters are chosen by.
    #[must_use]
    pub fn mean(&self) -> f64 {
        (self.at_1 + self.at_3 + self.at_5) / 3.0
    }
}

/// Right answers among the first 1, 3 and 5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits([u64; 3]);

impl Hits {
    /// Counts the right ones among `answers`, best first, where `truth` is rising.
    pub(super) fn count(answers: &[Scored], truth: &[u32]) -> Self {
        let among = |k: usize| {
            answers
                .iter()
                .take(k)
                .filter(|a| truth.binary_search(&a.id).is_ok())
                .count()
        };
        Self([among(1) as u64, among(3) as u64, among(5) as u64])
    }

    /// Adds the hits of another row.
    pub(super) fn add(&mut self, other: Self) {
        for (sum, hits) in self.0.iter_mut().zip(other.0) {
            *sum += hits;
        }
    }

    /// The precision over `rows` rows, which is not 0.
    pub(super) fn over(self, rows: usize) -> Precision {
        let share = |at: usize, k: f64| self.0[at] as f64 / (rows as f64 * k);
        Precision {
            at_1: share(0, 1.0),
            at_3: share(1, 3.0),
            at_5: share(2, 5.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hits;
    use crate::search::Scored;

    #[test]
    fn missing_ranks_are_wrong() {
        let answers = [3, 1].map(|id| Scored { id, score: 1.0 });
        let mut hits = Hits::count(&answers, &[1, 2]);
        hits.add(Hits::count(&answers, &[3]));
        let precision = hits.over(2);
        assert_eq!(precision.at_1, 0.5);
        assert_eq!(precision.at_3, 2.0 / 6.0);
        assert_eq!(precision.at_5, 2.0 / 10.0);
    }
}
