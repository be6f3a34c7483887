//! The steps of the features' vectors after a batch of visits.

use super::space::StepRule;
use crate::{float, kernels::panels::square};
use hapax_processor::{Fetch, Loop};

/// One step of one vector: along the gradient of a visit, times the row's value of the feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Which vector of the table.
    pub vector: u32,
    /// Which visit of the batch.
    pub visit: u32,
    /// The feature's value in that row.
    pub value: f32,
}

/// Steps to make in order. All of one vector must be in the order of visits; the order of vectors
/// does not matter.
pub struct VectorSteps<'a> {
    /// The vectors, M numbers each.
    pub table: &'a mut [f32],
    /// Their sums of mean squared gradients, if steps are adaptive.
    pub sums: &'a mut [f32],
    /// The steps.
    pub steps: &'a [Step],
    /// The gradients of the visits, M numbers each.
    pub gradients: &'a [f32],
    /// M.
    pub dimensions: usize,
    /// The mean square of each visit's gradient.
    pub mean_squares: &'a [f32],
    /// How steps are made.
    pub rule: StepRule,
}

impl Loop for VectorSteps<'_> {
    type Output = ();

    /// Makes the steps.
    #[inline(always)]
    fn run<F: Fetch>(self, _: &F) {
        let dimensions = self.dimensions;
        for step in self.steps {
            let (at, visit) = (step.vector as usize, step.visit as usize);
            let mut size = self.rule.size * step.value;
            if self.rule.adaptive {
                let sum = &mut self.sums[at];
                *sum += self.mean_squares[visit] * step.value * step.value;
                if *sum <= 0.0 {
                    continue;
                }
                size /= float::sqrt_f32(*sum);
            }
            let vector = &mut self.table[at * dimensions..][..dimensions];
            let gradient = &self.gradients[visit * dimensions..][..dimensions];
            for (weight, g) in vector.iter_mut().zip(gradient) {
                *weight -= size * g;
            }
            if self.rule.max_norm > 0.0 {
                let length = square(vector);
                if length > self.rule.max_norm * self.rule.max_norm {
                    let factor = self.rule.max_norm / float::sqrt_f32(length);
                    vector.iter_mut().for_each(|weight| *weight *= factor);
                }
            }
        }
    }
}
