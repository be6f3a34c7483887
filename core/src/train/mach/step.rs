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

use crate::float::{exp_f32, inverse_sqrt_f32};

/// Lanes of sums over buckets.
pub const LANES: usize = 16;

/// Added to accumulated squares before their root is divided by.
const TINY: f32 = 1e-20;

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
    /// One for each weight.
    Weights,
    /// None: the same rate for all weights.
    Same,
}

/// What one row does to the heads of a group.
#[derive(Debug)]
pub struct Step<'a> {
    /// Weights: row after row, head after head, bucket after bucket.
    pub weights: &'a mut [f32],
    /// Sums of squared gradients: a number a row and head, one a weight, or none.
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
    /// How much a weight shrinks by, times its rate: absolutely (l1) and as a share of it (l2).
    pub shrink: [f32; 2],
    /// Logits, then gradients: a number a head and bucket.
    pub gradient: &'a mut [f32],
    /// Two numbers a head.
    pub heads: &'a mut [[f32; 2]],
    /// The loss of each head is added here.
    pub loss: &'a mut [f64],
}

/// `sums[i] += sum of value * weight`, term after term, over the whole width of `sums`.
#[inline(always)]
pub fn add_terms(sums: &mut [f32], weights: &[f32], terms: &[Term]) {
    let width = sums.len();
    let row = |term: &Term| {
        let start = term.row as usize * width;
        weights.get(start..start + width).unwrap_or(&[])
    };
    let (fours, rest) = terms.as_chunks::<4>();
    for [a, b, c, d] in fours {
        let (ra, rb, rc, rd) = (row(a), row(b), row(c), row(d));
        let (sums, tail) = sums.as_chunks_mut::<LANES>();
        let lanes = |row| <[f32]>::as_chunks::<LANES>(row).0;
        let rows = lanes(ra)
            .iter()
            .zip(lanes(rb))
            .zip(lanes(rc))
            .zip(lanes(rd));
        for (sum, (((wa, wb), wc), wd)) in sums.iter_mut().zip(rows) {
            for i in 0..LANES {
                let two = sum[i] + a.value * wa[i] + b.value * wb[i];
                sum[i] = two + c.value * wc[i] + d.value * wd[i];
            }
        }
        let done = sums.len() * LANES;
        for (term, row) in [(a, ra), (b, rb), (c, rc), (d, rd)] {
            let weights = row.get(done..).unwrap_or(&[]);
            tail.iter_mut()
                .zip(weights)
                .for_each(|(sum, w)| *sum += term.value * w);
        }
    }
    for term in rest {
        sums.iter_mut()
            .zip(row(term))
            .for_each(|(sum, w)| *sum += term.value * w);
    }
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

impl Step<'_> {
    /// Takes the step.
    #[inline(always)]
    pub fn take(&mut self) {
        self.gradient.fill(0.0);
        add_terms(self.gradient, self.weights, self.terms);
        let labels = self.targets.len() / self.heads.len().max(1);
        let mut targets = self.targets.chunks_exact(labels.max(1));
        let heads = self.gradient.chunks_exact_mut(self.buckets);
        for ((values, head), loss) in heads.zip(self.heads.iter_mut()).zip(self.loss.iter_mut()) {
            if self.softmax {
                softmax(values);
            } else {
                sigmoids(values);
            }
            *loss += subtract(self.softmax, values, targets.next().unwrap_or(&[]));
            head[0] = squares(values);
        }
        match self.rates {
            Rates::Features => self.descend_by_feature(),
            Rates::Weights => self.descend_by_weight(),
            Rates::Same => self.descend(),
        }
        if self.shrink != [0.0; 2] {
            self.shrink();
        }
    }

    #[inline(always)]
    fn descend_by_feature(&mut self) {
        let (width, heads) = (self.gradient.len(), self.heads.len());
        for term in self.terms {
            let at = term.row as usize;
            let Some(sums) = self.squares.get_mut(at * heads..(at + 1) * heads) else {
                continue;
            };
            let Some(weights) = self.weights.get_mut(at * width..(at + 1) * width) else {
                continue;
            };
            let (square, rate) = (term.value * term.value, self.rate * term.value);
            for (sum, head) in sums.iter_mut().zip(self.heads.iter_mut()) {
                *sum += square * head[0];
                head[1] = rate * inverse_sqrt_f32(*sum + TINY);
            }
            let blocks = weights.chunks_exact_mut(self.buckets);
            let gradients = self.gradient.chunks_exact(self.buckets);
            for ((weights, gradient), head) in blocks.zip(gradients).zip(self.heads.iter()) {
                subtract_scaled(weights, gradient, head[1]);
            }
        }
    }

    #[inline(always)]
    fn descend_by_weight(&mut self) {
        let width = self.gradient.len();
        for term in self.terms {
            let at = term.row as usize * width;
            let (Some(weights), Some(sums)) = (
                self.weights.get_mut(at..at + width),
                self.squares.get_mut(at..at + width),
            ) else {
                continue;
            };
            for ((weight, sum), g) in weights.iter_mut().zip(sums).zip(self.gradient.iter()) {
                let slope = term.value * g;
                *sum += slope * slope;
                *weight -= self.rate * slope * inverse_sqrt_f32(*sum + TINY);
            }
        }
    }

    #[inline(always)]
    fn descend(&mut self) {
        let width = self.gradient.len();
        for term in self.terms {
            let at = term.row as usize * width;
            if let Some(weights) = self.weights.get_mut(at..at + width) {
                subtract_scaled(weights, self.gradient, self.rate * term.value);
            }
        }
    }

    /// Pulls the touched weights toward zero.
    #[inline(always)]
    fn shrink(&mut self) {
        let width = self.gradient.len();
        let [absolute, share] = self.shrink.map(|by| by * self.rate);
        for term in self.terms {
            let at = term.row as usize * width;
            for weight in self.weights.get_mut(at..at + width).unwrap_or(&mut []) {
                let less = (weight.abs() * (1.0 - share) - absolute).max(0.0);
                *weight = less.copysign(*weight);
            }
        }
    }
}

#[inline(always)]
fn subtract_scaled(weights: &mut [f32], gradient: &[f32], scale: f32) {
    let (chunks, rest) = weights.as_chunks_mut::<LANES>();
    let (gradients, last) = gradient.as_chunks::<LANES>();
    for (weights, gradient) in chunks.iter_mut().zip(gradients) {
        (0..LANES).for_each(|i| weights[i] -= scale * gradient[i]);
    }
    rest.iter_mut()
        .zip(last)
        .for_each(|(weight, g)| *weight -= scale * g);
}
