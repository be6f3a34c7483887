//! How good parameters and indexes are: precision on training rows held out.

use crate::model::nearest::{
    index::{Index, IndexScratch},
    votes::{Votes, vote},
};
use crate::{
    data::LabelLists,
    executor::Executor,
    kernels::Kernels,
    search::neighbors::Similarity,
    sparse::SparseRows,
    train::{
        TrainError,
        precision::{Precision, Tally},
    },
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

    /// The answers of each way of voting on what `index`, which holds [`HeldOut::rows`], finds,
    /// counted, and the words of a compact index read for a query on average.
    ///
    /// Each query is searched once, for the most neighbors that any way of voting asks for.
    pub(super) fn judge(
        &self,
        index: &Index,
        similarity: Similarity,
        votings: &[Voting],
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<(Vec<Tally>, f64), TrainError> {
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
            let answers = |&(alpha, neighbors): &Voting| {
                for neighbor in found.iter().take(neighbors as usize) {
                    let vote = vote(neighbor.score, alpha);
                    let labels = self.labels.row(neighbor.id as usize);
                    labels.iter().for_each(|&label| votes.cast(vote, label));
                }
                let mut tally = Tally::of(&self.labels);
                tally.count(votes.best(Precision::DEPTH), self.truth.row(row));
                tally
            };
            let tallies: Vec<Tally> = votings.iter().map(answers).collect();
            Ok::<_, TrainError>((tallies, scratch.words_read()))
        });
        let (mut sums, mut words) = (vec![Tally::default(); votings.len()], 0);
        for row in by_row {
            let (tallies, read) = row?;
            for (sum, tally) in sums.iter_mut().zip(&tallies) {
                *sum = core::mem::take(sum).and(tally);
            }
            words += read;
        }
        Ok((sums, words as f64 / self.queries.len() as f64))
    }
}
