//! Rows that are scored at once and solved one after the other.
//!
//! The scores of a block's rows are those at its beginning. When a row's turn comes, what earlier
//! rows of the block moved is added: `u_c.x_i` has become larger by how far u_c went along x_j,
//! times `x_i.x_j`. So each row is solved at the weights that all rows before it left, as if
//! weights were changed after each; but they are changed, and rows scored, once a block, by all
//! threads and processes.
//!
//! Cost of a block of B rows: O(B² (values of a row + L)).

use super::{
    part::Moves,
    row_step::{BARRED, LANES, Lanes, Row},
    seen::Seen,
};
use crate::train::multiclass::problem::Problem;
use alloc::{vec, vec::Vec};
use hapax_processor::{FETCHES, Loop, fetch};

/// Numbers of scores in a block, about: more rows are more corrections, fewer are more often
/// waiting for each other.
const NUMBERS: usize = 2400;

/// Fewest and most rows of a block.
const ROWS: (usize, usize) = (8, 16);

/// How many rows a block has: it depends on the number of classes only.
pub fn rows_of_a_block(classes: usize) -> usize {
    (NUMBERS / classes.max(1)).clamp(ROWS.0, ROWS.1)
}

/// Rows of a block to be visited.
#[derive(Debug)]
pub struct Visit<'a> {
    /// The block.
    pub block: &'a mut Block,
    /// All rows.
    pub problem: &'a Problem,
    /// Those of the block.
    pub rows: &'a [u32],
    /// The duals of all rows, by row and class, each row's filled up to whole lanes.
    pub duals: &'a mut [Lanes],
    /// C.
    pub cost: f64,
    /// Whether duals move.
    pub moving: bool,
    /// What is seen on the way.
    pub seen: &'a mut Seen,
}

/// A block, and memory for its rows.
#[derive(Clone, Debug)]
pub struct Block {
    /// Of each row `u_c.x` of each class, filled up to whole lanes.
    scores: Vec<Lanes>,
    /// Of each row that of the mean.
    means: Vec<f64>,
    /// What its rows have moved so far.
    pub moves: Moves,
    /// L.
    classes: usize,
    /// A row's values by feature, otherwise 0.
    dense: Vec<f32>,
    targets: Vec<Lanes>,
}

impl Block {
    /// Of rows of this problem.
    pub(crate) fn new(problem: &Problem) -> Self {
        Self {
            scores: Vec::new(),
            means: Vec::new(),
            moves: Moves::new(problem.classes()),
            classes: problem.classes(),
            dense: vec![0.0; problem.features()],
            targets: Vec::new(),
        }
    }

    /// L.
    #[must_use]
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Begins another block of so many rows, whose scores are to be placed.
    pub(crate) fn begin(&mut self, rows: usize) {
        self.moves.clear();
        self.scores.clear();
        self.scores
            .resize(rows * self.classes.div_ceil(LANES), [BARRED; LANES]);
        self.means.clear();
        self.means.resize(rows, 0.0);
    }

    /// The scores of a row by each class, and that by the mean.
    pub(crate) fn scores_mut(&mut self, row: usize) -> (&mut [f64], &mut f64) {
        let width = self.classes.div_ceil(LANES);
        let scores = self.scores[row * width..(row + 1) * width].as_flattened_mut();
        (&mut scores[..self.classes], &mut self.means[row])
    }

    /// Adds to a row's scores what earlier rows of the block moved.
    #[inline(always)]
    fn see_earlier(&mut self, problem: &Problem, place: usize, row: usize) {
        if self.moves.is_empty() {
            return;
        }
        let width = self.classes.div_ceil(LANES);
        let scores = &mut self.scores[place * width..(place + 1) * width];
        let row = problem.row(row);
        for (&feature, &value) in row.features.iter().zip(row.values) {
            self.dense[feature as usize] = value;
        }
        for (earlier, amounts, mean) in self.moves.each() {
            let other = problem.row(earlier as usize);
            let mut product = 0f64;
            for (&feature, &value) in other.features.iter().zip(other.values) {
                product += f64::from(self.dense[feature as usize]) * f64::from(value);
            }
            if product != 0.0 {
                self.means[place] += mean * product;
                let amounts = amounts.as_flattened().iter();
                for (score, amount) in scores.as_flattened_mut().iter_mut().zip(amounts) {
                    *score += amount * product;
                }
            }
        }
        for &feature in row.features {
            self.dense[feature as usize] = 0.0;
        }
    }
}

impl Loop for Visit<'_> {
    type Output = ();

    /// Looks at all rows of the block and, if they are to move, brings the duals of each to their
    /// best.
    #[inline(always)]
    fn run(self) {
        let block = self.block;
        let (problem, width) = (self.problem, block.classes.div_ceil(LANES));
        for (place, &number) in self.rows.iter().enumerate() {
            let at = number as usize;
            if let Some(&next) = self.rows.get(place + 1).filter(|_| FETCHES) {
                let duals = &self.duals[next as usize * width..(next as usize + 1) * width];
                for lanes in duals {
                    fetch(lanes);
                }
            }
            block.see_earlier(problem, place, at);
            let scores = &mut block.scores[place * width..(place + 1) * width];
            scores.as_flattened_mut()[problem.class(at) as usize] = BARRED;
            let mut row = Row {
                scores,
                duals: &mut self.duals[at * width..(at + 1) * width],
                level: 1.0 + block.means[place],
                classes: block.classes as f64,
                square: problem.square(at),
                cost: self.cost,
            };
            if self.moving {
                let amounts = block.moves.push(number);
                match row.solve(self.seen, &mut block.targets, amounts) {
                    Some(mean) => block.moves.set_mean(mean),
                    None => block.moves.pop(),
                }
            } else {
                row.look(self.seen);
            }
        }
    }
}
