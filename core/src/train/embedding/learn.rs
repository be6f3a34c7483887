//! What a batch of visits teaches: the steps of classes and features, in the order of the visits.

use super::{
    joint::Trainer,
    space::{StepRule, step_classes},
    steps::{Step, VectorSteps},
    visit::{Outcome, Visited},
};
use crate::parameters::wsabie::WsabieSteps;
use crate::{executor::Executor, kernels::panels::square};
use alloc::vec::Vec;

/// Memory for the steps of a batch.
#[derive(Default)]
pub(super) struct Buffers {
    class_gradient: Vec<f32>,
    gradients: Vec<f32>,
    mean_squares: Vec<f32>,
    steps: Vec<Step>,
}

impl Buffers {
    /// Bytes held.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let numbers = self.class_gradient.capacity()
            + self.gradients.capacity()
            + self.mean_squares.capacity();
        4 * numbers + size_of::<Step>() * self.steps.capacity()
    }
}

impl Trainer<'_> {
    /// Makes the steps that the visits of a batch call for, in their order.
    pub(super) fn learn(&mut self, executor: &Executor) {
        let visits = core::mem::take(&mut self.visits);
        let rule = self.rule();
        self.buffers.gradients.clear();
        self.buffers.mean_squares.clear();
        self.buffers.steps.clear();
        self.buffers
            .class_gradient
            .resize(self.space.dimensions, 0.0);
        for visited in &visits {
            self.remember(visited);
            if visited.outcome != Outcome::Violated {
                continue;
            }
            self.step_classes(visited, &rule);
            self.collect(visited);
        }
        if !self.buffers.steps.is_empty() {
            self.step_features(executor, rule);
        }
        self.visits = visits;
    }

    fn rule(&self) -> StepRule {
        let parameters = &self.parameters;
        let mut size = parameters.step_size;
        if parameters.decay {
            let epoch = self.epoch % parameters.epochs;
            let part = self.done as f64 / self.order.len().max(1) as f64;
            size *= 1.0 - (f64::from(epoch) + part) / f64::from(parameters.epochs + 1);
        }
        StepRule {
            size: size as f32,
            adaptive: parameters.steps != WsabieSteps::Plain,
            max_norm: parameters.max_norm as f32,
        }
    }

    /// Last violators and rests after a visit.
    fn remember(&mut self, visited: &Visited) {
        if visited.outcome == Outcome::Ignored {
            return;
        }
        let violator = visited.violators.first().map(|&(class, _)| class);
        self.last.set(visited.positive, violator);
        let (rest, satisfied) = &mut self.rests[visited.row];
        if visited.outcome == Outcome::Satisfied {
            *satisfied = satisfied
                .saturating_add(1)
                .min(self.parameters.rest.min(255) as u8);
            *rest = *satisfied;
        } else {
            *satisfied = 0;
        }
    }

    fn step_classes(&mut self, visited: &Visited, rule: &StepRule) {
        let gradient = &mut self.buffers.class_gradient;
        let space = &mut self.space;
        self.processor.run(
            #[inline(always)]
            || step_classes(space, visited, rule, gradient),
        );
    }

    /// Notes the steps of the row's features. With the published AdaGrad its dimensions' sums are
    /// taken up here, and the gradient divided by their roots.
    fn collect(&mut self, visited: &Visited) {
        let (features, values) = self.rows.row(self.data, visited.row);
        let buffers = &mut self.buffers;
        let visit = buffers.mean_squares.len() as u32;
        let dimensions = self.space.dimensions as f32;
        buffers
            .mean_squares
            .push(square(&visited.gradient) / dimensions);
        let start = buffers.gradients.len();
        buffers.gradients.extend_from_slice(&visited.gradient);
        if self.parameters.steps == WsabieSteps::AdaGrad {
            let length = square(values) / self.rows.mean_values() as f32;
            for (g, sum) in buffers.gradients[start..]
                .iter_mut()
                .zip(&mut self.space.sums)
            {
                *sum += *g * *g * length;
                if *sum > 0.0 {
                    *g /= crate::float::sqrt_f32(*sum);
                }
            }
        }
        let pairs = features.iter().zip(values);
        let step = |(&vector, &value)| Step {
            vector,
            visit,
            value,
        };
        buffers.steps.extend(pairs.map(step));
    }

    fn step_features(&mut self, executor: &Executor, mut rule: StepRule) {
        rule.adaptive = self.parameters.steps == WsabieSteps::AdaGradByFeature;
        let Buffers {
            steps,
            gradients,
            mean_squares,
            ..
        } = &mut self.buffers;
        let dimensions = self.space.dimensions;
        let embedding = &mut self.space.embedding;
        let sums = if rule.adaptive {
            &mut self.space.sums[..]
        } else {
            &mut []
        };
        if self.batch == 1 || executor.threads() == 1 {
            return self.processor.run(VectorSteps {
                table: embedding,
                sums,
                steps,
                gradients,
                dimensions,
                mean_squares,
                rule,
            });
        }
        // All steps of a feature together, in the order of visits.
        steps.sort_by_key(|step| (step.vector, step.visit));
        let processor = self.processor;
        let parts = parts_by_vector(steps, executor.threads() * 4);
        let (table, all_sums) = (&embedding[..], &sums[..]);
        let stepped = executor.map(
            parts.len(),
            || (),
            |(), job| {
                let part = &steps[parts[job].clone()];
                let mut own = OwnVectors::take(part, table, all_sums, dimensions);
                processor.run(VectorSteps {
                    table: &mut own.table,
                    sums: &mut own.sums,
                    steps: &own.steps,
                    gradients,
                    dimensions,
                    mean_squares,
                    rule,
                });
                own
            },
        );
        stepped.iter().for_each(|own| own.put_back(embedding, sums));
    }
}

/// Ranges of the steps, about `count`, that do not part the steps of a vector.
fn parts_by_vector(steps: &[Step], count: usize) -> Vec<core::ops::Range<usize>> {
    let size = steps.len().div_ceil(count).max(64);
    let mut parts = Vec::new();
    let mut start = 0;
    while start < steps.len() {
        let mut end = (start + size).min(steps.len());
        while end < steps.len() && steps[end].vector == steps[end - 1].vector {
            end += 1;
        }
        parts.push(start..end);
        start = end;
    }
    parts
}

/// Copies of the vectors that a part of the steps changes.
struct OwnVectors {
    vectors: Vec<u32>,
    table: Vec<f32>,
    sums: Vec<f32>,
    steps: Vec<Step>,
}

impl OwnVectors {
    fn take(part: &[Step], table: &[f32], sums: &[f32], dimensions: usize) -> Self {
        let mut own = Self {
            vectors: Vec::new(),
            table: Vec::new(),
            sums: Vec::new(),
            steps: Vec::new(),
        };
        for step in part {
            if own.vectors.last() != Some(&step.vector) {
                let at = step.vector as usize;
                own.vectors.push(step.vector);
                own.table
                    .extend_from_slice(&table[at * dimensions..][..dimensions]);
                own.sums.extend(sums.get(at));
            }
            own.steps.push(Step {
                vector: own.vectors.len() as u32 - 1,
                ..*step
            });
        }
        own
    }

    fn put_back(&self, table: &mut [f32], sums: &mut [f32]) {
        let dimensions = self.table.len() / self.vectors.len().max(1);
        for (own, &vector) in self.table.chunks(dimensions.max(1)).zip(&self.vectors) {
            table[vector as usize * dimensions..][..dimensions].copy_from_slice(own);
        }
        // Plain and published steps have no sums by feature.
        for (&own, &vector) in self.sums.iter().zip(&self.vectors) {
            sums[vector as usize] = own;
        }
    }
}
