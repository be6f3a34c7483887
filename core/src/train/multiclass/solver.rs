//! The solver that a loss needs, epoch by epoch: the caller owns the loop.

use super::{
    certificate::Certificate,
    lee_lin_wahba::LeeLinWahba,
    problem::{MultiLabel, Problem},
    trainer::{MOST, Report, Trainer},
};
use crate::parameters::multiclass::{MultiClassLoss, MultiClassSvm};
use crate::train::multiclass::warm_start::{Start, likely_classes};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    train::{
        TrainError,
        state::{Resumable, StateError},
    },
};
use alloc::boxed::Box;

/// Training under way: call [`Solver::epoch`] until it returns `None`, then [`MultiClassSvm::finish`].
#[derive(Debug)]
pub enum Solver {
    /// Of Crammer-Singer and Weston-Watkins.
    ByRows(Box<Trainer>),
    /// Of Lee-Lin-Wahba.
    LeeLinWahba(Box<LeeLinWahba>),
}

impl Solver {
    /// Begins training on `data`, perhaps from the duals of another cost or from a model.
    ///
    /// # Errors
    /// Bad parameters, unusable data and a model of other features, before any work; lack of memory.
    pub fn new<E: Executor>(
        parameters: &MultiClassSvm,
        data: &Dataset,
        multi_label: MultiLabel,
        start: Option<Start<'_>>,
        executor: &E,
        kernels: &dyn Kernels,
    ) -> Result<Self, TrainError> {
        let problem = Problem::new(data, parameters, multi_label)?;
        Ok(match (parameters.loss, start) {
            (MultiClassLoss::LeeLinWahba, _) => {
                let solver = LeeLinWahba::new(parameters, problem, executor, kernels.processor())?;
                Self::LeeLinWahba(Box::new(solver))
            }
            (_, Some(Start::Duals(start))) => {
                Self::ByRows(Box::new(Trainer::warm(parameters, problem, start)))
            }
            (_, Some(Start::Model(model))) => {
                let likely = likely_classes(model, data, &problem, MOST, executor, kernels)?;
                Self::ByRows(Box::new(Trainer::informed(parameters, problem, likely)))
            }
            (_, None) => Self::ByRows(Box::new(Trainer::new(parameters, problem))),
        })
    }

    /// Does the next epoch, or returns `None` if training has ended.
    pub fn epoch<E: Executor>(&mut self, executor: &E, kernels: &dyn Kernels) -> Option<Report> {
        match self {
            Self::ByRows(trainer) => trainer.epoch(executor, kernels.processor()),
            Self::LeeLinWahba(solver) => solver.epoch(executor, kernels.processor()),
        }
    }

    /// The proof, once training has ended.
    #[must_use]
    pub(crate) fn certificate(&self) -> Option<Certificate> {
        match self {
            Self::ByRows(trainer) => trainer.certificate(),
            Self::LeeLinWahba(solver) => solver.certificate(),
        }
    }
}

impl Resumable for Solver {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        match self {
            Self::ByRows(trainer) => trainer.save(sink),
            Self::LeeLinWahba(solver) => solver.save(sink),
        }
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        match self {
            Self::ByRows(trainer) => trainer.resume(bytes),
            Self::LeeLinWahba(solver) => solver.resume(bytes),
        }
    }
}
