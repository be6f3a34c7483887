//! Checkpoints: a training outlives its process.
//!
//! [`Checkpoints`] keeps the state of one training in a folder, in one file that is replaced as a
//! whole. At the borders between parts of the work it is asked whether to write; after a stop, a
//! crash or a kill a new process with the same data and options goes on from there, to the same
//! bytes.

pub mod shared;

use crate::{
    files::{make_folder, remove_leftovers},
    sealed::{Kind, Seal, SealedError},
};
use hapax_core::train::{ExchangeError, Identity, Resumable};
use std::{
    fmt,
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    str::FromStr,
    time::{Duration, Instant},
};

/// The file of the state.
const STATE: &str = "state";

/// How often a state is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// At the first border after so much time.
    Time(Duration),
    /// At every so-manyth border.
    Borders(u64),
}

/// How it is written: a time (`90s`, `5m`, `1h`) or a number of borders.
impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rule = || {
            format!(
                "{text:?} is neither a time, such as 90s, 5m or 1h, nor a number of parts, from 1"
            )
        };
        let (digits, unit) = match text.strip_suffix(['s', 'm', 'h']) {
            Some(digits) => (digits, &text[digits.len()..]),
            None => (text, ""),
        };
        let number: u64 = digits.parse().map_err(|_| rule())?;
        let seconds = match unit {
            "" if number == 0 => return Err(rule()),
            "" => return Ok(Self::Borders(number)),
            "s" => number,
            "m" => number.saturating_mul(60),
            _ => number.saturating_mul(3600),
        };
        Ok(Self::Time(Duration::from_secs(seconds)))
    }
}

/// Why there can be no checkpoint.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The folder has a state already, which would be lost.
    Taken(PathBuf),
    /// Another training that still runs keeps its checkpoints in the folder.
    InUse(PathBuf),
    /// A file cannot be used.
    Sealed(SealedError),
    /// Processes that train together do not all find the same in the folder.
    NotOneFolder(PathBuf),
    /// Another process could not write its share of the state, and says why.
    Elsewhere,
    /// Processes do not reach each other.
    Exchange(ExchangeError),
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken(folder) => write!(
                f,
                "{}: holds a checkpoint already; go on from it with --resume, or use another folder",
                folder.display()
            ),
            Self::InUse(folder) => write!(
                f,
                "{}: another training that still runs keeps its checkpoints there; wait for its end, or use \
                 another folder",
                folder.display()
            ),
            Self::Sealed(error) => error.fmt(f),
            Self::NotOneFolder(folder) => write!(
                f,
                "{}: not all processes find the same checkpoint there: it must be one folder that all of them see",
                folder.display()
            ),
            Self::Elsewhere => f.write_str("another process could not write its share"),
            Self::Exchange(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CheckpointError {}

impl From<ExchangeError> for CheckpointError {
    fn from(error: ExchangeError) -> Self {
        Self::Exchange(error)
    }
}

impl From<SealedError> for CheckpointError {
    fn from(error: SealedError) -> Self {
        Self::Sealed(error)
    }
}

/// The checkpoints of one training; see the module's text.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    every: Every,
    seal: Option<Seal>,
    last: Instant,
    borders: u64,
    written: u64,
    /// Keeps other trainings out while it is open.
    _lock: Option<File>,
}

impl Checkpoints {
    /// Keeps checkpoints in a folder, which is made if there is none. Only with `resume` may it
    /// hold one.
    ///
    /// # Errors
    /// If the folder holds a checkpoint and this is not to go on from it, cannot be made, or is
    /// that of another training under way.
    pub fn new(folder: &Path, every: Every, resume: bool) -> Result<Self, CheckpointError> {
        make_folder(folder).map_err(SealedError::File)?;
        let lock = lock(folder)?;
        if !resume && folder.join(STATE).exists() {
            return Err(CheckpointError::Taken(folder.to_owned()));
        }
        remove_leftovers(folder);
        Ok(Self {
            folder: folder.to_owned(),
            every,
            seal: None,
            last: Instant::now(),
            borders: 0,
            written: 0,
            _lock: lock,
        })
    }

    /// Sets `training` to the state that the folder holds, if it does: then returns true.
    ///
    /// # Errors
    /// If the state is damaged or belongs to other data or options.
    pub fn begin(
        &mut self,
        identity: Identity,
        training: &mut (impl Resumable + ?Sized),
    ) -> Result<bool, CheckpointError> {
        let seal = Seal {
            kind: Kind::State,
            identity,
            place: [0; 3],
        };
        self.seal = Some(seal);
        self.last = Instant::now();
        let path = self.folder.join(STATE);
        match seal.read(&path) {
            Ok(bytes) => {
                let resumed = training.resume(&bytes);
                resumed.map_err(|error| SealedError::State(path, error))?;
                Ok(true)
            }
            Err(error) if error.is_absent() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Hears that a part of the work has ended; writes the state if it is time and there is one.
    /// Returns whether it did.
    ///
    /// # Errors
    /// If it cannot be written; then the one before is still there.
    pub fn border(
        &mut self,
        training: &(impl Resumable + ?Sized),
    ) -> Result<bool, CheckpointError> {
        if !training.can_be_left() {
            return Ok(false);
        }
        self.borders += 1;
        let due = match self.every {
            Every::Time(time) => self.last.elapsed() >= time,
            Every::Borders(count) => self.borders.is_multiple_of(count.max(1)),
        };
        if due {
            self.write(training)?;
        }
        Ok(due)
    }

    /// Writes the state now.
    ///
    /// # Errors
    /// If it cannot be written; then the one before is still there.
    pub fn write(&mut self, training: &(impl Resumable + ?Sized)) -> Result<(), CheckpointError> {
        if let Some(seal) = &self.seal {
            seal.write(&self.folder.join(STATE), |sink| training.save(sink))?;
            self.written += 1;
        }
        self.last = Instant::now();
        Ok(())
    }

    /// How many states were written.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Forgets the state, one of several processes, too: the model is written.
    pub fn end(&self) {
        let _ = std::fs::remove_file(self.folder.join(STATE));
        shared::remove_attempts(&self.folder, None);
    }
}

/// Keeps other trainings out of a folder until the file is closed; nothing where the file system
/// has no locks. Unix locks the folder itself, others a file in it.
fn lock(folder: &Path) -> Result<Option<File>, CheckpointError> {
    #[cfg(unix)]
    let file = File::open(folder);
    #[cfg(not(unix))]
    let file = File::create(folder.join("lock"));
    let Ok(file) = file else { return Ok(None) };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(CheckpointError::InUse(folder.to_owned())),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckpointError, Checkpoints, Every};
    use std::time::Duration;

    #[test]
    fn times_and_numbers_of_parts_are_told_apart() {
        let every = |text: &str| text.parse::<Every>();
        assert_eq!(every("7"), Ok(Every::Borders(7)));
        assert_eq!(every("90s"), Ok(Every::Time(Duration::from_secs(90))));
        assert_eq!(every("0s"), Ok(Every::Time(Duration::ZERO)));
        assert_eq!(every("2m"), Ok(Every::Time(Duration::from_secs(120))));
        assert_eq!(every("1h"), Ok(Every::Time(Duration::from_secs(3600))));
        for wrong in ["", "0", "s", "-1", "1.5s", "1d"] {
            assert!(every(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_folder_is_that_of_one_training_and_what_others_write_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut others = crate::files::beside(&folder.path().join("model")).unwrap();
        std::io::Write::write_all(&mut others, b"half a model").unwrap();
        let first = Checkpoints::new(folder.path(), Every::Borders(1), false).unwrap();
        let second = Checkpoints::new(folder.path(), Every::Borders(1), true);
        assert!(matches!(second, Err(CheckpointError::InUse(_))));
        drop(first);
        let third = Checkpoints::new(folder.path(), Every::Borders(1), true).unwrap();
        third.end();
        assert!(others.path().exists(), "the file of a writer under way");
    }
}
