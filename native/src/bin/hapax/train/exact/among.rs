//! Training as one of the processes that a launcher started, or as several would.

use super::{
    super::{
        super::{failure::Failure, progress::Progress, resources::Stopwatch, table::bytes},
        finish::Told,
    },
    LLW_FROM, TrainExact,
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        parameters::{MultiClassLoss, MultiClassSvm},
        train::{Alone, Exchange, Identity, SharedTraining, TrainError, multiclass::Machine},
    },
    kernels,
    processes::{self, Processes},
};
use std::thread::available_parallelism;

/// What a training over an exchange came to.
struct Among {
    /// In the first process.
    machine: Option<Machine>,
    epochs: u32,
    /// Those of the epochs, without what comes before and after them.
    seconds: f64,
}

impl TrainExact {
    /// Whether this is for the exchange of several processes: of one, it is for `llw` and
    /// `ww --rotate-labels` only.
    ///
    /// # Errors
    /// If several processes cannot train it together.
    pub(super) fn is_shared(&self, loss: MultiClassLoss, ranks: usize) -> Result<bool, Failure> {
        let input = |why: &str| Err(Failure::Input(why.into()));
        match loss {
            MultiClassLoss::LeeLinWahba if !self.costs.is_empty() => {
                input("several processes train llw for one --cost: --costs is for one process")
            }
            MultiClassLoss::LeeLinWahba if self.from.is_some() => input(LLW_FROM),
            MultiClassLoss::LeeLinWahba => Ok(true),
            _ if self.rotate_labels || ranks == 1 => Ok(self.rotate_labels),
            MultiClassLoss::WestonWatkins => input(
                "several processes train ww by bundles of labels: add --rotate-labels, or start one process, which uses all cores",
            ),
            MultiClassLoss::CrammerSinger => input(
                "several processes cannot train cs together: start one process, which uses all cores, or train ww --rotate-labels",
            ),
        }
    }

    /// Refuses what `--rotate-labels` does not go with.
    pub(super) fn check_rotating(&self, loss: MultiClassLoss) -> Result<(), Failure> {
        if loss != MultiClassLoss::WestonWatkins {
            return Err(TrainError::NoBundles.into());
        }
        if !self.costs.is_empty() || self.epsilon.is_some() || self.from.is_some() {
            return Err(Failure::Input(
                "--rotate-labels trains for one --cost, to a --gap and anew: leave out --costs, --epsilon and --from".into(),
            ));
        }
        Ok(())
    }

    /// Trains together with other processes; only the first is given the machine.
    pub(super) fn train_among(
        &self,
        processes: &mut Processes,
        parameters: &MultiClassSvm,
        data: &Dataset,
        threads: &Executor,
        told: &mut Told,
    ) -> Result<Option<Machine>, Failure> {
        let before = processes.sent();
        let among = self.train_over(processes, parameters, data, threads)?;
        let (epochs, seconds) = (among.epochs, among.seconds);
        let mut sent = vec![0.0; processes.ranks()];
        sent[processes.rank()] = (processes.sent() - before) as f64;
        processes.largest(&mut sent).map_err(TrainError::from)?;
        let sent: f64 = sent.iter().sum();
        told.lines.push(format!(
            "{} processes: {} sent and {:.4} s an epoch, {epochs} epochs in {seconds:.2} s",
            processes.ranks(),
            bytes((sent / f64::from(epochs.max(1))) as u64),
            seconds / f64::from(epochs.max(1)),
        ));
        Ok(among.machine)
    }

    /// Trains as several processes would with `--rotate-labels`, in one: pairs of bundles of labels
    /// meet on its threads.
    pub(super) fn rotating(
        &self,
        parameters: &MultiClassSvm,
        data: &Dataset,
        threads: &Executor,
    ) -> Result<Machine, Failure> {
        let among = self.train_over(&mut Alone, parameters, data, threads)?;
        // The first process has it, and this one is the first.
        among.machine.ok_or_else(|| TrainError::Stopped.into())
    }

    /// Trains over an exchange.
    fn train_over<X: Exchange>(
        &self,
        processes: &mut X,
        parameters: &MultiClassSvm,
        data: &Dataset,
        threads: &Executor,
    ) -> Result<Among, Failure> {
        let most = parameters.max_epochs as usize;
        let progress = (processes.rank() == 0).then(|| Progress::new("closing the gap", most));
        let (several, best) = (self.several(), kernels::best());
        let among = (threads, &mut *processes);
        let mut training = SharedTraining::new(parameters, data, several, among, best)?;
        // The parameters do not say what became of rows with several labels.
        let own = (parameters, self.multilabel, self.rotate_labels);
        let identity = Identity::new("multi-class machine of several processes", &own, data);
        let checkpoints = &self.common.checkpoints;
        let mut keeper = checkpoints.shared_keeper(identity, &mut training, processes)?;
        let (watch, mut epochs) = (Stopwatch::start(), 0u32);
        while let Some(report) = training
            .epoch(threads, best, processes)
            .map_err(TrainError::from)?
        {
            epochs += 1;
            if let Some(progress) = &progress {
                progress.set(report.epoch as usize, most);
            }
            if training.certificate().is_none() {
                keeper.border(report.epoch, &training, processes)?;
            }
        }
        let seconds = watch.seconds();
        Ok(Among {
            machine: parameters.finish_shared(training, data, threads, best)?,
            epochs,
            seconds,
        })
    }

    /// The threads of each of the processes on this machine, if it is not said how many.
    pub(super) fn threads_each() -> usize {
        let cores = available_parallelism().map_or(1, usize::from);
        (cores / processes::on_this_machine()).max(1)
    }
}
