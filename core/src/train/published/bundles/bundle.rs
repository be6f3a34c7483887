//! The weights of a bundle of classes.

use crate::train::multiclass::{
    prefetch::fetch_slice,
    problem::{Problem, Row},
};
use alloc::{vec, vec::Vec};
use hapax_processor::{FETCHES, Loop, fetch};
use serde::{Deserialize, Serialize};

/// A list of weights becomes an array of all of the bundle's classes when it holds more than this
/// share of them.
const DENSE: usize = 4;

/// What classes have besides what all of the bundle share, of one feature.
#[derive(Clone, Debug)]
enum List {
    /// Some classes, rising, and theirs.
    Some(Vec<(u32, f64)>),
    /// Those of all classes.
    All(Vec<f64>),
}

/// The weights of a feature.
#[derive(Clone, Debug)]
struct Weights {
    /// What all classes share.
    shared: f64,
    list: List,
}

impl Weights {
    const NONE: Self = Self {
        shared: 0.0,
        list: List::Some(Vec::new()),
    };

    #[inline(always)]
    fn add(&mut self, class: u32, amount: f64, many: usize) {
        let list = match &mut self.list {
            List::All(all) => {
                all[class as usize] += amount;
                return;
            }
            List::Some(list) => list,
        };
        let at = list.partition_point(|listed| listed.0 < class);
        match list.get_mut(at) {
            Some(listed) if listed.0 == class => listed.1 += amount,
            _ => {
                list.insert(at, (class, amount));
                if list.len() > 2 && DENSE * list.len() > many {
                    let mut all = vec![0.0; many];
                    for &(class, weight) in &*list {
                        all[class as usize] = weight;
                    }
                    self.list = List::All(all);
                }
            }
        }
    }

    #[inline(always)]
    fn of(&self, class: u32) -> f64 {
        let listed = match &self.list {
            List::All(all) => all[class as usize],
            List::Some(list) => {
                let at = list.partition_point(|listed| listed.0 < class);
                let listed = list.get(at).filter(|listed| listed.0 == class);
                listed.map_or(0.0, |listed| listed.1)
            }
        };
        self.shared + listed
    }

    /// Hands every class with a weight that is not 0 to `visit`, less what all share.
    fn visit(&self, mut visit: impl FnMut(u32, f64)) {
        let mut hand = |class: u32, weight: f64| {
            if weight != 0.0 {
                visit(class, weight);
            }
        };
        match &self.list {
            List::All(all) => {
                let all = all.iter().enumerate();
                all.for_each(|(class, &weight)| hand(class as u32, weight));
            }
            List::Some(list) => list.iter().for_each(|&(class, weight)| hand(class, weight)),
        }
    }
}

/// Some classes, their rows and their weights: that of class c and feature f is the one listed and
/// the one that all classes of the bundle share.
///
/// Memory: 40 bytes a feature, 16 a weight, 8 where a quarter of the classes have one, and 12 a
/// row.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// The classes, rising; their places here are their numbers within the bundle.
    pub classes: Vec<u32>,
    /// The rows of these classes.
    pub rows: Vec<u32>,
    /// The sum of all duals of each of these rows.
    pub totals: Vec<f64>,
    features: Vec<Weights>,
}

/// The weights and totals of a bundle that are not 0, for states.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Content {
    features: Vec<Feature>,
    /// Places of rows, and their totals.
    rows: Vec<(u32, f64)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Feature {
    number: u32,
    shared: f64,
    weights: Vec<(u32, f64)>,
}

impl Bundle {
    /// Deals the classes of `problem` into so many bundles, the most frequent ones to different
    /// bundles; weights are 0.
    #[must_use]
    pub(crate) fn deal(problem: &Problem, many: usize) -> Vec<Self> {
        let mut bundles = vec![Self::default(); many];
        for class in 0..problem.classes() {
            bundles[class % many].classes.push(class as u32);
        }
        for row in 0..problem.len() {
            bundles[problem.class(row) as usize % many]
                .rows
                .push(row as u32);
        }
        for bundle in &mut bundles {
            bundle.totals = vec![0.0; bundle.rows.len()];
            bundle.features = vec![Weights::NONE; problem.features()];
        }
        bundles
    }

    /// The number within its bundle of a class, if there are `many` bundles.
    #[must_use]
    pub(crate) fn local(class: u32, many: usize) -> u32 {
        class / many as u32
    }

    /// Asks for where the weights of a row's features are.
    #[inline(always)]
    pub(crate) fn fetch_features(&self, row: Row<'_>) {
        for &feature in row.features {
            fetch(&self.features[feature as usize]);
        }
    }

    /// Asks for these weights of all classes.
    #[inline(always)]
    pub(crate) fn fetch_weights(&self, row: Row<'_>) {
        for &feature in row.features {
            match &self.features[feature as usize].list {
                List::All(all) => fetch_slice(all),
                List::Some(list) => fetch_slice(list),
            }
        }
    }

    /// Asks for these weights of some classes.
    #[inline(always)]
    pub(crate) fn fetch_some(&self, row: Row<'_>, classes: &[(u32, f64)]) {
        for &feature in row.features {
            match &self.features[feature as usize].list {
                List::All(all) => {
                    for class in classes {
                        fetch(&all[class.0 as usize]);
                    }
                }
                List::Some(list) => fetch_slice(list),
            }
        }
    }

    /// The score of one class.
    #[must_use]
    #[inline(always)]
    pub(crate) fn score(&self, row: Row<'_>, class: u32) -> f64 {
        let mut sum = 0.0;
        for (&feature, &value) in row.features.iter().zip(row.values) {
            sum += f64::from(value) * self.features[feature as usize].of(class);
        }
        sum
    }

    /// The scores of all classes.
    #[inline(always)]
    pub(crate) fn scores(&self, row: Row<'_>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.classes.len(), 0.0);
        let mut shared = 0.0;
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (weights, value) = (&self.features[feature as usize], f64::from(value));
            shared += weights.shared * value;
            match &weights.list {
                List::All(all) => {
                    for (score, weight) in out.iter_mut().zip(all) {
                        *score += weight * value;
                    }
                }
                List::Some(list) => {
                    for &(class, weight) in list {
                        out[class as usize] += weight * value;
                    }
                }
            }
        }
        out.iter_mut().for_each(|score| *score += shared);
    }

    /// Moves weights by so much of a row: those of all classes by `shared`, and those of some one
    /// by one.
    #[inline(always)]
    pub(crate) fn add(&mut self, row: Row<'_>, shared: f64, classes: &[(u32, f64)]) {
        let many = self.classes.len();
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (weights, value) = (&mut self.features[feature as usize], f64::from(value));
            weights.shared += shared * value;
            for &(class, amount) in classes {
                weights.add(class, amount * value, many);
            }
        }
    }

    /// The sum of the squares of all weights, and the number of those that are not 0.
    #[must_use]
    pub(crate) fn square(&self) -> (f64, u64) {
        let (mut sum, mut nonzeros) = (0.0, 0);
        for weights in &self.features {
            let shared = weights.shared;
            let mut unlisted = self.classes.len();
            // Weights of 0 count as not listed, so that the sum does not depend on the form of the
            // list.
            weights.visit(|_, weight| {
                sum += (shared + weight) * (shared + weight);
                unlisted -= 1;
            });
            sum += unlisted as f64 * shared * shared;
            let all = self.classes.len();
            nonzeros += if shared == 0.0 { all - unlisted } else { all };
        }
        (sum, nonzeros as u64)
    }

    /// The weight of a feature that all classes share.
    #[must_use]
    pub(crate) fn shared(&self, feature: usize) -> f64 {
        self.features[feature].shared
    }

    /// Hands each class, by its number in the problem, to `visit` with its weight for `feature`
    /// less the shared one, where that is not 0.
    pub(crate) fn visit(&self, feature: usize, mut visit: impl FnMut(u32, f64)) {
        self.features[feature].visit(|class, weight| visit(self.classes[class as usize], weight));
    }

    /// All that is not 0.
    #[must_use]
    pub(crate) fn content(&self) -> Content {
        let feature = |(number, of): (usize, &Weights)| {
            let mut weights = Vec::new();
            of.visit(|class, weight| weights.push((class, weight)));
            (of.shared != 0.0 || !weights.is_empty()).then_some(Feature {
                number: number as u32,
                shared: of.shared,
                weights,
            })
        };
        let features = self.features.iter().enumerate();
        let rows = self.totals.iter().enumerate();
        Content {
            features: features.filter_map(feature).collect(),
            rows: rows
                .filter(|&(_, &total)| total != 0.0)
                .map(|(place, &total)| (place as u32, total))
                .collect(),
        }
    }

    /// Whether this can be the content of this bundle.
    #[must_use]
    pub(crate) fn can_hold(&self, content: &Content) -> bool {
        let many = self.classes.len();
        let features = content.features.iter().all(|feature| {
            let weights = &feature.weights;
            (feature.number as usize) < self.features.len()
                && feature.shared.is_finite()
                && weights.is_sorted_by(|a, b| a.0 < b.0)
                && weights
                    .iter()
                    .all(|w| (w.0 as usize) < many && w.1.is_finite())
        });
        let mut rows = content.rows.iter();
        features
            && content.features.is_sorted_by(|a, b| a.number < b.number)
            && content.rows.is_sorted_by(|a, b| a.0 < b.0)
            && rows.all(|row| (row.0 as usize) < self.totals.len() && row.1.is_finite())
    }

    /// Takes over a content that it can hold, in place of its own.
    pub(crate) fn set(&mut self, content: &Content) {
        let many = self.classes.len();
        self.features.fill(Weights::NONE);
        self.totals.fill(0.0);
        for feature in &content.features {
            let weights = &mut self.features[feature.number as usize];
            for &(class, weight) in &feature.weights {
                weights.add(class, weight, many);
            }
            weights.shared = feature.shared;
        }
        for &(place, total) in &content.rows {
            self.totals[place as usize] = total;
        }
    }
}

/// The sum of what rows lose by the classes of a bundle.
pub struct BundleLoss<'a> {
    /// The bundle.
    pub bundle: &'a Bundle,
    /// The rows.
    pub problem: &'a Problem,
    /// Their scores of their own classes.
    pub own: &'a [f64],
    /// The bundle's number, and how many there are.
    pub of: (usize, usize),
}

impl Loop for BundleLoss<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self {
            bundle,
            problem,
            own,
            of: (number, many),
        } = self;
        let (mut loss, mut scores) = (0.0, Vec::new());
        for (row, own) in own.iter().enumerate() {
            if FETCHES {
                let soon =
                    |later: usize| (row + later < problem.len()).then(|| problem.row(row + later));
                if let Some(row) = soon(4) {
                    bundle.fetch_features(row);
                }
                if let Some(row) = soon(2) {
                    bundle.fetch_weights(row);
                }
            }
            bundle.scores(problem.row(row), &mut scores);
            let class = problem.class(row);
            if class as usize % many == number {
                scores[Bundle::local(class, many) as usize] = f64::NEG_INFINITY;
            }
            let mut sum = 0.0;
            for score in &scores {
                sum += (1.0 - own + score).max(0.0);
            }
            loss += sum;
        }
        loss
    }
}
