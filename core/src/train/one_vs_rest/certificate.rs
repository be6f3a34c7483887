//! How far a label's solution is from the best: primal and dual objective.

use super::{
    label_solver::SolverScratch,
    packed_rows::PackedRows,
    sweep::{Example, dot},
};
use crate::parameters::one_vs_rest::Bias;
use alloc::{vec, vec::Vec};

/// Objectives of one label's problem ([`super::label_solver`]) at given duals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// The primal objective at the weights which belong to the duals.
    pub primal: f64,
    /// The dual objective, which no primal objective can be below.
    pub dual: f64,
}

impl Certificate {
    /// Evaluates the primal objective at the solver's own weights, those that a model gets, and the
    /// dual one at its duals, whose weights are rebuilt in `f64` to know their square.
    ///
    /// Cost: a pass over the values of the examples' rows, and another over those with a dual.
    #[must_use]
    pub(crate) fn of_weights(
        rows: &PackedRows,
        solved: &SolverScratch,
        bias: Bias,
        features: usize,
    ) -> Self {
        let bias_weight = match bias {
            Bias::Learned(value) if value != 0.0 => solved.bias / value,
            _ => 0.0,
        };
        let (head, rest) = solved.weights.parts();
        let used = solved.weights.head_used().iter().chain(rest);
        let square: f64 = used.map(|&w| f64::from(w) * f64::from(w)).sum();
        let score = |row: u32| dot(rows.row(row as usize), head, rest) + solved.bias;
        let losses = losses(&solved.examples, score);
        let (weights, rebuilt) = rebuild(rows, &solved.examples, bias, features);
        let exact = weights.iter().map(|w| w * w).sum::<f64>() + rebuilt * rebuilt;
        Self {
            primal: 0.5 * (square + bias_weight * bias_weight) + losses,
            dual: gain(&solved.examples, bias) - 0.5 * exact,
        }
    }
}

/// The sum of the examples' losses, of which `score` tells the scores of their rows.
fn losses(examples: &[Example], score: impl Fn(u32) -> f64) -> f64 {
    let of = |example: &Example| {
        let short = (1.0 - sign(example) * score(example.row)).max(0.0);
        if example.diagonal > 0.0 {
            0.5 * short * short / example.diagonal
        } else {
            example.bound * short
        }
    };
    examples.iter().map(of).sum()
}

/// The bias if it is given, and the value of the constant feature if it is learned.
fn fixed_and_constant(bias: Bias) -> (f64, f64) {
    match bias {
        Bias::Fixed(value) => (value, 0.0),
        Bias::Learned(value) => (0.0, value),
    }
}

/// The weights that belong to the duals, and that of the constant feature.
fn rebuild(
    rows: &PackedRows,
    examples: &[Example],
    bias: Bias,
    features: usize,
) -> (Vec<f64>, f64) {
    let constant = fixed_and_constant(bias).1;
    let mut weights = vec![0f64; features];
    let mut bias_weight = 0f64;
    for example in examples.iter().filter(|e| e.alpha > 0.0) {
        let step = sign(example) * example.alpha;
        for (feature, value) in rows.row(example.row as usize).terms() {
            weights[feature as usize] += step * f64::from(value);
        }
        bias_weight += step * constant;
    }
    (weights, bias_weight)
}

/// What the dual objective is, but for the square of the weights.
fn gain(examples: &[Example], bias: Bias) -> f64 {
    let fixed = fixed_and_constant(bias).0;
    let of = |example: &Example| {
        let alpha = example.alpha;
        alpha * (1.0 - sign(example) * fixed) - 0.5 * example.diagonal * alpha * alpha
    };
    examples.iter().map(of).sum()
}

fn sign(example: &Example) -> f64 {
    if example.positive { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        parameters::one_vs_rest::{Bias, Loss, OneVsRest},
        random::Stream,
        train::one_vs_rest::{
            label_solver::{Effort, SolverScratch},
            packed_rows::PackedRows,
        },
    };
    use alloc::vec::Vec;
    use hapax_processor::Processor;

    impl Certificate {
        /// The duality gap relative to the primal objective: 0 at the optimum.
        fn relative_gap(&self) -> f64 {
            (self.primal - self.dual) / self.primal.abs().max(f64::MIN_POSITIVE)
        }

        /// Rebuilds the weights of `examples` in `f64` and evaluates both objectives at them.
        ///
        /// Cost: two passes over the values of the examples' rows; memory: 8 bytes a feature.
        fn new(rows: &PackedRows, examples: &[Example], bias: Bias, features: usize) -> Self {
            let (fixed, constant) = fixed_and_constant(bias);
            let (weights, bias_weight) = rebuild(rows, examples, bias, features);
            let square = weights.iter().map(|w| w * w).sum::<f64>() + bias_weight * bias_weight;
            let score = |row: u32| {
                let terms = rows.row(row as usize).terms();
                let products = terms.map(|(id, value)| weights[id as usize] * f64::from(value));
                products.sum::<f64>() + fixed + constant * bias_weight
            };
            Self {
                primal: 0.5 * square + losses(examples, score),
                dual: gain(examples, bias) - 0.5 * square,
            }
        }
    }

    /// 60 random rows over 12 features.
    fn rows() -> PackedRows {
        let mut stream = Stream::new(5, 0);
        let mut rows = PackedRows::default();
        for _ in 0..60 {
            let mut terms: Vec<(u32, f32)> = Vec::new();
            for feature in 0..12 {
                if stream.below(3) == 0 {
                    terms.push((feature, stream.unit() as f32));
                }
            }
            rows.push(&mut terms, usize::MAX);
        }
        rows
    }

    fn solve(parameters: &OneVsRest, rows: &PackedRows, epsilon: f64) -> SolverScratch {
        let mut scratch = SolverScratch::new(12);
        for row in 0..60 {
            scratch.push(parameters, row, row % 7 == 0, 0.0);
        }
        let effort = Effort {
            sweeps: 20_000,
            epsilon,
        };
        scratch.solve(
            rows,
            parameters.bias,
            effort,
            &mut Stream::new(1, 1),
            Processor::portable(),
        );
        scratch
    }

    #[test]
    fn every_kind_of_problem_is_solved_to_its_optimum() {
        let rows = rows();
        let fixed = [-1.0, 0.0].map(Bias::Fixed);
        let learned = [0.0, 1.0, 2.0].map(Bias::Learned);
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            for bias in fixed.into_iter().chain(learned) {
                for positive_weight in [1.0, 10.0] {
                    let parameters = OneVsRest {
                        loss,
                        bias,
                        positive_weight,
                        ..OneVsRest::default()
                    };
                    let scratch = solve(&parameters, &rows, 1e-6);
                    let proof = Certificate::new(&rows, &scratch.examples, bias, 12);
                    assert!(
                        proof.dual <= proof.primal + 1e-9,
                        "{loss:?} {bias:?}: {proof:?}"
                    );
                    assert!(proof.relative_gap() < 1e-4, "{loss:?} {bias:?}: {proof:?}");
                    let same = Certificate::of_weights(&rows, &scratch, bias, 12);
                    assert!((same.primal - proof.primal).abs() < 1e-4 * proof.primal);
                    assert!((same.dual - proof.dual).abs() < 1e-12 * proof.primal);
                    let loose = solve(&parameters, &rows, 1.0);
                    let worse = Certificate::new(&rows, &loose.examples, bias, 12);
                    assert!(worse.primal >= proof.dual - 1e-9);
                }
            }
        }
    }

    /// One positive row x = (1), fixed bias b: w = 2 C (1 - b) / (1 + 2 C) by hand.
    #[test]
    fn one_row_has_its_closed_form() {
        let mut rows = PackedRows::default();
        rows.push(&mut [(0u32, 1.0f32)].to_vec(), usize::MAX);
        let parameters = OneVsRest {
            cost: 1.5,
            bias: Bias::Fixed(-1.0),
            ..OneVsRest::default()
        };
        let mut scratch = SolverScratch::new(1);
        scratch.push(&parameters, 0, true, 0.0);
        let effort = Effort {
            sweeps: 50,
            epsilon: 1e-9,
        };
        scratch.solve(
            &rows,
            parameters.bias,
            effort,
            &mut Stream::new(1, 1),
            Processor::portable(),
        );
        scratch.weights.above(0.0, &mut scratch.kept);
        assert!((scratch.kept[0].1 - 1.5).abs() < 1e-5, "{:?}", scratch.kept);
    }
}
