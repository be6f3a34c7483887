//! MEMOIR step by step; [`super`] says what is computed.

mod proposals;
mod training_state;

use super::{
    choose::Scratch,
    class_rows::ClassRows,
    draws::{Pair, Sequence},
    feature_lists::FeatureLists,
    finish::model,
    list::Beside,
    oracle_index::Index,
    report::Measured,
    step::{Slots, Steps},
    training_rows::TrainingRows,
    violators::Violators,
    weights::{Storage, Weights},
};
use crate::parameters::memoir::{Average, Length, Memoir, Regularizer, Truncation};
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    model::linear::LinearModel,
    train::{TrainError, Training, check_data},
};
use alloc::{collections::VecDeque, vec, vec::Vec};

/// How far training has come, after a part of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoirReport {
    /// Steps done.
    pub done: u64,
    /// Steps there are.
    pub of: u64,
    /// Passes over the rows that were completed so far.
    pub epoch: u32,
    /// Whether a pass, or training, has just ended.
    pub epoch_ended: bool,
    /// The weights then, where [`MemoirTrainer::measuring`] asked for their figures.
    pub measured: Option<Measured>,
}

/// Training under way: the weights, and what the next steps need.
pub struct MemoirTrainer<'a> {
    pub(super) parameters: Memoir,
    pub(super) data: &'a Dataset,
    pub(super) rows: TrainingRows<'a>,
    pub(super) draws: Sequence,
    pub(super) seen: Vec<u32>,
    pub(super) weights: Weights,
    pub(super) index: Option<Index>,
    /// Classes that steps have moved since the index was told.
    stale: Vec<u32>,
    /// Draws to come in this pass, and what the index proposed for them.
    ahead: VecDeque<(Pair, Vec<u32>)>,
    /// Whether no step was made since the last pass ended, or since training began: what the index,
    /// which is made anew before the next step, and `ahead` then hold is of no use.
    between_passes: bool,
    scratch: Scratch,
    slots: Slots,
    touched: Vec<u32>,
    /// Steps done, and steps there are.
    t: u64,
    total: u64,
    measuring: bool,
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
    pub fn trainer<'a>(&self, data: &'a Dataset) -> Result<MemoirTrainer<'a>, TrainError> {
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
        Ok(MemoirTrainer {
            parameters: self.clone(),
            data,
            weights: Weights(if self.oracle.is_index() {
                Storage::Classes(ClassRows::new(classes, self.create, beside))
            } else {
                let features = rows.features();
                Storage::Features(FeatureLists::new(features, classes, self.create, beside))
            }),
            index: Index::new(self.oracle, !self.is_l1(), self.seed),
            stale: Vec::new(),
            ahead: VecDeque::new(),
            between_passes: true,
            rows,
            draws,
            seen,
            scratch: Scratch::new(classes),
            slots: Slots::new(classes),
            touched: Vec::new(),
            t: 0,
            total,
            measuring: false,
        })
    }
}

impl Training for MemoirTrainer<'_> {
    type Report = MemoirReport;
    type Made = LinearModel;

    fn step(&mut self, executor: &Executor) -> Option<MemoirReport> {
        if self.t == self.total {
            return None;
        }
        let batch = u64::from(self.parameters.batch);
        let length = self.draws.len() as u64;
        let epoch = |t: u64| t * batch / length;
        let before = epoch(self.t);
        let end = (self.t + (PART / batch).max(1)).min(self.total);
        self.begin_part(executor);
        let mut ended = false;
        while self.t < end && !ended {
            self.one(executor);
            ended = epoch(self.t) > before || self.t == self.total;
        }
        if ended {
            self.end_pass();
        }
        Some(MemoirReport {
            done: self.t,
            of: self.total,
            epoch: epoch(self.t) as u32,
            epoch_ended: ended,
            measured: (ended && self.measuring).then(|| self.measure(executor)),
        })
    }

    fn finish(self, _: &Executor) -> Result<LinearModel, TrainError> {
        if self.t < self.total {
            return Err(TrainError::Stopped);
        }
        let Self {
            parameters,
            data,
            weights,
            seen,
            rows,
            draws,
            ..
        } = self;
        // Their memory is needed for the model.
        drop((rows, draws));
        let features = data.rows().features();
        Ok(model(weights, &seen, features, &parameters)?)
    }
}

impl MemoirTrainer<'_> {
    /// The same training, which measures its weights at the end of each pass.
    #[must_use]
    pub fn measuring(self, measuring: bool) -> Self {
        Self { measuring, ..self }
    }

    /// One step.
    fn one(&mut self, executor: &Executor) {
        self.t += 1;
        let averages = self.parameters.average == Average::SecondHalf && !self.parameters.is_l1();
        if averages && self.t == self.total / 2 + 1 {
            self.weights.begin_averaging();
        }
        let eta = self.parameters.eta(self.t);
        self.touched.clear();
        if self.parameters.batch == 1 {
            self.one_row(eta, executor);
        } else {
            self.one_batch(eta, executor);
        }
        let lambda = self.parameters.lambda;
        if !self.parameters.is_l1() {
            self.weights.project(1.0 / float::sqrt(lambda));
        }
        self.weights.end_step(lambda * eta, &self.touched);
        if self.index.is_some() {
            self.stale.extend_from_slice(&self.touched);
        }
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

    fn one_row(&mut self, eta: f64, executor: &Executor) {
        let (pair, proposed) = self.next(executor);
        let mut scratch = core::mem::replace(&mut self.scratch, Scratch::new(0));
        let moves = self.choose(pair, &proposed, self.t, eta, &mut scratch);
        self.shrink(eta);
        let steps = Steps {
            classes: &scratch.violators.classes,
            amounts: &scratch.violators.amounts,
        };
        self.touched.extend_from_slice(steps.classes);
        if moves {
            self.weights.add(&scratch.terms, &steps, &mut self.slots);
            if let Some(index) = &mut self.index {
                index.add(&scratch.terms, &steps, 1.0 / self.weights.scale());
            }
        }
        self.scratch = scratch;
    }

    fn one_batch(&mut self, eta: f64, executor: &Executor) {
        let batch = self.parameters.batch as usize;
        let pairs: Vec<Pair> = (0..batch).map(|_| self.draws.draw()).collect();
        self.refresh(executor);
        let proposed = self.propose(&pairs, executor);
        let (this, each) = (&*self, eta / batch as f64);
        let first = this.t * batch as u64;
        let found = executor.map(
            batch.div_ceil(BLOCK),
            || Scratch::new(this.weights.classes()),
            |scratch, block| {
                let mut chosen = Chosen::default();
                let part = pairs.iter().enumerate().skip(block * BLOCK).take(BLOCK);
                for (at, &pair) in part {
                    let moves = this.choose(pair, &proposed[at], first + at as u64, each, scratch);
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
        if let Some(index) = &mut self.index {
            let factor = 1.0 / self.weights.scale();
            let mut terms = Vec::new();
            for number in 0..all.pairs.len() {
                terms.clear();
                let steps = draw(number, &mut terms);
                index.add(&terms, &steps, factor);
            }
        }
    }

    /// Bytes held now, without the data set.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let index = self.index.as_ref().map_or(0, Index::bytes);
        self.weights.bytes()
            + index
            + self.rows.bytes()
            + 8 * self.draws.len()
            + 4 * self.seen.len()
    }

    /// The weights as they are now, or their mean so far where one is kept.
    #[must_use]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }
}

/// Rows that one job of several threads looks at.
const BLOCK: usize = 64;

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
