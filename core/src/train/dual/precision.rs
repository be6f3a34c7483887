//! How precise a model is on held-out rows, in one number.

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::OneVsRestKernels,
    model::linear::{LinearModel, scorer::LinearScorer},
    train::TrainError,
};

/// Right answers among the first 1, 3 and 5.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Precision {
    hits: [u64; 3],
    rows: u64,
}

impl Precision {
    const DEPTHS: [usize; 3] = [1, 3, 5];

    /// Counts those of `model` on the rows of `test`; fails only for lack of memory.
    pub(super) fn add<E: Executor>(
        &mut self,
        model: &LinearModel,
        test: &Dataset,
        executor: &E,
        kernels: &dyn OneVsRestKernels,
    ) -> Result<(), TrainError> {
        let k = 5.min(model.labels() as usize).max(1);
        let scorer = LinearScorer::new(model).map_err(|_| TrainError::OutOfMemory {
            bytes: model.bytes() as u64,
        })?;
        let found = scorer.predict_rows(test.rows(), k, kernels, executor);
        for (row, best) in found.chunks(k).enumerate() {
            let truth = test.labels().row(row);
            for (rank, scored) in best.iter().enumerate() {
                if truth.binary_search(&scored.id).is_ok() {
                    let depths = self.hits.iter_mut().zip(Self::DEPTHS);
                    depths
                        .filter(|(_, depth)| rank < *depth)
                        .for_each(|(hits, _)| *hits += 1);
                }
            }
        }
        self.rows += test.len() as u64;
        Ok(())
    }

    /// Number of rows counted.
    pub(super) fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The mean of the three precisions.
    pub(super) fn mean(&self) -> f64 {
        let shares = self.hits.iter().zip(Self::DEPTHS);
        let sum: f64 = shares
            .map(|(&hits, depth)| hits as f64 / (depth as u64 * self.rows.max(1)) as f64)
            .sum();
        sum / 3.0
    }
}
