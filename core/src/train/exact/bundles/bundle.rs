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
/// Memory: 16 bytes a feature and 12 a weight, 16 a row.
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
    /// When the weights of each feature last changed, and when the total of each row did.
    changed: (Vec<u32>, Vec<u32>),
}

/// What changed in a bundle since some time: whole lists of features, and totals of rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Changes {
    features: Vec<Feature>,
    rows: Vec<(u32, u32, f64)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Feature {
    number: u32,
    time: u32,
    shared: f64,
    weights: Vec<(u32, f64)>,
}

/// By how much of a row weights move.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    /// What all classes share.
    pub shared: f64,
    /// Classes one by one.
    pub classes: Vec<(u32, f64)>,
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
            bundle.changed = (vec![0; problem.features()], vec![0; bundle.rows.len()]);
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

    /// Moves weights by their part of a row, at time `now`.
    pub fn add(&mut self, row: Row<'_>, moves: &Moves, now: u32) {
        let many = self.classes.len();
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (feature, value) = (feature as usize, f64::from(value));
            self.shared[feature] += moves.shared * value;
            for &(class, amount) in &moves.classes {
                self.lists[feature].add(class, amount * value, many);
            }
            self.changed.0[feature] = now;
        }
    }

    /// Adds to the sum of the duals of the row at `place`.
    pub fn add_total(&mut self, place: usize, amount: f64, now: u32) {
        self.totals[place] += amount;
        self.changed.1[place] = now;
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

    /// What changed after time `since`.
    #[must_use]
    pub fn changes(&self, since: u32) -> Changes {
        let (features, rows) = &self.changed;
        let features = features.iter().enumerate().filter(|&(_, &at)| at > since);
        let feature = |(number, &time): (usize, &u32)| {
            let mut weights = Vec::new();
            self.lists[number].visit(|class, weight| {
                if weight != 0.0 {
                    weights.push((class, weight));
                }
            });
            Feature {
                number: number as u32,
                time,
                shared: self.shared[number],
                weights,
            }
        };
        let rows = rows.iter().enumerate().filter(|&(_, &at)| at > since);
        Changes {
            features: features.map(feature).collect(),
            rows: rows
                .map(|(place, &time)| (place as u32, time, self.totals[place]))
                .collect(),
        }
    }

    /// Whether these are changes until `now` of all that ever changed, in order, and of numbers that are numbers.
    #[must_use]
    pub fn is_history(changes: &Changes, now: u32) -> bool {
        let features = changes.features.iter().all(|feature| {
            let weights = &feature.weights;
            (1..=now).contains(&feature.time)
                && feature.shared.is_finite()
                && weights.iter().all(|weight| weight.1.is_finite())
                && weights.is_sorted_by(|a, b| a.0 < b.0)
        });
        let rows = changes.rows.iter();
        features
            && changes.features.is_sorted_by(|a, b| a.number < b.number)
            && changes.rows.is_sorted_by(|a, b| a.0 < b.0)
            && rows.clone().all(|row| (1..=now).contains(&row.1))
            && rows.clone().all(|row| row.2.is_finite())
    }

    /// Takes over changes made elsewhere, or nothing if they do not fit this bundle.
    #[must_use]
    pub fn apply(&mut self, changes: &Changes) -> bool {
        let many = self.classes.len();
        let fits = changes.features.iter().all(|feature| {
            (feature.number as usize) < self.lists.len()
                && feature.weights.iter().all(|w| (w.0 as usize) < many)
        });
        let rows = self.totals.len();
        if !fits || !changes.rows.iter().all(|row| (row.0 as usize) < rows) {
            return false;
        }
        for feature in &changes.features {
            let number = feature.number as usize;
            let list = &mut self.lists[number];
            if list.is_dense() {
                list.weights.fill(0.0);
            } else {
                *list = List::default();
            }
            for &(class, weight) in &feature.weights {
                list.add(class, weight, many);
            }
            self.shared[number] = feature.shared;
            self.changed.0[number] = feature.time;
        }
        for &(place, time, total) in &changes.rows {
            self.totals[place as usize] = total;
            self.changed.1[place as usize] = time;
        }
        true
    }
}
