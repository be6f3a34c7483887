//! How much memory MEMOIR will need, before it begins.

use crate::data::Dataset;
use crate::parameters::memoir::{Average, Length, Memoir, SeveralLabels};

/// Bytes of a weight while training: an entry, its number beside it, and room to grow.
const BYTES_A_WEIGHT: u64 = 16;

/// Bytes of a weight while the model is made, beside those: its record, with a label number of 4
/// bytes at most.
const BYTES_OF_A_RECORD: u64 = 5;

/// Where weights stand by class also: rounded, by class and by feature.
const BYTES_ROUNDED: u64 = 5;

impl Memoir {
    /// An estimate, in bytes, of the most memory that training on `data` with `threads` threads
    /// will hold at once, without `data` itself.
    ///
    /// How many weights there will be is not known beforehand: a row makes at most one for each of
    /// its values in its own class, and those of classes pushed away are put at as many again. No
    /// more than features times classes can be.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
        let (rows, stored) = (data.len() as u64, data.rows().nonzeros() as u64);
        let classes = u64::from(data.labels().labels());
        let features = u64::from(data.rows().features()) + 1;
        let lists = data.labels().iter().zip(data.rows().iter());
        let own: u64 = match self.several {
            SeveralLabels::Replicate => lists.map(|(l, row)| (l.len() * row.len()) as u64).sum(),
            _ => stored,
        };
        let pushed = if self.create > 0.0 {
            own
        } else {
            u64::from(self.violators) * own
        };
        let drawn = match self.length {
            Length::Epochs(_) => u64::MAX,
            Length::Iterations(steps) => steps.saturating_mul(u64::from(self.batch)),
        };
        // A draw makes at most as many weights as its row has values, in each class it moves.
        let longest = data
            .rows()
            .iter()
            .map(|row| row.len() as u64 + 1)
            .max()
            .unwrap_or(0);
        let moved = drawn.saturating_mul(longest * (1 + u64::from(self.violators)));
        let weights = (own + pushed).min(features * classes).min(moved);
        let beside = if self.average == Average::SecondHalf || self.is_l1() {
            0
        } else {
            4
        };
        let values = if self.exponent == 1.0 {
            8 * rows
        } else {
            4 * stored + 8 * rows
        };
        let pairs = 8 * data.labels().total().max(data.len()) as u64;
        let batch = u64::from(self.batch) * (32 + 12 * (1 + u64::from(self.violators)));
        let at_the_end = if self.oracle.is_index() {
            BYTES_OF_A_RECORD + BYTES_ROUNDED
        } else {
            BYTES_OF_A_RECORD
        };
        weights * (BYTES_A_WEIGHT - beside + at_the_end)
            + self.oracle.memory(classes, weights)
            + 96 * features
            + values
            + pairs
            + batch
            + (threads as u64 + 17) * (8 * classes + 65_536)
            + 128 * classes
    }

    /// The same for `rows` rows of so few dimensions, all of which have values, and a model of
    /// prototypes.
    #[must_use]
    pub(crate) fn reduced_memory_estimate(
        &self,
        rows: u64,
        classes: u64,
        dimensions: u64,
        threads: usize,
    ) -> u64 {
        /// Bytes of a number of a prototype: trained, and in a model of bytes.
        const BYTES_OF_A_PROTOTYPE: u64 = 8;
        let weights = classes * dimensions;
        weights * (BYTES_A_WEIGHT + BYTES_OF_A_PROTOTYPE)
            + self.oracle.memory(classes, weights)
            + 24 * rows
            + (threads as u64 + 17) * (8 * classes + 65_536)
            + 128 * classes
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::data;
    use crate::executor::Sequential;
    use crate::parameters::memoir::Memoir;
    use crate::train::Training;

    #[test]
    fn the_estimate_covers_what_training_holds() {
        let data = data(500);
        for parameters in [
            Memoir::automatic(&data),
            Memoir::automatic(&data).with_l1(12),
        ] {
            let estimate = parameters.memory_estimate(&data, 1);
            let mut trainer = parameters.trainer(&data).unwrap();
            let mut most = trainer.bytes();
            while trainer.step(&Sequential).is_some() {
                most = most.max(trainer.bytes());
            }
            assert!(
                most as u64 <= estimate && most > 5_000,
                "{most}, {estimate} estimated"
            );
        }
    }
}
