//! One sweep of dual coordinate descent over the rows of one label: the inner loop of training.

use super::{
    packed_rows::{Group, HEAD_FEATURES, PackedRow, PackedRows, Rare},
    weights::Weights,
};
use crate::train::exact::ahead::Fetch;

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
    /// Whether its row was ever added to the weights of this solve.
    pub moved: bool,
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
    /// Duals move only where the projected gradient is at least this large.
    pub skip: f64,
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

/// How many rows ahead of their turn the places of rows are fetched, and their values: a label's rows lie anywhere, so that
/// both are waited for.
const FETCH_AHEAD: [usize; 2] = [12, 6];

/// Asks for the memory of the first examples.
#[inline(always)]
fn fetch_first<'a>(
    rows: &PackedRows,
    example: impl Fn(usize) -> Option<&'a Example>,
    fetch: &impl Fetch,
) {
    for soon in (0..FETCH_AHEAD[0]).filter_map(&example) {
        rows.fetch_place(soon.row as usize, fetch);
    }
    for soon in (0..FETCH_AHEAD[1]).filter_map(&example) {
        rows.fetch_values(soon.row as usize, fetch);
    }
}

/// Asks for the memory of the examples after the one at `at` of those that `example` gives.
#[inline(always)]
fn fetch_ahead<'a>(
    rows: &PackedRows,
    at: usize,
    example: impl Fn(usize) -> Option<&'a Example>,
    fetch: &impl Fetch,
) {
    if let Some(soon) = example(at + FETCH_AHEAD[0]) {
        rows.fetch_place(soon.row as usize, fetch);
    }
    if let Some(soon) = example(at + FETCH_AHEAD[1]) {
        rows.fetch_values(soon.row as usize, fetch);
    }
}

/// The example whose turn is at a place of the order.
#[inline(always)]
fn in_order<'a>(order: &[u32], examples: &'a [Example], at: usize) -> Option<&'a Example> {
    order.get(at).map(|&example| &examples[example as usize])
}

/// Visits the active examples in order and moves each dual to its optimum.
///
/// Before a row's turn comes, `fetch` is told of it and may bring it into the cache.
///
/// Cost: two passes over a row's values for each dual that moves, one for each that does not.
#[inline(always)]
pub fn sweep<F: Fetch>(state: &mut Sweep<'_>, fetch: &F) -> GradientRange {
    let mut range = GradientRange {
        high: f64::NEG_INFINITY,
        low: f64::INFINITY,
    };
    let (head, rest) = state.weights.parts_mut();
    let mut at = 0;
    if F::ACTIVE {
        let soon = |at: usize| in_order(state.order, state.examples, at);
        fetch_first(state.rows, soon, fetch);
    }
    while at < state.active {
        if F::ACTIVE {
            let soon = |at: usize| in_order(state.order, state.examples, at);
            fetch_ahead(state.rows, at, soon, fetch);
        }
        let index = state.order[at] as usize;
        let example = &mut state.examples[index];
        let row = state.rows.row(example.row as usize);
        let sign = if example.positive { 1.0 } else { -1.0 };
        let score = dot(row, head, rest) + state.bias;
        let gradient = sign * score - 1.0 + example.diagonal * example.alpha;
        let at_zero = example.alpha <= 0.0;
        let at_bound = example.alpha >= example.bound;
        if (at_zero && gradient > state.shrink.0) || (at_bound && gradient < state.shrink.1) {
            state.active -= 1;
            state.order.swap(at, state.active);
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
        if projected.abs() < state.skip || projected == 0.0 {
            continue;
        }
        let square = state.rows.square(example.row as usize);
        let curvature = square + state.bias_feature * state.bias_feature + example.diagonal;
        if curvature <= 0.0 {
            // An empty row moves no weight: its dual belongs at one of its bounds.
            example.alpha = if gradient < 0.0 { example.bound } else { 0.0 };
            continue;
        }
        let before = example.alpha;
        example.alpha = (before - gradient / curvature).clamp(0.0, example.bound);
        let step = sign * (example.alpha - before);
        example.moved = true;
        add(row, step, head, rest);
        state.bias += step * state.bias_feature * state.bias_feature;
    }
    range
}

/// Adds the rows of all examples to the weights, each times its dual, and marks them as moved; those whose dual is 0 are
/// passed over. Rows are fetched ahead as by [`sweep`].
#[inline(always)]
pub fn add_examples<F: Fetch>(
    rows: &PackedRows,
    examples: &mut [Example],
    weights: &mut Weights,
    fetch: &F,
) {
    let (head, rest) = weights.parts_mut();
    if F::ACTIVE {
        let soon = |at: usize| examples.get(at).filter(|soon| soon.alpha > 0.0);
        fetch_first(rows, soon, fetch);
    }
    for at in 0..examples.len() {
        if F::ACTIVE {
            let soon = |at: usize| examples.get(at).filter(|soon| soon.alpha > 0.0);
            fetch_ahead(rows, at, soon, fetch);
        }
        let example = &mut examples[at];
        if example.alpha > 0.0 {
            example.moved = true;
            let step = if example.positive {
                example.alpha
            } else {
                -example.alpha
            };
            add(rows.row(example.row as usize), step, head, rest);
        }
    }
}

/// The sum of all examples' losses at these weights.
///
/// Cost: a pass over the values of their rows.
#[inline(always)]
#[must_use]
pub fn losses(
    rows: &PackedRows,
    examples: &[Example],
    (head, rest): (&[f32; HEAD_FEATURES], &[f32]),
    bias: f64,
) -> f64 {
    let mut sum = 0.0;
    for example in examples {
        let sign = if example.positive { 1.0 } else { -1.0 };
        let score = dot(rows.row(example.row as usize), head, rest) + bias;
        let short = (1.0 - sign * score).max(0.0);
        sum += if example.diagonal > 0.0 {
            0.5 * short * short / example.diagonal
        } else {
            example.bound * short
        };
    }
    sum
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
