//! MEMOIR step by step; [`super`] says what is computed.

mod saved;

use super::{
    draws::{Pair, Sequence},
    feature_lists::FeatureLists,
    finish::label_weights,
    list::Beside,
    parameters::{Average, Length, Memoir, Regularizer, Truncation},
    step::{Slots, Steps},
    training_rows::TrainingRows,
    violators::{Asked, Violators},
};
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    model::linear::{LinearModel, build::build},
    random::Stream,
    train::{TrainError, check_data},
};
use alloc::{vec, vec::Vec};

/// How far training has come, after a part of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Steps done.
    pub done: u64,
    /// Steps there are.
    pub of: u64,
    /// Passes over the rows that were completed so far.
    pub epoch: u32,
    /// Whether a pass, or training, has just ended.
    pub epoch_ended: bool,
}

/// Training under way: call [`Trainer::step`] until it returns `None`, then [`Trainer::finish`].
pub struct Trainer<'a> {
    pub(super) parameters: Memoir,
    pub(super) data: &'a Dataset,
    pub(super) rows: TrainingRows<'a>,
    pub(super) draws: Sequence,
    pub(super) seen: Vec<u32>,
    pub(super) weights: FeatureLists,
    scratch: Scratch,
    slots: Slots,
    touched: Vec<u32>,
    /// Steps done, and steps there are.
    t: u64,
    total: u64,
}

/// What one worker needs to find the violators of a row.
pub(super) struct Scratch {
    pub scores: Vec<f32>,
    pub terms: Vec<(u32, f32)>,
    pub violators: Violators,
}

impl Scratch {
    pub fn new(classes: usize) -> Self {
        Self {
            scores: vec![0.0; classes],
            terms: Vec::new(),
            violators: Violators::default(),
        }
    }
}

/// Steps of batch 1 done in one call.
const PART: u64 = 4096;

/// Steps of l1 training after which weights that have become zero are left out.
const SETTLE: u64 = 16_384;

impl Memoir {
    /// Begins training on `data`: checks everything and lays out the rows.
    ///
    /// # Errors
    /// If a parameter is out of range, there is nothing to learn from, a row has several labels
    /// and these are not wanted, or memory is lacking.
    pub fn trainer<'a>(&self, data: &'a Dataset) -> Result<Trainer<'a>, TrainError> {
        self.check()?;
        check_data(data)?;
        let draws = Sequence::new(data, self.draws, self.several, self.seed)?;
        let rows = TrainingRows::new(data, self)?;
        let classes = data.labels().labels() as usize;
        let mut seen: Vec<u32> = draws.pairs().iter().map(|pair| pair.class).collect();
        seen.sort_unstable();
        seen.dedup();
        let beside = match self.regularizer {
            Regularizer::L2 => Beside::Nothing,
            Regularizer::L1(Truncation::Cumulative) => Beside::Penalty { now: 0.0 },
            Regularizer::L1(Truncation::Ratio) => Beside::Penalties {
                now: vec![0.0; classes],
            },
        };
        let total = match self.length {
            Length::Iterations(iterations) => iterations,
            Length::Epochs(epochs) => {
                let draws = draws.len() as u64 * u64::from(epochs);
                draws.div_ceil(u64::from(self.batch))
            }
        };
        Ok(Trainer {
            parameters: self.clone(),
            data,
            weights: FeatureLists::new(rows.features(), classes, self.create, beside),
            rows,
            draws,
            seen,
            scratch: Scratch::new(classes),
            slots: Slots::new(classes),
            touched: Vec::new(),
            t: 0,
            total,
        })
    }
}

impl Trainer<'_> {
    /// Does the next part of the work, or returns `None` if all is done.
    pub fn step<E: Executor>(&mut self, executor: &E) -> Option<Report> {
        if self.t == self.total {
            return None;
        }
        let batch = u64::from(self.parameters.batch);
        let epoch = |t: u64| t * batch / self.draws.len() as u64;
        let before = epoch(self.t);
        let end = (self.t + (PART / batch).max(1)).min(self.total);
        let mut ended = false;
        while self.t < end && !ended {
            self.one(executor);
            ended = self.t * batch / self.draws.len() as u64 > before;
        }
        Some(Report {
            done: self.t,
            of: self.total,
            epoch: (self.t * batch / self.draws.len() as u64) as u32,
            epoch_ended: ended || self.t == self.total,
        })
    }

    /// One step.
    fn one<E: Executor>(&mut self, executor: &E) {
        self.t += 1;
        let averages = self.parameters.average == Average::SecondHalf && !self.parameters.is_l1();
        if averages && self.t == self.total / 2 + 1 {
            self.weights.begin_averaging();
        }
        let eta = self.parameters.eta(self.t);
        self.touched.clear();
        if self.parameters.batch == 1 {
            self.one_row(eta);
        } else {
            self.one_batch(eta, executor);
        }
        let lambda = self.parameters.lambda;
        if !self.parameters.is_l1() {
            self.weights.project(1.0 / float::sqrt(lambda));
        }
        self.weights.end_step(lambda * eta, &self.touched);
        if self.parameters.is_l1()
            && self
                .t
                .is_multiple_of((SETTLE / u64::from(self.parameters.batch)).max(1))
        {
            self.weights.settle();
        }
    }

    fn shrink(&mut self, eta: f64) {
        if !self.parameters.is_l1() {
            self.weights.shrink(1.0 - self.parameters.lambda * eta);
        }
    }

    fn one_row(&mut self, eta: f64) {
        let pair = self.draws.draw();
        let mut scratch = core::mem::replace(&mut self.scratch, Scratch::new(0));
        let moves = self.choose(pair, self.t, eta, &mut scratch);
        self.shrink(eta);
        let steps = Steps {
            classes: &scratch.violators.classes,
            amounts: &scratch.violators.amounts,
        };
        self.touched.extend_from_slice(steps.classes);
        if moves {
            self.weights.add(&scratch.terms, &steps, &mut self.slots);
        }
        self.scratch = scratch;
    }

    /// Scores all classes for a row and chooses its violators; `number` is of the draw.
    pub(super) fn choose(&self, pair: Pair, number: u64, eta: f64, scratch: &mut Scratch) -> bool {
        let Scratch {
            scores,
            terms,
            violators,
        } = scratch;
        terms.clear();
        self.rows.terms(pair.row, terms);
        scores.fill(0.0);
        self.weights.score(terms, scores);
        let asked = self.asked(pair);
        let stream = || Stream::new(self.parameters.seed, SILENT + number);
        violators.choose(scores, asked, &self.parameters, eta, stream)
    }

    pub(super) fn asked(&self, pair: Pair) -> Asked<'_> {
        Asked {
            own: pair.class,
            labels: self.data.labels().row(pair.row as usize),
            seen: &self.seen,
            scale: self.weights.scale(),
        }
    }

    fn one_batch<E: Executor>(&mut self, eta: f64, executor: &E) {
        const BLOCK: usize = 64;
        let batch = self.parameters.batch as usize;
        let pairs: Vec<Pair> = (0..batch).map(|_| self.draws.draw()).collect();
        let (this, each) = (&*self, eta / batch as f64);
        let first = this.t * batch as u64;
        let found = executor.map(
            batch.div_ceil(BLOCK),
            || Scratch::new(this.weights.classes()),
            |scratch, block| {
                let mut chosen = Chosen::default();
                let part = pairs.iter().enumerate().skip(block * BLOCK).take(BLOCK);
                for (at, &pair) in part {
                    let moves = this.choose(pair, first + at as u64, each, scratch);
                    chosen.push(at as u32, moves, &scratch.violators);
                }
                chosen
            },
        );
        self.shrink(eta);
        let mut all = Chosen::default();
        found.into_iter().for_each(|part| all.append(part));
        self.touched.extend_from_slice(&all.classes);
        self.touched.sort_unstable();
        self.touched.dedup();
        let rows = &self.rows;
        let draw = |number: usize, terms: &mut Vec<(u32, f32)>| {
            rows.terms(pairs[all.pairs[number] as usize].row, terms);
            all.steps(number)
        };
        self.weights.add_all(all.pairs.len(), draw, executor);
    }

    /// Ends training.
    ///
    /// # Errors
    /// If steps are left, or the model is too large for its form.
    pub fn finish(self) -> Result<LinearModel, TrainError> {
        if self.t < self.total {
            return Err(TrainError::Stopped);
        }
        let features = self.data.rows().features();
        let weights = label_weights(&self.weights, &self.seen, features, &self.parameters);
        let transform = self.parameters.transform();
        Ok(build(
            &weights,
            features as usize,
            transform,
            self.parameters.bits,
        )?)
    }

    /// Bytes held now, without the data set.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.weights.bytes() + self.rows.bytes() + 8 * self.draws.len() + 4 * self.seen.len()
    }

    /// The weights as they are now, or their mean so far where one is kept.
    #[must_use]
    pub fn weights(&self) -> &FeatureLists {
        &self.weights
    }

    /// Number of weights now.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        self.weights.nonzeros()
    }
}

/// Streams with job numbers from here on choose silent classes.
const SILENT: u64 = 1 << 61;

/// The steps of several rows, one behind the other.
#[derive(Default)]
struct Chosen {
    /// Which pair of the batch each is of.
    pairs: Vec<u32>,
    ends: Vec<usize>,
    classes: Vec<u32>,
    amounts: Vec<f64>,
}

impl Chosen {
    /// Rows that do not move count as touching their classes, moved by nothing.
    fn push(&mut self, pair: u32, moves: bool, violators: &Violators) {
        self.pairs.push(pair);
        self.classes.extend_from_slice(&violators.classes);
        let amounts = violators
            .amounts
            .iter()
            .map(|a| if moves { *a } else { 0.0 });
        self.amounts.extend(amounts);
        self.ends.push(self.classes.len());
    }

    fn append(&mut self, other: Self) {
        let before = self.classes.len();
        self.pairs.extend(other.pairs);
        self.classes.extend(other.classes);
        self.amounts.extend(other.amounts);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    fn steps(&self, number: usize) -> Steps<'_> {
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        let range = start..self.ends[number];
        Steps {
            classes: &self.classes[range.clone()],
            amounts: &self.amounts[range],
        }
    }
}
