//! From weights by feature to the model that holds them, pruned and rounded.

use super::{by_feature::ByFeature, problem::Problem};
use crate::parameters::multiclass::MultiClassSvm;
use crate::{
    executor::Executor,
    model::linear::{
        LinearModel,
        build::{Records, TooManyWeights},
        levels::Levels,
    },
};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Ranges of features for each thread: lists are of very different lengths.
const RANGES: usize = 16;

impl MultiClassSvm {
    /// The model of weights that are not pruned, rounded, for so many labels; labels without rows
    /// have none. Its features are the data set's. These are shared out among threads.
    ///
    /// Cost: two passes over all weights. Memory: that of the model twice, and 4 bytes a class and
    /// thread.
    ///
    /// # Errors
    /// If there are too many weights for the model's form.
    pub(crate) fn rounded(
        &self,
        problem: &Problem,
        weights: &impl ByFeature,
        labels: usize,
        executor: &Executor,
    ) -> Result<LinearModel, TooManyWeights> {
        let largest = self.largest(problem, weights, executor);
        let rounding = Rounding {
            problem,
            weights,
            prune: self.prune,
            bits: self.bits,
            levels: largest.iter().map(|&w| Levels::new(w, self.bits)).collect(),
        };
        let ids = problem.feature_ids();
        let mut features = vec![0; ids.len()];
        for (feature, &id) in ids.iter().enumerate() {
            features[id as usize] = feature;
        }
        let ranges = equal_ranges(features.len(), RANGES * executor.threads());
        let parts = executor.map_items(ranges, |_, range| rounding.records(&features[range]));
        let mut records = Records::new(features.len(), self.bits);
        for part in parts {
            records.append(part?)?;
        }
        let (mut scales, mut biases) = (vec![0.0; labels], vec![0.0; labels]);
        for (&label, levels) in problem.labels().iter().zip(&rounding.levels) {
            scales[label as usize] = levels.map_or(Levels::NO_WEIGHT, Levels::scale);
        }
        for feature in ids.len()..problem.features() {
            weights.visit_feature(feature, |class, weight| {
                let label = problem.labels()[class as usize];
                biases[label as usize] = (f64::from(weight) * problem.bias()) as f32;
            });
        }
        Ok(records.model(scales, biases, self.transform()))
    }

    /// The size of each class's largest weight that is not pruned; 0 where all are.
    fn largest(
        &self,
        problem: &Problem,
        weights: &impl ByFeature,
        executor: &Executor,
    ) -> Vec<f32> {
        let (features, threads) = (problem.feature_ids().len(), executor.threads());
        // Frequent features come first, so that threads take turns.
        let parts = executor.map_items((0..threads).collect(), |_, first| {
            let mut largest = vec![0f32; problem.classes()];
            for feature in (first..features).step_by(threads) {
                weights.visit_feature(feature, |class, weight| {
                    let (size, place) = (weight.abs(), &mut largest[class as usize]);
                    if size > self.prune {
                        *place = size.max(*place);
                    }
                });
            }
            largest
        });
        let mut all = vec![0f32; problem.classes()];
        for part in parts {
            all.iter_mut()
                .zip(part)
                .for_each(|(all, own)| *all = own.max(*all));
        }
        all
    }
}

/// How weights are rounded.
struct Rounding<'a, W> {
    problem: &'a Problem,
    weights: &'a W,
    prune: f32,
    bits: u32,
    /// Those of each class; none where there is no weight to round.
    levels: Vec<Option<Levels>>,
}

impl<W: ByFeature> Rounding<'_, W> {
    /// The records of some features, one after the other.
    fn records(&self, features: &[usize]) -> Result<Records, TooManyWeights> {
        let mut records = Records::new(features.len(), self.bits);
        let mut stored: Vec<(u32, i16)> = Vec::new();
        for &feature in features {
            stored.clear();
            self.weights.visit_feature(feature, |class, weight| {
                let levels = self.levels[class as usize].filter(|_| weight.abs() > self.prune);
                let level = levels.map_or(0, |levels| levels.of(weight));
                if level != 0 {
                    stored.push((self.problem.labels()[class as usize], level));
                }
            });
            // A class is handed out once.
            stored.sort_unstable_by_key(|&(label, _)| label);
            records.push(stored.iter().copied())?;
        }
        Ok(records)
    }
}

/// Ranges of numbers below `all`, as many as `parts`, of about equal length.
fn equal_ranges(all: usize, parts: usize) -> Vec<Range<usize>> {
    let start = |part: usize| all * part / parts;
    (0..parts)
        .map(|part| start(part)..start(part + 1))
        .collect()
}
