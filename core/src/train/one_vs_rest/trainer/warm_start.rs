//! Training that begins where an earlier model ends.

use super::Trainer;
use crate::{
    kernels::wide::WIDE,
    model::linear::{LinearModel, build::LabelWeights, scorer::decode},
    train::{TrainError, one_vs_rest::training::Stage},
};
use alloc::vec::Vec;

impl Trainer<'_> {
    /// Begins where an earlier model ends: the first negatives are the rows that it ranks wrongly,
    /// so that the rounds which find such rows from nothing are left out. Labels that it has not
    /// seen begin with the pool. Labels that it has seen and that have no rows in the data keep its
    /// weights and biases, as they are: they are not pruned again, and rounded again only where the
    /// new model has other bits. To be called before the first step; with all negatives, or a
    /// single round, only the kept weights matter.
    ///
    /// # Errors
    /// If `model` has other features than the data, or labels beyond theirs.
    pub fn start_from(&mut self, model: &LinearModel) -> Result<(), TrainError> {
        let labels = self.weights.len();
        let differ = |what, model, data| TrainError::StartDiffers { what, model, data };
        let (known, features) = (model.features(), self.data.rows().features());
        if known != features {
            return Err(differ("features", known, features));
        }
        if model.labels() as usize > labels {
            return Err(differ("labels", model.labels(), labels as u32));
        }
        if model.parts().transform != self.parameters.transform() {
            return Err(TrainError::StartTransform);
        }
        let mut weights = self.weights_of(model);
        if self.all || self.rounds < 2 {
            for (label, weights) in weights.iter_mut().enumerate() {
                if !self.positives.of(label).is_empty() {
                    *weights = LabelWeights::unseen();
                }
            }
            self.weights = weights;
            return Ok(());
        }
        self.continued = true;
        self.weights = weights;
        self.round = self.rounds - 1;
        self.stage = Stage::Mine;
        Ok(())
    }

    /// The weights of `model` for each label of the data, over the features as they are numbered
    /// here.
    fn weights_of(&self, model: &LinearModel) -> Vec<LabelWeights> {
        let mut decoded = decode(model);
        decoded.resize(self.weights.len(), LabelWeights::unseen());
        let (had, wanted) = (model.parts().bits, self.parameters.bits);
        for (label, weights) in decoded.iter_mut().enumerate() {
            if weights.scale == 0.0 {
                // Its bias is no number that a state may hold.
                *weights = LabelWeights::unseen();
                continue;
            }
            for feature in &mut weights.features {
                *feature = self.rows.order.rank[*feature as usize];
            }
            let kept = self.positives.of(label).is_empty();
            if had != wanted && (kept || had == WIDE) {
                *weights = weights.rounded_again(wanted);
            }
        }
        decoded
    }
}

#[cfg(test)]
mod tests;
