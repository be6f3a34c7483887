//! Logistic regression by Newton's method.
//!
//! ```text
//! min over w   sum_i ln(1 + exp(-y_i w·t_i)) + RIDGE / 2 * |w|^2,     y_i = 1 or -1
//! ```
//!
//! `t_i` are the terms of an answer ([`Curve::terms`]). The ridge holds the constant, too, and
//! keeps weights finite where a plane separates right answers from wrong ones. The problem is
//! strictly convex; steps are halved until the objective falls.
//!
//! Cost: answers times terms squared for each step; 8 bytes for each term of each answer.

use crate::{
    float,
    model::calibration::{Curve, MOST_WEIGHT, logistic},
};
use alloc::{vec, vec::Vec};

/// The weight of squared weights, terms being from -1 to 1.
const RIDGE: f64 = 0.1;

/// Evaluations at most; six to ten suffice.
const MOST_STEPS: usize = 40;

/// The change of a weight that no longer counts.
const SMALL: f64 = 1e-7;

/// Objective, gradient and the lower half of the Hessian, rows one after the other.
struct Point {
    objective: f64,
    gradient: Vec<f64>,
    hessian: Vec<f64>,
}

/// The curve of these inputs and whether the answer was right; at least one.
pub(super) fn fit<const N: usize>(answers: &[([f64; N], bool)]) -> Curve<N> {
    let mut curve = Curve {
        low: [f32::MAX; N],
        high: [f32::MIN; N],
        weights: Vec::new(),
    };
    for (inputs, _) in answers {
        for (at, &input) in inputs.iter().enumerate() {
            let input = input.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
            curve.low[at] = curve.low[at].min(input);
            curve.high[at] = curve.high[at].max(input);
        }
    }
    let mut terms = Vec::with_capacity(answers.len() * Curve::<N>::TERMS);
    let mut right = Vec::with_capacity(answers.len());
    for &(inputs, is_right) in answers {
        curve.terms(inputs, |_, value| terms.push(value));
        right.push(is_right);
    }
    curve.weights = weights(&Regression {
        size: Curve::<N>::TERMS,
        terms,
        right,
    });
    curve
}

/// Answers as the solver sees them: not generic, which halves its code.
struct Regression {
    /// Terms of an answer.
    size: usize,
    /// Those of all answers, one after the other.
    terms: Vec<f64>,
    right: Vec<bool>,
}

/// The weights of the optimum.
fn weights(problem: &Regression) -> Vec<f32> {
    let mut weights = vec![0.0; problem.size];
    let mut here = evaluate(problem, &weights);
    let mut step = newton(&here);
    for _ in 0..MOST_STEPS {
        let next: Vec<f64> = weights.iter().zip(&step).map(|(w, d)| w - d).collect();
        let there = evaluate(problem, &next);
        let largest = step.iter().fold(0.0, |most, d| f64::max(most, d.abs()));
        if there.objective <= here.objective {
            (weights, here) = (next, there);
            step = newton(&here);
        } else {
            step.iter_mut().for_each(|d| *d *= 0.5);
        }
        if largest < SMALL {
            break;
        }
    }
    let most = f64::from(MOST_WEIGHT);
    let stored = weights.iter().map(|w| w.clamp(-most, most) as f32);
    stored.collect()
}

fn evaluate(problem: &Regression, weights: &[f64]) -> Point {
    let size = problem.size;
    let mut point = Point {
        objective: 0.0,
        gradient: weights.iter().map(|w| RIDGE * w).collect(),
        hessian: vec![0.0; size * size],
    };
    for (at, weight) in weights.iter().enumerate() {
        point.objective += 0.5 * RIDGE * weight * weight;
        point.hessian[at * size + at] = RIDGE;
    }
    for (terms, &right) in problem.terms.chunks_exact(size).zip(&problem.right) {
        let sum: f64 = terms.iter().zip(weights).map(|(t, w)| t * w).sum();
        let p = logistic(sum);
        let signed = if right { sum } else { -sum };
        // ln(1 + exp(-signed)), which would overflow for large negative ones.
        point.objective += f64::max(-signed, 0.0) + float::ln(1.0 + float::exp(-signed.abs()));
        let (error, curvature) = (p - f64::from(u8::from(right)), p * (1.0 - p));
        for (row, &term) in terms.iter().enumerate() {
            point.gradient[row] += error * term;
            let scaled = curvature * term;
            let line = &mut point.hessian[row * size..][..=row];
            for (sum, &other) in line.iter_mut().zip(terms) {
                *sum += scaled * other;
            }
        }
    }
    point
}

/// The Hessian's inverse times the gradient, by Cholesky's decomposition.
fn newton(point: &Point) -> Vec<f64> {
    let size = point.gradient.len();
    let mut lower = point.hessian.clone();
    for row in 0..size {
        for column in 0..=row {
            let before = (0..column).map(|at| lower[row * size + at] * lower[column * size + at]);
            let rest = lower[row * size + column] - before.sum::<f64>();
            lower[row * size + column] = match row == column {
                true => float::sqrt(rest.max(f64::MIN_POSITIVE)),
                false => rest / lower[column * size + column],
            };
        }
    }
    let mut step = point.gradient.clone();
    for row in 0..size {
        let before: f64 = (0..row).map(|at| lower[row * size + at] * step[at]).sum();
        step[row] = (step[row] - before) / lower[row * size + row];
    }
    for row in (0..size).rev() {
        let after = (row + 1..size).map(|at| lower[at * size + row] * step[at]);
        let after: f64 = after.sum();
        step[row] = (step[row] - after) / lower[row * size + row];
    }
    step
}

#[cfg(test)]
mod tests {
    use super::{RIDGE, Regression, evaluate, fit};
    use crate::{
        model::calibration::{Curve, logistic},
        random::Stream,
    };
    use alloc::vec::Vec;

    /// Answers whose scores overlap.
    fn answers(count: usize) -> Vec<([f64; 2], bool)> {
        let mut dice = Stream::new(5, 0);
        let one = |_| {
            let (score, margin) = (4.0 * dice.unit() - 2.0, 2.0 * dice.unit());
            (
                [score, margin],
                dice.unit() < logistic(score + 2.0 * margin - 1.0),
            )
        };
        (0..count).map(one).collect()
    }

    fn problem(curve: &Curve<2>, answers: &[([f64; 2], bool)]) -> Regression {
        let mut terms = Vec::new();
        for &(inputs, _) in answers {
            curve.terms(inputs, |_, value| terms.push(value));
        }
        Regression {
            size: Curve::<2>::TERMS,
            terms,
            right: answers.iter().map(|&(_, right)| right).collect(),
        }
    }

    #[test]
    fn the_optimum_has_no_gradient_and_its_hessian_is_that_of_differences() {
        let answers = answers(400);
        let curve = fit(&answers);
        let weights: Vec<f64> = curve.weights.iter().map(|&w| f64::from(w)).collect();
        let problem = problem(&curve, &answers);
        let point = evaluate(&problem, &weights);
        assert!(
            point.gradient.iter().all(|g| g.abs() < 1e-4),
            "{:?}",
            point.gradient
        );
        let size = weights.len();
        for at in 0..size {
            let mut moved = weights.clone();
            moved[at] += 1e-5;
            let there = evaluate(&problem, &moved);
            let slope = (there.objective - point.objective) / 1e-5;
            assert!((slope - point.gradient[at]).abs() < 1e-2, "{at}");
            for row in at..size {
                let bend = (there.gradient[row] - point.gradient[row]) / 1e-5;
                let stated = point.hessian[row * size + at];
                assert!((bend - stated).abs() < 1e-2 * stated.abs().max(1.0));
            }
        }
    }

    /// The slow twin: gradient descent from zero.
    #[test]
    fn descending_by_gradients_alone_ends_in_the_same_place() {
        let answers = answers(60);
        let curve = fit(&answers);
        let problem = problem(&curve, &answers);
        let mut weights = [0.0; Curve::<2>::TERMS];
        for _ in 0..40_000 {
            let point = evaluate(&problem, &weights);
            for (weight, slope) in weights.iter_mut().zip(&point.gradient) {
                *weight -= 0.01 * slope;
            }
        }
        for (slow, &fast) in weights.iter().zip(&curve.weights) {
            assert!((slow - f64::from(fast)).abs() < 1e-3, "{slow} {fast}");
        }
    }

    #[test]
    fn answers_that_a_plane_separates_have_finite_weights() {
        let separate = |at: u32| ([f64::from(at), 0.0], at >= 50);
        let curve = fit(&(0..100).map(separate).collect::<Vec<_>>());
        let largest = curve
            .weights
            .iter()
            .fold(0.0, |most, w| f32::max(most, w.abs()));
        assert!(largest < 1.0 / RIDGE as f32 * 100.0, "{:?}", curve.weights);
        let all = fit(&[([1.0, 1.0], true), ([1.0, 1.0], true)]);
        assert!(all.weights.iter().all(|w| w.is_finite()));
    }
}
