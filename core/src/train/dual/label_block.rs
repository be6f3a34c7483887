//! Dual coordinate descent for sixteen labels at once: their weights and duals lie side by side, so that a row and the
//! places of its weights are read once for all of them.
//!
//! The problems are those of [`super::label_solver`], one for each label, over the same rows in the same order. No label's
//! numbers meet another's, so each has the bits it would have in any other block that visits the rows in this
//! order.
//!
//! Cost: O(values) a sweep, each of them a multiplication and an addition of sixteen numbers, and as much again where a dual
//! moves. Memory: 64 bytes a feature and 64 a row.

use super::{
    packed_rows::{Group, HEAD_FEATURES, PackedRow, PackedRows, Rare},
    parameters::{Loss, OneVsRest},
};
use crate::train::exact::ahead::Fetch;

/// Labels of a block.
pub const LABELS: usize = 16;

/// A number for each label of a block.
pub type Block<T = f32> = [T; LABELS];

/// What a row's dual obeys, by label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// 1 where the row carries the label, -1 elsewhere.
    pub signs: Block,
    /// What the loss adds to the diagonal: 1 / (2 C) for the squared hinge, 0 for the hinge.
    pub diagonals: Block,
    /// The largest dual allowed: infinite for the squared hinge.
    pub bounds: Block,
}

/// Which side rows are on, and what that means.
#[derive(Clone, Debug)]
pub struct BlockRows<'a> {
    /// All rows.
    pub rows: &'a PackedRows,
    /// For each row a bit for each label that it carries.
    pub carried: &'a [u16],
    /// The diagonals of rows without and with the label.
    pub diagonals: [f32; 2],
    /// The bounds of their duals.
    pub bounds: [f32; 2],
}

/// The duals of a block and all that belongs to them.
#[derive(Debug)]
pub struct BlockSweep<'a> {
    /// Rows and labels.
    pub of: BlockRows<'a>,
    /// Which rows to visit, in this order.
    pub order: &'a [u32],
    /// Weights by feature.
    pub weights: &'a mut [Block],
    /// Duals by row.
    pub duals: &'a mut [Block],
    /// Biases.
    pub biases: &'a mut Block,
    /// The value of the constant feature whose weight gives the bias; 0 where biases are not learned.
    pub bias_feature: f32,
}

/// How many rows ahead of their turn the places of rows are fetched, their values, and the weights of these.
const FETCH_AHEAD: [usize; 3] = [6, 3, 1];

impl BlockSweep<'_> {
    /// Asks for the memory of rows after the one at `at`.
    #[inline(always)]
    fn fetch_ahead<F: Fetch>(&self, at: usize, fetch: &F) {
        let rows = self.of.rows;
        let soon = |ahead: usize| self.order.get(at + ahead).map(|&row| row as usize);
        if let Some(row) = soon(FETCH_AHEAD[0]) {
            rows.fetch_place(row, fetch);
        }
        if let Some(row) = soon(FETCH_AHEAD[1]) {
            rows.fetch_values(row, fetch);
            fetch.fetch(&self.duals[row]);
        }
        if let Some(row) = soon(FETCH_AHEAD[2]).filter(|_| F::ACTIVE) {
            for group in rows.row(row).groups {
                for &id in &group.ids {
                    if let Some(of) = self.weights.get(usize::from(id)) {
                        fetch.fetch(of);
                    }
                }
            }
        }
    }
}

impl<'a> BlockRows<'a> {
    /// The sides of rows whose labels are told by `carried`.
    #[must_use]
    pub fn new(parameters: &OneVsRest, rows: &'a PackedRows, carried: &'a [u16]) -> Self {
        let costs = [1.0, parameters.positive_weight].map(|weight| parameters.cost * weight);
        let (diagonals, bounds) = match parameters.loss {
            Loss::SquaredHinge => (costs.map(|cost| (0.5 / cost) as f32), [f32::INFINITY; 2]),
            Loss::Hinge => ([0.0; 2], costs.map(|cost| cost as f32)),
        };
        Self {
            rows,
            carried,
            diagonals,
            bounds,
        }
    }

    /// What the duals of a row that carries these labels obey.
    #[must_use]
    #[inline(always)]
    pub fn sides(&self, carried: u16) -> Sides {
        let mut sides = Sides {
            signs: [-1.0; LABELS],
            diagonals: [self.diagonals[0]; LABELS],
            bounds: [self.bounds[0]; LABELS],
        };
        if carried != 0 {
            for label in (0..LABELS).filter(|label| carried >> label & 1 == 1) {
                sides.signs[label] = 1.0;
                sides.diagonals[label] = self.diagonals[1];
                sides.bounds[label] = self.bounds[1];
            }
        }
        sides
    }
}

/// What a sweep met, by label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Met {
    /// The sum of the rows' parts of the gap, each as it was before the row's visit.
    pub gaps: Block,
    /// The sum of their losses.
    pub losses: Block,
}

/// What duals say beside the square of their weights, by label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rebuilt {
    /// The sum of the duals, times the signs of their rows.
    pub sums: Block<f64>,
    /// The dual objective at a bias of 0, but for the square of the weights.
    pub gains: Block<f64>,
}

/// Visits rows in order and moves each dual to its optimum.
///
/// The gap is a sum over rows: with a margin that falls short of 1 by m and a dual a, a row's part is the loss at m and
/// `D a^2 / 2 - a m`, which is at least 0 and is 0 at the optimum.
#[inline(always)]
pub fn sweep_block(state: &mut BlockSweep<'_>, fetch: &impl Fetch) -> Met {
    let (mut gaps, mut losses) = ([0f32; LABELS], [0f32; LABELS]);
    let bias_square = state.bias_feature * state.bias_feature;
    for (at, &index) in state.order.iter().enumerate() {
        state.fetch_ahead(at, fetch);
        let index = index as usize;
        let row = state.of.rows.row(index);
        let sides = state.of.sides(state.of.carried[index]);
        let scores = scores(row, state.weights);
        let square = state.of.rows.square(index) as f32 + bias_square;
        let duals = &mut state.duals[index];
        let mut steps = [0f32; LABELS];
        let mut moved = false;
        for label in 0..LABELS {
            let (sign, diagonal) = (sides.signs[label], sides.diagonals[label]);
            let short = 1.0 - sign * (scores[label] + state.biases[label]);
            let before = duals[label];
            let gradient = diagonal * before - short;
            let missed = if short > 0.0 { short } else { 0.0 };
            // An optimum of the loss less `a m` over duals is the loss itself: half the square over D, or the bound times m.
            let loss = if diagonal > 0.0 {
                0.5 * missed * missed / diagonal
            } else {
                sides.bounds[label] * missed
            };
            losses[label] += loss;
            gaps[label] += loss + before * (0.5 * diagonal * before - short);
            let curvature = square + diagonal;
            let curvature = if curvature > 0.0 {
                curvature
            } else {
                f32::MIN_POSITIVE
            };
            let next = before - gradient / curvature;
            let next = if next > 0.0 { next } else { 0.0 };
            let next = if next < sides.bounds[label] {
                next
            } else {
                sides.bounds[label]
            };
            duals[label] = next;
            let step = sign * (next - before);
            moved |= step != 0.0;
            steps[label] = step;
        }
        if moved {
            for (bias, step) in state.biases.iter_mut().zip(&steps) {
                *bias += step * bias_square;
            }
            add(row, &steps, state.weights);
        }
    }
    Met { gaps, losses }
}

/// The losses of all rows, by label, added up in the order of rows.
#[inline(always)]
#[must_use]
pub fn block_losses(of: &BlockRows<'_>, weights: &[Block], biases: &Block) -> Block<f64> {
    let mut losses = [0f64; LABELS];
    for (index, &carried) in of.carried.iter().enumerate() {
        let sides = of.sides(carried);
        let scores = scores(of.rows.row(index), weights);
        for label in 0..LABELS {
            let margin = f64::from(sides.signs[label]) * f64::from(scores[label] + biases[label]);
            let short = 1.0 - margin;
            let short = if short > 0.0 { short } else { 0.0 };
            let diagonal = f64::from(sides.diagonals[label]);
            losses[label] += if diagonal > 0.0 {
                0.5 * short * short / diagonal
            } else {
                f64::from(sides.bounds[label]) * short
            };
        }
    }
    losses
}

/// Adds all rows, each times its duals, to `weights`, which must be zero before.
#[inline(always)]
#[must_use]
pub fn rebuild_block(of: &BlockRows<'_>, duals: &[Block], weights: &mut [Block<f64>]) -> Rebuilt {
    let (mut sums, mut gains) = ([0f64; LABELS], [0f64; LABELS]);
    for (index, (&carried, duals)) in of.carried.iter().zip(duals).enumerate() {
        if duals.iter().fold(true, |none, &dual| none & (dual == 0.0)) {
            continue;
        }
        let sides = of.sides(carried);
        let row = of.rows.row(index);
        let mut steps = [0f64; LABELS];
        for label in 0..LABELS {
            let dual = f64::from(duals[label]);
            gains[label] += dual - 0.5 * f64::from(sides.diagonals[label]) * dual * dual;
            let step = f64::from(sides.signs[label]) * dual;
            sums[label] += step;
            steps[label] = step;
        }
        for (id, value) in row.terms() {
            if let Some(weights) = weights.get_mut(id as usize) {
                for (weight, step) in weights.iter_mut().zip(&steps) {
                    *weight += step * f64::from(value);
                }
            }
        }
    }
    Rebuilt { sums, gains }
}

/// The sums of squares of weights, by label.
#[inline(always)]
#[must_use]
pub fn block_squares(weights: &[Block]) -> Block<f64> {
    let mut squares = [0f64; LABELS];
    for weights in weights {
        for (square, &weight) in squares.iter_mut().zip(weights) {
            *square += f64::from(weight) * f64::from(weight);
        }
    }
    squares
}

/// The inner products of a row and the weights of all labels: of every second value first, then of the others.
#[inline(always)]
fn scores(row: PackedRow<'_>, weights: &[Block]) -> Block {
    let mut sums = [[0f32; LABELS]; 2];
    for Group { ids, values } in row.groups {
        for at in 0..8 {
            if let Some(of) = weights.get(usize::from(ids[at])) {
                add_products(&mut sums[at % 2], of, f32::from(values[at]));
            }
        }
    }
    for &Rare { id, value } in row.rare {
        if let Some(of) = weights.get(id as usize + HEAD_FEATURES) {
            add_products(&mut sums[0], of, value);
        }
    }
    let [even, odd] = sums;
    core::array::from_fn(|label| (even[label] + odd[label]) * row.unit)
}

#[inline(always)]
fn add_products(sums: &mut Block, weights: &Block, value: f32) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum += weight * value;
    }
}

/// Adds `steps` times the row to the weights.
#[inline(always)]
fn add(row: PackedRow<'_>, steps: &Block, weights: &mut [Block]) {
    let steps = steps.map(|step| step * row.unit);
    for Group { ids, values } in row.groups {
        for at in 0..8 {
            if let Some(of) = weights.get_mut(usize::from(ids[at])) {
                add_products(of, &steps, f32::from(values[at]));
            }
        }
    }
    for &Rare { id, value } in row.rare {
        if let Some(of) = weights.get_mut(id as usize + HEAD_FEATURES) {
            add_products(of, &steps, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Block, BlockRows, BlockSweep, LABELS, block_losses, block_squares, rebuild_block,
        sweep_block,
    };
    use crate::{
        random::Stream,
        train::dual::{
            packed_rows::PackedRows,
            parameters::{Bias, Loss, OneVsRest},
        },
    };
    use alloc::{vec, vec::Vec};

    /// Below and above the features that a group can name.
    const FEATURES: usize = (1 << 16) + 400;
    const ROWS: usize = 70;

    fn rows() -> PackedRows {
        let mut stream = Stream::new(6, 0);
        let mut rows = PackedRows::default();
        for row in 0..ROWS {
            let ids = (0..row % 11).map(|at| match at % 3 {
                0 => at as u32,
                1 => 100 + stream.below(40) as u32,
                _ => (1 << 16) + stream.below(400) as u32,
            });
            let mut ids: Vec<u32> = ids.collect();
            ids.sort_unstable();
            ids.dedup();
            let mut terms = ids
                .iter()
                .map(|&id| (id, 1.0 - stream.unit() as f32))
                .collect();
            rows.push(&mut terms, usize::MAX);
        }
        rows
    }

    /// One label at a time, in f64, by the definitions: weights, bias and both objectives after the sweeps.
    fn one_label(
        rows: &PackedRows,
        parameters: &OneVsRest,
        orders: &[Vec<u32>],
        carries: impl Fn(usize) -> bool,
    ) -> (Vec<f64>, f64, f64, f64) {
        let (fixed, constant) = match parameters.bias {
            Bias::Fixed(value) => (value, 0.0),
            Bias::Learned(value) => (0.0, value),
        };
        let side = |row: usize| {
            let carried = carries(row);
            let cost = parameters.cost
                * if carried {
                    parameters.positive_weight
                } else {
                    1.0
                };
            (if carried { 1.0 } else { -1.0 }, cost)
        };
        let (mut weights, mut last) = (vec![0f64; FEATURES], 0.0);
        let mut duals = [0f64; ROWS];
        let margin = |weights: &[f64], last: f64, row: usize| {
            let row_of = rows.row(row);
            let products = row_of
                .terms()
                .map(|(id, value)| weights[id as usize] * f64::from(value));
            side(row).0 * (products.sum::<f64>() + fixed + constant * last)
        };
        for &row in orders.iter().flatten() {
            let row = row as usize;
            let (sign, cost) = side(row);
            let (diagonal, bound) = match parameters.loss {
                Loss::SquaredHinge => (0.5 / cost, f64::INFINITY),
                Loss::Hinge => (0.0, cost),
            };
            let gradient = margin(&weights, last, row) - 1.0 + diagonal * duals[row];
            let curvature = rows.square(row) + constant * constant + diagonal;
            let best = if curvature > 0.0 {
                duals[row] - gradient / curvature
            } else if gradient < 0.0 {
                bound
            } else {
                0.0
            };
            let step = sign * (best.clamp(0.0, bound) - duals[row]);
            duals[row] = best.clamp(0.0, bound);
            for (id, value) in rows.row(row).terms() {
                weights[id as usize] += step * f64::from(value);
            }
            last += step * constant;
        }
        let half = 0.5 * (weights.iter().map(|w| w * w).sum::<f64>() + last * last);
        let (mut primal, mut dual) = (half, -half);
        for row in 0..ROWS {
            let (sign, cost) = side(row);
            let short = (1.0 - margin(&weights, last, row)).max(0.0);
            let (loss, less) = match parameters.loss {
                Loss::SquaredHinge => (short * short, duals[row] * duals[row] / (4.0 * cost)),
                Loss::Hinge => (short, 0.0),
            };
            primal += cost * loss;
            dual += duals[row] * (1.0 - sign * fixed) - less;
        }
        (weights, fixed + constant * last, primal, dual)
    }

    #[test]
    fn labels_side_by_side_are_labels_one_by_one() {
        let rows = rows();
        let carries = |label: usize, row: usize| row % (label + 2) == 1;
        let carried: Vec<u16> = (0..ROWS)
            .map(|row| {
                (0..LABELS)
                    .map(|label| u16::from(carries(label, row)) << label)
                    .sum()
            })
            .collect();
        let mut stream = Stream::new(1, 1);
        let mut orders = vec![(0..ROWS as u32).collect::<Vec<_>>(); 5];
        orders.iter_mut().for_each(|order| stream.shuffle(order));
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            for bias in [Bias::Fixed(-1.0), Bias::Learned(0.5)] {
                let parameters = OneVsRest {
                    loss,
                    bias,
                    cost: 0.7,
                    positive_weight: 2.0,
                    ..OneVsRest::default()
                };
                let (fixed, constant) = match bias {
                    Bias::Fixed(value) => (value, 0.0),
                    Bias::Learned(value) => (0.0, value),
                };
                let of = BlockRows::new(&parameters, &rows, &carried);
                let mut weights = vec![[0f32; LABELS]; FEATURES];
                let (mut duals, mut biases) = (vec![[0f32; LABELS]; ROWS], [fixed as f32; LABELS]);
                let mut gaps: Block = [0.0; LABELS];
                for order in &orders {
                    let met = sweep_block(
                        &mut BlockSweep {
                            of: of.clone(),
                            order,
                            weights: &mut weights,
                            duals: &mut duals,
                            biases: &mut biases,
                            bias_feature: constant as f32,
                        },
                        |_| (),
                    );
                    gaps = met.gaps;
                }
                let losses = block_losses(&of, &weights, &biases);
                let squares = block_squares(&weights);
                let mut exact = vec![[0f64; LABELS]; FEATURES];
                let found = rebuild_block(&of, &duals, &mut exact);
                for label in 0..LABELS {
                    let (expected, bias, primal, dual) =
                        one_label(&rows, &parameters, &orders, |row| carries(label, row));
                    for (feature, weight) in expected.iter().enumerate() {
                        assert!((f64::from(weights[feature][label]) - weight).abs() < 1e-5);
                        assert!((exact[feature][label] - weight).abs() < 1e-5);
                    }
                    assert!((f64::from(biases[label]) - bias).abs() < 1e-5);
                    let last = found.sums[label] * constant;
                    let square = squares[label] + last * last;
                    assert!((0.5 * square + losses[label] - primal).abs() < 1e-4 * primal);
                    let gain = found.gains[label] - fixed * found.sums[label];
                    assert!((gain - 0.5 * square - dual).abs() < 1e-4 * primal);
                    assert!(gaps[label] >= 0.0 && primal > dual);
                }
            }
        }
    }
}
