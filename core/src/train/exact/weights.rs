//! The weights of all classes, by feature: what a row's scores are made of.
//!
//! The weights of class c are `w_c = u + r_c` with one background u for all classes. As the weights of
//! all classes add up to 0, `u = -(r_1 + … + r_L) / L`, and differences of scores, which is all that
//! losses and answers are made of, do not depend on it.

use super::{numbers::Numbers, problem::Problem};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// The weights `r_c` of one feature: a list of classes and weights that only grows at its end, so that a
/// place in it stays what it is; or, from L/4 classes on, the weights of all classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeatureWeights {
    /// The class of each place; empty if the weights are those of all classes.
    pub classes: Numbers,
    /// The weights.
    pub weights: Vec<f32>,
}

impl FeatureWeights {
    /// None yet, of so many classes.
    #[must_use]
    pub fn none(classes: usize) -> Self {
        Self {
            classes: Numbers::new(classes),
            weights: Vec::new(),
        }
    }

    /// Whether there is a place for every class.
    #[must_use]
    pub fn is_dense(&self) -> bool {
        self.classes.len() != self.weights.len()
    }

    /// Makes a place for every class if a quarter of them have one; whether it did.
    fn make_dense(&mut self, classes: usize) -> bool {
        if self.is_dense() || self.classes.len() * 4 < classes || self.classes.is_empty() {
            return false;
        }
        let mut dense = vec![0f32; classes];
        self.visit(|class, weight| dense[class as usize] = weight);
        // A single class would look like a list: there are always two or more.
        self.classes = Numbers::new(classes);
        self.weights = dense;
        true
    }

    /// Appends weights of 0 for classes that have no place.
    pub fn append(&mut self, classes: &[u32]) {
        if classes.is_empty() {
            return;
        }
        // Lists grow a few times only, but most of the memory is theirs.
        self.classes.extend(classes);
        self.weights.reserve_exact(classes.len());
        self.weights.resize(self.weights.len() + classes.len(), 0.0);
    }

    /// Hands every class that has a place, and its weight, to `visit`.
    pub fn visit(&self, mut visit: impl FnMut(u32, f32)) {
        if self.is_dense() {
            for (class, &weight) in self.weights.iter().enumerate() {
                visit(class as u32, weight);
            }
        } else {
            let mut weights = self.weights.iter();
            self.classes
                .visit(|class| weights.next().into_iter().for_each(|&w| visit(class, w)));
        }
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        self.classes.bytes() + 4 * self.weights.capacity()
    }
}

/// The weights of L classes over D features.
///
/// Memory: 6 bytes a weight of a list, 8 from 65,537 classes on, and 4 of a dense feature, 60 bytes a feature.
#[derive(Clone, Debug)]
pub struct ClassWeights {
    /// By feature.
    pub lists: Vec<FeatureWeights>,
    /// The background u.
    pub background: Vec<f32>,
    /// Number of classes L.
    pub classes: usize,
}

/// The weights of a range of features, to change.
#[derive(Debug)]
pub struct Shard<'a> {
    /// Which features.
    pub range: Range<u32>,
    /// Their lists.
    pub lists: &'a mut [FeatureWeights],
    /// Their background.
    pub background: &'a mut [f32],
}

impl ClassWeights {
    /// No weights yet.
    #[must_use]
    pub fn new(features: usize, classes: usize) -> Self {
        Self {
            lists: vec![FeatureWeights::none(classes); features],
            background: vec![0.0; features],
            classes,
        }
    }

    /// The weights in parts that end before the features `cuts`, the last of which is D.
    pub fn shards<'a>(&'a mut self, cuts: &[u32]) -> Vec<Shard<'a>> {
        let (mut lists, mut background) = (&mut self.lists[..], &mut self.background[..]);
        let mut start = 0;
        let mut shards = Vec::with_capacity(cuts.len());
        for &end in cuts {
            let (own, rest) = lists.split_at_mut((end - start) as usize);
            let (own_background, rest_background) = background.split_at_mut((end - start) as usize);
            shards.push(Shard {
                range: start..end,
                lists: own,
                background: own_background,
            });
            (lists, background, start) = (rest, rest_background, end);
        }
        shards
    }

    /// Makes features dense that have many classes; the features, rising.
    pub fn make_dense(&mut self) -> Vec<u32> {
        let classes = self.classes;
        let lists = self.lists.iter_mut().enumerate();
        lists
            .filter_map(|(at, list)| list.make_dense(classes).then_some(at as u32))
            .collect()
    }

    /// Multiplies all weights.
    pub fn multiply(&mut self, factor: f32) {
        let lists = self.lists.iter_mut().flat_map(|list| &mut list.weights);
        lists
            .chain(&mut self.background)
            .for_each(|weight| *weight *= factor);
    }

    /// Weights that are not 0.
    #[must_use]
    pub fn nonzeros(&self) -> u64 {
        let lists = self.lists.iter();
        lists
            .map(|list| list.weights.iter().filter(|&&w| w != 0.0).count() as u64)
            .sum()
    }

    /// The sum of squares of all `w_c`, with u such that they add up to 0.
    #[must_use]
    pub fn square(&self) -> f64 {
        let of = |list: &FeatureWeights| {
            let (mut sum, mut square) = (0.0, 0.0);
            for &weight in &list.weights {
                sum += f64::from(weight);
                square += f64::from(weight) * f64::from(weight);
            }
            square - sum * sum / self.classes as f64
        };
        self.lists.iter().map(of).sum()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let lists: usize = self.lists.iter().map(FeatureWeights::bytes).sum();
        lists + 60 * self.lists.len()
    }
}

/// Ends of `parts` ranges of features that hold about equally many of the rows' values each.
#[must_use]
pub fn cuts(problem: &Problem, parts: usize) -> Vec<u32> {
    let mut counts = vec![0usize; problem.features()];
    for row in 0..problem.len() {
        for &feature in problem.row(row).features {
            counts[feature as usize] += 1;
        }
    }
    let (mut cuts, mut sum) = (Vec::new(), 0);
    for (feature, count) in counts.iter().enumerate() {
        if cuts.len() + 1 < parts && sum * parts >= problem.values() * (cuts.len() + 1) {
            cuts.push(feature as u32);
        }
        sum += count;
    }
    cuts.push(counts.len() as u32);
    cuts
}
