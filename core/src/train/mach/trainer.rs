//! Training in parts: the caller owns the loop.

mod state;

use super::{
    group::{Course, FeatureRows, HeadGroup, Lesson},
    parameters::{Estimator, MachParameters},
    seen_labels::SeenLabels,
};
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    hash::BucketCodes,
    kernels::MachKernels,
    random::Stream,
    train::{TrainError, check_data},
};
use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

/// Rows between two reports.
const PART: usize = 1024;

/// Weights of a row in a group of heads, at most: those of the features of a row of data are still in the second
/// cache when they are changed, after they were read.
const GROUP_WIDTH: usize = 1024;

/// How far training has come, after a part of the work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The epoch, from 0.
    pub epoch: u32,
    /// Number of epochs.
    pub epochs: u32,
    /// Rows done in this epoch.
    pub done: usize,
    /// Rows of an epoch.
    pub of: usize,
    /// The loss of a row and head, on average over the rows done in this epoch, each before its step.
    pub loss: f64,
}

/// A training that goes on part by part.
pub struct Trainer<'a> {
    parameters: MachParameters,
    data: Cow<'a, Dataset>,
    kernels: &'a dyn MachKernels,
    /// Transformed values, row after row, if they differ from those of the data.
    values: Option<Vec<f32>>,
    /// Where each row's values start.
    starts: Vec<usize>,
    seen: SeenLabels,
    codes: BucketCodes,
    softmax: bool,
    pub(super) sparse: bool,
    pub(super) rows: FeatureRows,
    pub(super) groups: Vec<HeadGroup>,
    order: Vec<u32>,
    epoch: u32,
    done: usize,
}

impl MachParameters {
    /// Gets ready to train on `data` with up to `threads` threads: all memory is taken here.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; lacking memory.
    pub fn trainer<'a>(
        &self,
        data: &'a Dataset,
        threads: usize,
        kernels: &'a dyn MachKernels,
    ) -> Result<Trainer<'a>, TrainError> {
        let heads = 0..self.repetitions as usize;
        self.trainer_with(heads, None, Cow::Borrowed(data), threads, kernels)
    }

    /// The same with data of its own, for callers that cannot keep them beside it: [`Trainer::data`] gives them back.
    ///
    /// # Errors
    /// As [`MachParameters::trainer`].
    pub fn trainer_owning(
        &self,
        data: Dataset,
        threads: usize,
        kernels: &'static dyn MachKernels,
    ) -> Result<Trainer<'static>, TrainError> {
        let heads = 0..self.repetitions as usize;
        self.trainer_with(heads, None, Cow::Owned(data), threads, kernels)
    }

    /// The same for a range of heads alone: what they learn does not depend on the others.
    ///
    /// # Errors
    /// As [`MachParameters::trainer`].
    ///
    /// # Panics
    /// If there are no such heads.
    pub fn trainer_of<'a>(
        &self,
        heads: Range<usize>,
        data: &'a Dataset,
        threads: usize,
        kernels: &'a dyn MachKernels,
    ) -> Result<Trainer<'a>, TrainError> {
        self.trainer_with(heads, None, Cow::Borrowed(data), threads, kernels)
    }

    /// The same for a range of heads, and with the hash functions of draw number `draw`, if one is given.
    pub(super) fn trainer_with<'a>(
        &self,
        heads: Range<usize>,
        draw: Option<u32>,
        data: Cow<'a, Dataset>,
        threads: usize,
        kernels: &'a dyn MachKernels,
    ) -> Result<Trainer<'a>, TrainError> {
        self.check()?;
        check_data(&data)?;
        let frequencies = data.labels().frequencies();
        let seen = SeenLabels::new(&frequencies);
        self.check_labels(seen.ids.len() as u32)?;
        let plan = self.plan(seen.ids.len() as u32);
        let codes = draw
            .map_or_else(|| plan.draw(), |draw| plan.evaluate(draw))
            .map_err(|error| TrainError::OutOfMemory { bytes: error.bytes })?;
        let rows = FeatureRows {
            features: data.rows().features(),
            hashed: self.hashed_rows,
            seed: self.seed,
        };
        let mut trainer = Trainer {
            parameters: self.clone(),
            kernels,
            values: None,
            starts: starts(&data),
            softmax: self.softmax(&data),
            data,
            sparse: false,
            seen,
            codes,
            rows,
            groups: Vec::new(),
            order: Vec::new(),
            epoch: 0,
            done: 0,
        };
        trainer.transform();
        trainer.order = trainer.lessons();
        if trainer.order.is_empty() {
            return Err(TrainError::NoFeatures);
        }
        let priors = trainer.priors(&frequencies);
        let course = trainer.course();
        let ranges = self.ranges(&heads, threads);
        let groups: Result<Vec<HeadGroup>, TrainError> = ranges
            .into_iter()
            .map(|range| HeadGroup::new(range.start, range.len(), &course, &priors))
            .collect();
        trainer.groups = groups?;
        trainer.shuffle();
        Ok(trainer)
    }

    /// The heads of each group: as many for each thread, each narrow enough, or one a head if features are hashed,
    /// because heads then have rows of their own.
    pub(super) fn ranges(&self, heads: &Range<usize>, threads: usize) -> Vec<Range<usize>> {
        let (first, heads) = (heads.start, heads.len());
        let groups = if self.hashed_rows > 0 {
            heads
        } else {
            let groups = (heads * self.buckets as usize).div_ceil(GROUP_WIDTH);
            let groups = groups.next_multiple_of(threads.max(1));
            groups.clamp(1, heads.max(1))
        };
        let cut = |group| first + group * heads / groups;
        (0..groups)
            .map(|group| cut(group)..cut(group + 1))
            .collect()
    }
}

fn starts(data: &Dataset) -> Vec<usize> {
    let mut end = 0;
    let lengths = data.rows().iter().map(|row| row.len());
    core::iter::once(0)
        .chain(lengths.map(|length| {
            end += length;
            end
        }))
        .collect()
}

impl Trainer<'_> {
    /// The rows there is something to learn from.
    fn lessons(&self) -> Vec<u32> {
        let (rows, labels) = (self.data.rows(), self.data.labels());
        let whole = |row: usize| !rows.row(row).is_empty() && !labels.row(row).is_empty();
        (0..self.data.len() as u32)
            .filter(|&row| whole(row as usize))
            .collect()
    }

    fn transform(&mut self) {
        let transform = self.parameters.transform();
        if transform.exponent == 1.0 && !transform.normalize {
            return;
        }
        let mut values = Vec::with_capacity(self.data.rows().nonzeros());
        for row in self.data.rows().iter() {
            transform.apply(row, &mut values);
        }
        self.values = Some(values);
    }

    fn course(&self) -> Course<'_> {
        Course {
            parameters: &self.parameters,
            rows: self.rows,
            codes: &self.codes,
            softmax: self.softmax,
            sparse: self.sparse,
        }
    }

    /// The biases that heads start with: the logits of how often each bucket is a target.
    fn priors(&self, frequencies: &[u32]) -> Vec<f32> {
        let buckets = self.parameters.buckets as usize;
        let mut priors = alloc::vec![0f32; self.codes.repetitions() * buckets];
        if self.parameters.bias == 0.0 {
            return priors;
        }
        let (rows, total) = (self.order.len() as f64, self.data.labels().total() as f64);
        let of = if self.softmax { total } else { rows };
        for (head, priors) in priors.chunks_exact_mut(buckets).enumerate() {
            let mut counts = alloc::vec![0f64; buckets];
            for (&id, &code) in self.seen.ids.iter().zip(self.codes.repetition(head)) {
                counts[usize::from(code)] += f64::from(frequencies[id as usize]);
            }
            for (prior, count) in priors.iter_mut().zip(counts) {
                let share = ((count + 0.5) / (of + 1.0)).min(0.9);
                let logit = if self.softmax {
                    float::ln(share)
                } else {
                    float::ln(share / (1.0 - share))
                };
                *prior = (logit / self.parameters.bias) as f32;
            }
        }
        priors
    }

    fn shuffle(&mut self) {
        Stream::new(self.parameters.seed, u64::from(self.epoch)).shuffle(&mut self.order);
    }

    /// Does the next part of the work; none if all epochs are over.
    pub fn step(&mut self, executor: &impl Executor) -> Option<Report> {
        if self.epoch >= self.parameters.epochs {
            return None;
        }
        let part = self.done..(self.done + PART).min(self.order.len());
        let mut groups = core::mem::take(&mut self.groups);
        let this = &*self;
        executor.map_items(groups.iter_mut().collect(), |_, group| {
            this.learn(part.clone(), group);
        });
        self.groups = groups;
        self.done = part.end;
        let heads = self.groups.iter().flat_map(|group| &group.loss);
        let report = Report {
            epoch: self.epoch,
            epochs: self.parameters.epochs,
            done: self.done,
            of: self.order.len(),
            loss: heads.sum::<f64>() / (self.done * self.codes.repetitions()) as f64,
        };
        if self.done == self.order.len() {
            self.done = 0;
            self.epoch += 1;
            self.groups
                .iter_mut()
                .for_each(|group| group.loss.fill(0.0));
            self.shuffle();
        }
        Some(report)
    }

    fn learn(&self, part: Range<usize>, group: &mut HeadGroup) {
        let course = self.course();
        let mut labels = Vec::new();
        for at in part {
            let row = self.order[at] as usize;
            let view = self.data.rows().row(row);
            let values = match &self.values {
                Some(values) => &values[self.starts[row]..self.starts[row + 1]],
                None => view.values(),
            };
            labels.clear();
            labels.extend(
                self.data
                    .labels()
                    .row(row)
                    .iter()
                    .filter_map(|&l| self.seen.place(l)),
            );
            let lesson = Lesson {
                features: view.indices(),
                values,
                labels: &labels,
                rate: self.rate(at),
            };
            group.learn(&lesson, &course, self.kernels);
        }
    }

    /// The rate of the step at place `at` of this epoch.
    fn rate(&self, at: usize) -> f32 {
        let first = self.parameters.learning_rate;
        if !self.parameters.decay {
            return first as f32;
        }
        let rows = self.order.len() as f64;
        let steps = f64::from(self.parameters.epochs) * rows;
        let done = f64::from(self.epoch) * rows + at as f64;
        (first * (1.0 - done / steps)) as f32
    }

    /// Whether all epochs are over.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.epoch >= self.parameters.epochs
    }

    /// Bytes of weights and sums of squares.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.groups.iter().map(HeadGroup::bytes).sum()
    }

    /// How features name rows of weights.
    #[must_use]
    pub fn feature_rows(&self) -> FeatureRows {
        self.rows
    }

    /// The buckets of the labels seen.
    #[must_use]
    pub fn codes(&self) -> &BucketCodes {
        &self.codes
    }

    /// Whether heads are softmax.
    #[must_use]
    pub fn is_softmax(&self) -> bool {
        self.softmax
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &MachParameters {
        &self.parameters
    }

    /// Changes how the model scores labels, which weights do not depend on.
    pub fn set_estimator(&mut self, estimator: Estimator) {
        self.parameters.estimator = estimator;
    }

    /// What is trained on.
    #[must_use]
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// How many rows carry each label.
    #[must_use]
    pub fn frequencies(&self) -> Vec<u32> {
        self.data.labels().frequencies()
    }

    /// A row of weights of one head, where features are hashed.
    ///
    /// # Panics
    /// If there is no such head or row.
    #[must_use]
    pub fn unit_row(&self, head: usize, row: usize) -> &[f32] {
        self.groups[head].weights(row)
    }

    /// Copies the weights of all heads for a row of weights to `out`: a number a head and bucket.
    pub fn copy_row(&self, row: usize, out: &mut Vec<f32>) {
        out.clear();
        self.groups
            .iter()
            .for_each(|group| out.extend_from_slice(group.weights(row)));
    }
}
