//! From data to a linear model with its proof.

use super::{
    by_feature::Stored,
    certificate::{Certificate, ROUNDING, rounding},
    duals::RowDuals,
    lee_lin_wahba::LeeLinWahba,
    problem::{MultiLabel, Problem},
    row_step::Limits,
    solver::Solver,
    state::State,
    survey::{Search, survey},
    trainer::{Report, Trainer},
};
use crate::parameters::multiclass::{MultiClassLoss, MultiClassSvm};
use crate::train::multiclass::{
    class_weights::ClassWeights,
    narrow_vec::Numbers,
    warm_start::{Start, WarmStart},
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::{Kernels, Processor},
    model::linear::LinearModel,
    train::{TrainError, Training},
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
    /// A path of costs is trained fastest from the smallest on, each machine starting from the
    /// duals of the one before.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress`
    /// said so; too many weights for the model's form; a model to start from that does not fit. A
    /// Lee-Lin-Wahba machine takes no notice of `start`.
    pub fn train(
        &self,
        data: &Dataset,
        multi_label: MultiLabel,
        start: Option<Start<'_>>,
        executor: &Executor,
        kernels: &dyn Kernels,
        mut progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Machine, TrainError> {
        let solver = Solver::new(self, data, multi_label, start, executor, kernels)?;
        solver.train(executor, &mut progress)
    }

    /// The machine of a Lee-Lin-Wahba training that has come to its end.
    pub(crate) fn lee_lin_wahba_machine(
        &self,
        solver: &LeeLinWahba,
        labels: usize,
        (executor, processor): (&Executor, Processor),
    ) -> Result<Machine, TrainError> {
        let certificate = solver.certificate().ok_or(TrainError::Stopped)?;
        let certificate = certificate.sound(ROUNDING * certificate.primal.abs())?;
        let model = self.rounded(solver.problem(), solver, labels, executor)?;
        let stored_primal = self.stored_primal(solver.problem(), &model, executor, processor);
        Ok(Machine {
            model,
            certificate,
            stored_primal,
            duals: None,
        })
    }

    /// The machine of a training by rows that has come to its end.
    pub(super) fn machine_by_rows(
        &self,
        trainer: Trainer,
        labels: usize,
        (executor, processor): (&Executor, Processor),
    ) -> Result<Machine, TrainError> {
        let certificate = trainer.certificate().ok_or(TrainError::Stopped)?;
        let state = trainer.into_state();
        let certificate = certificate.sound(rounding(&state, &certificate))?;
        let State {
            problem,
            mut duals,
            weights: lists,
            ..
        } = state;
        // Places are those of weights that end here.
        duals
            .iter_mut()
            .for_each(|row| row.places = Numbers::default());
        let model = self.rounded(&problem, &lists, labels, executor)?;
        drop(lists);
        let stored_primal = self.stored_primal(&problem, &model, executor, processor);
        let cost = self.cost;
        Ok(Machine {
            model,
            certificate,
            stored_primal,
            duals: Some(WarmStart { cost, duals }),
        })
    }

    /// The primal objective of a model's weights as they are stored. Those of a Lee-Lin-Wahba
    /// machine are first shifted so that they add up to 0, which answers do not depend on.
    pub(crate) fn stored_primal(
        &self,
        problem: &Problem,
        model: &LinearModel,
        executor: &Executor,
        processor: Processor,
    ) -> f64 {
        let stored = Stored::new(problem, model);
        let counts: Vec<usize> = (0..problem.features()).map(|f| stored.count(f)).collect();
        let weights = ClassWeights::gather(&stored, &counts, problem.classes(), executor);
        let square = weights.square();
        let loss = if self.loss == MultiClassLoss::LeeLinWahba {
            self.cost * lee_lin_wahba_loss(problem, &weights)
        } else {
            let state = State {
                duals: vec![RowDuals::default(); problem.len()],
                limits: Limits::new(self.loss, self.cost),
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
            survey(&state, search, executor, processor).loss
        };
        0.5 * square + loss
    }
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
