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
        state::{Shared, StateError},
    },
};
use alloc::{boxed::Box, vec::Vec};
use core::ops::ControlFlow;

/// A training under way in one of the processes that share it: call [`SharedTraining::epoch`] until it returns `None`,
/// then [`MultiClassSvm::finish_shared`].
#[derive(Debug)]
pub struct SharedTraining(Solver);

#[derive(Debug)]
enum Solver {
    WestonWatkins(Box<Tournament>),
    LeeLinWahba(Box<LeeLinWahba>),
}

impl SharedTraining {
    /// Begins training on `data`. All processes call this with the same data and parameters.
    ///
    /// # Errors
    /// As [`MultiClassSvm::train_shared`].
    pub fn new<X: Exchange>(
        parameters: &MultiClassSvm,
        data: &Dataset,
        multi_label: MultiLabel,
        exchange: &mut X,
    ) -> Result<Self, TrainError> {
        let problem = Problem::new(data, parameters, multi_label)?;
        Ok(Self(match parameters.loss {
            MultiClassLoss::CrammerSinger => return Err(TrainError::OneProcess),
            MultiClassLoss::WestonWatkins => {
                let training = Tournament::new(parameters, problem, exchange);
                Solver::WestonWatkins(Box::new(training))
            }
            MultiClassLoss::LeeLinWahba => {
                let training = LeeLinWahba::among(parameters, problem, exchange)?;
                Solver::LeeLinWahba(Box::new(training))
            }
        }))
    }

    /// Does the next epoch, or returns `None` if training has ended, in all processes at the same.
    ///
    /// # Errors
    /// If processes do not reach each other.
    pub fn epoch<E: Executor, X: Exchange>(
        &mut self,
        executor: &E,
        exchange: &mut X,
    ) -> Result<Option<Report>, ExchangeError> {
        match &mut self.0 {
            Solver::WestonWatkins(training) => training.epoch(executor, exchange),
            Solver::LeeLinWahba(training) => training.epoch_among(exchange),
        }
    }

    /// The proof, once training has ended.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate> {
        match &self.0 {
            Solver::WestonWatkins(training) => training.certificate(),
            Solver::LeeLinWahba(training) => training.certificate(),
        }
    }

    fn problem(&self) -> &Problem {
        match &self.0 {
            Solver::WestonWatkins(training) => training.problem(),
            Solver::LeeLinWahba(training) => training.problem(),
        }
    }

    /// Hands each class and its weight for a feature to `visit`; only in the first process, once training has ended.
    fn visit(&self, feature: usize, visit: &mut dyn FnMut(u32, f32)) {
        match &self.0 {
            Solver::WestonWatkins(training) => {
                training.visit(feature, |class, weight| visit(class, weight as f32));
            }
            Solver::LeeLinWahba(training) => {
                for (class, weight) in training.weights(feature).enumerate() {
                    visit(class as u32, weight as f32);
                }
            }
        }
    }

    fn state(&self) -> &dyn Shared {
        match &self.0 {
            Solver::WestonWatkins(training) => &**training,
            Solver::LeeLinWahba(training) => &**training,
        }
    }
}

impl Shared for SharedTraining {
    fn shares(&self) -> usize {
        self.state().shares()
    }

    fn here(&self) -> Vec<usize> {
        self.state().here()
    }

    fn save_share(&self, share: usize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        self.state().save_share(share, sink)
    }

    fn resume_share(&mut self, share: usize, bytes: &[u8]) -> Result<(), StateError> {
        match &mut self.0 {
            Solver::WestonWatkins(training) => training.resume_share(share, bytes),
            Solver::LeeLinWahba(training) => training.resume_share(share, bytes),
        }
    }
}

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
        let mut training = SharedTraining::new(self, data, multi_label, exchange)?;
        while let Some(report) = training.epoch(executor, exchange)? {
            if progress(report).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        self.finish_shared(&training, data, executor, kernels, exchange)
    }

    /// The machine of a training that has ended, in the first process.
    ///
    /// # Errors
    /// [`TrainError::Stopped`] if it has not ended; as [`MultiClassSvm::train`].
    pub fn finish_shared<E: Executor, X: Exchange>(
        &self,
        training: &SharedTraining,
        data: &Dataset,
        executor: &E,
        kernels: &dyn ExactKernels,
        exchange: &X,
    ) -> Result<Option<Machine>, TrainError> {
        let proof = training.certificate().ok_or(TrainError::Stopped)?;
        if exchange.rank() > 0 {
            return Ok(None);
        }
        let problem = training.problem();
        let kept = |feature, visit: &mut dyn FnMut(u32, f32)| {
            training.visit(feature, &mut |class, weight| {
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
