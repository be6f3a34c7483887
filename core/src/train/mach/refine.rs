//! Training on from pruned weights: those left out stay out, the others take over.
//!
//! Pruning changes all logits at once. A few more passes over the rows, in which weights of 0 stay 0, let the weights
//! that are left make up for those that are not. (Han, Pool, Tran, Dally, *Learning both weights and connections
//! for efficient neural networks*, 2015.)

use super::trainer::Trainer;
use crate::parameters::mach::MachParameters;
use crate::{
    data::Dataset, kernels::MachKernels, model::mach::head_weights::HeadWeights, train::TrainError,
};
use alloc::{borrow::Cow, vec::Vec};

impl MachParameters {
    /// Gets ready to train on from `weights`, which heads with the hash functions of draw number `draw` learned from
    /// the same data.
    ///
    /// # Errors
    /// As [`MachParameters::trainer`].
    pub(crate) fn refiner<'a>(
        &self,
        weights: &HeadWeights,
        draw: u32,
        data: &'a Dataset,
        threads: usize,
        kernels: &'a dyn MachKernels,
    ) -> Result<Trainer<'a>, TrainError> {
        let mut trainer = self.trainer_with(
            0..self.repetitions as usize,
            Some(draw),
            Cow::Borrowed(data),
            threads,
            kernels,
        )?;
        trainer.sparse = true;
        let mut row = Vec::new();
        for record in 0..weights.records() {
            weights.row_into(record, &mut row);
            let groups = trainer.groups.iter_mut();
            groups.for_each(|group| group.set_weights(record, &row));
        }
        let bias = trainer.features() as usize;
        for group in &mut trainer.groups {
            group.set_weights(bias, weights.biases());
        }
        Ok(trainer)
    }
}
