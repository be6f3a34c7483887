//! One-vs-rest training, part by part; [`super::one_vs_rest`] says what is computed.

mod block;
mod parts;
mod pool;
mod saved;
mod second_head;
mod solve;
mod warm_start;

pub use block::BlockScratch;
pub(super) use pool::VERY_MANY_LABELS;
pub(super) use solve::prior;

use super::{
    label_jobs::LabelJobs,
    mining::{RowsByLabel, Turn, mine},
    training_rows::TrainingRows,
};
use crate::parameters::one_vs_rest::{Negatives, OneVsRest};
use crate::train::one_vs_rest::training::{Report, Stage};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{
        linear::LinearModel,
        linear::build::LabelWeights,
        linear::scorer::{LinearScorer, ScoreAll},
    },
    train::{TrainError, Training, check_data},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use pool::{draw, times};
use second_head::SecondHead;

/// Training under way: call [`Trainer::step`] until it returns `None`, then [`Trainer::finish`].
pub struct Trainer<'a> {
    parameters: OneVsRest,
    all: bool,
    rounds: u32,
    data: &'a Dataset,
    kernels: &'a dyn Kernels,
    rows: TrainingRows,
    positives: RowsByLabel,
    /// Rows that every label is held against while negatives are mined, rising.
    pool: Vec<u32>,
    /// How many rows each of them counts as where it is without the label.
    pool_times: f64,
    jobs: LabelJobs,
    /// Jobs of this stage that are done.
    jobs_done: usize,
    weights: Vec<LabelWeights>,
    wrong: RowsByLabel,
    proposals: Vec<Vec<u32>>,
    oracle: Option<LinearScorer>,
    /// Whether training began with an earlier model.
    continued: bool,
    round: u32,
    stage: Stage,
    done: usize,
    /// After the last round: softmax regression beside the weights, or why there can be none.
    softmax: Option<Result<SecondHead<'a>, TrainError>>,
}

/// Weights of one feature that mining looks at, the largest: a row then costs no more the more
/// labels there are.
const MOST_POSTINGS: usize = 1024;

/// The same where labels are at least so many, as these weights then come from memory rather than a
/// cache.
const MANY_LABELS: [(usize, usize); 2] = [(1 << 17, 256), (1 << 16, 512)];

/// Weights of one feature that mining looks at with so many labels.
fn most_postings(labels: usize) -> usize {
    let many = MANY_LABELS.iter().find(|(least, _)| labels >= *least);
    many.map_or(MOST_POSTINGS, |&(_, most)| most)
}

/// Where labels are so many, a round mines every second row, and the next the others: a row's
/// mining looks at the sums of all labels, so that a label would cost the more the more there are.
const SHARED_ROWS: usize = 1 << 17;

/// Visits of a stored value by a label, a row's counting as four, up to which [`Negatives::Auto`]
/// takes all negatives: a few seconds.
const ALL_IS_CHEAP: u64 = 6_000_000_000;

impl OneVsRest {
    /// Whether every row without a label is one of its negatives in training on `data`.
    #[must_use]
    pub(crate) fn takes_all(&self, data: &Dataset) -> bool {
        match self.negatives {
            Negatives::All => true,
            Negatives::Mined => false,
            Negatives::Auto => {
                let values = data.rows().nonzeros() as u64;
                let labels = u64::from(data.labels().labels());
                let work = labels.saturating_mul(values + 4 * data.len() as u64);
                work <= ALL_IS_CHEAP
            }
        }
    }

    /// Begins training on `data`: checks everything and packs the rows.
    ///
    /// # Errors
    /// If a parameter is out of range or there is nothing to learn from.
    pub fn trainer<'a>(
        &self,
        data: &'a Dataset,
        executor: &Executor,
        kernels: &'a dyn Kernels,
    ) -> Result<Trainer<'a>, TrainError> {
        self.check()?;
        let rows = data.rows();
        check_data(data)?;
        let labels = data.labels().labels() as usize;
        let all = self.takes_all(data);
        let with_short = !all && self.rounds > 1;
        let packed = TrainingRows::new(self, data, with_short, executor)?;
        let positives = RowsByLabel::new((0..rows.len()).map(|row| data.labels().row(row)), labels);
        let pool = match all {
            true => Vec::new(),
            false => draw(self.seed, self.pool as usize, rows.len()),
        };
        let pool_times = times(pool.len(), rows.len(), labels);
        let jobs = {
            let (rows, features) = (packed.early(), rows.features() as usize);
            LabelJobs::new(labels, &positives, rows, features, executor)
        };
        Ok(Trainer {
            parameters: self.clone(),
            all,
            rounds: if all { 1 } else { self.rounds },
            data,
            kernels,
            rows: packed,
            positives,
            pool,
            pool_times,
            jobs,
            weights: vec![LabelWeights::default(); labels],
            wrong: RowsByLabel::default(),
            proposals: Vec::new(),
            oracle: None,
            jobs_done: 0,
            continued: false,
            round: 0,
            stage: Stage::Solve,
            done: 0,
            softmax: None,
        })
    }
}

impl Training for Trainer<'_> {
    type Report = Report;
    type Made = LinearModel;

    fn step(&mut self, executor: &Executor) -> Option<Report> {
        if self.round == self.rounds {
            return self.softmax_part(executor);
        }
        let (round, stage) = (self.round, self.stage);
        let (of, sweeps) = match stage {
            Stage::Solve => self.solve_part(executor),
            _ => self.mine_part(executor),
        };
        let report = Report {
            round,
            rounds: self.rounds,
            stage,
            done: self.done,
            of,
            sweeps,
        };
        if self.done == of {
            self.next_stage();
        }
        Some(report)
    }

    fn finish(mut self, _: &Executor) -> Result<LinearModel, TrainError> {
        if self.round < self.rounds {
            return Err(TrainError::Stopped);
        }
        match self.softmax.take() {
            Some(head) => head?.finish(&self.parameters),
            None if self.parameters.softmax > 0.0 => Err(TrainError::Stopped),
            None => self.linear(),
        }
    }
}

impl Trainer<'_> {
    /// Bytes held now, without the data set.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let weights = self.weights.iter().map(|w| 5 * w.features.capacity());
        let proposals = self.proposals.iter().map(|p| 24 + 4 * p.capacity());
        let second = self.softmax.as_ref().and_then(|head| head.as_ref().ok());
        self.rows.bytes()
            + second.map_or(0, SecondHead::bytes)
            + self.jobs.bytes()
            + self.positives.bytes()
            + self.wrong.bytes()
            + proposals.sum::<usize>()
            + weights.sum::<usize>()
    }

    fn mine_part(&mut self, executor: &Executor) -> (usize, u64) {
        let rows = self.rows.full.len();
        let part = rows.div_ceil(16).max(4096).min(rows - self.done);
        let mined = self.mine_rows(self.done..self.done + part, executor);
        self.proposals.extend(mined);
        self.done += part;
        (rows, 0)
    }

    /// The labels that each row of a range is wrongly ranked high by.
    fn mine_rows(&mut self, range: Range<usize>, executor: &Executor) -> Vec<Vec<u32>> {
        let oracle = self.oracle.take().unwrap_or_else(|| {
            LinearScorer::from_weights(
                &self.weights,
                self.rows.order.feature.len(),
                self.parameters.transform(),
                most_postings(self.weights.len()),
            )
        });
        let all = ScoreAll {
            scorer: &oracle,
            kernels: self.kernels,
        };
        let most = self.parameters.mine as usize;
        let rows = match self.round + 1 < self.rounds {
            true => self.rows.early(),
            false => &self.rows.full,
        };
        let part = (range, self.turn());
        let mined = mine(rows, self.data.labels(), part, most, &all, executor);
        self.oracle = Some(oracle);
        mined
    }

    /// The rows that this round mines.
    fn turn(&self) -> Turn {
        // Labels of an earlier model have no other negatives than those of this round.
        let many = self.weights.len() >= SHARED_ROWS;
        let every = if many && !self.continued && self.rounds > 2 {
            2
        } else {
            1
        };
        let at = self.round as usize % every;
        Turn { every, at }
    }

    fn next_stage(&mut self) {
        self.done = 0;
        if self.stage == Stage::Mine {
            let labels = self.weights.len();
            let found = RowsByLabel::new(self.proposals.iter().map(Vec::as_slice), labels);
            self.wrong = self.wrong.merged(&found, labels);
            self.proposals = Vec::new();
            self.oracle = None;
            for (label, weights) in self.weights.iter_mut().enumerate() {
                // Without rows of its own a label keeps what an earlier model gave it.
                if !self.positives.of(label).is_empty() {
                    *weights = LabelWeights::default();
                }
            }
            self.jobs_done = 0;
            self.stage = Stage::Solve;
        } else {
            self.round += 1;
            self.stage = Stage::Mine;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OneVsRest, SHARED_ROWS, Stage};
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        parameters::one_vs_rest::Negatives,
        sparse::{SparseRows, SparseVec},
        train::Training,
    };
    use alloc::{collections::BTreeSet, vec::Vec};

    #[test]
    fn rows_take_turns_where_labels_are_many() {
        let (mut rows, mut lists) = (SparseRows::new(8), LabelLists::new(SHARED_ROWS as u32));
        for row in 0..40u32 {
            // Four labels that have the same features.
            let pairs = [(row % 4, 1.0), (7, 1.0)];
            rows.push(SparseVec::from_pairs(pairs).unwrap().view())
                .unwrap();
            lists.push([1_000 * (row % 4)]);
        }
        let data = Dataset::new(rows, lists, None).unwrap();
        let mined_rows = |rounds| {
            let parameters = OneVsRest {
                negatives: Negatives::Mined,
                rounds,
                ..OneVsRest::default()
            };
            let mut trainer = parameters.trainer(&data, &Sequential, &Portable).unwrap();
            let mut mined: Vec<Vec<usize>> = Vec::new();
            loop {
                if trainer.round < rounds && trainer.stage == Stage::Mine {
                    let wrong = trainer.mine_rows(0..40, &Sequential);
                    mined.push((0..40).filter(|&row| !wrong[row].is_empty()).collect());
                }
                if trainer.step(&Sequential).is_none() {
                    break;
                }
            }
            // What was mined in any round stays.
            let labels = (0..4).flat_map(|label| trainer.wrong.of(1_000 * label));
            assert_eq!(labels.collect::<BTreeSet<_>>().len(), 40);
            assert!(trainer.finish(&Sequential).is_ok());
            mined
        };
        let turns = [1, 0].map(|at| (0..40).filter(|row| row % 2 == at).collect::<Vec<_>>());
        assert_eq!(mined_rows(3), turns);
        let all: Vec<usize> = (0..40).collect();
        assert_eq!(mined_rows(2), [all], "one round of mining takes all rows");
    }
}
