//! Rows of which a random share of the values is left out.

use crate::random::Stream;
use alloc::vec::Vec;

/// What sets these random numbers apart from those of the order of rows.
const OWN: u64 = 0xd0;

/// Leaves out values, the same ones for every head and thread.
pub(super) struct Dropout {
    share: f64,
    seed: u64,
    epoch: u32,
    features: Vec<u32>,
    values: Vec<f32>,
}

impl Dropout {
    /// Leaves out the share `share` of the values of rows in epoch `epoch`.
    pub(super) fn new(share: f64, seed: u64, epoch: u32) -> Self {
        Self {
            share,
            seed,
            epoch,
            features: Vec::new(),
            values: Vec::new(),
        }
    }

    /// What is left of a row, its values divided by the share that stays, so that logits are as
    /// large on average. A row of which nothing would be left stays whole.
    pub(super) fn of<'a>(
        &'a mut self,
        row: u32,
        features: &'a [u32],
        values: &'a [f32],
    ) -> (&'a [u32], &'a [f32]) {
        if self.share == 0.0 {
            return (features, values);
        }
        let place = u64::from(self.epoch) << 32 | u64::from(row);
        let mut dice = Stream::new(self.seed ^ OWN, place);
        let stays = 1.0 - self.share as f32;
        self.features.clear();
        self.values.clear();
        for (&feature, &value) in features.iter().zip(values) {
            if dice.unit() >= self.share {
                self.features.push(feature);
                self.values.push(value / stays);
            }
        }
        if self.features.is_empty() {
            return (features, values);
        }
        (&self.features, &self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::Dropout;
    use alloc::vec::Vec;

    #[test]
    fn a_share_is_left_out_and_the_sum_stays_the_same_on_average() {
        let features: Vec<u32> = (0..100).collect();
        let values = [1f32; 100];
        let (mut left, mut sum) = (0, 0f64);
        for epoch in 0..2 {
            let mut dropout = Dropout::new(0.25, 7, epoch);
            for row in 0..500 {
                let (kept, values) = dropout.of(row, &features, &values);
                assert_eq!(kept.len(), values.len());
                assert!(kept.is_sorted());
                left += kept.len();
                sum += values.iter().map(|&v| f64::from(v)).sum::<f64>();
            }
        }
        // A standard error is 0.0014 of all.
        assert!((left as f64 / 1e5 - 0.75).abs() < 0.007, "{left}");
        assert!((sum / 1e5 - 1.0).abs() < 0.01, "{sum}");
    }

    #[test]
    fn rows_and_epochs_differ_and_come_again() {
        let features: Vec<u32> = (0..64).collect();
        let values = [1f32; 64];
        let of = |row, epoch| {
            let mut dropout = Dropout::new(0.5, 7, epoch);
            dropout.of(row, &features, &values).0.to_vec()
        };
        assert_eq!(of(3, 1), of(3, 1));
        assert_ne!(of(3, 1), of(4, 1));
        assert_ne!(of(3, 1), of(3, 2));
        assert_eq!(Dropout::new(0.95, 7, 0).of(0, &[5], &[2.0]).0, [5]);
        assert_eq!(
            Dropout::new(0.0, 7, 0).of(0, &[5], &[2.0]),
            (&[5][..], &[2.0][..])
        );
    }
}
