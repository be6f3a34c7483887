//! Nearest means: each label is the mean of its rows.
//!
//! Problem: `beta_g = (1/n_g) sum of the transformed rows x of label g`; the answer is the label
//! with the least `|beta_g - x|²`. Labels without rows have their prototype at the origin. Cost:
//! the stored values, once for each label of their row. Memory: L x D numbers, twice while the
//! model is made.

use crate::{
    data::Dataset,
    model::embedding::build::Vectors,
    parameters::NearestMean,
    train::{TrainError, check_data, error::array},
};
use alloc::vec::Vec;

impl NearestMean {
    /// The most memory, in bytes, that training on `data` will hold, without `data` itself.
    #[must_use]
    pub(crate) fn memory_estimate(&self, data: &Dataset) -> u64 {
        8 * u64::from(data.rows().features()) * (u64::from(data.labels().labels()) + 32)
    }

    /// The means, summed in the order of rows.
    ///
    /// # Errors
    /// If there is nothing to learn from, fewer than two labels, or memory is lacking.
    pub(crate) fn train(&self, data: &Dataset) -> Result<Vectors, TrainError> {
        self.check()?;
        check_data(data)?;
        let labels = data.labels().labels();
        if labels < 2 {
            return Err(TrainError::TooFewLabels {
                labels: u64::from(labels),
            });
        }
        let dimensions = data.rows().features() as usize;
        let mut sums = array((labels as usize).saturating_mul(dimensions), 0f32)?;
        let transform = self.transform();
        let mut values = Vec::new();
        for (row, labels) in data.rows().iter().zip(data.labels().iter()) {
            values.clear();
            transform.apply(row, &mut values);
            for &label in labels {
                let sums = &mut sums[label as usize * dimensions..][..dimensions];
                for (&feature, &value) in row.indices().iter().zip(&values) {
                    sums[feature as usize] += value;
                }
            }
        }
        let counts = data.labels().frequencies();
        for (mean, &count) in sums.chunks_mut(dimensions).zip(&counts) {
            let count = count.max(1) as f32;
            mean.iter_mut().for_each(|sum| *sum /= count);
        }
        Ok(Vectors {
            dimensions,
            embedding: Vec::new(),
            features: None,
            prototypes: sums,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        kernels::Portable,
        model::embedding::{Embedding, EmbeddingScratch},
        parameters::{NearestMean, embedding::EmbeddingTraining},
        train::embedding::twin::blobs,
    };
    use alloc::{vec, vec::Vec};
    use core::ops::ControlFlow;

    #[test]
    fn means_are_those_of_the_closed_form() {
        let data = blobs(200, 8, 6, 2);
        let mean = NearestMean {
            normalize: false,
            bits: 32,
            ..NearestMean::default()
        };
        let training = EmbeddingTraining::NearestMean(mean);
        let mut go_on = |_| ControlFlow::Continue(());
        let trained =
            Embedding::train(&training, None, &data, &Sequential, &Portable, &mut go_on).unwrap();
        let means: Vec<Vec<f64>> = (0..8)
            .map(|label| {
                let rows: Vec<usize> = (0..200)
                    .filter(|&row| data.labels().row(row).contains(&label))
                    .collect();
                let mut mean = vec![0f64; 6];
                for &row in &rows {
                    for (feature, value) in data.rows().row(row).iter() {
                        mean[feature as usize] += f64::from(value) / rows.len() as f64;
                    }
                }
                mean
            })
            .collect();
        let mut scratch = EmbeddingScratch::default();
        for row in data.rows().iter() {
            let mut x = [0f64; 6];
            row.iter()
                .for_each(|(feature, value)| x[feature as usize] = f64::from(value));
            let distance = |mean: &Vec<f64>| -> f64 {
                mean.iter().zip(x).map(|(m, x)| (m - x) * (m - x)).sum()
            };
            let best = trained.model().predict(row, 8, &mut scratch);
            assert_eq!(best.len(), 8);
            for scored in best {
                let expected = -distance(&means[scored.id as usize]);
                assert!((f64::from(scored.score) - expected).abs() < 1e-5);
            }
        }
    }
}
