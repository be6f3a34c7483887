//! A pass over all rows and all classes at weights that do not change: the exact gap, and the classes
//! that each row should list.
//!
//! At fixed weights W that belong to the duals, `|W|² = sum_ic a_ic (s_y - s_c)`, so the rows' shares
//! `C loss_i - sum_c a_ic (1 - s_y + s_c)`, none of them below 0, add up to P - D.
//!
//! Cost: O(weights of a row's features) + O(L / 64) a row.

use super::{state::State, weights::FeatureWeights};
use crate::{executor::Executor, kernels::Kernels};
use alloc::{vec, vec::Vec};

/// Rows of a job.
const ROWS: usize = 32;

/// Classes whose largest score is looked at first.
pub const CHUNK: usize = 64;

/// Listed classes whose dual is 0 are idle if they are this far from having one.
const IDLE: f64 = 0.05;

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
    /// Rows, and places of listed classes whose dual is 0 and will stay so, rising.
    pub idle: Vec<(u32, u32)>,
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
        self.idle.extend(other.idle);
    }
}

/// Surveys all rows.
pub fn survey<E: Executor>(
    state: &State,
    search: Search,
    executor: &E,
    kernels: &dyn Kernels,
) -> Survey {
    let count = state.problem.len();
    let parts = executor.map(
        count.div_ceil(ROWS),
        || Surveyor::new(state.weights.classes),
        |surveyor, job| {
            let mut found = Survey::default();
            for row in job * ROWS..count.min((job + 1) * ROWS) {
                surveyor.look(state, search, row, kernels, &mut found);
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
    dense: Vec<(u32, f32)>,
    sparse: Vec<(u32, f32)>,
    /// By how much each listed class falls short.
    listed: Vec<f64>,
}

/// A score that no class with a dual reaches: it stands for classes that are dealt with elsewhere.
const ASIDE: f32 = -1e30;

impl Surveyor {
    fn new(classes: usize) -> Self {
        let chunks = classes.div_ceil(CHUNK);
        let mut sums = vec![0.0; chunks * CHUNK];
        sums[classes..].fill(ASIDE);
        Self {
            sums,
            touched: vec![false; chunks],
            highest: vec![0.0; chunks],
            candidates: Vec::new(),
            dense: Vec::new(),
            sparse: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// Scores all classes for a row.
    fn score(&mut self, state: &State, row: usize, kernels: &dyn Kernels) -> f32 {
        let row = state.problem.row(row);
        let mut background = 0f32;
        self.dense.clear();
        self.sparse.clear();
        for (&feature, &value) in row.features.iter().zip(row.values) {
            background += state.weights.background[feature as usize] * value;
            let list = &state.weights.lists[feature as usize];
            if list.is_dense() {
                self.dense.push((feature, value));
            } else {
                self.sparse.push((feature, value));
            }
        }
        if !self.dense.is_empty() {
            self.touched.fill(true);
            kernels.add_class_weights(&mut self.sums, &state.weights.lists, &self.dense);
        }
        for &(feature, value) in &self.sparse {
            let list = &state.weights.lists[feature as usize];
            for (&class, &weight) in list.classes.iter().zip(&list.weights) {
                self.sums[class as usize] += weight * value;
                self.touched[class as usize / CHUNK] = true;
            }
        }
        background
    }

    fn look(
        &mut self,
        state: &State,
        search: Search,
        row: usize,
        kernels: &dyn Kernels,
        found: &mut Survey,
    ) {
        let background = self.score(state, row, kernels);
        let duals = &state.duals[row];
        let own = state.problem.class(row) as usize;
        let classes = state.weights.classes;
        let sharing = duals.sharing(classes);
        let mut scores = self.sums[own];
        let base = 1.0 - f64::from(self.sums[own]);
        self.set_aside(own);
        let (mut products, mut sum, mut largest) = (0.0, 0.0, 0f64);
        self.listed.clear();
        let only_largest = state.limits.largest_only();
        // The least shortfall of a class with a dual; what is left of C acts as one that falls short by 0.
        let left = state.limits.cost - duals.total > 1e-12 * state.limits.cost;
        let mut least = if left { 0.0 } else { f64::INFINITY };
        for (&class, &alpha) in duals.classes.iter().zip(&duals.alphas) {
            let score = self.sums[class as usize];
            self.set_aside(class as usize);
            scores += score;
            let short = base + f64::from(score);
            self.listed.push(short);
            products += alpha * short;
            sum += short.max(0.0);
            largest = largest.max(short);
            if only_largest && alpha > 0.0 {
                least = least.min(short);
            } else if !only_largest {
                let gradient = projected(short, alpha, state.limits.each);
                found.violation = found.violation.max(gradient);
            }
        }
        if duals.shared == 0.0 {
            let idle = (if only_largest { largest } else { 0.0 }) - IDLE;
            for (slot, (&short, &alpha)) in self.listed.iter().zip(&duals.alphas).enumerate() {
                if alpha == 0.0 && short < idle {
                    found.idle.push((row as u32, slot as u32));
                }
            }
        }
        let listed = duals.classes.len() as f64 + 1.0;
        let own_score = 1.0 - base + f64::from(background);
        let others = -(f64::from(scores) + listed * f64::from(background));
        let mut mean = 0.0;
        if sharing > 0 {
            mean = 1.0 - own_score + others / sharing as f64;
        }
        products += duals.shared * mean * sharing as f64;
        let level = if duals.shared > 0.0 {
            largest.max(mean)
        } else {
            largest
        };
        let rest = self.rest(base, classes, kernels);
        sum += rest.sum;
        largest = largest.max(rest.high);
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
                if duals.shared > 0.0 {
                    least = least.min(rest.low);
                }
                (rest.high - level).max(0.0)
            } else {
                let high = projected(rest.high, duals.shared, state.limits.each);
                high.max(projected(rest.low, duals.shared, state.limits.each))
            };
            found.violation = found.violation.max(gradient);
            if gap > search.tolerance || gradient > search.epsilon {
                let floor = if only_largest { level } else { 0.0 };
                self.list(state, search, row, base, floor, gap, found);
            }
        }
        if only_largest {
            found.violation = found.violation.max(largest - least);
        }
        self.clear(classes);
    }

    fn set_aside(&mut self, class: usize) {
        self.sums[class] = ASIDE;
        self.touched[class / CHUNK] = true;
    }

    /// The classes that are not listed: the sum of their shortfalls above 0, the largest and smallest.
    fn rest(&mut self, base: f64, classes: usize, kernels: &dyn Kernels) -> Chunk {
        let mut rest = Chunk {
            sum: 0.0,
            high: f64::NEG_INFINITY,
            low: f64::INFINITY,
        };
        let mut untouched = 0;
        let chunks = self.sums.as_chunks::<CHUNK>().0.iter().enumerate();
        for (at, chunk) in chunks {
            let length = (classes - at * CHUNK).min(CHUNK);
            if !self.touched[at] {
                untouched += length;
                self.highest[at] = 0.0;
                continue;
            }
            let found = kernels.class_shortfalls(chunk, base as f32);
            rest.sum += found.sum;
            self.highest[at] = found.high as f32;
            rest.high = rest.high.max(base + found.high);
            rest.low = rest.low.min(base + found.low);
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
        self.sums[classes..].fill(ASIDE);
    }
}

/// What is known of some classes: the sum of their shortfalls above 0, and the highest and lowest
/// score, or shortfall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chunk {
    /// The sum.
    pub sum: f64,
    /// The highest.
    pub high: f64,
    /// The lowest.
    pub low: f64,
}

/// Adds to the scores of all classes what dense features give, in their order.
#[inline(always)]
pub fn add_class_weights(sums: &mut [f32], lists: &[FeatureWeights], terms: &[(u32, f32)]) {
    let of = |feature: u32| &lists[feature as usize].weights[..];
    let (fours, last) = terms.as_chunks::<4>();
    for &[a, b, c, d] in fours {
        let weights = of(a.0).iter().zip(of(b.0)).zip(of(c.0)).zip(of(d.0));
        for (sum, (((&wa, &wb), &wc), &wd)) in sums.iter_mut().zip(weights) {
            *sum = *sum + wa * a.1 + wb * b.1 + wc * c.1 + wd * d.1;
        }
    }
    for &(feature, value) in last {
        for (sum, &weight) in sums.iter_mut().zip(of(feature)) {
            *sum += weight * value;
        }
    }
}

/// Sums and extremes of a chunk of scores, in sixteen lanes.
#[inline(always)]
#[must_use]
pub fn class_shortfalls(chunk: &[f32; CHUNK], base: f32) -> Chunk {
    let (mut sums, mut highs, mut lows) = ([0f32; 16], [ASIDE; 16], [-ASIDE; 16]);
    for part in chunk.as_chunks::<16>().0 {
        for lane in 0..16 {
            let score = part[lane];
            let short = base + score;
            sums[lane] += if short > 0.0 { short } else { 0.0 };
            highs[lane] = if score > highs[lane] {
                score
            } else {
                highs[lane]
            };
            let low = if score > 0.5 * ASIDE { score } else { -ASIDE };
            lows[lane] = if low < lows[lane] { low } else { lows[lane] };
        }
    }
    Chunk {
        sum: sums.iter().map(|&s| f64::from(s)).sum(),
        high: f64::from(highs.iter().copied().fold(ASIDE, f32::max)),
        low: f64::from(lows.iter().copied().fold(-ASIDE, f32::min)),
    }
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
