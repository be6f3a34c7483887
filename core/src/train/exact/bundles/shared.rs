//! A machine that several processes train together.

use super::{
    exchange::{Exchange, ExchangeError},
    trainer::Tournament,
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::BundleKernels,
    parameters::multiclass::{MultiClassLoss, MultiClassSvm},
    train::{
        TrainError,
        exact::{
            certificate::Certificate,
            halves::HALVES,
            machine::Machine,
            problem::{MultiLabel, Problem},
            solver::Solver,
            start::Start,
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
pub struct SharedTraining {
    kind: Kind,
    /// Whether this is the first process.
    first: bool,
}

#[derive(Debug)]
enum Kind {
    /// Rows of Crammer-Singer and Weston-Watkins are shared out, and labels of Lee-Lin-Wahba.
    Solver(Solver),
    /// Pairs of bundles of labels are shared out.
    Tournament(Box<Tournament>),
}

impl SharedTraining {
    /// Begins training on `data`, perhaps from the duals of another cost or from a model. All processes call this
    /// with the same.
    ///
    /// # Errors
    /// As [`MultiClassSvm::train_shared`].
    pub fn new<E: Executor, X: Exchange>(
        parameters: &MultiClassSvm,
        data: &Dataset,
        multi_label: MultiLabel,
        start: Option<Start<'_>>,
        (executor, exchange): (&E, &mut X),
        kernels: &dyn BundleKernels,
    ) -> Result<Self, TrainError> {
        let first = exchange.rank() == 0;
        let among = (executor, exchange);
        let solver = Solver::among(parameters, data, multi_label, start, among, kernels)?;
        Ok(Self {
            kind: Kind::Solver(solver),
            first,
        })
    }

    /// Begins training a Weston-Watkins machine on `data` by bundles of labels that rotate ([`super`]): processes
    /// keep different duals, not all of them; it takes many more epochs. All processes call this with the same.
    ///
    /// # Errors
    /// As [`MultiClassSvm::train_shared`]; another loss, whose duals do not concern two labels each.
    pub fn rotating<X: Exchange>(
        parameters: &MultiClassSvm,
        data: &Dataset,
        multi_label: MultiLabel,
        exchange: &mut X,
    ) -> Result<Self, TrainError> {
        if parameters.loss != MultiClassLoss::WestonWatkins {
            return Err(TrainError::NoBundles);
        }
        let problem = Problem::new(data, parameters, multi_label)?;
        let training = Tournament::new(parameters, problem, exchange);
        Ok(Self {
            kind: Kind::Tournament(Box::new(training)),
            first: exchange.rank() == 0,
        })
    }

    /// Does the next epoch, or returns `None` if training has ended, in all processes at the same.
    ///
    /// # Errors
    /// If processes do not reach each other.
    pub fn epoch<E: Executor, X: Exchange>(
        &mut self,
        executor: &E,
        kernels: &dyn BundleKernels,
        exchange: &mut X,
    ) -> Result<Option<Report>, ExchangeError> {
        match &mut self.kind {
            Kind::Solver(solver) => solver.epoch_among(executor, kernels, exchange),
            Kind::Tournament(training) => training.epoch(executor, kernels, exchange),
        }
    }

    /// The proof, once training has ended.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate> {
        match &self.kind {
            Kind::Solver(solver) => solver.certificate(),
            Kind::Tournament(training) => training.certificate(),
        }
    }
}

/// The state of Crammer-Singer and Weston-Watkins has a share for each half of the features.
impl Shared for SharedTraining {
    fn shares(&self) -> usize {
        match &self.kind {
            Kind::Solver(Solver::ByRows(_)) => HALVES,
            Kind::Solver(Solver::LeeLinWahba(solver)) => solver.shares(),
            Kind::Tournament(training) => training.shares(),
        }
    }

    fn here(&self) -> Vec<usize> {
        match &self.kind {
            Kind::Solver(Solver::ByRows(trainer)) => trainer.state().halves.saved().collect(),
            Kind::Solver(Solver::LeeLinWahba(solver)) => solver.here(),
            Kind::Tournament(training) => training.here(),
        }
    }

    fn save_share(&self, share: usize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        match &self.kind {
            Kind::Solver(Solver::ByRows(trainer)) => {
                if trainer.certificate().is_some() {
                    return Err(StateError::Unwritable);
                }
                trainer.save_half(share, sink)
            }
            Kind::Solver(Solver::LeeLinWahba(solver)) => solver.save_share(share, sink),
            Kind::Tournament(training) => training.save_share(share, sink),
        }
    }

    fn resume_share(&mut self, share: usize, bytes: &[u8]) -> Result<(), StateError> {
        match &mut self.kind {
            Kind::Solver(Solver::ByRows(trainer)) => trainer.resume_half(share, bytes),
            Kind::Solver(Solver::LeeLinWahba(solver)) => solver.resume_share(share, bytes),
            Kind::Tournament(training) => training.resume_share(share, bytes),
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
        kernels: &dyn BundleKernels,
        exchange: &mut X,
        mut progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Option<Machine>, TrainError> {
        let among = (executor, &mut *exchange);
        let mut training = SharedTraining::new(self, data, multi_label, None, among, kernels)?;
        while let Some(report) = training.epoch(executor, kernels, exchange)? {
            if progress(report).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        self.finish_shared(training, data, executor, kernels)
    }

    /// The machine of a training that has ended, in the first process.
    ///
    /// # Errors
    /// [`TrainError::Stopped`] if it has not ended; as [`MultiClassSvm::train`].
    pub fn finish_shared<E: Executor>(
        &self,
        training: SharedTraining,
        data: &Dataset,
        executor: &E,
        kernels: &dyn BundleKernels,
    ) -> Result<Option<Machine>, TrainError> {
        let proof = training.certificate().ok_or(TrainError::Stopped)?;
        if !training.first {
            return Ok(None);
        }
        let training = match training.kind {
            Kind::Solver(solver) => return self.finish(solver, data, executor, kernels).map(Some),
            Kind::Tournament(training) => training,
        };
        let problem = training.problem();
        let labels = data.labels().labels() as usize;
        let model = self.rounded(problem, &*training, labels, executor)?;
        let stored_primal = self.stored_primal(problem, &model, executor, kernels);
        Ok(Some(Machine {
            model,
            certificate: proof,
            stored_primal,
            duals: None,
        }))
    }
}
