//! A machine that several processes train together.

use super::epochs::Tournament;
use crate::train::exchange::{Exchange, ExchangeError};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    parameters::multiclass::{MultiClassLoss, MultiClassSvm},
    train::{
        TrainError,
        multiclass::{
            certificate::{Certificate, ROUNDING},
            lee_lin_wahba::LeeLinWahba,
            machine::Machine,
            problem::{MultiLabel, Problem},
            trainer::Report,
        },
        state::{Shared, StateError},
    },
};
use alloc::{boxed::Box, vec::Vec};

/// A training under way in one of the processes that share it: call [`SharedTraining::epoch`] until
/// it returns `None`, then [`MultiClassSvm::finish_shared`].
///
/// The machine has the same bits for any number of processes, executor and kernels.
#[derive(Debug)]
pub struct SharedTraining {
    kind: Kind,
    /// Whether this is the first process.
    first: bool,
}

#[derive(Debug)]
enum Kind {
    /// Pairs of bundles of labels are shared out: Weston-Watkins.
    Tournament(Box<Tournament>),
    /// Labels are shared out.
    LeeLinWahba(Box<LeeLinWahba>),
}

impl SharedTraining {
    /// Begins training on `data`. All processes call this with the same.
    ///
    /// A Weston-Watkins machine is trained by bundles of labels that rotate (`super`): each process
    /// keeps the duals of its pairs of bundles, and training takes many more epochs than by rows.
    ///
    /// # Errors
    /// As [`MultiClassSvm::train`]; the loss of Crammer and Singer, whose duals concern all labels;
    /// processes that do not reach each other.
    pub fn new<X: Exchange>(
        parameters: &MultiClassSvm,
        data: &Dataset,
        multi_label: MultiLabel,
        (executor, exchange): (&Executor, &mut X),
        kernels: &dyn Kernels,
    ) -> Result<Self, TrainError> {
        if parameters.loss == MultiClassLoss::CrammerSinger {
            return Err(TrainError::NoBundles);
        }
        let first = exchange.rank() == 0;
        let problem = Problem::new(data, parameters, multi_label)?;
        let kind = if parameters.loss == MultiClassLoss::LeeLinWahba {
            let among = (executor, exchange);
            let training = LeeLinWahba::among(parameters, problem, among, kernels.processor())?;
            Kind::LeeLinWahba(Box::new(training))
        } else {
            Kind::Tournament(Box::new(Tournament::new(parameters, problem, exchange)))
        };
        Ok(Self { kind, first })
    }

    /// Does the next epoch, or returns `None` if training has ended, in all processes at the same.
    ///
    /// # Errors
    /// If processes do not reach each other.
    pub fn epoch<X: Exchange>(
        &mut self,
        executor: &Executor,
        kernels: &dyn Kernels,
        exchange: &mut X,
    ) -> Result<Option<Report>, ExchangeError> {
        match &mut self.kind {
            Kind::LeeLinWahba(training) => {
                training.epoch_among((executor, exchange), kernels.processor())
            }
            Kind::Tournament(training) => training.epoch(executor, kernels.processor(), exchange),
        }
    }

    /// The proof, once training has ended.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate> {
        match &self.kind {
            Kind::LeeLinWahba(training) => training.certificate(),
            Kind::Tournament(training) => training.certificate(),
        }
    }
}

impl Shared for SharedTraining {
    fn shares(&self) -> usize {
        match &self.kind {
            Kind::LeeLinWahba(training) => training.shares(),
            Kind::Tournament(training) => training.shares(),
        }
    }

    fn here(&self) -> Vec<usize> {
        match &self.kind {
            Kind::LeeLinWahba(training) => training.here(),
            Kind::Tournament(training) => training.here(),
        }
    }

    fn save_share(&self, share: usize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        match &self.kind {
            Kind::LeeLinWahba(training) => training.save_share(share, sink),
            Kind::Tournament(training) => training.save_share(share, sink),
        }
    }

    fn resume_share(&mut self, share: usize, bytes: &[u8]) -> Result<(), StateError> {
        match &mut self.kind {
            Kind::LeeLinWahba(training) => training.resume_share(share, bytes),
            Kind::Tournament(training) => training.resume_share(share, bytes),
        }
    }
}

impl MultiClassSvm {
    /// The machine of a training that has ended, in the first process.
    ///
    /// # Errors
    /// [`TrainError::Stopped`] if it has not ended; as [`MultiClassSvm::train`].
    pub fn finish_shared(
        &self,
        training: SharedTraining,
        data: &Dataset,
        executor: &Executor,
        kernels: &dyn Kernels,
    ) -> Result<Option<Machine>, TrainError> {
        let proof = training.certificate().ok_or(TrainError::Stopped)?;
        let proof = proof.sound(ROUNDING * proof.primal.abs())?;
        if !training.first {
            return Ok(None);
        }
        let training = match training.kind {
            Kind::LeeLinWahba(training) => {
                let machine = (executor, kernels.processor());
                let labels = data.labels().labels() as usize;
                return self
                    .lee_lin_wahba_machine(&training, labels, machine)
                    .map(Some);
            }
            Kind::Tournament(training) => training,
        };
        let problem = training.problem();
        let labels = data.labels().labels() as usize;
        let model = self.rounded(problem, &*training, labels, executor)?;
        let stored_primal = self.stored_primal(problem, &model, executor, kernels.processor());
        Ok(Some(Machine {
            model,
            certificate: proof,
            stored_primal,
            duals: None,
        }))
    }
}
