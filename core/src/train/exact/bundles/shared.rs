//! A machine that several processes train together.

use super::{
    exchange::{Exchange, ExchangeError},
    trainer::Tournament,
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::ExactKernels,
    train::{
        TrainError,
        exact::{
            certificate::Certificate,
            lee_lin_wahba::LeeLinWahba,
            machine::Machine,
            parameters::{MultiClassLoss, MultiClassSvm},
            problem::{MultiLabel, Problem},
            trainer::Report,
        },
    },
};
use core::ops::ControlFlow;

impl MultiClassSvm {
    /// Trains on `data` together with other processes, which call this with the same data and parameters; `progress`
    /// hears of every epoch and may stop the work, in all processes at the same epoch. Only the first
    /// process is given the machine. It has the same bits for any number of processes, executor and kernels.
    ///
    /// # Errors
    /// As [`MultiClassSvm::train`]; a loss other than those of Weston-Watkins and of Lee-Lin-Wahba; processes that do
    /// not reach each other.
    pub fn train_shared<E: Executor, X: Exchange>(
        &self,
        data: &Dataset,
        multi_label: MultiLabel,
        executor: &E,
        kernels: &dyn ExactKernels,
        exchange: &mut X,
        mut progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Option<Machine>, TrainError> {
        let problem = Problem::new(data, self, multi_label)?;
        match self.loss {
            MultiClassLoss::CrammerSinger => Err(TrainError::OneProcess),
            MultiClassLoss::WestonWatkins => {
                let mut training = Tournament::new(self, problem, exchange);
                until_ended(|| training.epoch(executor, exchange), &mut progress)?;
                let proof = training.certificate().unwrap_or_default();
                let weights = |feature, visit: &mut dyn FnMut(u32, f32)| {
                    training.visit(feature, |class, weight| visit(class, weight as f32));
                };
                let shared = (&*exchange, proof);
                self.told(training.problem(), weights, data, executor, kernels, shared)
            }
            MultiClassLoss::LeeLinWahba => {
                let mut solver = LeeLinWahba::among(self, problem, exchange)?;
                until_ended(|| solver.epoch_among(exchange), &mut progress)?;
                let proof = solver.certificate().unwrap_or_default();
                let weights = |feature, visit: &mut dyn FnMut(u32, f32)| {
                    for (class, weight) in solver.weights(feature).enumerate() {
                        visit(class as u32, weight as f32);
                    }
                };
                let shared = (&*exchange, proof);
                self.told(solver.problem(), weights, data, executor, kernels, shared)
            }
        }
    }

    /// The machine of these weights, in the first process.
    fn told<E: Executor, X: Exchange>(
        &self,
        problem: &Problem,
        weights: impl Fn(usize, &mut dyn FnMut(u32, f32)),
        data: &Dataset,
        executor: &E,
        kernels: &dyn ExactKernels,
        (exchange, proof): (&X, Certificate),
    ) -> Result<Option<Machine>, TrainError> {
        if exchange.rank() > 0 {
            return Ok(None);
        }
        let kept = |feature, visit: &mut dyn FnMut(u32, f32)| {
            weights(feature, &mut |class, weight| {
                let constant = feature == problem.feature_ids().len();
                if constant || weight.abs() > self.prune {
                    visit(class, weight);
                }
            });
        };
        let (weights, biases) = self.class_weights(problem, kept);
        let labels = data.labels().labels() as usize;
        let rounded = self.round(problem, &weights, &biases, labels);
        let stored = self.stored_primal(problem, &rounded, executor, kernels);
        self.machine(&rounded, data, proof, stored, None).map(Some)
    }
}

/// Runs epochs until there is none or `progress` stops them.
fn until_ended(
    mut epoch: impl FnMut() -> Result<Option<Report>, ExchangeError>,
    progress: &mut impl FnMut(Report) -> ControlFlow<()>,
) -> Result<(), TrainError> {
    while let Some(report) = epoch()? {
        if progress(report).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    Ok(())
}
