//! The weights of a bundle of classes, and what changed in them.

use crate::train::exact::problem::{Problem, Row};
use alloc::{vec, vec::Vec};
use serde::{Deserialize, Serialize};

/// A list of weights becomes an array of all of the bundle's classes when it holds more than this share of them.
const DENSE: usize = 4;

/// The weights of a feature: of the classes listed, rising, or of all classes if none is listed.
#[derive(Clone, Debug, Default)]
struct List {
    classes: Vec<u32>,
    weights: Vec<f64>,
}

impl List {
    fn is_dense(&self) -> bool {
        self.classes.len() < self.weights.len()
    }

    fn add(&mut self, class: u32, amount: f64, many: usize) {
        if self.is_dense() {
            self.weights[class as usize] += amount;
            return;
        }
        match self.classes.binary_search(&class) {
            Ok(at) => self.weights[at] += amount,
            Err(at) => {
                self.classes.insert(at, class);
                self.weights.insert(at, amount);
                if self.classes.len() > 2 && DENSE * self.classes.len() > many {
                    let mut all = vec![0.0; many];
                    for (&class, &weight) in self.classes.iter().zip(&self.weights) {
                        all[class as usize] = weight;
                    }
                    *self = Self {
                        classes: Vec::new(),
                        weights: all,
                    };
                }
            }
        }
    }

    fn of(&self, class: u32) -> f64 {
        if self.is_dense() {
            return self.weights[class as usize];
        }
        let found = self.classes.binary_search(&class);
        found.map_or(0.0, |at| self.weights[at])
    }

    #[inline(always)]
    fn visit(&self, mut visit: impl FnMut(u32, f64)) {
        if self.is_dense() {
            let all = self.weights.iter().enumerate();
            all.for_each(|(class, &weight)| visit(class as u32, weight));
        } else {
            let listed = self.classes.iter().zip(&self.weights);
            listed.for_each(|(&class, &weight)| visit(class, weight));
        }
    }
}

/// Some classes, their rows and their weights: that of class c and feature f is the one listed and the one that all
/// classes of the bundle share.
///
/// Memory: 16 bytes a feature and 12 a weight, 12 a row.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// The classes, rising; their places here are their numbers within the bundle.
    pub classes: Vec<u32>,
    /// The rows of these classes.
    pub rows: Vec<u32>,
    /// The sum of all duals of each of these rows.
    pub totals: Vec<f64>,
    lists: Vec<List>,
    shared: Vec<f64>,
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
    /// Deals the classes of `problem` into so many bundles, the most frequent ones to different bundles; weights
    /// are 0.
    #[must_use]
    pub fn deal(problem: &Problem, many: usize) -> Vec<Self> {
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
            bundle.lists = vec![List::default(); problem.features()];
            bundle.shared = vec![0.0; problem.features()];
        }
        bundles
    }

    /// The number within its bundle of a class, if there are `many` bundles.
    #[must_use]
    pub fn local(class: u32, many: usize) -> u32 {
        class / many as u32
    }

    /// The score of one class.
    #[must_use]
    pub fn score(&self, row: Row<'_>, class: u32) -> f64 {
        let terms = row.features.iter().zip(row.values);
        terms
            .map(|(&feature, &value)| {
                let feature = feature as usize;
                f64::from(value) * (self.shared[feature] + self.lists[feature].of(class))
            })
            .sum()
    }

    /// The scores of all classes.
    pub fn scores(&self, row: Row<'_>, out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.classes.len(), 0.0);
        let mut shared = 0.0;
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (feature, value) = (feature as usize, f64::from(value));
            shared += self.shared[feature] * value;
            self.lists[feature].visit(|class, weight| out[class as usize] += weight * value);
        }
        out.iter_mut().for_each(|score| *score += shared);
    }

    /// Moves weights by so much of a row: those of all classes by `shared`, and those of some one by one.
    pub fn add(&mut self, row: Row<'_>, shared: f64, classes: &[(u32, f64)]) {
        let many = self.classes.len();
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (feature, value) = (feature as usize, f64::from(value));
            self.shared[feature] += shared * value;
            for &(class, amount) in classes {
                self.lists[feature].add(class, amount * value, many);
            }
        }
    }

    /// The sum of the squares of all weights, and the number of those that are not 0.
    #[must_use]
    pub fn square(&self) -> (f64, u64) {
        let (mut sum, mut nonzeros) = (0.0, 0);
        for (list, &shared) in self.lists.iter().zip(&self.shared) {
            let mut unlisted = self.classes.len();
            // Weights of 0 count as not listed, so that the sum does not depend on the form of the list.
            list.visit(|_, weight| {
                if weight != 0.0 {
                    sum += (shared + weight) * (shared + weight);
                    unlisted -= 1;
                }
            });
            sum += unlisted as f64 * shared * shared;
            let all = self.classes.len();
            nonzeros += if shared == 0.0 { all - unlisted } else { all };
        }
        (sum, nonzeros as u64)
    }

    /// The weight of a feature that all classes share.
    #[must_use]
    pub fn shared(&self, feature: usize) -> f64 {
        self.shared[feature]
    }

    /// Hands each class, by its number in the problem, to `visit` with its weight for `feature` less the shared one,
    /// where that is not 0.
    pub fn visit(&self, feature: usize, mut visit: impl FnMut(u32, f64)) {
        self.lists[feature].visit(|class, weight| {
            if weight != 0.0 {
                visit(self.classes[class as usize], weight);
            }
        });
    }

    /// All that is not 0.
    #[must_use]
    pub fn content(&self) -> Content {
        let features = self.lists.iter().zip(&self.shared).enumerate();
        let feature = |(number, (list, &shared)): (usize, (&List, &f64))| {
            let mut weights = Vec::new();
            list.visit(|class, weight| {
                if weight != 0.0 {
                    weights.push((class, weight));
                }
            });
            (shared != 0.0 || !weights.is_empty()).then_some(Feature {
                number: number as u32,
                shared,
                weights,
            })
        };
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
    pub fn can_hold(&self, content: &Content) -> bool {
        let many = self.classes.len();
        let features = content.features.iter().all(|feature| {
            let weights = &feature.weights;
            (feature.number as usize) < self.lists.len()
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
    pub fn set(&mut self, content: &Content) {
        let many = self.classes.len();
        self.lists.fill(List::default());
        self.shared.fill(0.0);
        self.totals.fill(0.0);
        for feature in &content.features {
            let number = feature.number as usize;
            for &(class, weight) in &feature.weights {
                self.lists[number].add(class, weight, many);
            }
            self.shared[number] = feature.shared;
        }
        for &(place, total) in &content.rows {
            self.totals[place as usize] = total;
        }
    }
}
