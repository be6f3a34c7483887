//! The last stage of training, where it is wanted: softmax regression over the weights that one
//! label at a time has given ([`crate::train::softmax`]), added to them.

use super::Trainer;
use crate::{
    executor::Executor,
    model::linear::{LinearModel, build::build},
    parameters::one_vs_rest::OneVsRest,
    train::{
        TrainError,
        one_vs_rest::training::{Report, Stage},
        softmax::{EPOCHS, SoftmaxTraining},
    },
};

/// The model so far, and what is trained beside it.
pub(super) struct SecondHead<'a> {
    first: LinearModel,
    pub training: SoftmaxTraining<'a>,
}

impl SecondHead<'_> {
    /// Bytes held, without what threads hold.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.first.bytes() + self.training.bytes()
    }

    pub(super) fn finish(&self, parameters: &OneVsRest) -> Result<LinearModel, TrainError> {
        if self.training.epoch() < EPOCHS {
            return Err(TrainError::Stopped);
        }
        let weight = parameters.softmax as f32;
        self.training.added_to(&self.first, weight, parameters.bits)
    }
}

impl<'a> Trainer<'a> {
    /// The model of the labels that were solved.
    pub(super) fn linear(&self) -> Result<LinearModel, TrainError> {
        let mut weights = self.weights.clone();
        for label in &mut weights {
            for feature in &mut label.features {
                *feature = self.rows.order.feature[*feature as usize];
            }
        }
        let (features, parameters) = (self.data.rows().features() as usize, &self.parameters);
        Ok(build(
            &weights,
            features,
            parameters.transform(),
            parameters.bits,
        )?)
    }

    /// Begins the second head, when all labels are solved.
    pub(super) fn second_head(&self) -> Result<SecondHead<'a>, TrainError> {
        let first = self.linear()?;
        let training = SoftmaxTraining::new(&first, self.data, self.parameters.seed)?;
        Ok(SecondHead { first, training })
    }

    /// An epoch of the second head, if there is one and it is not done.
    pub(super) fn softmax_part(&mut self, executor: &Executor) -> Option<Report> {
        if self.parameters.softmax == 0.0 {
            return None;
        }
        if self.softmax.is_none() {
            self.softmax = Some(self.second_head());
        }
        let head = self.softmax.as_mut()?.as_mut().ok()?;
        head.training.step(executor, self.kernels).then(|| Report {
            round: self.rounds - 1,
            rounds: self.rounds,
            stage: Stage::Softmax,
            done: head.training.epoch() as usize,
            of: EPOCHS as usize,
            sweeps: 1,
        })
    }
}
