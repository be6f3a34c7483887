//! Heads that are trained side by side by one thread.

use super::{
    aligned::Aligned,
    step::{MachKernels, Rates, Step},
};
use crate::{
    hash::BucketCodes,
    kernels::Term,
    parameters::mach::{MachParameters, Optimizer},
    train::TrainError,
};
use alloc::vec::Vec;

/// A range of heads with their weights: rows of weights one after the other, in each the heads, in
/// each the buckets.
pub(super) struct HeadGroup {
    pub(super) first: usize,
    pub(super) heads: usize,
    buckets: usize,
    pub(super) weights: Aligned,
    pub(super) squares: Aligned,
    /// Sums of the weights at the ends of epochs, or empty if no mean is taken.
    pub(super) sums: Aligned,
    gradient: Aligned,
    sizes: Vec<f32>,
    steps: Vec<f32>,
    pub(super) loss: Vec<f64>,
    terms: Vec<Term>,
    targets: Vec<u16>,
}

/// A row to learn from.
pub(super) struct Lesson<'a> {
    pub(super) features: &'a [u32],
    pub(super) values: &'a [f32],
    /// Places of its labels among those seen.
    pub(super) labels: &'a [u32],
    pub(super) rate: f32,
}

/// What all rows and groups share.
pub(super) struct Course<'a> {
    pub(super) parameters: &'a MachParameters,
    /// Features D.
    pub(super) features: u32,
    pub(super) codes: &'a BucketCodes,
    pub(super) softmax: bool,
    pub(super) sparse: bool,
}

impl Course<'_> {
    fn rates(&self) -> Rates {
        match self.parameters.optimizer {
            Optimizer::FeatureAdaGrad => Rates::Features,
            Optimizer::Sgd => Rates::Same,
        }
    }

    /// Sums of squares for a row of weights of so many heads.
    pub(super) fn squares(&self, heads: usize) -> usize {
        match self.parameters.optimizer {
            Optimizer::FeatureAdaGrad => heads,
            Optimizer::Sgd => 0,
        }
    }
}

impl HeadGroup {
    /// Untrained heads, whose biases are `priors`: a number a head and bucket.
    pub(super) fn new(
        first: usize,
        heads: usize,
        course: &Course<'_>,
        priors: &[f32],
    ) -> Result<Self, TrainError> {
        let buckets = course.parameters.buckets as usize;
        let (width, rows) = (heads * buckets, course.features as usize + 1);
        let mut weights = Aligned::zeros(rows * width)?;
        weights[(rows - 1) * width..].copy_from_slice(&priors[first * buckets..][..width]);
        Ok(Self {
            first,
            heads,
            buckets,
            weights,
            squares: Aligned::zeros(rows * course.squares(heads))?,
            sums: Aligned::zeros(if course.parameters.averages() {
                rows * width
            } else {
                0
            })?,
            gradient: Aligned::zeros(width)?,
            sizes: alloc::vec![0.0; heads],
            steps: Vec::new(),
            loss: alloc::vec![0.0; heads],
            terms: Vec::new(),
            targets: Vec::new(),
        })
    }

    /// One step for one row.
    pub(super) fn learn(
        &mut self,
        lesson: &Lesson<'_>,
        course: &Course<'_>,
        kernels: &dyn MachKernels,
    ) {
        let bias = course.parameters.bias as f32;
        terms(
            course.features,
            bias,
            lesson
                .features
                .iter()
                .copied()
                .zip(lesson.values.iter().copied()),
            &mut self.terms,
        );
        self.targets.clear();
        for head in self.first..self.first + self.heads {
            let codes = course.codes.repetition(head);
            self.targets
                .extend(lesson.labels.iter().map(|&label| codes[label as usize]));
        }
        let rates = course.rates();
        if rates == Rates::Features {
            self.steps.resize(self.terms.len() * self.heads, 0.0);
        }
        kernels.mach_step(Step {
            weights: &mut self.weights,
            squares: &mut self.squares,
            buckets: self.buckets,
            terms: &self.terms,
            targets: &self.targets,
            softmax: course.softmax,
            rates,
            rate: lesson.rate,
            sparse: course.sparse,
            gradient: &mut self.gradient,
            sizes: &mut self.sizes,
            steps: &mut self.steps,
            loss: &mut self.loss,
        });
    }

    /// Adds the weights to their sums.
    pub(super) fn add_to_sums(&mut self) {
        let sums = self.sums.iter_mut().zip(self.weights.iter());
        sums.for_each(|(sum, weight)| *sum += weight);
    }

    /// Makes the weights the mean of `count`, of which the sums are.
    pub(super) fn take_mean(&mut self, count: u32) {
        let share = 1.0 / count as f32;
        let sums = self.weights.iter_mut().zip(self.sums.iter());
        sums.for_each(|(weight, sum)| *weight = sum * share);
    }

    /// The weights of these heads for a row of weights.
    pub(super) fn weights(&self, row: usize) -> &[f32] {
        let width = self.heads * self.buckets;
        &self.weights[row * width..(row + 1) * width]
    }

    /// Sets the weights of these heads, a number for each head and bucket, for a row of weights.
    pub(super) fn set_weights(&mut self, row: usize, all: &[f32]) {
        let width = self.heads * self.buckets;
        let own = &mut self.weights[row * width..(row + 1) * width];
        let from = self.first * self.buckets;
        if let Some(all) = all.get(from..from + width) {
            own.copy_from_slice(all);
        }
    }

    /// Bytes held.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        4 * (self.weights.len() + self.squares.len() + self.sums.len())
    }
}

/// The terms of a row of values, the bias last.
pub(super) fn terms(
    features: u32,
    bias: f32,
    values: impl Iterator<Item = (u32, f32)>,
    out: &mut Vec<Term>,
) {
    out.clear();
    out.extend(values.map(|(row, value)| Term { row, value }));
    if bias != 0.0 {
        out.push(Term {
            row: features,
            value: bias,
        });
    }
}
