//! What the parts of the solver share: the problem, the duals and the weights that belong to them.

use super::{
    duals::RowDuals,
    problem::{Problem, Row},
    row_step::Limits,
};
use crate::train::multiclass::{class_weights::ClassWeights, narrow_vec::Numbers};
use alloc::vec::Vec;

/// A solution under way: the weights are always those of the duals, up to rounding.
#[derive(Clone, Debug)]
pub struct State {
    /// The rows.
    pub problem: Problem,
    /// The duals of each row.
    pub duals: Vec<RowDuals>,
    /// The weights.
    pub weights: ClassWeights,
    /// The limits of duals.
    pub limits: Limits,
}

/// What a row says of the gap at the present weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// C times the row's loss, less `products`: the row's share of P - D, at least 0.
    pub gap: f64,
    /// The sum of its duals, each times its `b = 1 - s_y + s_c`.
    pub products: f64,
}

impl State {
    /// The background's score of a row; `out` becomes the scores by `r_c` of its own class and of
    /// those listed.
    #[inline(always)]
    pub(crate) fn scores(&self, row: Row<'_>, duals: &RowDuals, out: &mut Vec<f32>) -> f32 {
        out.clear();
        out.resize(1 + duals.classes.len(), 0.0);
        match &duals.places {
            Numbers::Narrow(places) => self.add_up(row, places, out),
            Numbers::Wide(places) => self.add_up(row, places, out),
        }
    }

    #[inline(always)]
    fn add_up<P: Copy + Into<u32>>(&self, row: Row<'_>, places: &[P], out: &mut [f32]) -> f32 {
        let mut background = 0f32;
        let terms = row.features.iter().zip(row.values);
        for ((&feature, &value), places) in terms.zip(places.chunks_exact(out.len())) {
            let weights = self.weights.from(feature as usize);
            background += self.weights.background[feature as usize] * value;
            // Four at once: what is read one by one is multiplied and added together.
            let (scores, last_scores) = out.as_chunks_mut::<4>();
            let (fours, last) = places.as_chunks::<4>();
            for (scores, places) in scores.iter_mut().zip(fours) {
                let read = places.map(|place| weights[place.into() as usize]);
                for (score, weight) in scores.iter_mut().zip(read) {
                    *score += weight * value;
                }
            }
            for (score, &place) in last_scores.iter_mut().zip(last) {
                *score += weights[place.into() as usize] * value;
            }
        }
        background
    }

    /// The mean of `b` over the classes that share one dual: the scores of all classes add up to 0.
    #[inline(always)]
    pub(crate) fn shared_shortfall(
        &self,
        duals: &RowDuals,
        background: f64,
        scores: &[f32],
    ) -> f64 {
        let sharing = duals.sharing(self.weights.classes);
        if sharing == 0 {
            return 0.0;
        }
        let sum: f64 = scores.iter().map(|&s| f64::from(s)).sum();
        let others = -(sum + background * scores.len() as f64);
        let own = f64::from(scores[0]) + background;
        1.0 - own + others / sharing as f64
    }

    /// The row's share of the gap if the loss saw listed classes and the mean of the others only.
    #[inline(always)]
    pub(crate) fn share(&self, duals: &RowDuals, shortfalls: &[f64], shared: f64) -> Share {
        let sharing = duals.sharing(self.weights.classes) as f64;
        let mut products = sharing * duals.shared * shared;
        let mut sum = sharing * shared.max(0.0);
        let mut largest = if sharing > 0.0 { shared.max(0.0) } else { 0.0 };
        for (&short, &alpha) in shortfalls.iter().zip(&duals.alphas) {
            products += alpha * short;
            sum += short.max(0.0);
            largest = largest.max(short);
        }
        let loss = if self.limits.largest_only() {
            largest
        } else {
            sum
        };
        Share {
            gap: self.limits.cost * loss - products,
            products,
        }
    }

    /// Bytes held, the problem's included.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let duals: usize = self.duals.iter().map(RowDuals::bytes).sum();
        duals + self.weights.bytes() + 8 * self.problem.values() + 24 * self.problem.len()
    }
}
