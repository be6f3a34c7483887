//! Dual coordinate descent for sixteen labels at once: their weights and duals lie side by side, so
//! that a row and the places of its weights are read once for all of them.
//!
//! The problems are those of [`super::label_solver`], one for each label, over the same rows in the
//! same order. No label's numbers meet another's, so each has the bits it would have in any other
//! block that visits the rows in this order.
//!
//! Cost: O(values) a sweep, each of them a multiplication and an addition of sixteen numbers, and
//! as much again where a dual moves. Memory: 64 bytes a feature and 64 a row.

#[cfg(test)]
mod tests;

use super::packed_rows::{Group, HEAD_FEATURES, PackedRow, PackedRows, Rare};
use crate::parameters::one_vs_rest::{Loss, OneVsRest};
use hapax_processor::{FETCHES, Loop, fetch};

/// Labels of a block.
pub const LABELS: usize = 16;

/// The bit of a row that, without a label, stands for several.
pub const POOLED: u32 = 1 << LABELS;

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
    /// For each row a bit for each label that it carries, and [`POOLED`] if it stands for several
    /// where it is without the label.
    pub carried: &'a [u32],
    /// The diagonals of rows without and with the label.
    pub diagonals: [f32; 2],
    /// The bounds of their duals.
    pub bounds: [f32; 2],
    /// For how many rows those that are [`POOLED`] stand.
    pub times: f32,
}

/// The duals of a block and all that belongs to them.
#[derive(Debug)]
pub struct BlockSweep<'a> {
    /// Rows and labels.
    pub of: BlockRows<'a>,
    /// Which rows to visit, in this order. Those that are not settled yet are its first ones
    /// afterwards.
    pub order: &'a mut [u32],
    /// A row whose part of each label's gap was at most this before its visit is settled; below 0
    /// none is.
    pub settled: Block,
    /// Weights by feature.
    pub weights: &'a mut [Block],
    /// Duals by row.
    pub duals: &'a mut [Block],
    /// Biases.
    pub biases: &'a mut Block,
    /// The value of the constant feature whose weight gives the bias; 0 where biases are not
    /// learned.
    pub bias_feature: f32,
}

/// How many rows ahead of their turn the places of rows are fetched, their values, and the weights
/// of these.
const FETCH_AHEAD: [usize; 3] = [6, 3, 1];

impl BlockSweep<'_> {
    /// Asks for the memory of rows after the one at `at`.
    #[inline(always)]
    fn fetch_ahead(&self, at: usize) {
        let rows = self.of.rows;
        let soon = |ahead: usize| self.order.get(at + ahead).map(|&row| row as usize);
        if let Some(row) = soon(FETCH_AHEAD[0]) {
            rows.fetch_place(row);
        }
        if let Some(row) = soon(FETCH_AHEAD[1]) {
            rows.fetch_values(row);
            fetch(&self.duals[row]);
        }
        if let Some(row) = soon(FETCH_AHEAD[2]).filter(|_| FETCHES) {
            let row = rows.row(row);
            for group in row.groups {
                for &id in &group.ids {
                    if let Some(of) = self.weights.get(usize::from(id)) {
                        fetch(of);
                    }
                }
            }
            for rare in row.rare {
                if let Some(of) = self.weights.get(rare.id as usize + HEAD_FEATURES) {
                    fetch(of);
                }
            }
        }
    }
}

impl<'a> BlockRows<'a> {
    /// The sides of rows whose labels are told by `carried`; each stands for itself.
    #[must_use]
    pub(crate) fn new(parameters: &OneVsRest, rows: &'a PackedRows, carried: &'a [u32]) -> Self {
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
            times: 1.0,
        }
    }

    /// What the duals of a row that carries these labels obey.
    #[must_use]
    #[inline(always)]
    pub(crate) fn sides(&self, carried: u32) -> Sides {
        let times = if carried & POOLED == 0 {
            1.0
        } else {
            self.times
        };
        let mut sides = Sides {
            signs: [-1.0; LABELS],
            diagonals: [self.diagonals[0] / times; LABELS],
            bounds: [self.bounds[0] * times; LABELS],
        };
        if carried & (POOLED - 1) != 0 {
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
    /// By how much the squares of the weights grew, the bias left out.
    pub growth: Block,
    /// The sum of the losses of the rows that are settled.
    pub settled_losses: Block,
    /// How many rows are not.
    pub open: usize,
}

/// What duals say beside the square of their weights, by label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rebuilt {
    /// The sum of the duals, times the signs of their rows.
    pub sums: Block<f64>,
    /// The dual objective at a bias of 0, but for the square of the weights.
    pub gains: Block<f64>,
}

impl Loop for BlockSweep<'_> {
    type Output = Met;

    /// Visits rows in order and moves each dual to its optimum.
    ///
    /// The gap is a sum over rows: with a margin that falls short of 1 by m and a dual a, a row's
    /// part is the loss at m and `D a^2 / 2 - a m`, which is at least 0 and is 0 at the optimum.
    #[inline(always)]
    fn run(self) -> Met {
        let (mut gaps, mut losses) = ([0f32; LABELS], [0f32; LABELS]);
        let mut growth = [0f32; LABELS];
        let bias_square = self.bias_feature * self.bias_feature;
        let (mut open, mut settled_losses) = (0, [0f32; LABELS]);
        for at in 0..self.order.len() {
            self.fetch_ahead(at);
            let visited = self.order[at];
            let index = visited as usize;
            let row = self.of.rows.row(index);
            let sides = self.of.sides(self.of.carried[index]);
            let scores = scores(row, self.weights);
            let row_square = self.of.rows.square(index) as f32;
            let square = row_square + bias_square;
            let duals = &mut self.duals[index];
            let (mut steps, mut row_losses) = ([0f32; LABELS], [0f32; LABELS]);
            let (mut moved, mut is_open) = (false, false);
            for label in 0..LABELS {
                let (sign, diagonal) = (sides.signs[label], sides.diagonals[label]);
                let short = 1.0 - sign * (scores[label] + self.biases[label]);
                let before = duals[label];
                let gradient = diagonal * before - short;
                let missed = if short > 0.0 { short } else { 0.0 };
                // An optimum of the loss less `a m` over duals is the loss itself: half the square
                // over D, or the bound times m.
                let loss = if diagonal > 0.0 {
                    0.5 * missed * missed / diagonal
                } else {
                    sides.bounds[label] * missed
                };
                row_losses[label] = loss;
                let gap = loss + before * (0.5 * diagonal * before - short);
                gaps[label] += gap;
                is_open |= gap > self.settled[label];
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
                growth[label] += step * (2.0 * scores[label] + step * row_square);
                moved |= step != 0.0;
                steps[label] = step;
            }
            self.order[open] = visited;
            open += usize::from(is_open);
            for (sum, loss) in losses.iter_mut().zip(&row_losses) {
                *sum += loss;
            }
            if !is_open {
                for (sum, loss) in settled_losses.iter_mut().zip(&row_losses) {
                    *sum += loss;
                }
            }
            if moved {
                for (bias, step) in self.biases.iter_mut().zip(&steps) {
                    *bias += step * bias_square;
                }
                add(row, &steps, self.weights);
            }
        }
        Met {
            gaps,
            losses,
            growth,
            settled_losses,
            open,
        }
    }
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

/// The inner products of a row and the weights of all labels: of every second value first, then of
/// the others.
#[inline(always)]
fn scores(row: PackedRow<'_>, weights: &[Block]) -> Block {
    let mut sums = [[0f32; LABELS]; 2];
    for Group { ids, values } in row.groups {
        for at in 0..8 {
            // A group that is not full ends in zeros, whose sixteen sums would all wait for the
            // weights of feature 0.
            if values[at] == 0 {
                continue;
            }
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
            if values[at] == 0 {
                continue;
            }
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
