//! A pass over all rows and all classes at weights that do not change: the exact gap, and the classes
//! that each row should list.
//!
//! At fixed weights W that belong to the duals, `|W|² = sum_ic a_ic (s_y - s_c)`, so the rows' shares
//! `C loss_i - sum_c a_ic (1 - s_y + s_c)`, none of them below 0, add up to P - D.
//!
//! Cost: O(weights of a row's features) + O(L / 64) a row.

use super::state::State;
use crate::executor::Executor;
use alloc::{vec, vec::Vec};

/// Rows of a job.
const ROWS: usize = 32;

/// Classes whose largest score is looked at first.
const CHUNK: usize = 64;

/// What a survey looks for.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Classes are listed where those that are not add more than this to a row's share of the gap.
    pub tolerance: f64,
    /// Classes are listed where a projected gradient is larger than this.
    pub epsilon: f64,
    /// Most classes that a row lists at once.
    pub most: usize,
}

/// What a survey found.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// P - D.
    pub gap: f64,
    /// C times the sum of the rows' losses.
    pub loss: f64,
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
}

impl Survey {
    /// The dual objective: half the square of the weights is half of duals less products.
    #[must_use]
    pub fn dual(&self) -> f64 {
        let square = self.duals - (self.loss - self.gap);
        self.duals - 0.5 * square
    }

    /// The primal objective.
    #[must_use]
    pub fn primal(&self) -> f64 {
        self.dual() + self.gap
    }

    fn add(&mut self, other: Self) {
        self.gap += other.gap;
        self.loss += other.loss;
        self.duals += other.duals;
        self.violation = self.violation.max(other.violation);
        self.gaps.extend(other.gaps);
        self.rows.extend(other.rows);
        self.fresh.extend(other.fresh);
    }
}

/// Surveys all rows.
pub fn survey<E: Executor>(state: &State, search: Search, executor: &E) -> Survey {
    let count = state.problem.len();
    let parts = executor.map(
        count.div_ceil(ROWS),
        || Surveyor::new(state.weights.classes),
        |surveyor, job| {
            let mut found = Survey::default();
            for row in job * ROWS..count.min((job + 1) * ROWS) {
                surveyor.look(state, search, row, &mut found);
            }
            found
        },
    );
    let mut all = Survey::default();
    all.gaps.reserve(count);
    parts.into_iter().for_each(|part| all.add(part));
    all
}

/// The memory of a thread.
struct Surveyor {
    /// Scores by `r_c` of all classes, a whole number of chunks.
    sums: Vec<f32>,
    touched: Vec<bool>,
    highest: Vec<f32>,
    candidates: Vec<(f32, u32)>,
}

/// A score that no class with a dual reaches: it stands for classes that are dealt with elsewhere.
const ASIDE: f32 = -1e30;

impl Surveyor {
    fn new(classes: usize) -> Self {
        let chunks = classes.div_ceil(CHUNK);
        Self {
            sums: vec![0.0; chunks * CHUNK],
            touched: vec![false; chunks],
            highest: vec![0.0; chunks],
            candidates: Vec::new(),
        }
    }

    /// Scores all classes for a row.
    fn score(&mut self, state: &State, row: usize) -> f32 {
        let row = state.problem.row(row);
        let mut background = 0f32;
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let list = &state.weights.lists[feature as usize];
            background += state.weights.background[feature as usize] * value;
            if list.is_dense() {
                self.touched.fill(true);
                for (sum, &weight) in self.sums.iter_mut().zip(&list.weights) {
                    *sum += weight * value;
                }
            } else {
                for (&class, &weight) in list.classes.iter().zip(&list.weights) {
                    self.sums[class as usize] += weight * value;
                    self.touched[class as usize / CHUNK] = true;
                }
            }
        }
        background
    }

    fn look(&mut self, state: &State, search: Search, row: usize, found: &mut Survey) {
        let background = self.score(state, row);
        let duals = &state.duals[row];
        let own = state.problem.class(row) as usize;
        let classes = state.weights.classes;
        let sharing = duals.sharing(classes);
        let mut scores = self.sums[own];
        let base = 1.0 - f64::from(self.sums[own]);
        self.set_aside(own);
        let (mut products, mut sum, mut largest) = (0.0, 0.0, 0f64);
        for (&class, &alpha) in duals.classes.iter().zip(&duals.alphas) {
            let score = self.sums[class as usize];
            self.set_aside(class as usize);
            scores += score;
            let short = base + f64::from(score);
            products += alpha * short;
            sum += short.max(0.0);
            largest = largest.max(short);
            let gradient = projected(short, alpha, state.limits.each);
            found.violation = found.violation.max(gradient);
        }
        let listed = duals.classes.len() as f64 + 1.0;
        let own_score = 1.0 - base + f64::from(background);
        let others = -(f64::from(scores) + listed * f64::from(background));
        let mut mean = 0.0;
        if sharing > 0 {
            mean = 1.0 - own_score + others / sharing as f64;
        }
        products += duals.shared * mean * sharing as f64;
        let level = if duals.shared > 0.0 { largest.max(mean) } else { largest };
        let rest = self.rest(base, classes);
        sum += rest.sum;
        largest = largest.max(rest.high);
        let only_largest = state.limits.largest_only();
        let loss = state.limits.cost * if only_largest { largest } else { sum };
        found.gaps.push(loss - products);
        found.gap += loss - products;
        found.loss += loss;
        found.duals += duals.total;
        if sharing > 0 {
            let gap = if only_largest {
                state.limits.cost * (rest.high - level).max(0.0)
            } else {
                state.limits.cost * rest.sum - duals.shared * mean * sharing as f64
            };
            let gradient = if only_largest {
                (rest.high - level).max(0.0)
            } else {
                let high = projected(rest.high, duals.shared, state.limits.each);
                high.max(projected(rest.low.min(base), duals.shared, state.limits.each))
            };
            found.violation = found.violation.max(gradient);
            if gap > search.tolerance || gradient > search.epsilon {
                let floor = if only_largest { level } else { 0.0 };
                self.list(state, search, row, base, floor, gap, found);
            }
        }
        self.clear(classes);
    }

    fn set_aside(&mut self, class: usize) {
        self.sums[class] = ASIDE;
        self.touched[class / CHUNK] = true;
    }

    /// The classes that are not listed: the sum of their shortfalls above 0, the largest and smallest.
    fn rest(&mut self, base: f64, classes: usize) -> Rest {
        let mut rest = Rest {
            sum: 0.0,
            high: f64::NEG_INFINITY,
            low: f64::INFINITY,
        };
        let base32 = base as f32;
        let mut untouched = 0;
        let chunks = self.sums.as_chunks::<CHUNK>().0.iter().enumerate();
        for (at, chunk) in chunks {
            let length = (classes - at * CHUNK).min(CHUNK);
            if !self.touched[at] {
                untouched += length;
                self.highest[at] = 0.0;
                continue;
            }
            let (mut sums, mut highs, mut lows) = ([0f32; 16], [ASIDE; 16], [-ASIDE; 16]);
            for part in chunk.as_chunks::<16>().0 {
                for lane in 0..16 {
                    let score = part[lane];
                    let short = base32 + score;
                    sums[lane] += if short > 0.0 { short } else { 0.0 };
                    highs[lane] = if score > highs[lane] { score } else { highs[lane] };
                    let low = if score > 0.5 * ASIDE { score } else { -ASIDE };
                    lows[lane] = if low < lows[lane] { low } else { lows[lane] };
                }
            }
            let mut sum: f64 = sums.iter().map(|&s| f64::from(s)).sum();
            // Places behind the last class hold 0.
            sum -= (CHUNK - length) as f64 * f64::from(base32.max(0.0));
            rest.sum += sum;
            let high = highs.iter().copied().fold(ASIDE, f32::max);
            self.highest[at] = high;
            rest.high = rest.high.max(f64::from(base32 + high));
            let low = lows.iter().copied().fold(-ASIDE, f32::min);
            rest.low = rest.low.min(f64::from(base32 + low));
        }
        if untouched > 0 {
            rest.sum += untouched as f64 * base.max(0.0);
            rest.high = rest.high.max(base);
            rest.low = rest.low.min(base);
        }
        rest
    }

    /// Lists the classes that add most to the row's gap.
    #[allow(clippy::too_many_arguments, reason = "all are of one row")]
    fn list(
        &mut self,
        state: &State,
        search: Search,
        row: usize,
        base: f64,
        floor: f64,
        gap: f64,
        found: &mut Survey,
    ) {
        let duals = &state.duals[row];
        let classes = state.weights.classes;
        let only_largest = state.limits.largest_only();
        self.candidates.clear();
        let sharing = duals.sharing(classes) as f64;
        // What one class may add without being listed.
        let worth = if only_largest {
            0.0
        } else {
            (0.5 * search.tolerance / sharing).max(0.02 * gap / sharing)
        };
        let above = state.limits.cost - duals.shared;
        let value = |score: f32| {
            let short = base + f64::from(score);
            if only_largest {
                short - floor
            } else if short > 0.0 {
                above * short
            } else {
                -duals.shared * short
            }
        };
        for (at, chunk) in self.sums.as_chunks::<CHUNK>().0.iter().enumerate() {
            let quiet = !self.touched[at];
            let short = value(self.highest[at]) <= worth;
            if quiet || (short && (only_largest || duals.shared == 0.0)) {
                continue;
            }
            for (offset, &score) in chunk.iter().enumerate() {
                let class = at * CHUNK + offset;
                if score > 0.5 * ASIDE && class < classes && value(score) > worth {
                    self.candidates.push((value(score) as f32, class as u32));
                }
            }
        }
        let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if self.candidates.len() > search.most {
            self.candidates.select_nth_unstable_by(search.most, order);
            self.candidates.truncate(search.most);
        }
        self.candidates.sort_unstable_by(order);
        if !self.candidates.is_empty() {
            found.rows.push((row as u32, self.candidates.len() as u32));
            found.fresh.extend(self.candidates.iter().map(|c| c.1));
        }
    }

    fn clear(&mut self, classes: usize) {
        let chunks = self.sums.as_chunks_mut::<CHUNK>().0.iter_mut();
        for (chunk, touched) in chunks.zip(&mut self.touched) {
            if *touched {
                *chunk = [0.0; CHUNK];
                *touched = false;
            }
        }
        debug_assert!(self.sums.len() >= classes);
    }
}

struct Rest {
    sum: f64,
    high: f64,
    low: f64,
}

/// The size of the projected gradient of a dual whose class falls short by `short`.
fn projected(short: f64, alpha: f64, most: f64) -> f64 {
    if alpha <= 0.0 {
        short.max(0.0)
    } else if alpha >= most {
        (-short).max(0.0)
    } else {
        short.abs()
    }
}
