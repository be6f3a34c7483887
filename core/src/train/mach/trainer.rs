//! Training in parts: the caller owns the loop.

mod start;
mod training_state;

use super::{
    dropout::Dropout,
    group::{Course, HeadGroup, Lesson},
    step::MachKernels,
};
use crate::{
    data::Dataset,
    executor::Executor,
    hash::BucketCodes,
    model::mach::{Mach, SeenLabels},
    parameters::mach::MachParameters,
    random::Stream,
    train::{TrainError, Training},
};
use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

/// Rows between two reports.
const PART: usize = 1024;

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
    /// The loss of a row and head, on average over the rows done in this epoch, each before its
    /// step.
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
    pub(super) groups: Vec<HeadGroup>,
    order: Vec<u32>,
    epoch: u32,
    done: usize,
}

impl Training for Trainer<'_> {
    type Report = Report;
    type Made = Mach;

    fn step(&mut self, executor: &Executor) -> Option<Report> {
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
            self.end_epoch(executor);
        }
        Some(report)
    }

    fn finish(self, executor: &Executor) -> Result<Mach, TrainError> {
        self.model(executor)
    }
}

impl Trainer<'_> {
    fn course(&self) -> Course<'_> {
        Course {
            parameters: &self.parameters,
            features: self.features(),
            codes: &self.codes,
            softmax: self.softmax,
            sparse: self.sparse,
        }
    }

    fn shuffle(&mut self) {
        Stream::new(self.parameters.seed, u64::from(self.epoch)).shuffle(&mut self.order);
    }

    fn end_epoch(&mut self, executor: &Executor) {
        let parameters = &self.parameters;
        let (first, epochs) = (parameters.first_averaged(), parameters.epochs);
        if parameters.averages() && self.epoch >= first {
            let last = self.epoch + 1 == epochs;
            executor.map_items(self.groups.iter_mut().collect(), |_, group| {
                group.add_to_sums();
                if last {
                    group.take_mean(epochs - first);
                }
            });
        }
        self.done = 0;
        self.epoch += 1;
        let groups = self.groups.iter_mut();
        groups.for_each(|group| group.loss.fill(0.0));
        self.shuffle();
    }

    fn learn(&self, part: Range<usize>, group: &mut HeadGroup) {
        let course = self.course();
        let mut labels = Vec::new();
        let parameters = &self.parameters;
        let mut dropout = Dropout::new(parameters.dropout, parameters.seed, self.epoch);
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
            let (features, values) = dropout.of(row as u32, view.indices(), values);
            let lesson = Lesson {
                features,
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
    pub(crate) fn is_done(&self) -> bool {
        self.epoch >= self.parameters.epochs
    }

    /// Bytes of weights and sums of squares.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.groups.iter().map(HeadGroup::bytes).sum()
    }

    /// Features D. The biases are the row of weights behind those of the features.
    #[must_use]
    pub(crate) fn features(&self) -> u32 {
        self.data.rows().features()
    }

    /// The buckets of the labels seen.
    #[must_use]
    pub(crate) fn codes(&self) -> &BucketCodes {
        &self.codes
    }

    /// Whether heads are softmax.
    #[must_use]
    pub(crate) fn is_softmax(&self) -> bool {
        self.softmax
    }

    /// The parameters.
    #[must_use]
    pub(crate) fn parameters(&self) -> &MachParameters {
        &self.parameters
    }

    /// What is trained on.
    #[must_use]
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// How many rows carry each label.
    #[must_use]
    pub(crate) fn frequencies(&self) -> Vec<u32> {
        self.data.labels().frequencies()
    }

    /// Copies the weights of all heads for a row of weights to `out`: a number a head and bucket.
    pub(crate) fn copy_row(&self, row: usize, out: &mut Vec<f32>) {
        out.clear();
        self.groups
            .iter()
            .for_each(|group| out.extend_from_slice(group.weights(row)));
    }
}
