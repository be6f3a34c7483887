//! The steps of the features' vectors after a batch of visits.

use super::space::StepRule;
use crate::{float, kernels::panels::square};
use hapax_processor::Loop;

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
    fn run(self) {
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

#[cfg(test)]
mod tests {
    use super::{Step, StepRule, VectorSteps};
    use hapax_processor::Processor;

    /// Two steps of vector 1 of 2, along gradients (3, 4) and (0, 1) of mean squares 12.5 and 0.5,
    /// and one along a gradient of 0.
    fn made(rule: StepRule) -> ([f32; 4], [f32; 2]) {
        let (mut table, mut sums) = ([1.0, 2.0, 3.0, 4.0], [0.0; 2]);
        let step = |vector, visit, value| Step {
            vector,
            visit,
            value,
        };
        Processor::portable().run(VectorSteps {
            table: &mut table,
            sums: &mut sums,
            steps: &[step(1, 0, 0.5), step(1, 1, 2.0), step(0, 2, 1.0)],
            gradients: &[3.0, 4.0, 0.0, 1.0, 0.0, 0.0],
            dimensions: 2,
            mean_squares: &[12.5, 0.5, 0.0],
            rule,
        });
        (table, sums)
    }

    const PLAIN: StepRule = StepRule {
        size: 0.1,
        adaptive: false,
        max_norm: 0.0,
    };

    fn near(found: &[f32], wanted: &[f64]) {
        for (&found, wanted) in found.iter().zip(wanted) {
            assert!((f64::from(found) - wanted).abs() < 1e-6, "{found} {wanted}");
        }
    }

    #[test]
    fn steps_go_against_the_gradient() {
        let (table, sums) = made(PLAIN);
        near(&table, &[1.0, 2.0, 3.0 - 0.15, 4.0 - 0.2 - 0.2]);
        assert_eq!(sums, [0.0; 2]);
    }

    #[test]
    fn steps_are_divided_by_the_root_of_the_sum_so_far() {
        let (table, sums) = made(StepRule {
            adaptive: true,
            ..PLAIN
        });
        let (first, second) = (12.5 * 0.25, 12.5 * 0.25 + 0.5 * 4.0);
        near(&sums, &[0.0, second]);
        let (a, b) = (0.05 / f64::sqrt(first), 0.2 / f64::sqrt(second));
        near(&table, &[1.0, 2.0, 3.0 - 3.0 * a, 4.0 - 4.0 * a - b]);
    }

    #[test]
    fn a_vector_is_no_longer_than_allowed() {
        let most = |max_norm| made(StepRule { max_norm, ..PLAIN }).0;
        // (2.85, 3.8) has the length 4.75; the second step leaves it shorter, as vector 0 is.
        near(&most(2.5), &[1.0, 2.0, 1.5, 2.0 - 0.2]);
        near(&most(100.0), &[1.0, 2.0, 2.85, 3.6]);
    }
}
