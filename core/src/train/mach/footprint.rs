//! How much memory training will need, before it begins.

use crate::data::Dataset;
use crate::parameters::mach::{MachParameters, Optimizer};

impl MachParameters {
    /// Bytes of the most memory that training on `data` holds at once, without `data` itself:
    /// weights, sums of squares, sums for their mean, transformed values, codes and the order of
    /// rows. The number of threads does not change it.
    #[must_use]
    pub fn memory_estimate(&self, data: &Dataset) -> u64 {
        let rows = u64::from(data.rows().features()) + 1;
        let heads = u64::from(self.repetitions);
        let width = heads * u64::from(self.buckets);
        let squares = match self.optimizer {
            Optimizer::FeatureAdaGrad => heads,
            Optimizer::Sgd => 0,
        };
        let sums = if self.averages() { width } else { 0 };
        let values = if self.exponent == 1.0 && !self.normalize {
            0
        } else {
            4 * data.rows().nonzeros() as u64
        };
        let labels = u64::from(data.labels().labels());
        4 * rows * (width + sums + squares)
            + values
            + 12 * data.len() as u64
            + labels * (4 * heads + 32)
    }
}
