//! A packed model trained on: weights that were left out stay out.

use super::{
    Mach,
    assemble::biases,
    pack::{Packing, Shape, pack},
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::MachKernels,
    parameters::mach::{MachParameters, Optimizer},
    train::{TrainError, mach::Trainer},
};

/// Passes over the rows.
const EPOCHS: u32 = 3;

/// The first rate as a share of that of training. AdaGrad's sums of squares begin anew, so that its first steps are
/// as long as its rate.
const SHARES: [f64; 2] = [0.5, 0.1];

impl Mach {
    /// The model after some more passes over `data`, those which made it, with as many weights or fewer; `run` goes to
    /// the end of them.
    pub(crate) fn refined<E: Executor>(
        &self,
        data: &Dataset,
        executor: &E,
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
