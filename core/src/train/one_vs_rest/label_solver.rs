//! The solver of one label: sweeps over its rows until the duals are good enough.
//!
//! For a label with rows `i`, `y_i` = 1 where the row carries it and -1 where not, it solves
//!
//! ```text
//! min over w   1/2 |w|² + sum_i C_i max(0, 1 - y_i (w.x_i + b))^p,   p = 1 (hinge) or 2
//! ```
//!
//! through the dual `min 1/2 |sum a_i y_i x_i|² + sum (D_i a_i² / 2 - (1 - y_i b) a_i)` over
//! `0 <= a_i <= U_i`, where `D_i = 1 / (2 C_i)`, `U_i` infinite for p = 2 and `D_i = 0`,
//! `U_i = C_i` for p = 1. A learned bias is the weight of one more, constant feature.
//!
//! This is Algorithm 3 of Hsieh, Chang, Lin, Keerthi and Sundararajan, "A dual coordinate descent
//! method for large-scale linear SVM" (ICML 2008), with its shrinking: rows whose dual sits at
//! a bound and whose gradient keeps it there are set aside, and looked at once more at the end.
//!
//! Cost: O(values of the working rows) a sweep; memory: one dense array of D weights a thread.

use super::{
    packed_rows::PackedRows,
    sweep::{Example, GradientRange, Sweep, add},
};
use crate::parameters::one_vs_rest::{Bias, Loss, OneVsRest};
use crate::random::Stream;
use crate::train::one_vs_rest::label_weights::Weights;
use alloc::vec::Vec;
use hapax_processor::Processor;

/// Memory of one thread's solver, reused from label to label.
#[derive(Debug)]
pub struct SolverScratch {
    /// The weights of the label solved last.
    pub weights: Weights,
    /// Its rows and their duals.
    pub examples: Vec<Example>,
    /// Its bias.
    pub bias: f64,
    /// Weights worth keeping, with their features.
    pub kept: Vec<(u32, f32)>,
    order: Vec<u32>,
}

/// How hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Most sweeps.
    pub sweeps: u32,
    /// Stop when the projected gradients differ by at most this.
    pub epsilon: f64,
}

impl SolverScratch {
    /// For rows over `features` features.
    #[must_use]
    pub(crate) fn new(features: usize) -> Self {
        Self {
            weights: Weights::new(features),
            examples: Vec::new(),
            bias: 0.0,
            kept: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Adds a row to the label's problem, its dual starting at `alpha`.
    pub(crate) fn push(&mut self, parameters: &OneVsRest, row: u32, positive: bool, alpha: f64) {
        let weight = if positive {
            parameters.positive_weight
        } else {
            1.0
        };
        let cost = parameters.cost * weight;
        let (bound, diagonal) = match parameters.loss {
            Loss::SquaredHinge => (f64::INFINITY, 0.5 / cost),
            Loss::Hinge => (cost, 0.0),
        };
        self.examples.push(Example {
            row,
            positive,
            alpha: alpha.clamp(0.0, bound),
            bound,
            diagonal,
        });
    }

    /// Solves the label whose rows were pushed, leaving weights, bias and duals here. Returns the
    /// number of sweeps.
    pub(crate) fn solve(
        &mut self,
        rows: &PackedRows,
        bias: Bias,
        effort: Effort,
        stream: &mut Stream,
        processor: Processor,
    ) -> u32 {
        let (fixed, bias_feature) = match bias {
            Bias::Fixed(value) => (value, 0.0),
            Bias::Learned(value) => (0.0, value),
        };
        self.start(rows, fixed, bias_feature);
        let count = self.examples.len();
        let mut state = Sweep {
            rows,
            examples: &mut self.examples,
            order: &mut self.order,
            active: count,
            weights: &mut self.weights,
            bias: self.bias,
            bias_feature,
            shrink: NO_SHRINKING,
        };
        let mut sweeps = 0;
        while sweeps < effort.sweeps {
            let active = state.active;
            stream.shuffle(&mut state.order[..active]);
            let range = processor.run(&mut state);
            sweeps += 1;
            if range.high - range.low <= effort.epsilon {
                if state.active == count {
                    break;
                }
                state.active = count;
                state.shrink = NO_SHRINKING;
            } else {
                state.shrink = limits(range);
            }
        }
        self.bias = state.bias;
        sweeps
    }

    /// Puts weights and bias where the duals say.
    fn start(&mut self, rows: &PackedRows, fixed: f64, bias_feature: f64) {
        self.weights.clear();
        self.bias = fixed;
        let (head, rest) = self.weights.parts_mut();
        for example in self.examples.iter().filter(|e| e.alpha > 0.0) {
            let step = if example.positive {
                example.alpha
            } else {
                -example.alpha
            };
            add(rows.row(example.row as usize), step, head, rest);
            self.bias += step * bias_feature * bias_feature;
        }
        self.order.clear();
        self.order.extend(0..self.examples.len() as u32);
    }
}

const NO_SHRINKING: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

/// From the gradients of one sweep, how far beyond a bound an example must be to leave.
fn limits(range: GradientRange) -> (f64, f64) {
    let high = if range.high > 0.0 {
        range.high
    } else {
        f64::INFINITY
    };
    let low = if range.low < 0.0 {
        range.low
    } else {
        f64::NEG_INFINITY
    };
    (high, low)
}
