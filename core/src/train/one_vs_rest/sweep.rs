//! One sweep of dual coordinate descent over the rows of one label: the inner loop of training.

use super::packed_rows::{Group, HEAD_FEATURES, PackedRow, PackedRows, Rare};
use crate::train::one_vs_rest::label_weights::Weights;
use hapax_processor::{Fetch, Loop};

/// A row of one label's problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    /// The row.
    pub row: u32,
    /// Whether it carries the label.
    pub positive: bool,
    /// Its dual, at least 0.
    pub alpha: f64,
    /// The largest dual allowed: infinite for the squared hinge.
    pub bound: f64,
    /// What the loss adds to the diagonal: 1 / (2 C) for the squared hinge, 0 for the hinge.
    pub diagonal: f64,
}

/// The state of one label's solver. Weights and bias always belong to the duals.
#[derive(Debug)]
pub struct Sweep<'a> {
    /// All rows.
    pub rows: &'a PackedRows,
    /// The label's problem.
    pub examples: &'a mut [Example],
    /// Which examples to visit, in this order. Those shrunk away move behind `active`.
    pub order: &'a mut [u32],
    /// How many of `order` are visited.
    pub active: usize,
    /// The weights.
    pub weights: &'a mut Weights,
    /// The bias, which is learned if `bias_feature` is not 0.
    pub bias: f64,
    /// The value of the constant feature whose weight gives the bias.
    pub bias_feature: f64,
    /// Examples at a bound leave if their gradient is beyond these limits.
    pub shrink: (f64, f64),
}

/// The largest and the smallest projected gradient met in a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientRange {
    /// Largest.
    pub high: f64,
    /// Smallest.
    pub low: f64,
}

/// How many rows ahead of their turn the places of rows are fetched, and their values: a label's
/// rows lie anywhere, so that both are waited for.
const FETCH_AHEAD: [usize; 2] = [12, 6];

impl Loop for &mut Sweep<'_> {
    type Output = GradientRange;

    /// Visits the active examples in order and moves each dual to its optimum.
    ///
    /// Cost: two passes over a row's values for each dual that moves, one for each that does not.
    #[inline(always)]
    fn run<F: Fetch>(self, fetch: &F) -> GradientRange {
        let mut range = GradientRange {
            high: f64::NEG_INFINITY,
            low: f64::INFINITY,
        };
        let (head, rest) = self.weights.parts_mut();
        let mut at = 0;
        while at < self.active {
            if F::ACTIVE {
                let soon = |ahead: usize| {
                    let example = *self.order.get(at + ahead)?;
                    Some(self.examples[example as usize].row as usize)
                };
                if let Some(row) = soon(FETCH_AHEAD[0]) {
                    self.rows.fetch_place(row, fetch);
                }
                if let Some(row) = soon(FETCH_AHEAD[1]) {
                    self.rows.fetch_values(row, fetch);
                }
            }
            let index = self.order[at] as usize;
            let example = &mut self.examples[index];
            let row = self.rows.row(example.row as usize);
            let sign = if example.positive { 1.0 } else { -1.0 };
            let score = dot(row, head, rest) + self.bias;
            let gradient = sign * score - 1.0 + example.diagonal * example.alpha;
            let at_zero = example.alpha <= 0.0;
            let at_bound = example.alpha >= example.bound;
            if (at_zero && gradient > self.shrink.0) || (at_bound && gradient < self.shrink.1) {
                self.active -= 1;
                self.order.swap(at, self.active);
                continue;
            }
            at += 1;
            let projected = if at_zero {
                gradient.min(0.0)
            } else if at_bound {
                gradient.max(0.0)
            } else {
                gradient
            };
            range.high = range.high.max(projected);
            range.low = range.low.min(projected);
            if projected == 0.0 {
                continue;
            }
            let square = self.rows.square(example.row as usize);
            let curvature = square + self.bias_feature * self.bias_feature + example.diagonal;
            if curvature <= 0.0 {
                // An empty row moves no weight: its dual belongs at one of its bounds.
                example.alpha = if gradient < 0.0 { example.bound } else { 0.0 };
                continue;
            }
            let before = example.alpha;
            example.alpha = (before - gradient / curvature).clamp(0.0, example.bound);
            let step = sign * (example.alpha - before);
            add(row, step, head, rest);
            self.bias += step * self.bias_feature * self.bias_feature;
        }
        range
    }
}

/// The inner product of a row and the weights: sixteen sums, one for each place in two groups,
/// added in a fixed order.
#[inline(always)]
#[must_use]
pub fn dot(row: PackedRow<'_>, head: &[f32; HEAD_FEATURES], rest: &[f32]) -> f64 {
    let mut sums = [0f32; 16];
    let (pairs, last) = row.groups.as_chunks::<2>();
    for [even, odd] in pairs {
        let products = [products(even, head), products(odd, head)];
        for (sum, product) in sums.iter_mut().zip(products.as_flattened()) {
            *sum += product;
        }
    }
    for group in last {
        for (sum, product) in sums.iter_mut().zip(products(group, head)) {
            *sum += product;
        }
    }
    let mut width = 8;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    let mut sum = sums[0];
    for &Rare { id, value } in row.rare {
        sum += rest.get(id as usize).copied().unwrap_or(0.0) * value;
    }
    f64::from(sum) * f64::from(row.unit)
}

#[inline(always)]
fn products(group: &Group, head: &[f32; HEAD_FEATURES]) -> [f32; 8] {
    let mut products = [0f32; 8];
    for lane in 0..8 {
        products[lane] = head[usize::from(group.ids[lane])] * f32::from(group.values[lane]);
    }
    products
}

/// Adds `step` times the row to the weights.
#[inline(always)]
pub fn add(row: PackedRow<'_>, step: f64, head: &mut [f32; HEAD_FEATURES], rest: &mut [f32]) {
    let step = (step * f64::from(row.unit)) as f32;
    for group in row.groups {
        for lane in 0..8 {
            head[usize::from(group.ids[lane])] += step * f32::from(group.values[lane]);
        }
    }
    for &Rare { id, value } in row.rare {
        if let Some(weight) = rest.get_mut(id as usize) {
            *weight += step * value;
        }
    }
}
