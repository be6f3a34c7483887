//! A run of rows solved one after the other against weights that do not change meanwhile.
//!
//! Lanes run side by side, so none may write to the weights. Within its lane a row still sees every
//! change made before it, by inner products: where row j moved `r_c` by d x_j, the score of row i
//! for class c is `r_c.x_i + d x_j.x_i`. The rows of other lanes are seen when all lanes have ended
//! and their changes are applied.

use super::{
    changes::Changes,
    problem::{Problem, Row},
    row_step::{Shared, Steps, root},
    state::State,
};
use crate::train::multiclass::prefetch::{Memory, fetch_ahead};
use alloc::{vec, vec::Vec};
use hapax_processor::{FETCHES, Loop};

/// What became of a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Visited {
    /// The row's share of the gap before.
    pub gap: f64,
    /// Whether its duals moved.
    pub moved: bool,
}

/// An earlier change of a class in this lane.
#[derive(Clone, Copy, Debug)]
struct Earlier {
    /// The one before of the same class, plus 1, or 0.
    previous: u32,
    /// The number of the changed row in this lane.
    row: u32,
    amount: f32,
}

/// The most frequent features, which many rows of a lane have.
const COMMON: usize = 64;

/// Rows whose products are added to at once.
const ABREAST: usize = 16;

/// A value of an earlier changed row, of a feature that is not common.
#[derive(Clone, Copy, Debug)]
struct Term {
    /// The one before of the same feature, plus 1, or 0.
    previous: u32,
    /// The number of the changed row in this lane.
    row: u32,
    value: f32,
}

/// The memory of a lane.
///
/// Memory: 8 bytes a feature, 4 a class, 256 a row, and 12 for each value of a row that moved.
#[derive(Debug)]
pub struct Lane {
    /// What happened.
    pub changes: Changes,
    /// What became of each row.
    pub visited: Vec<Visited>,
    /// The last change of each class, plus 1, or 0.
    last: Vec<u32>,
    earlier: Vec<Earlier>,
    touched: Vec<u32>,
    /// The values of common features of changed rows: for each feature those of all rows that there
    /// can be.
    columns: Vec<[f32; ABREAST]>,
    /// The last term of each feature, plus 1, or 0.
    last_terms: Vec<u32>,
    terms: Vec<Term>,
    /// Inner products with earlier changed rows, by their number.
    products: Vec<[f32; ABREAST]>,
    background: Vec<f32>,
    /// Whether any of the background was changed.
    shifted: bool,
    scores: Vec<f32>,
    shortfalls: Vec<f64>,
    targets: Vec<f64>,
}

/// Rows to visit one after the other.
pub struct RunLane<'a> {
    /// What the visits of a lane share.
    pub lane: &'a mut Lane,
    /// Duals and weights as they stand.
    pub state: &'a State,
    /// The rows, in order.
    pub rows: &'a [u32],
    /// How duals are moved.
    pub steps: Steps,
}

impl Loop for RunLane<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.lane.run(self.state, self.rows, self.steps);
    }
}

impl Lane {
    /// For a problem.
    #[must_use]
    pub(crate) fn new(problem: &Problem) -> Self {
        Self {
            changes: Changes::default(),
            visited: Vec::new(),
            last: vec![0; problem.classes()],
            earlier: Vec::new(),
            touched: Vec::new(),
            columns: Vec::new(),
            last_terms: vec![0; problem.features()],
            terms: Vec::new(),
            products: Vec::new(),
            background: vec![0.0; problem.features()],
            shifted: false,
            scores: Vec::new(),
            shortfalls: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Visits `rows` in order.
    #[inline(always)]
    fn run(&mut self, state: &State, rows: &[u32], steps: Steps) {
        self.changes.clear();
        self.visited.clear();
        let each = rows.len().div_ceil(ABREAST);
        self.columns.clear();
        self.columns.resize(COMMON * each, [0.0; ABREAST]);
        let memory = Memory::of(state);
        for (at, &row) in rows.iter().enumerate() {
            if FETCHES {
                let later = |visits: usize| rows.get(at + visits).copied();
                fetch_ahead(&memory, later);
            }
            let visited = self.visit(state, row, steps);
            self.visited.push(visited);
        }
        for class in self.touched.drain(..) {
            self.last[class as usize] = 0;
        }
        self.earlier.clear();
        self.terms.clear();
        self.shifted = false;
        for (&(row, ..), &moved) in self.changes.rows.iter().zip(&self.changes.background) {
            for &feature in state.problem.row(row as usize).features {
                self.last_terms[feature as usize] = 0;
            }
            if moved != 0.0 {
                for &feature in state.problem.row(row as usize).features {
                    self.background[feature as usize] = 0.0;
                }
            }
        }
    }

    #[inline(always)]
    fn visit(&mut self, state: &State, number: u32, steps: Steps) -> Visited {
        let row = state.problem.row(number as usize);
        let duals = &state.duals[number as usize];
        let mut background = state.scores(row, duals, &mut self.scores);
        if self.shifted {
            background += dot(row, &self.background);
        }
        self.see_earlier(state, number, row);
        let own = f64::from(self.scores[0]);
        self.shortfalls.clear();
        let wrong = self.scores[1..].iter();
        self.shortfalls
            .extend(wrong.map(|&score| 1.0 - own + f64::from(score)));
        let shared = state.shared_shortfall(duals, f64::from(background), &self.scores);
        let share = state.share(duals, &self.shortfalls, shared);
        let moved = share.gap > steps.tolerance && self.solve(state, number, shared, steps.length);
        Visited {
            gap: share.gap,
            moved,
        }
    }

    /// Adds to the scores what earlier rows of this lane changed.
    #[inline(always)]
    fn see_earlier(&mut self, state: &State, number: u32, row: Row<'_>) {
        let duals = &state.duals[number as usize];
        let own = state.problem.class(number as usize);
        let last = &self.last;
        let is_changed = |class: &u32| last[*class as usize] != 0;
        if !is_changed(&own) && !duals.classes.iter().any(is_changed) {
            return;
        }
        self.find_products(row);
        let classes = core::iter::once(&own).chain(&duals.classes);
        let products = self.products.as_flattened();
        for (score, &class) in self.scores.iter_mut().zip(classes) {
            let mut at = self.last[class as usize];
            while at != 0 {
                let earlier = self.earlier[at as usize - 1];
                *score += earlier.amount * products[earlier.row as usize];
                at = earlier.previous;
            }
        }
    }

    /// Inner products of a row with all that were changed earlier, feature by feature: two rows
    /// share few features, so that there is less to add up than if all features of all these rows
    /// were looked at, and what is left out is 0.
    #[inline(always)]
    fn find_products(&mut self, row: Row<'_>) {
        self.products.clear();
        let used = self.changes.rows.len().div_ceil(ABREAST);
        self.products.resize(used, [0.0; ABREAST]);
        let each = self.columns.len() / COMMON;
        let common = row.features.partition_point(|&f| (f as usize) < COMMON);
        let (first, rest) = (row.part(0..common), row.part(common..row.features.len()));
        for (&feature, &value) in first.features.iter().zip(first.values) {
            let column = &self.columns[feature as usize * each..];
            for (products, others) in self.products.iter_mut().zip(column) {
                for (product, other) in products.iter_mut().zip(others) {
                    *product += value * other;
                }
            }
        }
        let products = self.products.as_flattened_mut();
        for (&feature, &value) in rest.features.iter().zip(rest.values) {
            let mut at = self.last_terms[feature as usize];
            while at != 0 {
                let term = self.terms[at as usize - 1];
                products[term.row as usize] += value * term.value;
                at = term.previous;
            }
        }
    }

    /// Notes the values of a row that is changed, for rows to come.
    #[inline(always)]
    fn note_terms(&mut self, row: Row<'_>, number: u32) {
        let each = self.columns.len() / COMMON * ABREAST;
        let columns = self.columns.as_flattened_mut();
        for (&feature, &value) in row.features.iter().zip(row.values) {
            if (feature as usize) < COMMON {
                columns[feature as usize * each + number as usize] = value;
                continue;
            }
            let last = &mut self.last_terms[feature as usize];
            self.terms.push(Term {
                previous: *last,
                row: number,
                value,
            });
            *last = self.terms.len() as u32;
        }
    }

    /// Moves the row's duals to their best, or a multiple of that way; whether they moved.
    #[inline(always)]
    fn solve(&mut self, state: &State, number: u32, shared_shortfall: f64, length: f64) -> bool {
        let duals = &state.duals[number as usize];
        let square = state.problem.square(number as usize);
        let sharing = duals.sharing(state.weights.classes);
        self.targets.clear();
        let pairs = self.shortfalls.iter().zip(&duals.alphas);
        self.targets
            .extend(pairs.map(|(short, alpha)| short / square + duals.total + alpha));
        let shared = Shared {
            count: sharing as f64,
            target: shared_shortfall / square + duals.total + duals.shared,
        };
        let limits = state.limits;
        let z = root(&self.targets, shared, limits, duals.total);
        let first = self.changes.alphas.len();
        let new_shared = if sharing > 0 {
            (shared.target - z).clamp(0.0, limits.each)
        } else {
            0.0
        };
        let mut total = sharing as f64 * new_shared;
        let multiplied = length != 1.0 && duals.shared == 0.0 && new_shared == 0.0;
        for (target, &before) in self.targets.iter().zip(&duals.alphas) {
            let mut alpha = (target - z).clamp(0.0, limits.each);
            if multiplied {
                alpha = (before + length * (alpha - before)).clamp(0.0, limits.each);
            }
            total += alpha;
            self.changes.alphas.push(alpha);
        }
        let own_move = (total + new_shared) - (duals.total + duals.shared);
        let shared_move = new_shared - duals.shared;
        let start = self.changes.moves.len();
        let place = self.changes.rows.len() as u32;
        self.note(state.problem.class(number as usize), 0, place, own_move);
        for (slot, &class) in duals.classes.iter().enumerate() {
            let moved = self.changes.alphas[first + slot] - duals.alphas[slot] - shared_move;
            self.note(class, slot as u32 + 1, place, -moved);
        }
        if self.changes.moves.len() == start && shared_move == 0.0 {
            self.changes.alphas.truncate(first);
            return false;
        }
        self.changes.alphas.push(new_shared);
        self.changes.alphas.push(total);
        self.changes.background.push(-shared_move as f32);
        let row = state.problem.row(number as usize);
        self.note_terms(row, place);
        if shared_move != 0.0 {
            self.shifted = true;
            for (&feature, &value) in row.features.iter().zip(row.values) {
                self.background[feature as usize] -= shared_move as f32 * value;
            }
        }
        let ends = (self.changes.moves.len(), self.changes.alphas.len());
        self.changes
            .rows
            .push((number, ends.0 as u32, ends.1 as u32));
        true
    }

    /// Notes that a class moves by `amount` of the row.
    #[inline(always)]
    fn note(&mut self, class: u32, slot: u32, row: u32, amount: f64) {
        let amount = amount as f32;
        if amount == 0.0 {
            return;
        }
        self.changes.moves.push((slot, amount));
        let last = &mut self.last[class as usize];
        if *last == 0 {
            self.touched.push(class);
        }
        self.earlier.push(Earlier {
            previous: *last,
            row,
            amount,
        });
        *last = self.earlier.len() as u32;
    }
}

#[inline(always)]
fn dot(row: Row<'_>, dense: &[f32]) -> f32 {
    // A sum of an iterator would be a call of its own.
    let mut sum = 0f32;
    for (&feature, &value) in row.features.iter().zip(row.values) {
        sum += dense[feature as usize] * value;
    }
    sum
}
