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
//! Sums run over terms in order and over buckets in [`LANES`] lanes, so every compiled form has the
//! same bits, and a head's numbers do not depend on which heads stand beside it.

use crate::kernels::{
    Kernels, Portable, Processor, Term,
    probabilities::{fold, sigmoids, softmax},
    terms::{LANES, add_terms_beside},
};
use hapax_processor::{Loop, fetch_second};

/// The loops of prediction, and the inner loop of training MACH: a package compiled for size has
/// it compiled for speed.
pub trait MachKernels: Kernels {
    /// One row's step of training heads of MACH.
    fn mach_step(&self, step: Step<'_>) {
        self.processor().run(step);
    }
}

impl MachKernels for Portable {}
impl MachKernels for Processor {}

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
    /// Logits, then gradients: a number a head and bucket.
    pub gradient: &'a mut [f32],
    /// The sum of squares of the gradient of each head.
    pub sizes: &'a mut [f32],
    /// The step that each head takes along its gradient: a number a term and head if there is a sum
    /// of squares for each feature and head.
    pub steps: &'a mut [f32],
    /// The loss of each head is added here.
    pub loss: &'a mut [f64],
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
    fn run(mut self) {
        self.gradient.fill(0.0);
        let (sums, heads) = (&*self.squares, self.sizes.len());
        // The sums of squares are read when the gradient is known, each row of them far from the
        // others.
        let by_feature = self.rates == Rates::Features;
        add_terms_beside(
            self.gradient,
            self.weights,
            self.terms,
            #[inline(always)]
            |term| {
                let start = term.row as usize * heads;
                let whole = heads.next_multiple_of(LANES);
                let sums = match by_feature {
                    true => sums.get(start..start + whole).unwrap_or(&[]),
                    false => &[],
                };
                for line in sums.as_chunks::<LANES>().0 {
                    fetch_second(line);
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
            Rates::Features => self.descend_by_feature(),
            Rates::Same => self.descend(),
        }
    }
}
