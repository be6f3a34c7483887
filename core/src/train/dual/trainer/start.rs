//! Training that begins where an earlier model ends.

use super::Trainer;
use crate::{
    model::linear::{LinearModel, build::LabelWeights, scorer::decode},
    train::{TrainError, dual::one_vs_rest::Stage},
};

impl Trainer<'_> {
    /// Begins where an earlier model ends: the first negatives are the rows that it ranks wrongly, so
    /// that the rounds which find such rows from nothing are left out. Labels that it has not seen begin with
    /// the pool. To be called before the first step; with all negatives it changes nothing.
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
        if self.all || self.rounds < 2 {
            return Ok(());
        }
        let mut weights = decode(model);
        for feature in weights.iter_mut().flat_map(|label| &mut label.features) {
            *feature = self.rows.order.rank[*feature as usize];
        }
        weights.resize(labels, LabelWeights::unseen());
        self.unseen = weights.iter().map(|label| label.scale == 0.0).collect();
        self.weights = weights;
        self.round = self.rounds - 1;
        self.stage = Stage::Mine;
        Ok(())
    }
}
