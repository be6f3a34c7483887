//! Getting ready to train: the heads of each group, where rows start, their values, and the first
//! biases.

use super::Trainer;
use crate::{
    data::Dataset,
    float,
    model::mach::SeenLabels,
    parameters::mach::MachParameters,
    train::{
        TrainError, check_data,
        mach::{MachKernels, group::HeadGroup},
    },
};
use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

/// Weights of a row in a group of heads, at most: those of the features of a row of data are still
/// in the second cache when they are changed, after they were read.
const GROUP_WIDTH: usize = 1024;

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

    /// The same with data of its own, for callers that cannot keep them beside it:
    /// [`Trainer::data`] gives them back.
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
    pub(crate) fn trainer_of<'a>(
        &self,
        heads: Range<usize>,
        data: &'a Dataset,
        threads: usize,
        kernels: &'a dyn MachKernels,
    ) -> Result<Trainer<'a>, TrainError> {
        self.trainer_with(heads, None, Cow::Borrowed(data), threads, kernels)
    }

    /// The same for a range of heads, and with the hash functions of draw number `draw`, if one is
    /// given.
    pub(in crate::train::mach) fn trainer_with<'a>(
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

    /// The heads of each group: as many for each thread, each narrow enough.
    pub(in crate::train::mach) fn ranges(
        &self,
        heads: &Range<usize>,
        threads: usize,
    ) -> Vec<Range<usize>> {
        let (first, heads) = (heads.start, heads.len());
        let groups = (heads * self.buckets as usize).div_ceil(GROUP_WIDTH);
        let groups = groups.next_multiple_of(threads.max(1));
        let groups = groups.clamp(1, heads.max(1));
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
}
