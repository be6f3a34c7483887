//! What answers beside the weights, with new rows learned: neighbors get them beside their own, and
//! an embedding learns new labels and features and moves old labels.

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{
        Linear,
        linear::{FusedEmbedding, FusedNearest},
    },
    train::TrainError,
};
use alloc::vec::Vec;

/// The parts beside the weights.
pub(super) type Beside = (Option<FusedNearest>, Vec<FusedEmbedding>);

/// The parts beside the weights of `linear`, with the rows of `data` learned; `pull` says how far
/// old labels of the embedding move.
///
/// # Errors
/// If the embedding is of a training that cannot go on; lack of memory.
pub(super) fn learned(
    linear: &Linear,
    data: &Dataset,
    (places, pull): (&[u32], f64),
    executor: &Executor,
    kernels: &dyn Kernels,
) -> Result<Beside, TrainError> {
    let nearest = match linear.nearest() {
        None => None,
        Some(fused) => {
            let (nearest, _) = fused.nearest().learn_all(data, places)?;
            // One index over all rows, as the file will hold it.
            FusedNearest::new(nearest.folded()?, fused.weight())
        }
    };
    let mut embeddings = Vec::new();
    for fused in linear.embeddings() {
        let learned = fused.embedding();
        let learned = learned.learn_on(data, (places, pull), executor, kernels)?;
        embeddings.extend(FusedEmbedding::new(learned, fused.weight()));
    }
    Ok((nearest, embeddings))
}
