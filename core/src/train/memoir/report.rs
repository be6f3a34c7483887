//! What is told of an epoch: loss, objective, weights.

use super::{draws::Pair, trainer::Trainer};
use alloc::{vec, vec::Vec};

/// Figures of the weights as they are, on a sample of the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Rows of the sample.
    pub rows: usize,
    /// Share of the sample with a margin below 1, from 0 to 1.
    pub open: f64,
    /// Mean of `max(0, 1 + max_{r != y} w_r x - w_y x)` over the sample.
    pub loss: f64,
    /// What training minimizes: the loss, and `lambda` times the size of the weights.
    pub objective: f64,
    /// Number of weights.
    pub nonzeros: usize,
    /// Bytes held, without the data set.
    pub bytes: usize,
}

/// Rows of the sample, at most.
const SAMPLE: usize = 1_000;

impl Trainer<'_> {
    /// Measures the weights of the last step (not their mean) on at most 1,000 rows, evenly spaced.
    ///
    /// Cost: one scoring of all classes for each row of the sample, and one pass over the weights.
    #[must_use]
    pub fn measure(&self) -> Measured {
        let pairs = self.draws.pairs();
        let apart = pairs.len().div_ceil(SAMPLE).max(1);
        let mut sample: Vec<Pair> = pairs.to_vec();
        sample.sort_unstable_by_key(|pair| (pair.row, pair.class));
        let sample: Vec<Pair> = sample.into_iter().step_by(apart).collect();
        let (mut open, mut loss) = (0usize, 0.0);
        let (mut scores, mut terms) = (vec![0f32; self.weights.classes()], Vec::new());
        for &pair in &sample {
            terms.clear();
            self.rows.terms(pair.row, &mut terms);
            self.weights.score(&terms, &mut scores);
            let labels = self.asked(pair).labels;
            let wrong = self
                .seen
                .iter()
                .filter(|class| labels.binary_search(class).is_err());
            let best = wrong
                .map(|&class| scores[class as usize])
                .fold(f32::MIN, f32::max);
            let margin = f64::from(scores[pair.class as usize]) - f64::from(best);
            let short = (1.0 - self.weights.scale() * margin).max(0.0);
            open += usize::from(short > 0.0);
            loss += short;
        }
        let rows = sample.len();
        let loss = loss / rows.max(1) as f64;
        let size = if self.parameters.is_l1() {
            self.weights.sizes()
        } else {
            0.5 * self.weights.square()
        };
        Measured {
            rows,
            open: open as f64 / rows.max(1) as f64,
            loss,
            objective: loss + self.parameters.lambda * size,
            nonzeros: self.weights.nonzeros(),
            bytes: self.bytes(),
        }
    }
}
