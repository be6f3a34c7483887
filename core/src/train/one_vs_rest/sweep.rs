//! One sweep of dual coordinate descent over the rows of one label: the inner loop of training.

use super::packed_rows::{Group, HEAD_FEATURES, PackedRow, PackedRows, Rare};
use crate::train::one_vs_rest::label_weights::Weights;
use hapax_processor::{FETCHES, Loop};

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
    fn run(self) -> GradientRange {
        let mut range = GradientRange {
            high: f64::NEG_INFINITY,
            low: f64::INFINITY,
        };
        let (head, rest) = self.weights.parts_mut();
        let mut at = 0;
        while at < self.active {
            if FETCHES {
                let soon = |ahead: usize| {
                    let example = *self.order.get(at + ahead)?;
                    Some(self.examples[example as usize].row as usize)
                };
                if let Some(row) = soon(FETCH_AHEAD[0]) {
                    self.rows.fetch_place(row);
                }
                if let Some(row) = soon(FETCH_AHEAD[1]) {
                    self.rows.fetch_values(row);
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

#[cfg(test)]
mod tests {
    use super::{Example, GradientRange, Sweep, add};
    use crate::{
        random::Stream,
        train::one_vs_rest::{
            label_weights::Weights,
            packed_rows::{HEAD_FEATURES, PackedRows},
        },
    };
    use alloc::{vec, vec::Vec};
    use hapax_processor::Processor;

    /// Features in the head, the first of which rows have, and behind it.
    const COMMON: u32 = 30;
    const RARE: u32 = 4;

    /// Rows of up to 25 values, some of them rare; each fifth row is empty.
    fn random_rows(stream: &mut Stream, count: usize) -> PackedRows {
        let mut rows = PackedRows::default();
        for row in 0..count {
            let places = (0..COMMON).chain((0..RARE).map(|rare| HEAD_FEATURES as u32 + rare));
            let mut features: Vec<u32> = places.collect();
            stream.shuffle(&mut features);
            features.truncate(if row % 5 == 4 {
                0
            } else {
                1 + stream.below(25) as usize
            });
            let value = |feature| (feature, (2.0 * stream.unit() - 1.0) as f32);
            rows.push(&mut features.into_iter().map(value).collect(), usize::MAX);
        }
        rows
    }

    /// Duals at zero, at their bound and between.
    fn random_examples(stream: &mut Stream, count: u32, hinge: bool) -> Vec<Example> {
        let example = |row| {
            let (bound, diagonal) = if hinge {
                (0.7, 0.0)
            } else {
                (f64::INFINITY, 0.4)
            };
            let between = 0.7 * stream.unit();
            let alpha = [0.0, between, bound.min(2.0)][stream.below(3) as usize];
            let positive = stream.below(2) == 0;
            Example {
                row,
                positive,
                alpha,
                bound,
                diagonal,
            }
        };
        (0..count).map(example).collect()
    }

    fn sign(example: &Example) -> f64 {
        if example.positive { 1.0 } else { -1.0 }
    }

    /// A problem and where its sweep is. Weights are what the duals say, each time anew.
    struct Slow<'a> {
        rows: &'a [Vec<f64>],
        examples: Vec<Example>,
        /// The constant bias, and the square of the constant feature.
        bias: (f64, f64),
        shrink: (f64, f64),
    }

    impl Slow<'_> {
        fn weights(&self) -> (Vec<f64>, f64) {
            let mut weights = vec![0.0; (COMMON + RARE) as usize];
            let mut bias = self.bias.0;
            for example in &self.examples {
                let step = sign(example) * example.alpha;
                for (weight, value) in weights.iter_mut().zip(&self.rows[example.row as usize]) {
                    *weight += step * value;
                }
                bias += step * self.bias.1;
            }
            (weights, bias)
        }

        /// The gradients met, those visited in the order they end in, and those that left.
        fn sweep(&mut self, order: &[u32]) -> (GradientRange, Vec<u32>, usize) {
            let (mut waiting, mut done, mut left) = (order.to_vec(), Vec::new(), Vec::new());
            let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
            while !waiting.is_empty() {
                let index = waiting[0];
                let (weights, bias) = self.weights();
                let example = &mut self.examples[index as usize];
                let row = &self.rows[example.row as usize];
                let score = bias + row.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
                let gradient = sign(example) * score - 1.0 + example.diagonal * example.alpha;
                let [zero, full] = [example.alpha == 0.0, example.alpha == example.bound];
                if (zero && gradient > self.shrink.0) || (full && gradient < self.shrink.1) {
                    // The last that waits takes its turn.
                    left.push(waiting.swap_remove(0));
                    continue;
                }
                done.push(waiting.remove(0));
                let held = (zero && gradient > 0.0) || (full && gradient < 0.0);
                let projected = if held { 0.0 } else { gradient };
                (high, low) = (f64::max(high, projected), f64::min(low, projected));
                let square = row.iter().map(|x| x * x).sum::<f64>();
                let curvature = square + self.bias.1 + example.diagonal;
                // Of an objective without curvature the end is at a bound.
                let step = if curvature > 0.0 {
                    gradient / curvature
                } else {
                    gradient * f64::MAX
                };
                if !held {
                    example.alpha = (example.alpha - step).clamp(0.0, example.bound);
                }
            }
            let active = done.len();
            done.extend(left.into_iter().rev());
            (GradientRange { high, low }, done, active)
        }
    }

    /// The rows as lists of values, the rare behind the others.
    fn dense(rows: &PackedRows, count: usize) -> Vec<Vec<f64>> {
        let row = |row| {
            let mut values = vec![0.0; (COMMON + RARE) as usize];
            for (feature, value) in rows.row(row).terms() {
                let rare = feature.checked_sub(HEAD_FEATURES as u32);
                values[rare.map_or(feature, |rare| COMMON + rare) as usize] = f64::from(value);
            }
            values
        };
        (0..count).map(row).collect()
    }

    fn near(one: f64, other: f64) -> bool {
        one == other || (one - other).abs() < 1e-4
    }

    #[test]
    fn a_sweep_is_that_of_the_slow_twin() {
        const COUNT: usize = 13;
        let (mut left, mut moved) = (0, 0);
        for seed in 0..120 {
            let stream = &mut Stream::new(seed, 0);
            let rows = random_rows(stream, COUNT);
            let hinge = seed % 2 == 0;
            let (fixed, feature) = [(0.0, 0.0), (-0.5, 0.0), (0.0, 0.8)][seed as usize % 3];
            let shrink = [(f64::INFINITY, f64::NEG_INFINITY), (0.2, -0.2)][seed as usize / 6 % 2];
            let mut examples = random_examples(stream, COUNT as u32, hinge);
            let mut order: Vec<u32> = (0..COUNT as u32).collect();
            stream.shuffle(&mut order);
            let mut slow = Slow {
                rows: &dense(&rows, COUNT),
                examples: examples.clone(),
                bias: (fixed, feature * feature),
                shrink,
            };
            let mut weights = Weights::new(HEAD_FEATURES + RARE as usize);
            let (head, rest) = weights.parts_mut();
            for example in &examples {
                let row = rows.row(example.row as usize);
                add(row, sign(example) * example.alpha, head, rest);
            }
            let bias = slow.weights().1;
            let expected = slow.sweep(&order);
            let mut sweep = Sweep {
                rows: &rows,
                examples: &mut examples,
                order: &mut order,
                active: COUNT,
                weights: &mut weights,
                bias,
                bias_feature: feature,
                shrink,
            };
            let range = Processor::portable().run(&mut sweep);
            let (active, bias) = (sweep.active, sweep.bias);
            assert!(near(range.high, expected.0.high), "{seed}: {range:?}");
            assert!(near(range.low, expected.0.low), "{seed}: {range:?}");
            assert_eq!((&order, active), (&expected.1, expected.2), "{seed}");
            for (example, slow) in examples.iter().zip(&slow.examples) {
                assert!(
                    near(example.alpha, slow.alpha),
                    "{seed}: {example:?} {slow:?}"
                );
            }
            let (slow_weights, slow_bias) = slow.weights();
            assert!(near(bias, slow_bias), "{seed}: {bias} {slow_bias}");
            let (head, rest) = weights.parts();
            let all = head[..COMMON as usize].iter().chain(rest);
            for (weight, slow) in all.zip(slow_weights) {
                assert!(near(f64::from(*weight), slow), "{seed}: {weight} {slow}");
            }
            left += COUNT - active;
            moved += active;
        }
        assert!(
            left > 50 && moved > 1000,
            "{left} left, {moved} were visited"
        );
    }
}
