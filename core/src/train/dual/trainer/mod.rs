//! One-vs-rest training, part by part; [`super::one_vs_rest`] says what is computed.

mod duals;
mod parts;
mod pool;
mod saved;
mod start;

pub use parts::LabelParts;

use super::{
    label_jobs::LabelJobs,
    label_solver::{Effort, SolverScratch},
    mining::{RowsByLabel, mine},
    one_vs_rest::{Report, Stage},
    parameters::{Negatives, OneVsRest},
    training_rows::TrainingRows,
};
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    kernels::Kernels,
    model::{
        linear::LinearModel,
        linear::build::{LabelWeights, build},
        linear::scorer::{LinearScorer, ScoreAll},
    },
    random::Stream,
    train::{TrainError, check_data},
};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use duals::{Duals, keep};
use pool::draw_pool;

/// What solving a label gives. As it is by default for a label without rows.
#[derive(Default)]
struct Solved {
    duals: Duals,
    weights: LabelWeights,
    sweeps: u32,
}

/// Training under way: call [`Trainer::step`] until it returns `None`, then [`Trainer::finish`].
pub struct Trainer<'a> {
    parameters: OneVsRest,
    all: bool,
    rounds: u32,
    data: &'a Dataset,
    kernels: &'a dyn Kernels,
    rows: TrainingRows,
    positives: RowsByLabel,
    pool: Vec<u32>,
    jobs: LabelJobs,
    /// Jobs of this stage that are done.
    jobs_done: usize,
    duals: Vec<Duals>,
    weights: Vec<LabelWeights>,
    wrong: RowsByLabel,
    proposals: Vec<Vec<u32>>,
    oracle: Option<LinearScorer>,
    /// Labels that the model to start from has not seen; empty without one.
    unseen: Vec<bool>,
    round: u32,
    stage: Stage,
    done: usize,
}

/// Jobs of solving between two reports.
const PART: usize = 64;

/// Labels times stored values up to which [`Negatives::Auto`] takes all negatives.
const ALL_IS_CHEAP: u64 = 150_000_000;

impl OneVsRest {
    /// Begins training on `data`: checks everything and packs the rows.
    ///
    /// # Errors
    /// If a parameter is out of range or there is nothing to learn from.
    pub fn trainer<'a, E: Executor>(
        &self,
        data: &'a Dataset,
        executor: &E,
        kernels: &'a dyn Kernels,
    ) -> Result<Trainer<'a>, TrainError> {
        self.check()?;
        let rows = data.rows();
        check_data(data)?;
        let labels = data.labels().labels() as usize;
        let all = match self.negatives {
            Negatives::All => true,
            Negatives::Mined => false,
            Negatives::Auto => labels as u64 * rows.nonzeros() as u64 <= ALL_IS_CHEAP,
        };
        let with_short = !all && self.rounds > 1;
        let packed = TrainingRows::new(self, data, with_short, executor)?;
        let positives = RowsByLabel::new((0..rows.len()).map(|row| data.labels().row(row)), labels);
        let pool = draw_pool(self, rows.len());
        let jobs = LabelJobs::new(labels, |label| positives.of(label).len() + pool.len());
        Ok(Trainer {
            parameters: self.clone(),
            all,
            rounds: if all { 1 } else { self.rounds },
            data,
            kernels,
            rows: packed,
            positives,
            pool,
            jobs,
            duals: vec![Duals::default(); labels],
            weights: vec![LabelWeights::default(); labels],
            wrong: RowsByLabel::default(),
            proposals: Vec::new(),
            oracle: None,
            jobs_done: 0,
            unseen: Vec::new(),
            round: 0,
            stage: Stage::Solve,
            done: 0,
        })
    }
}

impl Trainer<'_> {
    /// Does the next part of the work, or returns `None` if all is done.
    pub fn step<E: Executor>(&mut self, executor: &E) -> Option<Report> {
        if self.round == self.rounds {
            return None;
        }
        let (round, stage) = (self.round, self.stage);
        let (of, sweeps) = match stage {
            Stage::Solve => self.solve_part(executor),
            Stage::Mine => self.mine_part(executor),
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

    /// Ends training.
    ///
    /// # Errors
    /// If parts of the work are left, or the model is too large for its form.
    pub fn finish(self) -> Result<LinearModel, TrainError> {
        if self.round < self.rounds {
            return Err(TrainError::Stopped);
        }
        let Self {
            parameters,
            data,
            rows,
            mut weights,
            ..
        } = self;
        for label in &mut weights {
            for feature in &mut label.features {
                *feature = rows.order.feature[*feature as usize];
            }
        }
        let features = data.rows().features() as usize;
        Ok(build(
            &weights,
            features,
            parameters.transform(),
            parameters.bits,
        )?)
    }

    /// Bytes held now, without the data set.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let duals = self
            .duals
            .iter()
            .map(|d| 4 * d.positives.capacity() + 8 * d.negatives.capacity());
        let weights = self.weights.iter().map(|w| 5 * w.features.capacity());
        self.rows.bytes() + duals.sum::<usize>() + weights.sum::<usize>()
    }

    fn solve_part<E: Executor>(&mut self, executor: &E) -> (usize, u64) {
        let part = PART.min(self.jobs.len() - self.jobs_done);
        let first = self.jobs_done;
        let this = &*self;
        let features = this.data.rows().features() as usize;
        let solved = executor.map(
            part,
            || SolverScratch::new(features),
            |scratch, job| -> Vec<Solved> {
                let labels = this.jobs.job(first + job).iter();
                labels
                    .map(|&label| this.solve(scratch, label as usize))
                    .collect()
            },
        );
        let mut sweeps = 0;
        for (job, solved) in solved.into_iter().enumerate() {
            let labels = self.jobs.job(first + job);
            for (&label, solved) in labels.iter().zip(solved) {
                self.duals[label as usize] = solved.duals;
                self.weights[label as usize] = solved.weights;
                sweeps += u64::from(solved.sweeps);
            }
            self.done += labels.len();
        }
        self.jobs_done += part;
        (self.duals.len(), sweeps)
    }

    /// Solves one label on its present working rows.
    fn solve(&self, scratch: &mut SolverScratch, label: usize) -> Solved {
        let own = self.positives.of(label);
        if own.is_empty() {
            return Solved::default();
        }
        let last = self.round + 1 == self.rounds;
        let parameters = &self.parameters;
        let rows = if last || self.rows.short.is_empty() {
            &self.rows.full
        } else {
            &self.rows.short
        };
        self.collect(scratch, label, own);
        let effort = Effort {
            sweeps: if last {
                parameters.max_epochs
            } else {
                parameters.early_epochs
            },
            epsilon: parameters.epsilon,
            skip: 0.2 * parameters.epsilon,
        };
        let centroid = if last { parameters.centroid } else { 0.0 };
        let length = match centroid > 0.0 {
            true => scratch.centroid_length(rows),
            false => 0.0,
        };
        let job = u64::from(self.round) << 32 | label as u64;
        let mut stream = Stream::new(parameters.seed, job);
        let sweeps = scratch.solve(rows, parameters.bias, effort, &mut stream, self.kernels);
        if length > 0.0 {
            scratch.add_positives(rows, centroid / length);
        }
        let (prune, bits) = if last {
            (parameters.prune, parameters.bits)
        } else {
            (parameters.mine_prune, 8)
        };
        scratch.take_above(rows, prune);
        let mut bias = scratch.bias;
        if last && parameters.prior != 0.0 {
            bias += parameters.prior * float::ln(own.len() as f64);
        }
        let rounded = LabelWeights::round(&scratch.kept, bias as f32, bits);
        let duals = if last {
            Duals::default()
        } else {
            keep(scratch, own.len())
        };
        Solved {
            duals,
            weights: rounded,
            sweeps,
        }
    }

    /// Puts the working rows of a label into `scratch`: its own, then negatives.
    fn collect(&self, scratch: &mut SolverScratch, label: usize, own: &[u32]) {
        let duals = &self.duals[label];
        let parameters = &self.parameters;
        scratch.examples.clear();
        for (at, &row) in own.iter().enumerate() {
            let alpha = duals.positives.get(at).map_or(0.0, |&a| f64::from(a));
            scratch.push(parameters, row, true, alpha);
        }
        if self.all {
            let rows = 0..self.rows.full.len() as u32;
            for row in rows.filter(|row| own.binary_search(row).is_err()) {
                scratch.push(parameters, row, false, 0.0);
            }
            return;
        }
        let unseen = self.unseen.get(label).is_some_and(|&unseen| unseen);
        let fresh = if self.round == 0 || unseen {
            &self.pool[..]
        } else {
            self.wrong.of(label)
        };
        let mut kept = duals.negatives.iter().copied().peekable();
        for &row in fresh {
            while let Some((before, alpha)) = kept.next_if(|&(before, _)| before < row) {
                scratch.push(parameters, before, false, f64::from(alpha));
            }
            let alpha = kept
                .next_if(|&(before, _)| before == row)
                .map_or(0.0, |(_, alpha)| alpha);
            if own.binary_search(&row).is_err() {
                scratch.push(parameters, row, false, f64::from(alpha));
            }
        }
        for (row, alpha) in kept {
            scratch.push(parameters, row, false, f64::from(alpha));
        }
    }

    fn mine_part<E: Executor>(&mut self, executor: &E) -> (usize, u64) {
        let rows = self.rows.full.len();
        let part = rows.div_ceil(16).max(4096).min(rows - self.done);
        let mined = self.mine_rows(self.done..self.done + part, executor);
        self.proposals.extend(mined);
        self.done += part;
        (rows, 0)
    }

    /// The labels that each row of a range is wrongly ranked high by.
    fn mine_rows<E: Executor>(&mut self, range: Range<usize>, executor: &E) -> Vec<Vec<u32>> {
        let oracle = self.oracle.take().unwrap_or_else(|| {
            LinearScorer::from_weights(
                &self.weights,
                self.rows.order.feature.len(),
                self.parameters.transform(),
            )
        });
        let all = ScoreAll {
            scorer: &oracle,
            kernels: self.kernels,
        };
        let most = self.parameters.mine as usize;
        let first = self.round + 1 < self.rounds && !self.rows.short.is_empty();
        let rows = match first {
            true => &self.rows.short,
            false => &self.rows.full,
        };
        let mined = mine(rows, self.data.labels(), range, most, &all, executor);
        self.oracle = Some(oracle);
        mined
    }

    fn next_stage(&mut self) {
        self.done = 0;
        if self.stage == Stage::Mine {
            self.wrong =
                RowsByLabel::new(self.proposals.iter().map(Vec::as_slice), self.duals.len());
            self.proposals = Vec::new();
            self.oracle = None;
            self.weights
                .iter_mut()
                .for_each(|w| *w = LabelWeights::default());
            let work = |label| {
                self.positives.of(label).len()
                    + self.duals[label].negatives.len()
                    + self.wrong.of(label).len()
            };
            self.jobs = LabelJobs::new(self.duals.len(), work);
            self.jobs_done = 0;
            self.stage = Stage::Solve;
        } else {
            self.round += 1;
            self.stage = Stage::Mine;
        }
    }
}
