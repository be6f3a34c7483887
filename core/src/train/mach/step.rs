//! One row's step: the inner loop of training.
//!
//! ```text
//! z[r, b]  = sum_j x_j w[j, r, b]                       logits
//! p        = softmax of each head, or sigmoids
//! g        = p - target
//! a[j, r] += x_j² sum_b g[r, b]²                        per feature and head
//! w[j, r, b] -= rate x_j / sqrt(a[j, r]) g[r, b]
//! ```
//!
//! Sums run over terms in order and over buckets in [`LANES`] lanes, so every compiled form has the same bits, and a
//! head's numbers do not depend on which heads stand beside it.

use super::descend::add_scaled;
use crate::float::exp_f32;
use hapax_processor::{Fetch, Loop, NoFetch};

/// Lanes of sums over buckets.
pub const LANES: usize = 16;

/// A feature's row of weights and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// The row of weights.
    pub row: u32,
    /// The value.
    pub value: f32,
}

/// How the rate of a step is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// One sum of squared gradients for each feature and head.
    Features,
    /// None: the same rate for all weights.
    Same,
}

/// What one row does to the heads of a group.
#[derive(Debug)]
pub struct Step<'a> {
    /// Weights: row after row, head after head, bucket after bucket.
    pub weights: &'a mut [f32],
    /// Sums of squared gradients: a number a row and head, or none.
    pub squares: &'a mut [f32],
    /// Buckets of a head.
    pub buckets: usize,
    /// The row's values.
    pub terms: &'a [Term],
    /// The buckets of its labels: head after head, as many for each.
    pub targets: &'a [u16],
    /// Softmax, or independent sigmoids.
    pub softmax: bool,
    /// How rates are made.
    pub rates: Rates,
    /// The rate.
    pub rate: f32,
    /// Whether weights of 0 stay 0.
    pub sparse: bool,
    /// How much a weight shrinks by, times its rate: absolutely (l1) and as a share of it (l2).
    pub shrink: [f32; 2],
    /// Logits, then gradients: a number a head and bucket.
    pub gradient: &'a mut [f32],
    /// The sum of squares of the gradient of each head.
    pub sizes: &'a mut [f32],
    /// The step that each head takes along its gradient: a number a term and head if there is a sum of squares for each
    /// feature and head.
    pub steps: &'a mut [f32],
    /// The loss of each head is added here.
    pub loss: &'a mut [f64],
}

/// One vector of weights.
pub type Line = [f32; LANES];

/// `sums[i] += sum of value * weight`, term after term, over the whole width of `sums`.
#[inline(always)]
pub fn add_terms(sums: &mut [f32], weights: &[f32], terms: &[Term]) {
    add_terms_fetching(
        sums,
        weights,
        terms,
        &NoFetch,
        #[inline(always)]
        |_| {},
    );
}

/// [`add_terms`], which prefetches the lines of four rows while the four before are added: rows are far apart
/// in memory, so the processor cannot guess which comes next. `beside` is told of each term in time, for
/// what else will be read of it.
#[inline(always)]
fn add_terms_fetching(
    sums: &mut [f32],
    weights: &[f32],
    terms: &[Term],
    fetch: &impl Fetch,
    beside: impl Fn(&Term) + Copy,
) {
    let width = sums.len();
    let row = |term: &Term| {
        let start = term.row as usize * width;
        weights.get(start..start + width).unwrap_or(&[])
    };
    let (fours, rest) = terms.as_chunks::<4>();
    for (place, four) in fours.iter().enumerate() {
        let [a, b, c, d] = four;
        let rows = [row(a), row(b), row(c), row(d)];
        let soon = match fours.get(place + 1) {
            Some([a, b, c, d]) => [row(a), row(b), row(c), row(d)],
            None => [&[][..]; 4],
        };
        let values = [a.value, b.value, c.value, d.value];
        add_four(sums, values, rows, soon, fetch);
        four.iter().for_each(beside);
    }
    for term in rest {
        beside(term);
        let own = row(term);
        if own.len() == width {
            add_scaled(sums, own, term.value);
        }
    }
}

/// Adds four rows, or none if one is not as long as `sums`.
#[inline(always)]
fn add_four(
    sums: &mut [f32],
    values: [f32; 4],
    rows: [&[f32]; 4],
    soon: [&[f32]; 4],
    fetch: &impl Fetch,
) {
    let [a, b, c, d] = rows;
    let (sums, tail) = sums.as_chunks_mut::<LANES>();
    let whole = sums.len();
    let lines = |row| <[f32]>::as_chunks::<LANES>(row).0.get(..whole);
    let (Some(wa), Some(wb), Some(wc), Some(wd)) = (lines(a), lines(b), lines(c), lines(d)) else {
        return;
    };
    if let (Some(sa), Some(sb), Some(sc), Some(sd)) = (
        lines(soon[0]),
        lines(soon[1]),
        lines(soon[2]),
        lines(soon[3]),
    ) && whole > 0
    {
        for at in 0..whole {
            fetch.fetch_second(&sa[at]);
            fetch.fetch_second(&sb[at]);
            fetch.fetch_second(&sc[at]);
            fetch.fetch_second(&sd[at]);
            sums[at] = add_lines(&sums[at], values, [&wa[at], &wb[at], &wc[at], &wd[at]]);
        }
    } else {
        for at in 0..whole {
            sums[at] = add_lines(&sums[at], values, [&wa[at], &wb[at], &wc[at], &wd[at]]);
        }
    }
    for (row, value) in rows.iter().zip(values) {
        let weights = row.get(whole * LANES..).unwrap_or(&[]);
        tail.iter_mut()
            .zip(weights)
            .for_each(|(sum, w)| *sum += value * w);
    }
}

/// One vector of sums after four terms.
#[inline(always)]
fn add_lines(sum: &Line, values: [f32; 4], [a, b, c, d]: [&Line; 4]) -> Line {
    let mut sum = *sum;
    for i in 0..LANES {
        let two = sum[i] + values[0] * a[i] + values[1] * b[i];
        sum[i] = two + values[2] * c[i] + values[3] * d[i];
    }
    sum
}

/// The sum of squares, in lanes.
#[inline(always)]
fn squares(values: &[f32]) -> f32 {
    let mut lanes = [0f32; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        (0..LANES).for_each(|i| lanes[i] += chunk[i] * chunk[i]);
    }
    lanes
        .iter_mut()
        .zip(rest)
        .for_each(|(lane, v)| *lane += v * v);
    fold(lanes)
}

/// The sum of lanes, in halves.
#[inline(always)]
fn fold(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] += lanes[i + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Turns the logits of one head into probabilities that sum to 1.
#[inline(always)]
pub fn softmax(logits: &mut [f32]) {
    let mut lanes = [f32::MIN; LANES];
    let (chunks, rest) = logits.as_chunks::<LANES>();
    for chunk in chunks {
        (0..LANES).for_each(|i| {
            lanes[i] = if chunk[i] > lanes[i] {
                chunk[i]
            } else {
                lanes[i]
            }
        });
    }
    let largest = lanes
        .iter()
        .chain(rest)
        .fold(f32::MIN, |a, &b| if b > a { b } else { a });
    let mut lanes = [0f32; LANES];
    let (chunks, rest) = logits.as_chunks_mut::<LANES>();
    for chunk in chunks {
        for i in 0..LANES {
            chunk[i] = exp_f32(chunk[i] - largest);
            lanes[i] += chunk[i];
        }
    }
    for (value, lane) in rest.iter_mut().zip(&mut lanes) {
        *value = exp_f32(*value - largest);
        *lane += *value;
    }
    let factor = 1.0 / fold(lanes);
    logits.iter_mut().for_each(|value| *value *= factor);
}

/// Turns each logit into the probability of its bucket.
#[inline(always)]
pub fn sigmoids(logits: &mut [f32]) {
    logits
        .iter_mut()
        .for_each(|value| *value = 1.0 / (1.0 + exp_f32(-*value)));
}

/// The least probability whose logarithm is taken.
const LEAST: f64 = 1e-30;

/// From probabilities to `p - target`; returns the loss.
#[inline(always)]
fn subtract(softmax: bool, values: &mut [f32], targets: &[u16]) -> f64 {
    let ln = |p: f64| crate::float::ln(p.max(LEAST));
    let mut loss = 0.0;
    if softmax {
        let share = 1.0 / targets.len() as f32;
        for &target in targets {
            if let Some(p) = values.get(usize::from(target)) {
                loss -= f64::from(share) * ln(f64::from(*p));
            }
        }
        for &target in targets {
            if let Some(p) = values.get_mut(usize::from(target)) {
                *p -= share;
            }
        }
        return loss;
    }
    let mut others = 1f64;
    values
        .iter()
        .for_each(|&p| others *= f64::from(1.0 - p).max(1e-9));
    for (at, &target) in targets.iter().enumerate() {
        // Two labels in one bucket are one target.
        if targets[..at].contains(&target) {
            continue;
        }
        if let Some(p) = values.get_mut(usize::from(target)) {
            others /= f64::from(1.0 - *p).max(1e-9);
            loss -= ln(f64::from(*p));
            *p -= 1.0;
        }
    }
    loss - ln(others)
}

impl Loop for Step<'_> {
    type Output = ();

    /// Takes the step, prefetching weights and sums of squares.
    #[inline(always)]
    fn run<F: Fetch>(mut self, fetch: &F) {
        self.gradient.fill(0.0);
        let (sums, heads) = (&*self.squares, self.sizes.len());
        // The sums of squares are read when the gradient is known, each row of them far from the others.
        let by_feature = self.rates == Rates::Features;
        add_terms_fetching(
            self.gradient,
            self.weights,
            self.terms,
            fetch,
            #[inline(always)]
            |term| {
                let start = term.row as usize * heads;
                let whole = heads.next_multiple_of(LANES);
                let sums = match by_feature {
                    true => sums.get(start..start + whole).unwrap_or(&[]),
                    false => &[],
                };
                for line in sums.as_chunks::<LANES>().0 {
                    fetch.fetch_second(line);
                }
            },
        );
        let labels = self.targets.len() / self.sizes.len().max(1);
        let mut targets = self.targets.chunks_exact(labels.max(1));
        let heads = self.gradient.chunks_exact_mut(self.buckets);
        for ((values, size), loss) in heads.zip(self.sizes.iter_mut()).zip(self.loss.iter_mut()) {
            if self.softmax {
                softmax(values);
            } else {
                sigmoids(values);
            }
            *loss += subtract(self.softmax, values, targets.next().unwrap_or(&[]));
            *size = squares(values);
        }
        match self.rates {
            Rates::Features => self.descend_by_feature(fetch),
            Rates::Same => self.descend(),
        }
        if self.shrink != [0.0; 2] {
            self.shrink();
        }
    }
}
