//! What a trainer's weights become: as they are, or packed, and the model of them.

use super::{
    Trainer,
    pack::{Packing, Shape, SizeCounts, WeightSource, center, importance, pack},
};
use crate::{
    array::Array,
    data::Dataset,
    executor::{Executor, Sequential},
    model::mach::{
        Mach, MachParts,
        centroids::Centroids,
        head_weights::{Form, HeadWeights, WeightsError},
    },
    parameters::mach::{Estimator, MachParameters},
    train::TrainError,
};
use alloc::vec::Vec;

impl WeightSource for Trainer<'_> {
    fn record(&self, record: usize, out: &mut Vec<f32>) {
        self.copy_row(record, out);
    }
}

/// Weights as they were trained, or around the median of each block, which answers do not see.
pub(super) fn dense(trainer: &Trainer<'_>, centered: bool) -> Result<HeadWeights, TrainError> {
    let shape = shape(trainer);
    let mut weights = Vec::new();
    let count = shape.records() * shape.repetitions * shape.buckets;
    weights
        .try_reserve_exact(count)
        .map_err(|_| TrainError::OutOfMemory {
            bytes: 4 * count as u64,
        })?;
    let (mut row, mut sorted) = (Vec::new(), Vec::new());
    for record in 0..shape.records() {
        trainer.record(record, &mut row);
        if centered && shape.centered {
            center(&mut row, shape.buckets, &mut sorted);
        }
        weights.extend_from_slice(&row);
    }
    HeadWeights::from_parts(
        shape.features,
        shape.repetitions,
        shape.buckets,
        biases(trainer),
        Form::Dense(weights.into()),
    )
    .map_err(diverged)
}

/// Weights beyond all bounds: the rate was too high.
pub(super) fn diverged(_: WeightsError) -> TrainError {
    TrainError::Diverged
}

pub(super) fn shape(trainer: &Trainer<'_>) -> Shape {
    let codes = trainer.codes();
    Shape {
        features: trainer.features(),
        repetitions: codes.repetitions(),
        buckets: codes.buckets() as usize,
        centered: centered(trainer.parameters(), trainer.is_softmax()),
    }
}

/// Whether weights may be centered without changing what the model answers; see `pack`.
pub(super) fn centered(parameters: &MachParameters, softmax: bool) -> bool {
    softmax || parameters.estimator == Estimator::LogitSum
}

pub(super) fn biases(trainer: &Trainer<'_>) -> Array<f32> {
    let mut biases = Vec::new();
    trainer.copy_row(trainer.features() as usize, &mut biases);
    biases.into()
}

/// The model of trained weights, packed as the parameters say.
///
/// # Errors
/// If memory is lacking.
pub(super) fn assemble(
    trainer: &Trainer<'_>,
    weights: HeadWeights,
    centroids: Option<Centroids>,
) -> Result<Mach, TrainError> {
    let made = Mach::new(MachParts {
        parameters: trainer.parameters().clone(),
        softmax: trainer.is_softmax(),
        frequencies: trainer.frequencies().into(),
        codes: trainer.codes().clone(),
        weights,
        centroids,
    });
    made.map_err(|error| TrainError::OutOfMemory { bytes: error.bytes })
}

/// Packs weights as the parameters say; 32 bits are those of the source.
pub(super) fn packed(
    source: &impl WeightSource,
    shape: Shape,
    parameters: &MachParameters,
    biases: Array<f32>,
    data: &Dataset,
    executor: &Executor,
) -> Result<HeadWeights, TrainError> {
    let importance = importance(data, shape);
    let counts = SizeCounts::of(source, shape, &importance, executor);
    let kept = (counts.total() as f64 * parameters.keep) as u64;
    let packing = Packing {
        bits: parameters.bits,
        prune: counts.threshold(kept),
        importance: &importance,
    };
    pack(source, shape, packing, biases, executor)
}

/// Weights of which none is stored.
pub(super) fn packed_empty(trainer: &Trainer<'_>) -> Result<HeadWeights, TrainError> {
    let packing = Packing {
        bits: 4,
        prune: f32::MAX,
        importance: &[],
    };
    pack(
        trainer,
        shape(trainer),
        packing,
        biases(trainer),
        &Sequential,
    )
}
