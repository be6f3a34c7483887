//! One row of a survey: the scores of all classes, the row's share of the gap, classes to list.

use super::{
    class_scores::{
        ASIDE, CHUNK, add_class_weights, add_listed_weights, class_highs, class_low,
        class_shortfalls,
    },
    state::State,
    survey::{Search, Survey},
};
use alloc::{vec, vec::Vec};
use core::slice;
use hapax_processor::Processor;

mod candidates;

/// The memory of a thread: 8 bytes a class.
#[derive(Debug)]
pub struct Surveyor {
    /// Scores by `r_c` of all classes, a whole number of chunks.
    sums: Vec<f32>,
    touched: Vec<bool>,
    /// Whether all chunks count as touched.
    all: bool,
    highest: Vec<f32>,
    highs: Vec<f32>,
    candidates: Vec<(f32, u32)>,
    dense: Vec<(u32, f32)>,
    sparse: Vec<(u32, f32)>,
    /// By how much each listed class falls short.
    listed: Vec<f64>,
}

impl Surveyor {
    /// For a number of classes.
    pub(crate) fn new(classes: usize) -> Self {
        let chunks = classes.div_ceil(CHUNK);
        let mut sums = vec![0.0; chunks * CHUNK];
        sums[classes..].fill(ASIDE);
        Self {
            sums,
            touched: vec![false; chunks],
            all: false,
            highest: vec![0.0; chunks],
            highs: Vec::new(),
            candidates: Vec::new(),
            dense: Vec::new(),
            sparse: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// Scores all classes for a row.
    fn score(&mut self, state: &State, row: usize, processor: Processor) -> f32 {
        let (row, weights) = (state.problem.row(row), &state.weights);
        let mut background = 0f32;
        self.dense.clear();
        self.sparse.clear();
        for (&feature, &value) in row.features.iter().zip(row.values) {
            background += weights.background[feature as usize] * value;
            if weights.is_dense(feature as usize) {
                self.dense.push((feature, value));
            } else {
                self.sparse.push((feature, value));
            }
        }
        let listed = |term: &(u32, f32)| weights.listed(term.0 as usize);
        let count: usize = self.sparse.iter().map(listed).sum();
        // With so many weights hardly a chunk stays untouched: to look which costs more.
        self.all = !self.dense.is_empty() || count > 2 * self.touched.len();
        if self.all {
            self.touched.fill(true);
        }
        let (sums, dense, sparse) = (&mut self.sums, &self.dense, &self.sparse);
        processor.run(
            #[inline(always)]
            || {
                add_class_weights(sums, weights, dense);
                add_listed_weights(sums, weights, sparse);
            },
        );
        if !self.all {
            for &(feature, _) in &self.sparse {
                let touched = &mut self.touched;
                let list = weights.list(feature as usize);
                weights
                    .lists()
                    .visit_some(list, |class| touched[class as usize / CHUNK] = true);
            }
        }
        background
    }

    /// Scores all classes for a row and adds what is to be known to `found`.
    pub(crate) fn look(
        &mut self,
        state: &State,
        search: Search,
        row: usize,
        processor: Processor,
        found: &mut Survey,
    ) {
        let background = self.score(state, row, processor);
        let duals = &state.duals[row];
        let own = state.problem.class(row) as usize;
        let classes = state.weights.classes;
        let sharing = duals.sharing(classes);
        let only_largest = state.limits.largest_only();
        let own_by_class = self.sums[own];
        let base = 1.0 - f64::from(own_by_class);
        self.set_aside(own);
        let listed_ones = self.look_at_listed(state, search, row, base, found);
        let scores = own_by_class + listed_ones.scores;
        let (mut products, mut sum) = (listed_ones.products, listed_ones.sum);
        let (mut largest, mut least) = (listed_ones.largest, listed_ones.least);
        if duals.shared == 0.0 {
            let floor = if only_largest { largest } else { 0.0 };
            self.note_idle(&duals.alphas, row, floor - search.idle, found);
        }
        let listed = duals.classes.len() as f64 + 1.0;
        let own_score = 1.0 - base + f64::from(background);
        let others = -(f64::from(scores) + listed * f64::from(background));
        let mut mean = 0.0;
        if sharing > 0 {
            mean = 1.0 - own_score + others / sharing as f64;
        }
        products += duals.shared * mean * sharing as f64;
        let lows = duals.shared > 0.0;
        let level = if lows { largest.max(mean) } else { largest };
        let rest = if only_largest && duals.shared == 0.0 {
            self.highest_of_rest(base, processor)
        } else {
            self.rest(base, search.less, lows, only_largest, classes, processor)
        };
        sum += rest.sum;
        largest = largest.max(rest.high);
        let loss = state.limits.cost * if only_largest { largest } else { sum };
        found.gaps.push(loss - products);
        found.gap += loss - products;
        found.loss += loss;
        for (at, less) in search.less.into_iter().enumerate() {
            found.lessened[at] += if only_largest {
                state.limits.cost * (largest - less).max(0.0)
            } else {
                state.limits.cost * (listed_ones.above[at] + rest.above[at])
            };
        }
        found.duals += duals.total;
        if sharing > 0 {
            let (gap, gradient) = if only_largest {
                if lows {
                    least = least.min(rest.low);
                }
                let above = (rest.high - level).max(0.0);
                (state.limits.cost * above, above)
            } else {
                let gap = state.limits.cost * rest.sum - duals.shared * mean * sharing as f64;
                (gap, gradient_of(&rest, duals.shared, state.limits.each))
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

    /// What the listed classes of a row add to its loss, and to the products of duals and
    /// shortfalls.
    fn look_at_listed(
        &mut self,
        state: &State,
        search: Search,
        row: usize,
        base: f64,
        found: &mut Survey,
    ) -> Listed {
        let duals = &state.duals[row];
        let only_largest = state.limits.largest_only();
        // What is left of C acts as a class that falls short by 0.
        let left = state.limits.cost - duals.total > 1e-12 * state.limits.cost;
        let mut seen = Listed {
            scores: 0.0,
            products: 0.0,
            sum: 0.0,
            above: [0.0; 3],
            largest: 0.0,
            least: if left { 0.0 } else { f64::INFINITY },
        };
        self.listed.clear();
        for (&class, &alpha) in duals.classes.iter().zip(&duals.alphas) {
            let score = self.sums[class as usize];
            self.set_aside(class as usize);
            seen.scores += score;
            let short = base + f64::from(score);
            self.listed.push(short);
            seen.products += alpha * short;
            seen.sum += short.max(0.0);
            for (above, less) in seen.above.iter_mut().zip(search.less) {
                *above += (short - less).max(0.0);
            }
            seen.largest = seen.largest.max(short);
            if only_largest && alpha > 0.0 {
                seen.least = seen.least.min(short);
            } else if !only_largest {
                let gradient = projected(short, alpha, state.limits.each);
                found.violation = found.violation.max(gradient);
            }
        }
        seen
    }

    /// Notes the listed classes without a dual whose shortfall is below `idle`.
    fn note_idle(&self, alphas: &[f64], row: usize, idle: f64, found: &mut Survey) {
        for (slot, (&short, &alpha)) in self.listed.iter().zip(alphas).enumerate() {
            if alpha == 0.0 && short < idle {
                found.idle.push((row as u32, slot as u32));
            }
        }
    }

    fn set_aside(&mut self, class: usize) {
        self.sums[class] = ASIDE;
        self.touched[class / CHUNK] = true;
    }

    /// The classes that are not listed: the sum of their shortfalls above 0, the largest, and the
    /// smallest if `lows` are wanted. Mostly none of a chunk is above 0, and its highest score
    /// shows it.
    fn rest(
        &mut self,
        base: f64,
        less: [f64; 3],
        lows: bool,
        only_largest: bool,
        classes: usize,
        processor: Processor,
    ) -> Rest {
        self.find_highest(processor);
        let mut rest = Rest {
            sum: 0.0,
            above: [0.0; 3],
            high: f64::NEG_INFINITY,
            low: f64::INFINITY,
        };
        let (start, less_rounded) = (base as f32, less.map(|less| less as f32));
        let mut untouched = 0;
        let chunks = self.sums.as_chunks::<CHUNK>().0.iter().enumerate();
        for (at, chunk) in chunks {
            if !self.touched[at] {
                untouched += (classes - at * CHUNK).min(CHUNK);
                continue;
            }
            let highest = self.highest[at];
            rest.high = rest.high.max(base + f64::from(highest));
            if lows {
                let low = processor.run(
                    #[inline(always)]
                    || class_low(chunk),
                );
                rest.low = rest.low.min(base + f64::from(low));
            }
            if start + highest <= 0.0 || only_largest {
                continue;
            }
            let [sum, above @ ..] = processor.run(
                #[inline(always)]
                || class_shortfalls(chunk, start, less_rounded),
            );
            rest.sum += sum;
            for (sum, more) in rest.above.iter_mut().zip(above) {
                *sum += more;
            }
        }
        if untouched > 0 {
            rest.sum += untouched as f64 * base.max(0.0);
            for (sum, less) in rest.above.iter_mut().zip(less) {
                *sum += untouched as f64 * (base - less).max(0.0);
            }
            rest.high = rest.high.max(base);
            rest.low = rest.low.min(base);
        }
        rest
    }

    /// The highest score of each chunk: 0 of untouched ones.
    fn find_highest(&mut self, processor: Processor) {
        let chunks = self.sums.as_chunks::<CHUNK>().0;
        if self.all {
            let highest = &mut self.highest[..];
            processor.run(
                #[inline(always)]
                || class_highs(chunks, highest),
            );
            return;
        }
        let parts = chunks.iter().zip(&mut self.highest).zip(&self.touched);
        for ((chunk, high), &touched) in parts {
            *high = 0.0;
            if touched {
                processor.run(
                    #[inline(always)]
                    || class_highs(slice::from_ref(chunk), slice::from_mut(high)),
                );
            }
        }
    }

    /// The largest shortfall of the classes that are not listed, and nothing else.
    fn highest_of_rest(&mut self, base: f64, processor: Processor) -> Rest {
        self.find_highest(processor);
        let high = self.highest.iter().copied().fold(ASIDE, f32::max);
        Rest {
            sum: 0.0,
            above: [0.0; 3],
            high: base + f64::from(high),
            low: f64::INFINITY,
        }
    }

    fn clear(&mut self, classes: usize) {
        if self.all {
            self.sums.fill(0.0);
            self.touched.fill(false);
        }
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

/// What is known of the classes that are not listed.
struct Rest {
    /// The sum of their shortfalls above 0.
    sum: f64,
    /// The sums of what is above each of three thresholds.
    above: [f64; 3],
    /// The largest shortfall.
    high: f64,
    /// The smallest, if it was asked for.
    low: f64,
}

/// What listed classes add up to.
struct Listed {
    /// Their scores.
    scores: f32,
    /// Their duals times their shortfalls.
    products: f64,
    /// Their shortfalls above 0.
    sum: f64,
    /// The sums of what is above each threshold.
    above: [f64; 3],
    /// The largest shortfall, at least 0.
    largest: f64,
    /// The least shortfall of a class with a dual.
    least: f64,
}

/// The largest projected gradient of the classes that are not listed, whose dual is `alpha`.
fn gradient_of(rest: &Rest, alpha: f64, most: f64) -> f64 {
    let size = |short| projected(short, alpha, most);
    let low = if alpha > 0.0 { size(rest.low) } else { 0.0 };
    size(rest.high).max(low)
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
