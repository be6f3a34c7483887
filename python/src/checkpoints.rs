//! Checkpoints of a training, those of the command: either goes on from the other's.

use super::{errors::wrong, options::Options};
use hapax::{
    checkpoint::{CheckpointError, Checkpoints, Every},
    core::{
        data::Dataset,
        train::{Identity, Resumable, Watch},
    },
};
use pyo3::PyResult;
use serde::Serialize;
use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Where checkpoints are kept, and how often they are written.
pub struct Kept {
    folder: PathBuf,
    resumes: bool,
    every: Every,
    /// Why one could not be written, of which training did not end.
    unwritten: Mutex<Option<CheckpointError>>,
}

impl Kept {
    /// Takes `checkpoint` or `resume`, and `every`.
    pub fn new(options: &mut Options<'_>) -> PyResult<Option<Self>> {
        let fresh: Option<PathBuf> = options.take("checkpoint")?;
        let old: Option<PathBuf> = options.take("resume")?;
        let every: Option<String> = options.take("every")?;
        let every = every.map(|text| text.parse::<Every>()).transpose();
        let every = every.map_err(|rule| wrong(format_args!("every: {rule}")))?;
        let resumes = old.is_some();
        let folder = match (fresh, old) {
            (Some(_), Some(_)) => {
                let rule = "checkpoint begins anew and resume goes on: give one of the two";
                return Err(wrong(rule));
            }
            (None, None) if every.is_some() => {
                let rule = "every says how often a checkpoint is written: give checkpoint, too";
                return Err(wrong(rule));
            }
            (None, None) => return Ok(None),
            (Some(folder), None) | (None, Some(folder)) => folder,
        };
        Ok(Some(Self {
            folder,
            resumes,
            every: every.unwrap_or(Every::Time(Duration::from_secs(60))),
            unwritten: Mutex::new(None),
        }))
    }

    /// Why a checkpoint could not be written, if one could not.
    pub fn unwritten(&self) -> Option<CheckpointError> {
        let held = self.unwritten.lock();
        held.unwrap_or_else(PoisonError::into_inner).take()
    }

    fn open(&self) -> Result<Checkpoints, CheckpointError> {
        Checkpoints::new(&self.folder, self.every, self.resumes)
    }

    /// Forgets the checkpoint: the model is there.
    pub fn forget(&self) {
        if let Ok(checkpoints) = Checkpoints::new(&self.folder, self.every, true) {
            checkpoints.end();
        }
    }
}

/// Keeps the checkpoints of one training, if they were asked for, and tells of its parts.
pub struct Watching<'a, I, T> {
    kept: Option<(&'a Kept, Checkpoints)>,
    belonging: (&'a str, I, &'a Dataset),
    tell: T,
    /// Why the training was stopped.
    pub failure: Option<CheckpointError>,
}

impl<'a, I, T> Watching<'a, I, T> {
    /// For a training of this name, with all that decides what it makes, on these data.
    pub fn new(
        kept: Option<&'a Kept>,
        belonging: (&'a str, I, &'a Dataset),
        tell: T,
    ) -> Result<Self, CheckpointError> {
        let open = |kept: &'a Kept| kept.open().map(|checkpoints| (kept, checkpoints));
        Ok(Self {
            kept: kept.map(open).transpose()?,
            belonging,
            tell,
            failure: None,
        })
    }
}

impl<R, I: Serialize, T: FnMut(R)> Watch<R> for Watching<'_, I, T> {
    fn begin(&mut self, training: &mut dyn Resumable) -> ControlFlow<()> {
        if let Some((_, checkpoints)) = &mut self.kept {
            let (name, identity, data) = &self.belonging;
            let begun = checkpoints.begin(Identity::new(name, identity, data), training);
            self.failure = begun.err();
        }
        match self.failure {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    fn part(&mut self, report: R, training: &dyn Resumable) -> ControlFlow<()> {
        (self.tell)(report);
        if let Some((kept, checkpoints)) = &mut self.kept
            && let Err(error) = checkpoints.border(training)
        {
            *kept
                .unwritten
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
        ControlFlow::Continue(())
    }
}
