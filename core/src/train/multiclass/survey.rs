//! A pass over all rows and all classes at weights that do not change: the exact gap, and the
//! classes that each row should list.
//!
//! At fixed weights W that belong to the duals, `|W|² = sum_ic a_ic (s_y - s_c)`, so the rows'
//! shares `C loss_i - sum_c a_ic (1 - s_y + s_c)`, none of them below 0, add up to P - D.
//!
//! Cost: O(weights of a row's features) + O(L / 64) a row.

use super::{state::State, surveyor::Surveyor};
use crate::executor::Executor;
use alloc::vec::Vec;
use core::{iter::StepBy, ops::Range};
use hapax_processor::Processor;

/// Rows of a job.
const ROWS: usize = 32;

/// What a survey looks for.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Classes are listed where those that are not add more than this to a row's share of the gap.
    pub tolerance: f64,
    /// Classes are listed where a projected gradient is larger than this.
    pub epsilon: f64,
    /// Most classes that a row lists at once.
    pub most: usize,
    /// A usual share of the gap: rows with a larger one list proportionally more, up to [`MORE`]
    /// times.
    pub usual: f64,
    /// Listed classes whose dual is 0 are idle if they are this far from having one.
    pub idle: f64,
    /// Multiples of the weights that are looked at too, by what shortfalls are lessened there,
    /// rising.
    pub less: [f64; 3],
}

/// How many times [`Search::most`] classes a row may list.
pub const MORE: f64 = 3.0;

/// The multiple of the weights with the least gap of those that were looked at.
///
/// At s W a shortfall is `1 - s (s_y - s_c) = s (b_c - t)` with `t = 1 - 1 / s`, so that each t is
/// as good as a second set of weights. Near the end duals are far closer to their best than weights
/// are to theirs: shortfalls are about 0 for many classes, half of them above it, which costs C
/// each, where those below it cost as much as their dual, mostly nothing. Weights that are slightly
/// longer lessen them all.
#[derive(Clone, Copy, Debug)]
pub struct Multiple {
    /// t.
    pub less: f64,
    /// s.
    pub factor: f64,
    /// The primal objective there.
    pub primal: f64,
    /// The relative gap there.
    pub gap: f64,
}

/// What a survey found.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// P - D.
    pub gap: f64,
    /// C times the sum of the rows' losses.
    pub loss: f64,
    /// C times the sum of what the rows' losses would be if shortfalls were lessened.
    pub lessened: [f64; 3],
    /// The sum of the duals.
    pub duals: f64,
    /// The largest projected gradient.
    pub violation: f64,
    /// Each row's share of the gap.
    pub gaps: Vec<f64>,
    /// Rows and how many classes each should list, rising.
    pub rows: Vec<(u32, u32)>,
    /// These classes.
    pub fresh: Vec<u32>,
    /// Rows, and places of listed classes whose dual is 0 and will stay so, rising.
    pub idle: Vec<(u32, u32)>,
}

impl Survey {
    /// The dual objective: half the square of the weights is half of duals less products.
    #[must_use]
    pub(crate) fn dual(&self) -> f64 {
        let square = self.duals - (self.loss - self.gap);
        self.duals - 0.5 * square
    }

    /// The primal objective.
    #[must_use]
    pub(crate) fn primal(&self) -> f64 {
        self.dual() + self.gap
    }

    /// The best multiple of the weights, by the square of them that follows from the duals.
    #[must_use]
    pub(crate) fn best(&self, search: Search) -> Multiple {
        let square = self.duals - (self.loss - self.gap);
        self.best_of(search, square, self.dual())
    }

    /// The best multiple of weights with this square, and with this dual objective.
    #[must_use]
    pub(crate) fn best_of(&self, search: Search, square: f64, dual: f64) -> Multiple {
        let of = |less: f64, loss: f64| {
            let factor = 1.0 / (1.0 - less);
            let primal = 0.5 * factor * factor * square + factor * loss;
            Multiple {
                less,
                factor,
                primal,
                gap: (primal - dual) / primal.max(1e-12),
            }
        };
        let mut best = of(0.0, self.loss);
        for (less, loss) in search.less.into_iter().zip(self.lessened) {
            let other = of(less, loss);
            if other.gap < best.gap {
                best = other;
            }
        }
        best
    }

    fn add(&mut self, other: Self) {
        self.gap += other.gap;
        self.loss += other.loss;
        for (sum, more) in self.lessened.iter_mut().zip(other.lessened) {
            *sum += more;
        }
        self.duals += other.duals;
        self.violation = self.violation.max(other.violation);
        self.gaps.extend(other.gaps);
        self.rows.extend(other.rows);
        self.fresh.extend(other.fresh);
        self.idle.extend(other.idle);
    }
}

/// Every `of`th row, from the one at `first` on.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The first row.
    pub first: usize,
    /// How many parts there are.
    pub of: usize,
}

/// Some rows of a part, rising.
pub type PartRows = StepBy<Range<usize>>;

impl Part {
    /// All rows.
    pub(crate) const ALL: Self = Self { first: 0, of: 1 };

    /// How many of `rows` rows it has.
    fn count(self, rows: usize) -> usize {
        rows.saturating_sub(self.first).div_ceil(self.of)
    }

    /// Those of its rows whose numbers within it are in a range.
    fn rows(self, range: Range<usize>) -> PartRows {
        let number = |at: usize| self.first + at * self.of;
        let end = if range.is_empty() {
            number(range.start)
        } else {
            number(range.end - 1) + 1
        };
        (number(range.start)..end).step_by(self.of)
    }

    /// All of its rows of `rows`.
    pub(crate) fn of(self, rows: usize) -> PartRows {
        self.rows(0..self.count(rows))
    }
}

/// Surveys all rows.
pub fn survey(state: &State, search: Search, executor: &Executor, processor: Processor) -> Survey {
    survey_part(state, search, Part::ALL, executor, processor)
}

/// Surveys some rows.
pub fn survey_part(
    state: &State,
    search: Search,
    part: Part,
    executor: &Executor,
    processor: Processor,
) -> Survey {
    let count = part.count(state.problem.len());
    let parts = executor.map(
        count.div_ceil(ROWS),
        || Surveyor::new(state.weights.classes),
        |surveyor, job| {
            let mut found = Survey::default();
            for row in part.rows(job * ROWS..count.min((job + 1) * ROWS)) {
                surveyor.look(state, search, row, processor, &mut found);
            }
            found
        },
    );
    let mut all = Survey::default();
    all.gaps.reserve(count);
    parts.into_iter().for_each(|part| all.add(part));
    all
}
