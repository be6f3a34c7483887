//! A row's step held against the formulas over it, in `f64`, one number after the other.

use super::step::{MachKernels, Rates, Step};
use crate::{kernels::Term, random::Stream};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

/// What a step reads and changes, for `rows` rows of weights.
#[derive(Clone, Debug)]
struct State {
    heads: usize,
    buckets: usize,
    weights: Vec<f32>,
    squares: Vec<f32>,
    terms: Vec<Term>,
    /// The buckets of the labels: head after head.
    targets: Vec<u16>,
    softmax: bool,
    rates: Rates,
    sparse: bool,
    loss: Vec<f64>,
    sizes: Vec<f32>,
}

const ROWS: usize = 12;
const RATE: f32 = 0.3;

impl State {
    fn random(seed: u64) -> Self {
        let mut dice = Stream::new(seed, 1);
        // Whole vectors of lanes, one more and one less among them.
        let buckets = [2, 5, 15, 16, 17, 32, 40][dice.below(7) as usize];
        let heads = [1, 3, 16, 17][dice.below(4) as usize];
        let labels = 1 + dice.below(3) as usize;
        let weight = |dice: &mut Stream| match dice.below(4) {
            0 => 0.0,
            _ => dice.unit() as f32 - 0.5,
        };
        let mut rows: Vec<u32> = (0..ROWS as u32).collect();
        dice.shuffle(&mut rows);
        rows.truncate(1 + dice.below(9) as usize);
        rows.sort_unstable();
        let term = |row| (row, 2.0 * dice.unit() as f32 - 0.5);
        let terms: Vec<(u32, f32)> = rows.into_iter().map(term).collect();
        let square = |dice: &mut Stream| dice.below(3) as f32 * dice.unit() as f32;
        Self {
            heads,
            buckets,
            weights: (0..ROWS * heads * buckets)
                .map(|_| weight(&mut dice))
                .collect(),
            squares: (0..ROWS * heads).map(|_| square(&mut dice)).collect(),
            terms: terms
                .into_iter()
                .map(|(row, value)| Term { row, value })
                .collect(),
            targets: (0..heads * labels)
                .map(|_| dice.below(buckets as u64) as u16)
                .collect(),
            softmax: dice.below(2) == 0,
            rates: [Rates::Features, Rates::Same][dice.below(2) as usize],
            sparse: dice.below(3) == 0,
            loss: vec![0.25; heads],
            sizes: vec![0.0; heads],
        }
    }

    fn step(&mut self, processor: Processor) {
        let mut steps = vec![7.0; self.terms.len() * self.heads];
        if self.rates == Rates::Same {
            steps.clear();
            self.squares.clear();
        }
        processor.mach_step(Step {
            weights: &mut self.weights,
            squares: &mut self.squares,
            buckets: self.buckets,
            terms: &self.terms,
            targets: &self.targets,
            softmax: self.softmax,
            rates: self.rates,
            rate: RATE,
            sparse: self.sparse,
            // What is left of the step before.
            gradient: &mut vec![9.0; self.heads * self.buckets],
            sizes: &mut self.sizes,
            steps: &mut steps,
            loss: &mut self.loss,
        });
    }

    /// The probabilities of a head and their targets.
    fn probabilities(&self, head: usize) -> Vec<(f64, f64)> {
        let width = self.heads * self.buckets;
        let logit = |bucket: usize| -> f64 {
            let weight =
                |row: u32| self.weights[row as usize * width + head * self.buckets + bucket];
            let of = |term: &Term| f64::from(term.value) * f64::from(weight(term.row));
            self.terms.iter().map(of).sum()
        };
        let logits: Vec<f64> = (0..self.buckets).map(logit).collect();
        let all: f64 = logits.iter().map(|z| libm::exp(*z)).sum();
        let labels = self.targets.len() / self.heads;
        let own = &self.targets[head * labels..(head + 1) * labels];
        let of = |(bucket, z): (usize, &f64)| {
            let here = own.iter().filter(|&&target| usize::from(target) == bucket);
            let here = here.count() as f64;
            match self.softmax {
                true => (libm::exp(*z) / all, here / labels as f64),
                false => (1.0 / (1.0 + libm::exp(-z)), here.min(1.0)),
            }
        };
        logits.iter().enumerate().map(of).collect()
    }

    /// [`Self::step`] by the formulas: weights, sums of squares and losses.
    fn twin(&self) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let wide = |values: &[f32]| -> Vec<f64> { values.iter().copied().map(f64::from).collect() };
        let (mut weights, mut sums) = (wide(&self.weights), wide(&self.squares));
        let mut losses = self.loss.clone();
        for (head, loss) in losses.iter_mut().enumerate() {
            let found = self.probabilities(head);
            for &(p, target) in &found {
                *loss -= target * libm::log(p);
                if !self.softmax {
                    *loss -= (1.0 - target) * libm::log(1.0 - p);
                }
            }
            let gradient: Vec<f64> = found.iter().map(|(p, target)| p - target).collect();
            let size: f64 = gradient.iter().map(|g| g * g).sum();
            for term in &self.terms {
                let (row, value) = (term.row as usize, f64::from(term.value));
                let sum = &mut sums[row * self.heads + head];
                let root = match self.rates {
                    Rates::Same => 1.0,
                    Rates::Features => {
                        *sum += value * value * size;
                        libm::sqrt(*sum)
                    }
                };
                let at = (row * self.heads + head) * self.buckets;
                for (weight, g) in weights[at..].iter_mut().zip(&gradient) {
                    if !(self.sparse && *weight == 0.0) {
                        *weight -= f64::from(RATE) * value / root * g;
                    }
                }
            }
        }
        (weights, sums, losses)
    }
}

#[track_caller]
fn near(fast: impl Iterator<Item = f64>, slow: &[f64], what: &str) {
    let mut count = 0;
    for (fast, slow) in fast.zip(slow) {
        assert!((fast - slow).abs() < 2e-5, "{what} {count}: {fast}, {slow}");
        count += 1;
    }
    assert_eq!(count, slow.len(), "{what}");
}

#[test]
fn a_step_is_that_of_the_formulas_and_has_the_same_bits_on_every_processor() {
    for seed in 0..300 {
        let before = State::random(seed);
        let (weights, sums, losses) = before.twin();
        let mut after = before.clone();
        after.step(Processor::portable());
        let wide = |values: &[f32]| values.iter().copied().map(f64::from).collect::<Vec<_>>();
        near(wide(&after.weights).into_iter(), &weights, "weight");
        near(after.loss.iter().copied(), &losses, "loss");
        if before.rates == Rates::Features {
            near(wide(&after.squares).into_iter(), &sums, "square");
        }
        for processor in Processor::available() {
            let mut other = before.clone();
            other.step(processor);
            let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&other.weights), bits(&after.weights), "{seed}");
            assert_eq!(bits(&other.squares), bits(&after.squares), "{seed}");
            assert_eq!(other.loss, after.loss, "{seed}");
        }
    }
}

#[test]
fn a_row_without_a_gradient_changes_nothing() {
    let mut state = State {
        heads: 1,
        buckets: 2,
        weights: vec![100.0, -100.0],
        squares: vec![0.0],
        terms: vec![Term { row: 0, value: 1.0 }],
        targets: vec![0],
        softmax: false,
        rates: Rates::Features,
        sparse: false,
        loss: vec![0.0],
        sizes: vec![7.0],
    };
    state.step(Processor::portable());
    assert_eq!(
        (state.weights, state.squares),
        (vec![100.0, -100.0], vec![0.0])
    );
}
