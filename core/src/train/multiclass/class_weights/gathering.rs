//! Weights that are there already, as the solvers have them.

use super::{ClassWeights, Lists, growth::parts};
use crate::{
    executor::Executor,
    train::multiclass::{by_feature::ByFeature, narrow_vec::Numbers},
};
use alloc::vec::Vec;
use core::ops::Range;

/// The weights of some features.
struct Part {
    classes: Numbers,
    weights: Vec<f32>,
    background: Vec<f32>,
}

impl ClassWeights {
    /// The weights that `source` hands out, `counts` of each feature, with the background that
    /// makes those of all classes add up to 0. Lists of a quarter of all classes get a place for
    /// every class. The features are shared out among threads.
    ///
    /// Memory: by several threads twice that of the weights, until they are done.
    pub(crate) fn gather(
        source: &impl ByFeature,
        counts: &[usize],
        classes: usize,
        executor: &Executor,
    ) -> Self {
        let mut gathered = Self::new(counts.len(), classes);
        for (feature, &count) in counts.iter().enumerate() {
            let dense = count > 0 && count * 4 >= classes;
            let (places, listed) = if dense { (classes, 0) } else { (count, count) };
            gathered.starts[feature + 1] = gathered.starts[feature] + places;
            gathered.lists.starts[feature + 1] = gathered.lists.starts[feature] + listed;
        }
        let ranges = parts(&gathered.starts, 0..counts.len(), executor.threads());
        let filled = executor.map_items(ranges, |_, range| gathered.part(source, range));
        gathered.background.clear();
        for part in filled {
            gathered.background.extend(part.background);
            if gathered.weights.is_empty() {
                (gathered.weights, gathered.lists.classes) = (part.weights, part.classes);
            } else {
                let all = 0..part.classes.len();
                gathered.weights.extend(part.weights);
                gathered.lists.classes.extend_from(&part.classes, all);
            }
        }
        // Features behind the last weight.
        gathered.background.resize(counts.len(), 0.0);
        gathered
    }

    fn part(&self, source: &impl ByFeature, features: Range<usize>) -> Part {
        let Lists { starts: lists, .. } = &self.lists;
        let (first, end) = (self.starts[features.start], self.starts[features.end]);
        let listed = lists[features.end] - lists[features.start];
        let mut part = Part {
            classes: Numbers::with_capacity(listed, self.classes),
            weights: alloc::vec![0.0; end - first],
            background: Vec::with_capacity(features.len()),
        };
        for feature in features {
            let own = &mut part.weights[self.starts[feature] - first..];
            let is_list = lists[feature] != lists[feature + 1];
            let (mut at, mut sum) = (0, 0.0);
            source.visit_feature(feature, |class, weight| {
                sum += f64::from(weight);
                if is_list {
                    part.classes.push(class);
                    own[at] = weight;
                    at += 1;
                } else {
                    own[class as usize] = weight;
                }
            });
            part.background.push((-sum / self.classes as f64) as f32);
        }
        part
    }
}
