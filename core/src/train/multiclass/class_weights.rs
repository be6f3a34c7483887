//! The weights of all classes, by feature: what a row's scores are made of.
//!
//! The weights of class c are `w_c = u + r_c` with one background u for all classes. As the weights
//! of all classes add up to 0, `u = -(r_1 + … + r_L) / L`, and differences of scores, which is
//! all that losses and answers are made of, do not depend on it.
//!
//! The weights `r_c` of a feature are a list of classes and weights that only grows at its end, so
//! that a place in it stays what it is; or, from L/4 classes on, the weights of all classes. Those
//! of all features follow each other in one array, the most frequent features first.

use crate::train::multiclass::narrow_vec::Numbers;
use alloc::{vec, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};

mod gathering;
mod growth;
mod places;

pub use places::Places;

/// The weights `r_c` of one feature on their own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FeatureWeights {
    /// The class of each place; empty if the weights are those of all classes.
    pub classes: Numbers,
    /// The weights.
    pub weights: Vec<f32>,
}

impl FeatureWeights {
    /// Whether there is a place for every class.
    #[must_use]
    #[inline]
    pub(crate) fn is_dense(&self) -> bool {
        self.classes.len() != self.weights.len()
    }
}

/// The weights of L classes over D features.
///
/// Memory: 6 bytes a weight of a list, 8 from 65,537 classes on, and 4 of a dense feature, 20 bytes
/// a feature.
#[derive(Clone, Debug)]
pub struct ClassWeights {
    /// Where the weights of each feature begin, and where those of the last one end.
    starts: Vec<usize>,
    weights: Vec<f32>,
    lists: Lists,
    /// The background u.
    pub background: Vec<f32>,
    /// Number of classes L.
    pub classes: usize,
}

/// The classes of the places of all features that are not dense.
#[derive(Clone, Debug)]
struct Lists {
    /// Where those of each feature begin, and where those of the last one end.
    starts: Vec<usize>,
    classes: Numbers,
}

impl Lists {
    #[inline]
    fn range(&self, feature: usize) -> Range<usize> {
        self.starts[feature]..self.starts[feature + 1]
    }
}

/// The weights of a range of features, to change.
#[derive(Debug)]
pub struct Shard<'a> {
    /// Which features.
    pub range: Range<u32>,
    /// Their background.
    pub background: &'a mut [f32],
    /// Their weights.
    pub weights: &'a mut [f32],
    /// Where those of each feature begin, as [`ClassWeights`] has it, and where those of the last
    /// one end.
    pub starts: &'a [usize],
    lists: &'a Lists,
}

impl Shard<'_> {
    /// The weights of a feature, by its place in the range.
    #[must_use]
    pub(crate) fn of(&mut self, at: usize) -> &mut [f32] {
        let range = self.starts[at] - self.starts[0]..self.starts[at + 1] - self.starts[0];
        &mut self.weights[range]
    }

    /// The weights of a feature, by its place in the range, and those that come after them.
    #[inline(always)]
    pub(crate) fn from(&mut self, at: usize) -> &mut [f32] {
        &mut self.weights[self.starts[at] - self.starts[0]..]
    }

    /// Whether a feature has a place for every class.
    #[must_use]
    pub(crate) fn is_dense(&self, at: usize) -> bool {
        let listed = self.lists.range(self.range.start as usize + at).len();
        listed != self.starts[at + 1] - self.starts[at]
    }

    /// Hands the classes of a feature's list to `visit`.
    pub(crate) fn visit_classes(&self, at: usize, visit: impl FnMut(u32)) {
        let range = self.lists.range(self.range.start as usize + at);
        self.lists.classes.visit_some(range, visit);
    }
}

impl ClassWeights {
    /// No weights yet.
    #[must_use]
    pub(crate) fn new(features: usize, classes: usize) -> Self {
        Self {
            starts: vec![0; features + 1],
            weights: Vec::new(),
            lists: Lists {
                starts: vec![0; features + 1],
                classes: Numbers::new(classes),
            },
            background: vec![0.0; features],
            classes,
        }
    }

    /// Number of features D.
    #[must_use]
    pub(crate) fn features(&self) -> usize {
        self.background.len()
    }

    /// All weights, and where those of each feature begin.
    #[must_use]
    #[inline]
    pub(crate) fn all(&self) -> (&[f32], &[usize]) {
        (&self.weights, &self.starts)
    }

    /// The weights of a feature.
    #[must_use]
    #[inline]
    pub(crate) fn of(&self, feature: usize) -> &[f32] {
        &self.weights[self.starts[feature]..self.starts[feature + 1]]
    }

    /// The weights of a feature, and those of the ones after it.
    #[must_use]
    #[inline(always)]
    pub(crate) fn from(&self, feature: usize) -> &[f32] {
        &self.weights[self.starts[feature]..]
    }

    /// How many classes the list of a feature has: none if it is dense.
    #[must_use]
    #[inline]
    pub(crate) fn listed(&self, feature: usize) -> usize {
        self.lists.range(feature).len()
    }

    /// The classes of all lists, one list after the other.
    #[must_use]
    #[inline]
    pub(crate) fn lists(&self) -> &Numbers {
        &self.lists.classes
    }

    /// Where a feature's list is among these.
    #[must_use]
    #[inline]
    pub(crate) fn list(&self, feature: usize) -> Range<usize> {
        self.lists.range(feature)
    }

    /// Whether a feature has a place for every class.
    #[must_use]
    #[inline]
    pub(crate) fn is_dense(&self, feature: usize) -> bool {
        self.listed(feature) != self.starts[feature + 1] - self.starts[feature]
    }

    /// Hands every class that has a place, and its weight, to `visit`.
    pub(crate) fn visit(&self, feature: usize, mut visit: impl FnMut(u32, f32)) {
        let mut weights = self.of(feature).iter();
        if self.is_dense(feature) {
            for (class, &weight) in weights.enumerate() {
                visit(class as u32, weight);
            }
        } else {
            let classes = &self.lists.classes;
            classes.visit_some(self.list(feature), |class| {
                weights.next().into_iter().for_each(|&w| visit(class, w));
            });
        }
    }

    /// The weights of the ranges of features between borders.
    pub(crate) fn shards<'a>(&'a mut self, borders: &[u32]) -> Vec<Shard<'a>> {
        let (mut start, ends) = match borders {
            [] => return Vec::new(),
            [start, ends @ ..] => (*start, ends),
        };
        let (starts, lists) = (&self.starts, &self.lists);
        let mut weights = &mut self.weights[starts[start as usize]..];
        let mut background = &mut self.background[start as usize..];
        let mut shards = Vec::with_capacity(ends.len());
        for &end in ends {
            let own = starts[end as usize] - starts[start as usize];
            let (own, rest) = weights.split_at_mut(own);
            let (own_background, rest_background) = background.split_at_mut((end - start) as usize);
            shards.push(Shard {
                range: start..end,
                background: own_background,
                weights: own,
                starts: &starts[start as usize..=end as usize],
                lists,
            });
            (weights, background, start) = (rest, rest_background, end);
        }
        shards
    }

    /// Multiplies all weights.
    pub(crate) fn multiply(&mut self, factor: f32) {
        let all = self.weights.iter_mut().chain(&mut self.background);
        all.for_each(|weight| *weight *= factor);
    }

    /// Weights that are not 0.
    #[must_use]
    pub(crate) fn nonzeros(&self) -> u64 {
        self.weights.iter().filter(|&&w| w != 0.0).count() as u64
    }

    /// The sum of squares of all `w_c`, with u such that they add up to 0.
    #[must_use]
    pub(crate) fn square(&self) -> f64 {
        let of = |feature: usize| {
            let (mut sum, mut square) = (0.0, 0.0);
            for &weight in self.of(feature) {
                sum += f64::from(weight);
                square += f64::from(weight) * f64::from(weight);
            }
            square - sum * sum / self.classes as f64
        };
        (0..self.features()).map(of).sum()
    }

    /// The weights, feature by feature, as states keep them.
    #[must_use]
    pub(crate) fn to_features(&self) -> Vec<FeatureWeights> {
        let of = |feature: usize| {
            let mut classes = Numbers::new(self.classes);
            classes.extend_from(&self.lists.classes, self.list(feature));
            FeatureWeights {
                classes,
                weights: self.of(feature).to_vec(),
            }
        };
        (0..self.features()).map(of).collect()
    }

    /// Takes over such weights; lists are of the width of these classes.
    pub(crate) fn set_features(&mut self, new: &[FeatureWeights], background: &[f32]) {
        let mut taken = Self::new(self.features(), self.classes);
        for (feature, new) in new.iter().enumerate() {
            taken.weights.extend_from_slice(&new.weights);
            let listed = 0..new.classes.len();
            taken.lists.classes.extend_from(&new.classes, listed);
            taken.starts[feature + 1] = taken.weights.len();
            taken.lists.starts[feature + 1] = taken.lists.classes.len();
        }
        taken.background.copy_from_slice(background);
        *self = taken;
    }
}
