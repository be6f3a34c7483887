//! `--checkpoint`, `--resume` and `--every`: training that can be stopped and gone on with.

use super::super::{
    failure::Failure,
    output::{insist, note, warn},
};
use clap::Args;
use hapax::{
    checkpoint::{
        CheckpointError, Checkpoints, Every,
        shared::{Border, SharedCheckpoints},
    },
    core::{
        data::Dataset,
        executor::Executor,
        train::{Exchange, Identity, Resumable, Shared, TrainError, Training, Watch},
    },
    processes::launched,
};
use serde::Serialize;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag::{register, register_conditional_shutdown},
};
use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Checkpoints.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Checkpoints")]
pub struct CheckpointOptions {
    /// Keep what training has done so far in this folder, and stop at Ctrl-C with nothing lost
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint of this folder, and keep the next ones there; begin if it has none
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// How often to write it: after so much time (90s, 5m, 1h), or so many parts of the work
    /// [default: 60s]
    #[arg(long, value_name = "TIME|N")]
    every: Option<Every>,
}

/// What keeps the checkpoints of a training; nothing where none were asked for.
pub struct Keeper(Option<Kept>);

struct Kept {
    checkpoints: Checkpoints,
    stop: Arc<AtomicBool>,
    /// Whether it was said that training goes on until it can be left.
    waits: bool,
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        Self::Input(error.to_string())
    }
}

impl CheckpointOptions {
    fn folder(&self) -> Option<&PathBuf> {
        self.resume.as_ref().or(self.checkpoint.as_ref())
    }

    /// Refuses checkpoints where there are none, and says why.
    pub fn refuse(&self, why: &str) -> Result<(), Failure> {
        match self.folder() {
            Some(_) => Err(Failure::Input(format!(
                "there are no checkpoints {why}; leave out --checkpoint and --resume"
            ))),
            None => Ok(()),
        }
    }

    /// Gets ready to keep checkpoints, if they were asked for.
    pub fn keeper(&self) -> Result<Keeper, Failure> {
        let Some(folder) = self.folder() else {
            if self.every.is_some() {
                let rule =
                    "--every says how often a checkpoint is written: give --checkpoint DIR, too";
                return Err(Failure::Input(rule.into()));
            }
            return Ok(Keeper(None));
        };
        let checkpoints = Checkpoints::new(folder, self.every(), self.resume.is_some())?;
        #[cfg(unix)]
        let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
        #[cfg(not(unix))]
        let signals = [SIGINT, SIGTERM];
        let stop = stop_at(&signals)?;
        Ok(Keeper(Some(Kept {
            checkpoints,
            stop,
            waits: false,
        })))
    }

    fn every(&self) -> Every {
        self.every.unwrap_or(Every::Time(Duration::from_secs(60)))
    }

    /// The same for a training by several processes, which is set to where it was left.
    pub fn shared_keeper(
        &self,
        identity: Identity,
        training: &mut impl Shared,
        processes: &mut impl Exchange,
    ) -> Result<SharedKeeper, Failure> {
        let Some(folder) = self.folder() else {
            return Ok(SharedKeeper(None));
        };
        let how = (self.every(), self.resume.is_some());
        let (checkpoints, went_on) =
            SharedCheckpoints::begin(folder, how, identity, training, processes)?;
        if went_on {
            let folder = folder.display();
            note(format_args!("going on from the checkpoint in {folder}"));
        }
        // Launchers kill soon after they hand on Ctrl-C, but hand this one on and wait.
        #[cfg(unix)]
        let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGUSR1];
        #[cfg(not(unix))]
        let signals = [SIGINT, SIGTERM];
        let stop = stop_at(&signals)?;
        Ok(SharedKeeper(Some((checkpoints, stop))))
    }

    /// Forgets the checkpoint: the model is written.
    pub fn forget(&self) {
        if let Some(folder) = self.folder()
            && let Ok(checkpoints) = Checkpoints::new(folder, Every::Borders(1), true)
        {
            checkpoints.end();
        }
    }
}

impl Keeper {
    /// Trains to the end; what it belongs to is as in [`Watching::new`]. `tell` hears of each part.
    pub fn train<T: Training, I: Serialize>(
        self,
        training: T,
        belonging: (&str, I, &Dataset),
        threads: &Executor,
        tell: impl FnMut(T::Report),
    ) -> Result<T::Made, Failure> {
        let mut watching = Watching::new(self, belonging, tell);
        let made = training.train(threads, &mut watching);
        watching.outcome(made)
    }

    /// Sets `training` to where it was left, if it was.
    fn begin(
        &mut self,
        algorithm: &str,
        parameters: &impl Serialize,
        data: &Dataset,
        training: &mut (impl Resumable + ?Sized),
    ) -> Result<(), Failure> {
        if let Some(kept) = &mut self.0 {
            let identity = Identity::new(algorithm, parameters, data);
            if kept.checkpoints.begin(identity, training)? {
                let folder = kept.checkpoints.folder().display();
                note(format_args!("going on from the checkpoint in {folder}"));
            }
        }
        Ok(())
    }

    /// Hears that a part of the work has ended. Fails if training is to stop here.
    fn border(&mut self, training: &(impl Resumable + ?Sized)) -> Result<(), Failure> {
        let Some(kept) = &mut self.0 else {
            return Ok(());
        };
        if kept.stop.load(Ordering::Relaxed) {
            if !training.can_be_left() {
                if !std::mem::replace(&mut kept.waits, true) {
                    note(format_args!(
                        "stopping when this pass over the rows has ended; Ctrl-C again stops now, and loses it"
                    ));
                }
                return Ok(());
            }
            kept.checkpoints.write(training)?;
            let folder = kept.checkpoints.folder().display().to_string();
            let next = resuming(&folder);
            return Err(Failure::Other(format!(
                "stopped; what was done is in {folder}: go on with\n  {next}"
            )));
        }
        if let Err(error) = kept.checkpoints.border(training) {
            warn(format_args!("no checkpoint was written: {error}"));
        }
        Ok(())
    }
}

/// Keeps the checkpoints of a training that runs by itself, and tells of its parts.
pub struct Watching<'a, I, T> {
    keeper: Keeper,
    algorithm: &'a str,
    identity: I,
    data: &'a Dataset,
    tell: T,
    /// Why training was stopped.
    failure: Option<Failure>,
}

impl<'a, I, T> Watching<'a, I, T> {
    /// For a training of `algorithm` on `data`; states belong to equal parameters. `tell` hears of
    /// each part.
    pub fn new(
        keeper: Keeper,
        (algorithm, identity, data): (&'a str, I, &'a Dataset),
        tell: T,
    ) -> Self {
        Self {
            keeper,
            algorithm,
            identity,
            data,
            tell,
            failure: None,
        }
    }

    /// What training made, or why it was stopped.
    pub fn outcome<M>(self, made: Result<M, TrainError>) -> Result<M, Failure> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(made?),
        }
    }

    fn going(&mut self, done: Result<(), Failure>) -> ControlFlow<()> {
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }
}

impl<R, I: Serialize, T: FnMut(R)> Watch<R> for Watching<'_, I, T> {
    fn begin(&mut self, training: &mut dyn Resumable) -> ControlFlow<()> {
        let (name, identity) = (self.algorithm, &self.identity);
        let begun = self.keeper.begin(name, identity, self.data, training);
        self.going(begun)
    }

    fn part(&mut self, report: R, training: &dyn Resumable) -> ControlFlow<()> {
        (self.tell)(report);
        let kept = self.keeper.border(training);
        self.going(kept)
    }
}

/// What keeps the checkpoints of a training by several processes; nothing where none were asked
/// for.
pub struct SharedKeeper(Option<(SharedCheckpoints, Arc<AtomicBool>)>);

impl SharedKeeper {
    /// Hears that an epoch has ended which is not the last. Fails if training is to stop here, in
    /// all processes.
    pub fn border(
        &mut self,
        epochs: u32,
        training: &impl Shared,
        processes: &mut impl Exchange,
    ) -> Result<(), Failure> {
        let Some((checkpoints, stop)) = &mut self.0 else {
            return Ok(());
        };
        let stop = stop.load(Ordering::Relaxed);
        match checkpoints.border(epochs, stop, training, processes)? {
            Border::On => {}
            Border::Failed(Some(error)) => {
                let rank = processes.rank();
                insist(format_args!(
                    "hapax, process {rank}: warning: no checkpoint was written: {error}"
                ));
            }
            Border::Failed(None) => {}
            Border::Stop => {
                let folder = checkpoints.folder().display().to_string();
                let next = resuming(&folder);
                let how = if launched() {
                    format!(
                        "go on, with as many processes or fewer or more, with\n  mpirun -np PROCESSES {next}"
                    )
                } else {
                    format!("go on with\n  {next}")
                };
                let done = format!("stopped; what was done is in {folder}: {how}");
                return Err(Failure::Stopped(done));
            }
        }
        Ok(())
    }
}

/// A flag that these signals set; a second one ends the process at once.
fn stop_at(signals: &[i32]) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for &signal in signals {
        let both = register_conditional_shutdown(signal, 1, stop.clone())
            .and_then(|_| register(signal, stop.clone()));
        both.map_err(|error| Failure::Other(format!("cannot wait for Ctrl-C: {error}")))?;
    }
    Ok(stop)
}

/// This command, going on from a folder.
fn resuming(folder: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut arguments = std::env::args();
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "--checkpoint" | "--resume" => drop(arguments.next()),
            word if word.starts_with("--checkpoint=") || word.starts_with("--resume=") => {}
            word => words.push(quoted(word)),
        }
    }
    words.push(format!("--resume {}", quoted(folder)));
    words.join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("a/b.txt"), "a/b.txt");
        assert_eq!(quoted("it's so"), r"'it'\''s so'");
        assert_eq!(quoted(""), "''");
    }
}
