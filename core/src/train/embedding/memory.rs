//! How much memory training of an embedding will need, before it begins.

use crate::parameters::wsabie::{Wsabie, WsabieSteps};
use crate::{
    data::Dataset,
    kernels::panels::{LANES, panels_for},
};

impl Wsabie {
    /// The most memory, in bytes, that training on `data` with `threads` threads will hold at once,
    /// without `data` itself: embedding, prototypes (twice while slots are dealt), sums, the
    /// transformed rows, and the visits of a batch.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        let (features, classes) = (u64::from(data.rows().features()), data.labels().labels());
        let slots = (panels_for(classes as usize) * LANES) as u64;
        let dimensions = u64::from(self.dimensions);
        let sums = match self.steps {
            WsabieSteps::Plain => 0,
            WsabieSteps::AdaGrad => dimensions,
            WsabieSteps::AdaGradByFeature => features,
        };
        let space = 4 * (dimensions * (features + slots) + sums + 4 * slots);
        let models = u64::from(self.models);
        let dealing = 4 * (dimensions + 3) * slots;
        let (rows, stored) = (data.len() as u64, data.rows().nonzeros() as u64);
        let batch = u64::from(self.batch).max(16);
        let mean = stored.div_ceil(rows.max(1));
        // WsabieSteps of a batch, their sorted copies, and the vectors that threads take to change.
        let visits = batch * (16 * dimensions + 160 + mean * (24 + 4 * dimensions));
        space * models
            + dealing
            + 4 * stored
            + 16 * rows
            + visits * threads.min(2) as u64
            + 12 * slots
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        kernels::Portable,
        parameters::wsabie::Wsabie,
        train::{Training, embedding::twin::blobs},
    };

    #[test]
    fn the_estimate_covers_what_training_holds() {
        let data = blobs(300, 40, 60, 1);
        for parameters in [
            Wsabie::default(),
            Wsabie {
                models: 3,
                ..Wsabie::plus_plus()
            },
        ] {
            let parameters = Wsabie {
                epochs: 2,
                ..parameters
            };
            let estimate = parameters.memory_estimate(&data, 1);
            let mut trainer = parameters.trainer(&data, &Portable).unwrap();
            let mut most = trainer.bytes();
            while trainer.step(&Sequential).is_some() {
                most = most.max(trainer.bytes());
            }
            assert!(
                most as u64 <= estimate && most as u64 > estimate / 6,
                "{most} of {estimate}"
            );
        }
    }
}
