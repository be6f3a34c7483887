//! Checkpoints of a training by several processes, which all see one folder.
//!
//! ```text
//! state              the manifest: which attempt is the last whole one, and length and checksum
//!                    of its shares
//! attempt-00000012/  the shares of the state after 12 epochs, each written by the process that
//!                    has it
//! ```
//!
//! All processes write their shares; only when all have said that theirs are on the disk does the
//! first put the manifest in the place of the one before. So whoever is killed when, the manifest
//! names shares that are whole, and any number of processes can go on from them.

use super::{CheckpointError, Every, STATE};
use crate::{
    files::{make_folder, remove_leftovers},
    sealed::{Kind, Seal, SealedError},
};
use hapax_core::train::{Exchange, ExchangeError, Identity, Shared, StateError};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

/// What the manifest says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The attempt: after so many epochs.
    pub attempt: u32,
    /// The checksum of each share's file.
    pub shares: Vec<u64>,
}

impl Manifest {
    /// From the bytes of a file.
    ///
    /// # Errors
    /// If they are no manifest of so many shares.
    pub fn parse(bytes: &[u8], shares: usize) -> Result<Self, StateError> {
        let (manifest, rest): (Self, _) =
            postcard::take_from_bytes(bytes).map_err(|_| StateError::Malformed)?;
        if !rest.is_empty() {
            return Err(StateError::Trailing { bytes: rest.len() });
        }
        if manifest.shares.len() != shares {
            return Err(StateError::Differs {
                what: "shares",
                state: manifest.shares.len() as u64,
                training: shares as u64,
            });
        }
        Ok(manifest)
    }
}

/// The checkpoints of one training in one of its processes. All call the same methods in the same
/// order.
#[derive(Debug)]
pub struct SharedCheckpoints {
    folder: PathBuf,
    every: Every,
    identity: Identity,
    last: Instant,
    borders: u64,
}

/// What became of a border.
#[derive(Debug)]
pub enum Border {
    /// Go on.
    On,
    /// No checkpoint was written, for a reason that another process may have: go on.
    Failed(Option<CheckpointError>),
    /// A process was asked to stop, and all is written.
    Stop,
}

impl SharedCheckpoints {
    /// Keeps checkpoints in a folder that all processes see. Only with `resume` may it hold one;
    /// then `training` is set to it. Returns whether it was.
    ///
    /// # Errors
    /// If the folder holds a checkpoint and this is not to go on from it, or it is damaged or of
    /// something else, or processes see different folders.
    pub fn begin<X: Exchange>(
        folder: &Path,
        (every, resume): (Every, bool),
        identity: Identity,
        training: &mut impl Shared,
        exchange: &mut X,
    ) -> Result<(Self, bool), CheckpointError> {
        make_folder(folder).map_err(SealedError::File)?;
        let new = Self {
            folder: folder.to_owned(),
            every,
            identity,
            last: Instant::now(),
            borders: 0,
        };
        if !resume && folder.join(STATE).exists() {
            return Err(CheckpointError::Taken(folder.to_owned()));
        }
        let manifest = new.manifest(training.shares())?;
        new.agree(manifest.as_ref(), exchange)?;
        if exchange.rank() == 0 {
            remove_leftovers(folder);
            new.remove_others(manifest.as_ref().map(|manifest| manifest.attempt));
        }
        if let Some(manifest) = &manifest {
            for (share, &checksum) in manifest.shares.iter().enumerate() {
                let path = new.path(manifest.attempt, share);
                let seal = new.seal(manifest.attempt, share, manifest.shares.len());
                let (bytes, found) = seal.read_with_checksum(&path)?;
                if found != checksum {
                    let what = "another training's share in mind";
                    return Err(SealedError::Other(path, what).into());
                }
                let resumed = training.resume_share(share, &bytes);
                resumed.map_err(|error| SealedError::State(path, error))?;
            }
        }
        // Nobody writes before all have read.
        exchange.largest(&mut [0.0])?;
        Ok((new, manifest.is_some()))
    }

    fn manifest_seal(&self) -> Seal {
        Seal {
            kind: Kind::Manifest,
            identity: self.identity,
            place: [0; 3],
        }
    }

    fn manifest(&self, shares: usize) -> Result<Option<Manifest>, CheckpointError> {
        let path = self.folder.join(STATE);
        match self.manifest_seal().read(&path) {
            Ok(bytes) => {
                let parsed = Manifest::parse(&bytes, shares);
                Ok(Some(parsed.map_err(|e| SealedError::State(path, e))?))
            }
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Fails if another process has read another manifest.
    fn agree<X: Exchange>(
        &self,
        manifest: Option<&Manifest>,
        exchange: &mut X,
    ) -> Result<(), CheckpointError> {
        let mut seen = vec![manifest.map_or(-1.0, |manifest| f64::from(manifest.attempt))];
        for &checksum in manifest.into_iter().flat_map(|manifest| &manifest.shares) {
            seen.extend(halves(checksum));
        }
        // The first exchange says whether the second is of equal length.
        let mut first = [seen[0], -seen[0]];
        exchange.largest(&mut first)?;
        let mut same = first[0] == -first[1];
        if same {
            let mut both: Vec<f64> = seen
                .iter()
                .copied()
                .chain(seen.iter().map(|n| -n))
                .collect();
            exchange.largest(&mut both)?;
            let (most, least) = both.split_at(seen.len());
            same = most.iter().zip(least).all(|(most, least)| *most == -least);
        }
        if same {
            return Ok(());
        }
        Err(CheckpointError::NotOneFolder(self.folder.clone()))
    }

    fn attempt(&self, attempt: u32) -> PathBuf {
        self.folder.join(format!("{ATTEMPT}{attempt:08}"))
    }

    fn path(&self, attempt: u32, share: usize) -> PathBuf {
        self.attempt(attempt).join(format!("share-{share:04}"))
    }

    fn seal(&self, attempt: u32, share: usize, shares: usize) -> Seal {
        Seal {
            kind: Kind::Share,
            identity: self.identity,
            place: [attempt, share as u32, shares as u32],
        }
    }

    /// Removes all attempts but one.
    fn remove_others(&self, kept: Option<u32>) {
        let kept = kept.map(|attempt| self.attempt(attempt));
        remove_attempts(&self.folder, kept.as_deref());
    }

    /// Hears that an epoch has ended, that is not the last; writes the state if it is time, or if
    /// any process is asked to `stop`.
    ///
    /// # Errors
    /// If processes do not reach each other, or a state to stop at cannot be written.
    pub fn border<X: Exchange>(
        &mut self,
        epochs: u32,
        stop: bool,
        training: &impl Shared,
        exchange: &mut X,
    ) -> Result<Border, CheckpointError> {
        self.borders += 1;
        let due = match self.every {
            // The clock of the first.
            Every::Time(time) => exchange.rank() == 0 && self.last.elapsed() >= time,
            Every::Borders(count) => self.borders.is_multiple_of(count.max(1)),
        };
        let mut asked = [f64::from(u8::from(stop)), f64::from(u8::from(due))];
        exchange.largest(&mut asked)?;
        let [stop, due] = asked.map(|asked| asked > 0.0);
        if !stop && !due {
            return Ok(Border::On);
        }
        self.last = Instant::now();
        match self.write(epochs, training, exchange)? {
            Ok(()) if stop => Ok(Border::Stop),
            Ok(()) => Ok(Border::On),
            Err(error) if stop => Err(error.unwrap_or(CheckpointError::Elsewhere)),
            Err(error) => Ok(Border::Failed(error)),
        }
    }

    /// Writes the state now. The outer error is of processes that do not reach each other; the
    /// inner one, of the state, all processes have at once, with the reason where it is known.
    fn write<X: Exchange>(
        &self,
        epochs: u32,
        training: &impl Shared,
        exchange: &mut X,
    ) -> Result<Result<(), Option<CheckpointError>>, ExchangeError> {
        let shares = training.shares();
        let mut checksums = vec![f64::NEG_INFINITY; 2 * shares];
        let mut reason = None;
        for share in training.here() {
            match self.write_share(epochs, share, shares, training) {
                Ok(checksum) => {
                    checksums[2 * share..2 * share + 2].copy_from_slice(&halves(checksum));
                }
                Err(error) => reason = Some(error),
            }
        }
        exchange.largest(&mut checksums)?;
        let mut whole = checksums.iter().all(|half| half.is_finite());
        if whole && exchange.rank() == 0 {
            let (halves, _) = checksums.as_chunks::<2>();
            let manifest = Manifest {
                attempt: epochs,
                shares: halves
                    .iter()
                    .map(|&[high, low]| (high as u64) << 32 | low as u64)
                    .collect(),
            };
            let written = self
                .manifest_seal()
                .write(&self.folder.join(STATE), |sink| {
                    let bytes =
                        postcard::to_allocvec(&manifest).map_err(|_| StateError::Unwritable)?;
                    sink(&bytes);
                    Ok(())
                });
            match written {
                Ok(_) => self.remove_others(Some(epochs)),
                Err(error) => {
                    whole = false;
                    reason = Some(error);
                }
            }
        }
        // Nobody goes on, or ends, before the manifest is there.
        let mut failed = [f64::from(u8::from(!whole))];
        exchange.largest(&mut failed)?;
        Ok(if failed[0] > 0.0 {
            Err(reason.map(CheckpointError::Sealed))
        } else {
            Ok(())
        })
    }

    fn write_share(
        &self,
        epochs: u32,
        share: usize,
        shares: usize,
        training: &impl Shared,
    ) -> Result<u64, SealedError> {
        make_folder(&self.attempt(epochs))?;
        let seal = self.seal(epochs, share, shares);
        seal.write(&self.path(epochs, share), |sink| {
            training.save_share(share, sink)
        })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// How the folders of attempts are called.
const ATTEMPT: &str = "attempt-";

/// Removes all attempts of a folder but one.
pub(super) fn remove_attempts(folder: &Path, kept: Option<&Path>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_attempt = entry.file_name().to_string_lossy().starts_with(ATTEMPT);
        if is_attempt && Some(&*entry.path()) != kept {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// The halves of a number, which floating-point numbers hold exactly.
fn halves(number: u64) -> [f64; 2] {
    [(number >> 32) as f64, f64::from(number as u32)]
}
