//! The steps of the features' vectors after a batch of visits.

use super::space::StepRule;
use crate::{float, model::embedding::panels::square};

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

/// Steps to make in order. All of one vector must be in the order of visits; the order of vectors does not
/// matter.
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

/// Makes the steps.
#[inline(always)]
pub fn step_vectors(work: &mut VectorSteps<'_>) {
    let dimensions = work.dimensions;
    for step in work.steps {
        let (at, visit) = (step.vector as usize, step.visit as usize);
        let mut size = work.rule.size * step.value;
        if work.rule.adaptive {
            let sum = &mut work.sums[at];
            *sum += work.mean_squares[visit] * step.value * step.value;
            if *sum <= 0.0 {
                continue;
            }
            size /= float::sqrt_f32(*sum);
        }
        let vector = &mut work.table[at * dimensions..][..dimensions];
        let gradient = &work.gradients[visit * dimensions..][..dimensions];
        for (weight, g) in vector.iter_mut().zip(gradient) {
            *weight -= size * g;
        }
        if work.rule.max_norm > 0.0 {
            let length = square(vector);
            if length > work.rule.max_norm * work.rule.max_norm {
                let factor = work.rule.max_norm / float::sqrt_f32(length);
                vector.iter_mut().for_each(|weight| *weight *= factor);
            }
        }
    }
}
