//! How good parameters and indexes are: precision on training rows held out.

use crate::model::nearest::{
    index::{Index, IndexScratch},
    votes::{Votes, vote},
};
use crate::{
    data::LabelLists,
    executor::Executor,
    kernels::Kernels,
    search::{Scored, neighbors::Similarity},
    sparse::SparseRows,
    train::{Precision, TrainError},
};
use alloc::{vec, vec::Vec};

/// Held-out rows are a tenth, but at most this many: more would cost time and tell little.
const MOST: f64 = 5000.0;

/// Rows held out, and those that may be their neighbors.
pub(super) struct HeldOut {
    pub(super) rows: SparseRows,
    pub(super) queries: SparseRows,
    labels: LabelLists,
    truth: LabelLists,
}

/// How neighbors vote: alpha, and how many.
pub(super) type Voting = (f64, u32);

impl HeldOut {
    /// Holds out a tenth of `rows`, drawn by `seed`: always the same for the same number of rows.
    pub(super) fn new(
        rows: &SparseRows,
        labels: &LabelLists,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let share = 0.1f64.min(MOST / labels.measured().max(1) as f64);
        let split = labels
            .split(share, seed)
            .map_err(|_| TrainError::TooFewRows {
                rows: rows.len() as u64,
            })?;
        Ok(Self {
            rows: rows.select(&split.train),
            queries: rows.select(&split.held_out),
            labels: labels.select(&split.train),
            truth: labels.select(&split.held_out),
        })
    }

    /// The precision of each way of voting on what `index`, which holds [`HeldOut::rows`], finds,
    /// and the words of a compact index read for a query on average.
    ///
    /// Each query is searched once, for the most neighbors that any way of voting asks for.
    pub(super) fn judge(
        &self,
        index: &Index,
        similarity: Similarity,
        votings: &[Voting],
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<(Vec<Precision>, f64), TrainError> {
        let most = votings
            .iter()
            .map(|&(_, neighbors)| neighbors)
            .max()
            .unwrap_or(0) as usize;
        let scratch = || (IndexScratch::new(kernels), Votes::default());
        let by_row = executor.map(self.queries.len(), scratch, |(scratch, votes), row| {
            let query = self.queries.row(row);
            let found = index
                .search(query, most, similarity, &[], scratch)?
                .to_vec();
            let hits = |&(alpha, neighbors): &Voting| {
                for neighbor in found.iter().take(neighbors as usize) {
                    let vote = vote(neighbor.score, alpha);
                    let labels = self.labels.row(neighbor.id as usize);
                    labels.iter().for_each(|&label| votes.cast(vote, label));
                }
                Hits::count(votes.best(Precision::DEPTH), self.truth.row(row))
            };
            let hits: Vec<Hits> = votings.iter().map(hits).collect();
            Ok::<_, TrainError>((hits, scratch.words_read()))
        });
        let (mut sums, mut words) = (vec![Hits::default(); votings.len()], 0);
        for row in by_row {
            let (hits, read) = row?;
            sums.iter_mut()
                .zip(hits)
                .for_each(|(sum, hits)| sum.add(hits));
            words += read;
        }
        let rows = self.queries.len();
        let precisions = sums.into_iter().map(|hits| hits.over(rows)).collect();
        Ok((precisions, words as f64 / rows as f64))
    }
}

/// Right answers among the first 1, 3 and 5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Hits([u64; 3]);

impl Hits {
    /// Counts the right ones among `answers`, best first, where `truth` is rising.
    fn count(answers: &[Scored], truth: &[u32]) -> Self {
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
    fn add(&mut self, other: Self) {
        for (sum, hits) in self.0.iter_mut().zip(other.0) {
            *sum += hits;
        }
    }

    /// The precision over `rows` rows, which is not 0.
    fn over(self, rows: usize) -> Precision {
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
