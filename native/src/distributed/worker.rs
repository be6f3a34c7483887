//! Doing parts, and taking them in.

use super::{
    Plan,
    claim::Seen,
    folder::{part_path, read_part, write_part},
};
use crate::sealed::SealedError;
use hapax_core::{
    bytes::Bytes,
    executor::Executor,
    train::{Parts, TrainError},
};
use std::{fmt, path::Path, thread::sleep, time::Duration};

/// How long a worker sleeps that waits for parts of others.
const NAP: Duration = Duration::from_millis(200);

/// Why work ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkError {
    /// A file cannot be used.
    Sealed(SealedError),
    /// A part could not be done or taken in.
    Part(TrainError),
    /// Parts are missing.
    Missing {
        /// Of which stage, from 0.
        stage: u32,
        /// Of how many.
        parts: u32,
        /// Which.
        missing: Vec<usize>,
    },
}

impl fmt::Display for WorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sealed(error) => error.fmt(f),
            Self::Part(error) => error.fmt(f),
            Self::Missing {
                stage,
                parts,
                missing,
            } => {
                let some: Vec<String> = missing.iter().take(10).map(ToString::to_string).collect();
                let more = if missing.len() > 10 { ", …" } else { "" };
                write!(
                    f,
                    "of {parts} parts of stage {stage} there are missing: {}{more}; do them with \
                     --shard {}/{parts}",
                    some.join(", "),
                    some.first().map_or("0", String::as_str)
                )
            }
        }
    }
}

impl std::error::Error for WorkError {}

impl From<SealedError> for WorkError {
    fn from(error: SealedError) -> Self {
        Self::Sealed(error)
    }
}

impl From<TrainError> for WorkError {
    fn from(error: TrainError) -> Self {
        Self::Part(error)
    }
}

/// What a worker does, to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// A part, of a stage.
    Part(u32, usize),
    /// A part that is there already.
    Kept(u32, usize),
    /// A part again, for its file is damaged.
    Again(u32, usize),
    /// Waiting for so many parts of others.
    Waiting(u32, usize),
}

struct Worker<'a, F> {
    folder: &'a Path,
    plan: &'a Plan,
    seen: Seen,
    tell: F,
}

/// Does what is there to do for part `own` of every stage. Between stages all parts of the one
/// before are needed: those that nobody is at are done here, too, and the others waited for.
///
/// # Errors
/// If a file cannot be used or written, or training fails.
pub fn work<P: Parts>(
    training: &mut P,
    folder: &Path,
    plan: &Plan,
    own: usize,
    executor: &Executor,
    tell: impl FnMut(Doing),
) -> Result<(), WorkError> {
    let parts = plan.parts as usize;
    let mut worker = Worker {
        folder,
        plan,
        seen: Seen::default(),
        tell,
    };
    while training.stage() < training.stages() {
        let last = training.stage() + 1 == training.stages();
        let wanted: Vec<usize> = match last {
            true => vec![own],
            false => (own..parts).chain(0..own).collect(),
        };
        worker.complete(training, &wanted, executor)?;
        if last {
            break;
        }
        worker.take(training, executor)?;
    }
    Ok(())
}

/// Takes in all parts of all stages.
///
/// # Errors
/// If parts are missing, damaged or of something else.
pub fn gather<P: Parts>(training: &mut P, folder: &Path, plan: &Plan) -> Result<(), WorkError> {
    while training.stage() < training.stages() {
        let stage = training.stage();
        let (mut all, mut missing): (Vec<Bytes>, Vec<usize>) = (Vec::new(), Vec::new());
        for part in 0..plan.parts as usize {
            match read_part(folder, plan, stage, part)? {
                Some(bytes) => all.push(bytes),
                None => missing.push(part),
            }
        }
        if !missing.is_empty() {
            let parts = plan.parts;
            return Err(WorkError::Missing {
                stage,
                parts,
                missing,
            });
        }
        let all: Vec<&[u8]> = all.iter().map(|bytes| &bytes[..]).collect();
        training.take(&all)?;
    }
    Ok(())
}

impl<F: FnMut(Doing)> Worker<'_, F> {
    /// Sees to it that all of `wanted` are in the folder.
    fn complete<P: Parts>(
        &mut self,
        training: &mut P,
        wanted: &[usize],
        executor: &Executor,
    ) -> Result<(), WorkError> {
        let stage = training.stage();
        let mut told = usize::MAX;
        let mut wanted = wanted.to_vec();
        loop {
            let mut damaged = Vec::new();
            let mut missing = Vec::new();
            for part in wanted {
                match read_part(self.folder, self.plan, stage, part) {
                    Ok(Some(_)) => (self.tell)(Doing::Kept(stage, part)),
                    Ok(None) => missing.push(part),
                    Err(error) if error.is_damaged() => damaged.push(part),
                    Err(error) => return Err(error.into()),
                }
            }
            for part in damaged {
                self.make(training, part, Doing::Again(stage, part), executor)?;
            }
            wanted = missing;
            if wanted.is_empty() {
                return Ok(());
            }
            let free = wanted.iter().enumerate().find_map(|(at, &part)| {
                let path = part_path(self.folder, stage, part);
                self.seen.claim(&path).map(|claim| (at, part, claim))
            });
            let Some((at, part, claim)) = free else {
                if told != wanted.len() {
                    told = wanted.len();
                    (self.tell)(Doing::Waiting(stage, told));
                }
                sleep(NAP);
                continue;
            };
            // It may have come while the claim was made.
            if !part_path(self.folder, stage, part).exists() {
                self.make(training, part, Doing::Part(stage, part), executor)?;
            }
            drop(claim);
            wanted.remove(at);
        }
    }

    fn make<P: Parts>(
        &mut self,
        training: &mut P,
        part: usize,
        doing: Doing,
        executor: &Executor,
    ) -> Result<(), WorkError> {
        (self.tell)(doing);
        let bytes = training.part(part, self.plan.parts as usize, executor)?;
        write_part(self.folder, self.plan, training.stage(), part, &bytes)?;
        Ok(())
    }

    /// Takes in the parts of this stage, all of which are there; damaged ones are done again.
    fn take<P: Parts>(&mut self, training: &mut P, executor: &Executor) -> Result<(), WorkError> {
        let stage = training.stage();
        let mut all: Vec<Bytes> = Vec::new();
        for part in 0..self.plan.parts as usize {
            loop {
                match read_part(self.folder, self.plan, stage, part) {
                    Ok(Some(bytes)) => {
                        all.push(bytes);
                        break;
                    }
                    Err(error) if !error.is_damaged() => return Err(error.into()),
                    _ => self.make(training, part, Doing::Again(stage, part), executor)?,
                }
            }
        }
        let all: Vec<&[u8]> = all.iter().map(|bytes| &bytes[..]).collect();
        training.take(&all)?;
        Ok(())
    }
}
