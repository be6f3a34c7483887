//! Files for the time of a training: what they belong to, and a checksum over all of it.
//!
//! ```text
//! 0   magic          HAPAXW, 0x1a, line feed
//! 8   version        u32, 1
//! 12  kind           u32: 1 state of a training, 2 plan, 3 part, 4 manifest of a state in shares,
//!                    5 share
//! 16  data           u64: XXH3 of rows and labels
//! 24  configuration  u64: XXH3 of algorithm, parameters, shape of the data, release
//! 32  length         u64: bytes behind the header
//! 40  stage, part, parts, 0   u32 each
//! 56  checksum       u64: XXH3 of the 56 bytes before and of the XXH3 of the bytes behind
//! 64  the bytes
//! ```
//!
//! All numbers are little-endian. A file is written beside its name, flushed to the disk, then
//! renamed: who finds the name finds all of it. Nothing is read of a file whose checksum is wrong.
//! These files are of one release and not for keeping: models are.

use crate::files::{FileError, map_model, write_whole_by};
use hapax_core::{
    bytes::Bytes,
    train::{Identity, StateError},
};
use std::{
    fmt,
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: &[u8; 8] = b"HAPAXW\x1a\n";
const VERSION: u32 = 1;
const HEADER: usize = 64;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// The state of a training.
    State = 1,
    /// A plan of parts.
    Plan = 2,
    /// A part.
    Part = 3,
    /// Which shares are the state of a training by several processes.
    Manifest = 4,
    /// A share of such a state.
    Share = 5,
}

/// What stands on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// What it holds.
    pub kind: Kind,
    /// What it belongs to.
    pub identity: Identity,
    /// Stage, part and number of parts; zeros where there are none.
    pub place: [u32; 3],
}

/// Why a file cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum SealedError {
    /// It cannot be read or written.
    File(FileError),
    /// It is not such a file at all.
    Foreign(PathBuf),
    /// It is of another release's form.
    Version(PathBuf, u32),
    /// It has fewer or more bytes than it says.
    Length {
        /// The file.
        path: PathBuf,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        found: u64,
    },
    /// Its checksum is wrong.
    Damaged(PathBuf),
    /// It is sound, but holds something else: what is expected and what it is.
    Other(PathBuf, &'static str),
    /// It is sound, but its bytes do not fit the training.
    State(PathBuf, StateError),
}

impl fmt::Display for SealedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Foreign(path) => write!(
                f,
                "{}: is not a file of a training under way; use another folder",
                path.display()
            ),
            Self::Version(path, version) => write!(
                f,
                "{}: has version {version}, but this release knows only {VERSION}; go on with the release that \
                 began, or begin anew",
                path.display()
            ),
            Self::Length {
                path,
                expected,
                found,
            } => write!(
                f,
                "{}: has {found} bytes, but should have {expected}: it is damaged; delete it, and what it held \
                 is done again",
                path.display()
            ),
            Self::Damaged(path) => write!(
                f,
                "{}: its checksum is wrong: it is damaged; delete it, and what it held is done again",
                path.display()
            ),
            Self::Other(path, what) => write!(
                f,
                "{}: was made with {what}; go on with the same, or use another folder",
                path.display()
            ),
            Self::State(path, error) => {
                write!(f, "{}: does not fit this training: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for SealedError {}

impl From<FileError> for SealedError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl SealedError {
    /// Whether the file is not there.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::File(error) if error.is_absent())
    }

    /// Whether the file is there, but cut or changed.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        matches!(
            self,
            Self::Length { .. } | Self::Damaged(_) | Self::Foreign(_)
        )
    }
}

impl Seal {
    fn header(&self, length: u64, inner: u64) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(12, &(self.kind as u32).to_le_bytes());
        put(16, &self.identity.data.to_le_bytes());
        put(24, &self.identity.configuration.to_le_bytes());
        put(32, &length.to_le_bytes());
        for (at, number) in [40, 44, 48].into_iter().zip(self.place) {
            put(at, &number.to_le_bytes());
        }
        let mut hasher = Xxh3::new();
        hasher.update(&header[..56]);
        hasher.update(&inner.to_le_bytes());
        header[56..].copy_from_slice(&hasher.digest().to_le_bytes());
        header
    }

    /// Writes a file under this seal: `fill` hands its bytes over piece by piece. Returns its
    /// checksum.
    ///
    /// # Errors
    /// If the file cannot be written; then what was there before is still there.
    pub fn write(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), StateError>,
    ) -> Result<u64, SealedError> {
        let mut checksum = 0;
        let write = |file: &mut File| -> io::Result<()> {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            out.write_all(&[0; HEADER])?;
            let (mut hasher, mut length, mut failed) = (Xxh3::new(), 0u64, None);
            let filled = fill(&mut |piece| {
                hasher.update(piece);
                length += piece.len() as u64;
                if failed.is_none() {
                    failed = out.write_all(piece).err();
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            filled.map_err(io::Error::other)?;
            out.seek(SeekFrom::Start(0))?;
            let header = self.header(length, hasher.digest());
            checksum = checksum_of(&header);
            out.write_all(&header)?;
            out.flush()
        };
        write_whole_by(path, write)?;
        Ok(checksum)
    }

    /// The bytes of a file that must have this seal.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or has another seal.
    pub fn read(&self, path: &Path) -> Result<Bytes, SealedError> {
        self.read_with_checksum(path).map(|(bytes, _)| bytes)
    }

    /// The same, and the checksum of the file.
    ///
    /// # Errors
    /// As [`Seal::read`].
    pub fn read_with_checksum(&self, path: &Path) -> Result<(Bytes, u64), SealedError> {
        let (found, bytes, checksum) = unseal(path)?;
        let other = |what| Err(SealedError::Other(path.to_owned(), what));
        match (self.kind, found.kind) {
            (Kind::State, Kind::Manifest) => return other("several processes"),
            (Kind::Manifest, Kind::State) => return other("one process on its own"),
            (expected, found) if expected != found => {
                return other("something else in mind: another kind of file");
            }
            _ => {}
        }
        if found.identity.data != self.identity.data {
            return other("other training data");
        }
        if found.identity.configuration != self.identity.configuration {
            return other("another algorithm, other options or another release");
        }
        if found.place != self.place {
            return other("another division into parts");
        }
        Ok((bytes, checksum))
    }
}

/// Opens a file whatever its seal: the seal and the bytes behind it.
///
/// # Errors
/// If it cannot be read or is damaged.
pub fn open(path: &Path) -> Result<(Seal, Bytes), SealedError> {
    unseal(path).map(|(seal, bytes, _)| (seal, bytes))
}

fn checksum_of(header: &[u8; HEADER]) -> u64 {
    u64::from_le_bytes([56, 57, 58, 59, 60, 61, 62, 63].map(|at| header[at]))
}

fn unseal(path: &Path) -> Result<(Seal, Bytes, u64), SealedError> {
    let bytes = map_model(path)?;
    let Some((header, payload)) = bytes.split_first_chunk::<HEADER>() else {
        return Err(SealedError::Length {
            path: path.to_owned(),
            expected: HEADER as u64,
            found: bytes.len() as u64,
        });
    };
    if !header.starts_with(MAGIC) {
        return Err(SealedError::Foreign(path.to_owned()));
    }
    let u32_at = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| header[at + i]));
    let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
    if u32_at(8) != VERSION {
        return Err(SealedError::Version(path.to_owned(), u32_at(8)));
    }
    if u64_at(32) != payload.len() as u64 {
        return Err(SealedError::Length {
            path: path.to_owned(),
            expected: u64_at(32).saturating_add(HEADER as u64),
            found: bytes.len() as u64,
        });
    }
    let kind = match u32_at(12) {
        1 => Kind::State,
        2 => Kind::Plan,
        3 => Kind::Part,
        4 => Kind::Manifest,
        5 => Kind::Share,
        _ => return Err(SealedError::Damaged(path.to_owned())),
    };
    let seal = Seal {
        kind,
        identity: Identity {
            data: u64_at(16),
            configuration: u64_at(24),
        },
        place: [u32_at(40), u32_at(44), u32_at(48)],
    };
    if seal.header(u64_at(32), xxh3_64(payload)) != *header {
        return Err(SealedError::Damaged(path.to_owned()));
    }
    let checksum = checksum_of(header);
    Ok((seal, bytes.slice(HEADER..), checksum))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Seal, SealedError, open};
    use hapax_core::train::Identity;

    const SEAL: Seal = Seal {
        kind: Kind::Part,
        identity: Identity {
            data: 3,
            configuration: 4,
        },
        place: [0, 1, 7],
    };

    #[test]
    fn no_damaged_byte_and_no_cut_is_accepted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        SEAL.write(&path, |sink| {
            sink(b"some bytes");
            sink(b" and more");
            Ok(())
        })
        .unwrap();
        assert_eq!(&SEAL.read(&path).unwrap()[..], b"some bytes and more");
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            std::fs::write(&path, &damaged).unwrap();
            assert!(open(&path).is_err(), "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(open(&path).unwrap_err().is_damaged(), "cut at {at}");
        }
        std::fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
        assert!(matches!(open(&path), Err(SealedError::Length { .. })));
    }

    #[test]
    fn another_seal_is_refused_and_says_what_differs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        SEAL.write(&path, |_| Ok(())).unwrap();
        let identity = |data, configuration| Identity {
            data,
            configuration,
        };
        for (other, reason) in [
            (
                Seal {
                    identity: identity(9, 4),
                    ..SEAL
                },
                "other training data",
            ),
            (
                Seal {
                    identity: identity(3, 9),
                    ..SEAL
                },
                "other options",
            ),
            (
                Seal {
                    place: [0, 1, 8],
                    ..SEAL
                },
                "another division",
            ),
            (
                Seal {
                    kind: Kind::Plan,
                    ..SEAL
                },
                "another kind",
            ),
        ] {
            let message = other.read(&path).unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
        }
        let absent = SEAL.read(&folder.path().join("none")).unwrap_err();
        assert!(absent.is_absent());
    }
}
