//! From data to a linear model with its proof.

use super::{
    certificate::Certificate,
    duals::RowDuals,
    halves::Halves,
    numbers::Numbers,
    parameters::{MultiClassLoss, MultiClassSvm},
    problem::{MultiLabel, Problem},
    row_step::Limits,
    solver::Solver,
    start::{Start, WarmStart},
    state::State,
    survey::{Search, survey},
    trainer::Report,
    weights::ClassWeights,
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::ExactKernels,
    model::linear::{LinearModel, build::LabelWeights, build::build},
    train::TrainError,
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;

/// A trained machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The model, pruned and rounded.
    pub model: LinearModel,
    /// The proof of the weights before they were pruned and rounded.
    pub certificate: Certificate,
    /// The primal objective of the model's weights as they are stored.
    pub stored_primal: f64,
    /// The duals, for a start at another cost; none of a Lee-Lin-Wahba machine.
    pub duals: Option<WarmStart>,
}

impl Machine {
    /// The gap of the stored weights, as a share of their primal objective.
    #[must_use]
    pub fn stored_gap(&self) -> f64 {
        (self.stored_primal - self.certificate.dual) / self.stored_primal.abs().max(1e-12)
    }
}

impl MultiClassSvm {
    /// Trains on `data`; `progress` hears of every epoch and may stop the work. Equal data and
    /// parameters give equal machines for any executor and kernels.
    ///
    /// A path of costs is trained fastest from the smallest on, each machine starting from the duals of the
    /// one before.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so;
    /// too many weights for the model's form; a model to start from that does not fit. A Lee-Lin-Wahba
    /// machine takes no notice of `start`.
    pub fn train<E: Executor>(
        &self,
        data: &Dataset,
        multi_label: MultiLabel,
        start: Option<Start<'_>>,
        executor: &E,
        kernels: &dyn ExactKernels,
        mut progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Machine, TrainError> {
        let mut solver = Solver::new(self, data, multi_label, start, executor, kernels)?;
        while let Some(report) = solver.epoch(executor, kernels) {
            if progress(report).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        self.finish(solver, data, executor, kernels)
    }

    /// The machine of a training of these parameters on `data` that has come to its end.
    ///
    /// # Errors
    /// If epochs are left, or there are too many weights for the model's form.
    pub fn finish<E: Executor>(
        &self,
        solver: Solver,
        data: &Dataset,
        executor: &E,
        kernels: &dyn ExactKernels,
    ) -> Result<Machine, TrainError> {
        let certificate = solver.certificate().ok_or(TrainError::Stopped)?;
        let labels = data.labels().labels() as usize;
        let trainer = match solver {
            Solver::LeeLinWahba(solver) => {
                let (weights, biases) = self.class_weights(solver.problem(), |feature, visit| {
                    for (class, weight) in solver.weights(feature).enumerate() {
                        visit(class as u32, weight as f32);
                    }
                });
                let rounded = self.round(solver.problem(), &weights, &biases, labels);
                let stored = self.stored_primal(solver.problem(), &rounded, executor, kernels);
                return self.machine(&rounded, data, certificate, stored, None);
            }
            Solver::ByRows(trainer) => trainer,
        };
        let State {
            problem,
            mut duals,
            weights: lists,
            ..
        } = trainer.into_state();
        // Places are those of weights that end here.
        duals
            .iter_mut()
            .for_each(|row| row.places = Numbers::default());
        let (weights, biases) = self.class_weights(&problem, |feature, visit| {
            lists.visit(feature, visit);
        });
        drop(lists);
        let rounded = self.round(&problem, &weights, &biases, labels);
        drop(weights);
        let stored = self.stored_primal(&problem, &rounded, executor, kernels);
        let duals = WarmStart {
            cost: self.cost,
            duals,
        };
        self.machine(&rounded, data, certificate, stored, Some(duals))
    }

    pub(super) fn machine(
        &self,
        rounded: &[LabelWeights],
        data: &Dataset,
        certificate: Certificate,
        stored_primal: f64,
        duals: Option<WarmStart>,
    ) -> Result<Machine, TrainError> {
        let features = data.rows().features() as usize;
        Ok(Machine {
            model: build(rounded, features, self.transform(), self.bits)?,
            certificate,
            stored_primal,
            duals,
        })
    }

    /// Weights by class that are not pruned, features by the data set's numbers, and the biases.
    pub(super) fn class_weights(
        &self,
        problem: &Problem,
        visit: impl Fn(usize, &mut dyn FnMut(u32, f32)),
    ) -> (Vec<Vec<(u32, f32)>>, Vec<f32>) {
        let mut counts = vec![0usize; problem.classes()];
        for feature in 0..problem.feature_ids().len() {
            visit(feature, &mut |class, weight| {
                counts[class as usize] += usize::from(weight.abs() > self.prune);
            });
        }
        let mut weights: Vec<Vec<(u32, f32)>> =
            counts.into_iter().map(Vec::with_capacity).collect();
        let mut biases = vec![0f32; problem.classes()];
        for feature in 0..problem.features() {
            match problem.feature_ids().get(feature) {
                Some(&id) => visit(feature, &mut |class, weight| {
                    if weight.abs() > self.prune {
                        weights[class as usize].push((id, weight));
                    }
                }),
                None => visit(feature, &mut |class, weight| {
                    biases[class as usize] = (f64::from(weight) * problem.bias()) as f32;
                }),
            }
        }
        (weights, biases)
    }

    /// Weights of each label, rounded; labels without rows have none.
    pub(super) fn round(
        &self,
        problem: &Problem,
        weights: &[Vec<(u32, f32)>],
        biases: &[f32],
        labels: usize,
    ) -> Vec<LabelWeights> {
        let mut rounded = vec![LabelWeights::unseen(); labels];
        for ((&label, weights), &bias) in problem.labels().iter().zip(weights).zip(biases) {
            rounded[label as usize] = LabelWeights::round(weights, bias, self.bits);
        }
        rounded
    }

    /// The primal objective of rounded weights. Those of a Lee-Lin-Wahba machine are first shifted so
    /// that they add up to 0, which answers do not depend on.
    pub(super) fn stored_primal<E: Executor>(
        &self,
        problem: &Problem,
        rounded: &[LabelWeights],
        executor: &E,
        kernels: &dyn ExactKernels,
    ) -> f64 {
        let weights = stored_weights(problem, rounded);
        let square = weights.square();
        let loss = if self.loss == MultiClassLoss::LeeLinWahba {
            self.cost * lee_lin_wahba_loss(problem, &weights)
        } else {
            let state = State {
                duals: vec![RowDuals::default(); problem.len()],
                limits: Limits::new(self.loss, self.cost),
                halves: Halves::default(),
                problem: problem.clone(),
                weights,
            };
            let search = Search {
                tolerance: f64::INFINITY,
                epsilon: f64::INFINITY,
                most: 0,
                usual: f64::INFINITY,
                idle: f64::INFINITY,
                less: [0.0; 3],
            };
            survey(&state, search, executor, kernels).loss
        };
        0.5 * square + loss
    }
}

/// Rounded weights as the solvers have them.
fn stored_weights(problem: &Problem, rounded: &[LabelWeights]) -> ClassWeights {
    let mut number = vec![0u32; problem.features()];
    for (feature, &id) in problem.feature_ids().iter().enumerate() {
        number[id as usize] = feature as u32;
    }
    let visit = |each: &mut dyn FnMut(usize, u32, f32)| {
        for (class, &label) in (0..).zip(problem.labels()) {
            let label = &rounded[label as usize];
            for (&id, &weight) in label.features.iter().zip(&label.weights) {
                let feature = number[id as usize] as usize;
                each(feature, class, f32::from(weight) * label.scale);
            }
            if problem.bias() != 0.0 {
                let weight = (f64::from(label.bias) / problem.bias()) as f32;
                each(problem.feature_ids().len(), class, weight);
            }
        }
    };
    let mut counts = vec![0u32; problem.features()];
    visit(&mut |feature, _, _| counts[feature] += 1);
    let mut places: Vec<usize> = Vec::with_capacity(counts.len());
    let mut end = 0;
    for &count in &counts {
        places.push(end);
        end += count as usize;
    }
    let (mut classes, mut by_feature) = (vec![0u32; end], vec![0f32; end]);
    visit(&mut |feature, class, weight| {
        let place = &mut places[feature];
        (classes[*place], by_feature[*place]) = (class, weight);
        *place += 1;
    });
    let mut weights = ClassWeights::new(problem.features(), problem.classes());
    weights.append(0, &counts, &classes);
    let mut start = 0;
    for mut shard in weights.shards(&[0, problem.features() as u32]) {
        for (at, &count) in counts.iter().enumerate() {
            let own = start..start + count as usize;
            start = own.end;
            let sum: f64 = by_feature[own.clone()].iter().map(|&w| f64::from(w)).sum();
            shard.background[at] = (-sum / problem.classes() as f64) as f32;
            if shard.is_dense(at) {
                for (&class, &weight) in classes[own.clone()].iter().zip(&by_feature[own]) {
                    shard.of(at)[class as usize] = weight;
                }
            } else {
                shard.of(at).copy_from_slice(&by_feature[own]);
            }
        }
    }
    weights
}

fn lee_lin_wahba_loss(problem: &Problem, weights: &ClassWeights) -> f64 {
    let mut total = 0.0;
    let mut scores = vec![0f64; problem.classes()];
    for number in 0..problem.len() {
        let row = problem.row(number);
        scores.fill(0.0);
        let mut common = 0.0;
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let value = f64::from(value);
            common += f64::from(weights.background[feature as usize]) * value;
            weights.visit(feature as usize, |class, weight| {
                scores[class as usize] += f64::from(weight) * value;
            });
        }
        scores[problem.class(number) as usize] = f64::NEG_INFINITY;
        let losses = scores.iter().map(|score| (1.0 + common + score).max(0.0));
        total += losses.sum::<f64>();
    }
    total
}
