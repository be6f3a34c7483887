//! Training on from pruned weights: those left out stay out, the others take over.
//!
//! Pruning changes all logits at once. A few more passes over the rows, in which weights of 0 stay
//! 0, let the weights that are left make up for those that are not. (Han, Pool, Tran, Dally,
//! *Learning both weights and connections for efficient neural networks*, 2015.)

use super::{
    MachKernels, Trainer,
    assemble::biases,
    pack::{Packing, Shape, pack},
};
use crate::{
    data::Dataset,
    executor::Executor,
    model::mach::{Mach, head_weights::HeadWeights},
    parameters::mach::{MachParameters, Optimizer},
    train::TrainError,
};
use alloc::{borrow::Cow, vec::Vec};

/// Passes over the rows.
const EPOCHS: u32 = 3;

/// The first rate as a share of that of training. AdaGrad's sums of squares begin anew, so that its
/// first steps are as long as its rate.
const SHARES: [f64; 2] = [0.5, 0.1];

impl Mach {
    /// The model after some more passes over `data`, those which made it, with as many weights or
    /// fewer; `run` goes to the end of them.
    pub(crate) fn refined(
        &self,
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
        run: impl FnOnce(&mut Trainer<'_>) -> Result<(), TrainError>,
    ) -> Result<Self, TrainError> {
        let own = self.parameters();
        let share = SHARES[usize::from(own.optimizer != Optimizer::Sgd)];
        let parameters = MachParameters {
            epochs: EPOCHS,
            averaged_epochs: 1,
            learning_rate: own.learning_rate * share,
            decay: true,
            ..own.clone()
        };
        let (weights, threads) = (self.weights(), executor.threads());
        let mut trainer = parameters.refiner(weights, self.draw(), data, threads, kernels)?;
        run(&mut trainer)?;
        let shape = Shape {
            centered: false,
            ..self.shape()
        };
        let packing = Packing {
            bits: weights.bits(),
            prune: 0.0,
            importance: &[],
        };
        let weights = pack(&trainer, shape, packing, biases(&trainer), executor)?;
        Ok(self.with_weights(weights))
    }
}

impl MachParameters {
    /// Gets ready to train on from `weights`, which heads with the hash functions of draw number
    /// `draw` learned from the same data.
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
