//! How good a model is, and the same model in fewer bytes.

use super::{
    assemble::centered,
    pack::{FirstHeads, Packing, Shape, WeightSource, center, importance, pack},
    threshold::Search,
};
use crate::{
    array::Array,
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::mach::{Mach, MachParts, MachScratch, centroids::Centroids, head_weights::HeadWeights},
    parameters::mach::MachParameters,
    train::{Precision, TrainError},
};
use alloc::vec::Vec;

/// A way to pack a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) bits: u32,
    /// Most entries of a centroid; 0 for no centroids.
    pub(super) entries: u32,
    /// Heads kept: the first ones.
    pub(super) heads: u32,
}

impl Mach {
    /// The precision of the model's answers.
    pub(crate) fn judge(
        &self,
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Precision {
        let scratch = || MachScratch::new(kernels);
        let hits = executor.map(data.len(), scratch, |scratch, row| {
            let best = self.predict(data.rows().row(row), Precision::DEPTH, scratch);
            let truth = data.labels().row(row);
            let right = best
                .iter()
                .map(|answer| truth.binary_search(&answer.id).is_ok());
            let right: Vec<bool> = right.collect();
            let among = |k: usize| right.iter().take(k).filter(|right| **right).count() as u64;
            [among(1), among(3), among(5)]
        });
        let rows = data.len().max(1) as f64;
        let share =
            |at: usize, k: f64| hits.iter().map(|hits| hits[at]).sum::<u64>() as f64 / (rows * k);
        Precision {
            at_1: share(0, 1.0),
            at_3: share(1, 3.0),
            at_5: share(2, 5.0),
        }
    }

    pub(super) fn shape(&self) -> Shape {
        Shape {
            features: self.weights().features(),
            repetitions: self.weights().repetitions(),
            buckets: self.weights().buckets(),
            centered: centered(self.parameters(), self.is_softmax()),
        }
    }

    /// Centroids of the model's labels, at most so many entries each; none for 0.
    pub(super) fn centroids_of(
        &self,
        entries: u32,
        data: &Dataset,
    ) -> Result<Option<Centroids>, TrainError> {
        if entries == 0 {
            return Ok(None);
        }
        let transform = self.parameters().transform();
        Centroids::build(data, self.seen(), transform, entries as usize).map(Some)
    }

    /// The first `heads` heads: their shape, weights and biases.
    fn first_heads(&self, heads: u32) -> (Shape, FirstHeads<'_>, Array<f32>) {
        let shape = Shape {
            repetitions: heads as usize,
            centered: false,
            ..self.shape()
        };
        let source = FirstHeads {
            weights: self.weights(),
            width: shape.repetitions * shape.buckets,
        };
        let biases = self.weights().biases();
        let biases = biases.get(..shape.repetitions * shape.buckets);
        let biases = Array::from(biases.unwrap_or(&[]).to_vec());
        (shape, source, biases)
    }

    /// The first heads without their weights.
    pub(super) fn first_heads_empty(
        &self,
        setting: Setting,
        executor: &Executor,
    ) -> Result<HeadWeights, TrainError> {
        let (shape, source, biases) = self.first_heads(setting.heads);
        let packing = Packing {
            bits: setting.bits,
            prune: f32::MAX,
            importance: &[],
        };
        pack(&source, shape, packing, biases, executor)
    }

    /// The model with its first heads, as many of their largest weights as fit into `budget` bytes,
    /// and with centroids made anew from `data`. The weights are around their medians already.
    pub(super) fn packed_within(
        &self,
        setting: Setting,
        data: &Dataset,
        budget: u64,
        executor: &Executor,
    ) -> Result<Self, TrainError> {
        let Setting {
            bits,
            entries,
            heads,
        } = setting;
        let centroids = self.centroids_of(entries, data)?;
        let parameters = MachParameters {
            bits,
            centroid_entries: entries.max(1),
            repetitions: heads,
            ..self.parameters().clone()
        };
        let codes = parameters
            .plan(self.seen().ids.len() as u32)
            .evaluate(self.draw());
        let codes = codes.map_err(|error| TrainError::OutOfMemory { bytes: error.bytes })?;
        let (shape, source, biases) = self.first_heads(heads);
        let beside = centroids.as_ref().map_or(0, Centroids::bytes) + 4 * self.frequencies().len();
        let search = Search {
            shape,
            biases,
            importance: &importance(data, shape),
            beside: beside as u64,
            executor,
        };
        let weights = search.within(&source, bits, budget)?;
        let made = Self::new(MachParts {
            parameters,
            softmax: self.is_softmax(),
            frequencies: self.frequencies().clone(),
            codes,
            weights,
            centroids,
        });
        made.map_err(|error| TrainError::OutOfMemory { bytes: error.bytes })
    }

    /// The sum of squared differences between the centered weights and `other`, as a share of that
    /// of the weights.
    pub(crate) fn lost(&self, other: &HeadWeights) -> f64 {
        let (mut row, mut with, mut sorted) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lost, mut all) = (0f64, 0f64);
        let shape = self.shape();
        for record in 0..shape.records() {
            self.weights().record(record, &mut row);
            if shape.centered {
                center(&mut row, shape.buckets, &mut sorted);
            }
            other.record(record, &mut with);
            for (own, other) in row.iter().zip(&with) {
                lost += f64::from(own - other) * f64::from(own - other);
                all += f64::from(*own) * f64::from(*own);
            }
        }
        if all > 0.0 { lost / all } else { 0.0 }
    }

    /// The largest weights, of `bits` bits, with which the model takes at most `budget` bytes.
    ///
    /// # Errors
    /// [`TrainError::Budget`] if even no weights take more.
    pub(crate) fn weights_within(
        &self,
        bits: u32,
        budget: u64,
        executor: &Executor,
    ) -> Result<HeadWeights, TrainError> {
        let search = Search {
            shape: self.shape(),
            biases: self.weights().biases().clone(),
            importance: &[],
            beside: (self.bytes() - self.weights().bytes()) as u64,
            executor,
        };
        search.within(self.weights(), bits, budget)
    }
}
