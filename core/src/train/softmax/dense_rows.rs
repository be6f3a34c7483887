//! Batches of rows that have values for many features, over many of all pairs of label and feature.
//!
//! Nothing is skipped: the weights of sixteen labels lie side by side, and those of a batch's rows
//! read them one after the other. Pairs that are not in S are set to 0 after each batch, whose
//! gradients are all those of its begin: what is found is what visiting pairs one by one finds, but
//! for rounding.
//!
//! Cost: two multiplications of D x L weights with a row, about a twentieth of a visit by pairs
//! each. Memory: 4 bytes for each feature and label, and of a batch 4 for each feature and label of
//! its rows.

use super::{
    BATCH, LEAST_SHARE, Support,
    batch::{Rows, softmax},
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    train::{TrainError, error::array},
};
use alloc::vec::Vec;
use hapax_processor::{Loop, Processor};

/// Labels side by side.
const LANES: usize = 16;

type Lanes = [f32; LANES];

/// Weights of all pairs, and what a batch needs beside them.
pub(super) struct DenseRows {
    features: usize,
    labels: usize,
    /// Weights of each sixteen labels by feature.
    weights: Vec<Lanes>,
    /// Whether all pairs are in S.
    full: bool,
    /// The batch's rows after dropout, all features of each.
    values: Vec<f32>,
    /// The rows' scores, then their gradients, all labels of each.
    scores: Vec<Lanes>,
}

impl DenseRows {
    /// Weights of 0 for the pairs of `support`.
    ///
    /// # Errors
    /// Lack of memory.
    pub(super) fn new(support: &Support) -> Result<Self, TrainError> {
        let (features, labels) = (support.offsets.len() - 1, support.all_labels);
        let panels = labels.div_ceil(LANES);
        Ok(Self {
            features,
            labels,
            weights: array(panels.saturating_mul(features), [0.0; LANES])?,
            full: support.labels.len() == features * labels,
            values: array(BATCH * features, 0.0)?,
            scores: array(BATCH * panels, [0.0; LANES])?,
        })
    }

    /// The most bytes held over so many features and labels.
    pub(super) fn bytes_at_most(features: u64, labels: u64) -> u64 {
        let labels = labels.next_multiple_of(LANES as u64);
        4 * features * labels + 4 * BATCH as u64 * (features + labels)
    }

    /// Bytes held.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let lanes = self.weights.len() + self.scores.len();
        size_of::<Lanes>() * lanes + 4 * self.values.len()
    }

    /// Takes the weights of the pairs.
    pub(super) fn load(&mut self, support: &Support) {
        let weights = self.weights.as_flattened_mut();
        let places = places(self.features, &support.offsets, &support.labels);
        places
            .zip(&support.weights)
            .for_each(|(place, weight)| weights[place] = *weight);
    }

    /// Gives them back.
    pub(super) fn store(&self, support: &mut Support) {
        let weights = self.weights.as_flattened();
        let places = places(self.features, &support.offsets, &support.labels);
        places
            .zip(&mut support.weights)
            .for_each(|(place, weight)| *weight = weights[place]);
    }

    /// Finds the gradients of the rows of a batch.
    pub(super) fn gradients(
        &mut self,
        (rows, data): (&Rows, &Dataset),
        (batch, draws): (&[u32], (u64, u32)),
        (executor, kernels): (&Executor, &dyn Kernels),
    ) {
        let (features, panels) = (self.features, self.labels.div_ceil(LANES));
        let part = batch.len().div_ceil(executor.threads());
        let values = self.values[..batch.len() * features].chunks_mut(part * features);
        let scores = self.scores[..batch.len() * panels].chunks_mut(part * panels);
        let items: Vec<_> = batch.chunks(part).zip(values.zip(scores)).collect();
        let (labels, weights) = (self.labels, &self.weights[..]);
        executor.map_items(items, |_, (batch, (values, scores))| {
            values.fill(0.0);
            for (&row, values) in batch.iter().zip(values.chunks_mut(features)) {
                let mut take = |feature: u32, value| values[feature as usize] = value;
                rows.left(data, row as usize, draws, &mut take);
            }
            let processor = kernels.processor();
            processor.run(Scores {
                weights,
                values,
                features,
                found: scores,
            });
            for (&row, scores) in batch.iter().zip(scores.chunks_mut(panels)) {
                let (scores, none) = scores.as_flattened_mut().split_at_mut(labels);
                none.fill(0.0);
                gradient(scores, data.labels().row(row as usize), processor);
            }
        });
    }

    /// Changes the weights by the gradients of a batch of so many rows, and those of the pairs.
    pub(super) fn descend(
        &mut self,
        support: &mut Support,
        rows: usize,
        rate: f32,
        (executor, kernels): (&Executor, &dyn Kernels),
    ) {
        let (features, panels) = (self.features, self.labels.div_ceil(LANES));
        let part = panels.div_ceil(executor.threads());
        let values = &self.values[..rows * features];
        let scores = &self.scores[..rows * panels];
        let items = self.weights.chunks_mut(part * features).collect();
        executor.map_items(items, |item, weights: &mut [Lanes]| {
            for (panel, weights) in (item * part..).zip(weights.chunks_mut(features)) {
                kernels.processor().run(Descent {
                    weights,
                    values,
                    gradients: &scores[panel..],
                    panels,
                    rate,
                });
            }
        });
        if !self.full {
            self.store(support);
            self.weights.fill([0.0; LANES]);
            self.load(support);
        }
    }
}

/// Where the weights of pairs are among all weights, in the order of the pairs.
fn places<'a>(
    features: usize,
    offsets: &'a [usize],
    labels: &'a [u32],
) -> impl Iterator<Item = usize> + 'a {
    offsets
        .windows(2)
        .enumerate()
        .flat_map(move |(feature, ends)| {
            labels[ends[0]..ends[1]].iter().map(move |&label| {
                let (panel, lane) = (label as usize / LANES, label as usize % LANES);
                (panel * features + feature) * LANES + lane
            })
        })
}

/// Replaces a row's scores by the gradient of its loss: its labels' shares less the softmax.
fn gradient(scores: &mut [f32], own: &[u32], processor: Processor) {
    if own.is_empty() {
        return scores.fill(0.0);
    }
    let scale = softmax(processor, scores, 0);
    for score in scores.iter_mut() {
        let share = *score * scale;
        *score = if share > LEAST_SHARE { -share } else { 0.0 };
    }
    let share = 1.0 / own.len() as f32;
    own.iter()
        .for_each(|&label| scores[label as usize] += share);
}

/// The scores of some rows.
struct Scores<'a> {
    weights: &'a [Lanes],
    values: &'a [f32],
    features: usize,
    found: &'a mut [Lanes],
}

impl Loop for Scores<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let panels = self.weights.len() / self.features;
        for (panel, weights) in self.weights.chunks(self.features).enumerate() {
            let rows = self.values.chunks(self.features);
            let found = self.found.iter_mut().skip(panel).step_by(panels);
            for (row, found) in rows.zip(found) {
                let mut sums = [0f32; LANES];
                for (weights, value) in weights.iter().zip(row) {
                    for (sum, weight) in sums.iter_mut().zip(weights) {
                        *sum += value * weight;
                    }
                }
                *found = sums;
            }
        }
    }
}

/// The step of a batch's rows, over sixteen labels.
struct Descent<'a> {
    weights: &'a mut [Lanes],
    values: &'a [f32],
    /// The rows' gradients, those of these labels at every `panels`th place from the first on.
    gradients: &'a [Lanes],
    panels: usize,
    rate: f32,
}

impl Loop for Descent<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let rows = self.values.chunks(self.weights.len());
        for (row, gradients) in rows.zip(self.gradients.iter().step_by(self.panels)) {
            if *gradients == [0.0; LANES] {
                continue;
            }
            for (weights, value) in self.weights.iter_mut().zip(row) {
                let step = self.rate * value;
                for (weight, gradient) in weights.iter_mut().zip(gradients) {
                    *weight += step * gradient;
                }
            }
        }
    }
}
