//! From weights by feature to the rounded weights of each label, and back.

use super::{
    bundles::trainer::Tournament,
    lee_lin_wahba::LeeLinWahba,
    parameters::MultiClassSvm,
    problem::Problem,
    weights::{ClassWeights, Shard},
};
use crate::{executor::Executor, model::linear::build::LabelWeights};
use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Weights of all classes, by feature.
pub trait ByFeature: Sync {
    /// Hands classes and their weights for a feature to `each`; those that are left out are 0.
    fn visit_feature(&self, feature: usize, each: impl FnMut(u32, f32));
}

impl ByFeature for ClassWeights {
    fn visit_feature(&self, feature: usize, each: impl FnMut(u32, f32)) {
        self.visit(feature, each);
    }
}

impl ByFeature for LeeLinWahba {
    fn visit_feature(&self, feature: usize, mut each: impl FnMut(u32, f32)) {
        for (class, weight) in (0..).zip(self.weights(feature)) {
            each(class, weight as f32);
        }
    }
}

impl ByFeature for Tournament {
    fn visit_feature(&self, feature: usize, mut each: impl FnMut(u32, f32)) {
        self.visit(feature, |class, weight| each(class, weight as f32));
    }
}

impl MultiClassSvm {
    /// The weights of each label that are not pruned, rounded, features by the data set's numbers; labels without rows have
    /// none. The classes are shared out among threads.
    ///
    /// Memory: 8 bytes a weight that is not pruned.
    pub(super) fn rounded<E: Executor>(
        &self,
        problem: &Problem,
        weights: &impl ByFeature,
        labels: usize,
        executor: &E,
    ) -> Vec<LabelWeights> {
        let ranges = equal_ranges(problem.classes(), executor.threads());
        let parts = executor.map_items(ranges, |_, classes| {
            self.rounded_some(problem, weights, &classes)
        });
        let mut rounded = vec![LabelWeights::unseen(); labels];
        for (&label, own) in problem.labels().iter().zip(parts.into_iter().flatten()) {
            rounded[label as usize] = own;
        }
        rounded
    }

    /// The rounded weights of a range of classes.
    fn rounded_some(
        &self,
        problem: &Problem,
        weights: &impl ByFeature,
        classes: &Range<usize>,
    ) -> Vec<LabelWeights> {
        // A number that is no class of the range is beyond its length.
        let place = |class: u32| (class as usize).wrapping_sub(classes.start);
        let ids = problem.feature_ids();
        let mut counts = vec![0usize; classes.len()];
        for feature in 0..ids.len() {
            weights.visit_feature(feature, |class, weight| {
                if let Some(count) = counts.get_mut(place(class)) {
                    *count += usize::from(weight.abs() > self.prune);
                }
            });
        }
        let mut by_class: Vec<Vec<(u32, f32)>> =
            counts.into_iter().map(Vec::with_capacity).collect();
        let mut biases = vec![0f32; classes.len()];
        for (feature, &id) in ids.iter().enumerate() {
            weights.visit_feature(feature, |class, weight| {
                if weight.abs() > self.prune
                    && let Some(own) = by_class.get_mut(place(class))
                {
                    own.push((id, weight));
                }
            });
        }
        for feature in ids.len()..problem.features() {
            weights.visit_feature(feature, |class, weight| {
                if let Some(bias) = biases.get_mut(place(class)) {
                    *bias = (f64::from(weight) * problem.bias()) as f32;
                }
            });
        }
        let pairs = by_class.into_iter().zip(biases);
        pairs
            .map(|(own, bias)| LabelWeights::round(&own, bias, self.bits))
            .collect()
    }
}

/// Ranges of numbers below `all`, as many as `parts`, of about equal length.
fn equal_ranges(all: usize, parts: usize) -> Vec<Range<usize>> {
    let start = |part: usize| all * part / parts;
    (0..parts)
        .map(|part| start(part)..start(part + 1))
        .collect()
}

/// Rounded weights as the solvers have them. The features are shared out among threads.
///
/// Memory: 8 bytes a weight beside those of the result.
pub(super) fn stored_weights<E: Executor>(
    problem: &Problem,
    rounded: &[LabelWeights],
    executor: &E,
) -> ClassWeights {
    let stored = Stored::new(problem, rounded);
    let borders = stored.borders(executor.threads());
    let ranges = borders.windows(2).map(|ends| ends[0]..ends[1]).collect();
    let parts = executor.map_items(ranges, |_, features: Range<u32>| stored.lists(&features));
    let mut weights = ClassWeights::new(problem.features(), problem.classes());
    let classes: Vec<&[u32]> = parts.iter().map(|part| &part.0[..]).collect();
    weights.append(0, &stored.counts, &classes.concat(), executor);
    let items = weights.shards(&borders).into_iter().zip(&parts).collect();
    executor.map_items(items, |_, (mut shard, part): (Shard<'_>, _)| {
        stored.fill(&mut shard, part);
    });
    weights
}

/// The classes of the lists of some features, one after the other, and their weights.
type ListedWeights = (Vec<u32>, Vec<f32>);

/// Rounded weights of labels, to be looked at by feature.
struct Stored<'a> {
    problem: &'a Problem,
    rounded: &'a [LabelWeights],
    /// The feature that each of the data set's numbers is of.
    features: Vec<u32>,
    /// How many weights each feature has.
    counts: Vec<u32>,
}

impl<'a> Stored<'a> {
    fn new(problem: &'a Problem, rounded: &'a [LabelWeights]) -> Self {
        let mut features = vec![0u32; problem.features()];
        for (feature, &id) in (0..).zip(problem.feature_ids()) {
            features[id as usize] = feature;
        }
        let mut stored = Self {
            problem,
            rounded,
            features,
            counts: Vec::new(),
        };
        let mut counts = vec![0u32; problem.features()];
        stored.visit(|feature, _, _| counts[feature as usize] += 1);
        stored.counts = counts;
        stored
    }

    /// Hands the feature, the class and the value of each weight to `each`, class by class.
    fn visit(&self, mut each: impl FnMut(u32, u32, f32)) {
        let problem = self.problem;
        for (class, &label) in (0..).zip(problem.labels()) {
            let label = &self.rounded[label as usize];
            for (&id, &weight) in label.features.iter().zip(&label.weights) {
                let weight = f32::from(weight) * label.scale;
                each(self.features[id as usize], class, weight);
            }
            if problem.bias() != 0.0 {
                let weight = (f64::from(label.bias) / problem.bias()) as f32;
                each(problem.feature_ids().len() as u32, class, weight);
            }
        }
    }

    /// Borders of so many ranges of features with about equally many weights each.
    fn borders(&self, parts: usize) -> Vec<u32> {
        let mut sum = 0;
        let sums = self.counts.iter().map(|&count| {
            sum += count as usize;
            sum
        });
        let sums: Vec<usize> = sums.collect();
        let part = |part: usize| sums.partition_point(|&end| end * parts <= sum * part) as u32;
        let borders = [0].into_iter().chain((1..parts).map(part));
        borders.chain([self.counts.len() as u32]).collect()
    }

    /// The weights of a range of features, feature by feature.
    fn lists(&self, range: &Range<u32>) -> ListedWeights {
        let mut end = 0;
        let own = &self.counts[range.start as usize..range.end as usize];
        let places = own.iter().map(|&count| {
            end += count as usize;
            end - count as usize
        });
        let mut places: Vec<usize> = places.collect();
        let (mut classes, mut weights) = (vec![0u32; end], vec![0f32; end]);
        self.visit(|feature, class, weight| {
            let at = feature.wrapping_sub(range.start) as usize;
            if let Some(place) = places.get_mut(at) {
                (classes[*place], weights[*place]) = (class, weight);
                *place += 1;
            }
        });
        (classes, weights)
    }

    /// Writes the weights of a shard's features, and the background that makes those of all classes add up to 0.
    fn fill(&self, shard: &mut Shard<'_>, (classes, weights): &ListedWeights) {
        let (mut classes, mut weights) = (&classes[..], &weights[..]);
        let range = shard.range.start as usize..shard.range.end as usize;
        for (at, &count) in self.counts[range].iter().enumerate() {
            let own_classes = classes.split_off(..count as usize).unwrap_or_default();
            let own = weights.split_off(..count as usize).unwrap_or_default();
            let sum: f64 = own.iter().map(|&weight| f64::from(weight)).sum();
            shard.background[at] = (-sum / self.problem.classes() as f64) as f32;
            if shard.is_dense(at) {
                for (&class, &weight) in own_classes.iter().zip(own) {
                    shard.of(at)[class as usize] = weight;
                }
            } else {
                shard.of(at).copy_from_slice(own);
            }
        }
    }
}
