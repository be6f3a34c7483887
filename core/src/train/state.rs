//! States: what a training under way needs to go on later, elsewhere, as bytes.
//!
//! A trainer is made anew from the same data and parameters and then set to a state that an earlier
//! one saved; from there on it does what the earlier one would have done, to the bit, whatever the
//! number of threads. So a state holds only what training changes. What it belongs to is an
//! [`Identity`], which the keeper of states compares before it hands one out.
//!
//! Bytes from outside are believed in nothing: every length is compared with that of the trainer
//! and every number that is used as a place with its limit, so damaged bytes give a [`StateError`],
//! never a panic, and allocations follow the bytes that are there, not what they say.

use crate::data::Dataset;
use alloc::vec::Vec;
use core::fmt;
use postcard::ser_flavors::Flavor;
use serde::{Serialize, de::DeserializeOwned};
use xxhash_rust::xxh3::Xxh3;

/// A training that can be left and taken up again between two parts of its work.
pub trait Resumable {
    /// Whether there is a state to save after this part of the work: of some trainings only after
    /// every so many parts.
    fn can_be_left(&self) -> bool {
        true
    }

    /// Hands the state to `sink`, piece by piece.
    ///
    /// # Errors
    /// [`StateError::Unwritable`] only: where it cannot be left here.
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError>;

    /// Goes on where the training that saved `bytes` was left. After an error the trainer is of no
    /// use.
    ///
    /// # Errors
    /// If the bytes are not a state of a training like this one.
    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError>;

    /// The state in memory.
    ///
    /// # Errors
    /// As [`Resumable::save`].
    fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        let mut bytes = Vec::new();
        self.save(&mut |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }
}

/// A training by several processes, whose state between two epochs is made of shares that do not
/// depend on how many processes there are: as many or fewer of them can go on.
///
/// Each share is with one process; together they have all. To go on, every process is handed all
/// shares and keeps what it needs.
pub trait Shared {
    /// How many shares there are.
    fn shares(&self) -> usize;

    /// Which of them this process has.
    fn here(&self) -> Vec<usize>;

    /// Hands a share that is here to `sink`, piece by piece.
    ///
    /// # Errors
    /// [`StateError::Unwritable`] only: it is not here, or training has ended.
    fn save_share(&self, share: usize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError>;

    /// Takes over a share. A trainer that was handed all of them goes on where those were left that
    /// saved them. After an error it is of no use.
    ///
    /// # Errors
    /// If the bytes are not this share of a training like this one.
    fn resume_share(&mut self, share: usize, bytes: &[u8]) -> Result<(), StateError>;
}

/// What a state belongs to: two numbers that are equal for equal trainings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Identity {
    /// XXH3 of the rows and their labels.
    pub data: u64,
    /// XXH3 of the algorithm, its parameters, the shape of the data and the release of the library.
    pub configuration: u64,
}

impl Identity {
    /// Of training `algorithm` with `parameters` on `data`.
    #[must_use]
    pub fn new(algorithm: &str, parameters: &impl Serialize, data: &Dataset) -> Self {
        let mut hasher = Xxh3::new();
        hasher.update(algorithm.as_bytes());
        hasher.update(&[0]);
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        hasher.update(&data.rows().features().to_le_bytes());
        hasher.update(&data.labels().labels().to_le_bytes());
        // Parameters are numbers and names of choices, which are always written.
        hasher.update(&postcard::to_allocvec(parameters).unwrap_or_default());
        Self {
            data: crate::model::provenance::fingerprint(data),
            configuration: hasher.digest(),
        }
    }
}

/// Why bytes are not a state to go on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes end early or break the grammar of a state.
    Malformed,
    /// Bytes follow behind the end of the state.
    Trailing {
        /// How many.
        bytes: usize,
    },
    /// A length or number is not that of this training.
    Differs {
        /// Of what.
        what: &'static str,
        /// In the state.
        state: u64,
        /// In the training.
        training: u64,
    },
    /// A number that must be below a limit is not.
    Beyond {
        /// What it numbers.
        what: &'static str,
        /// Its value.
        value: u64,
        /// The limit.
        limit: u64,
    },
    /// A list is not in the order it must have, or has something twice.
    Disordered {
        /// What is listed.
        what: &'static str,
    },
    /// A number is one that no training like this comes to.
    Impossible {
        /// What it is.
        what: &'static str,
    },
    /// The state could not be written.
    Unwritable,
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("it ends early or is not what training saves"),
            Self::Trailing { bytes } => write!(f, "{bytes} bytes follow behind its end"),
            Self::Differs {
                what,
                state,
                training,
            } => write!(f, "it has {state} {what}, but this training {training}"),
            Self::Beyond { what, value, limit } => {
                write!(f, "{what} {value} occurs, but must be below {limit}")
            }
            Self::Disordered { what } => {
                write!(f, "{what} are out of order, or occur twice")
            }
            Self::Impossible { what } => {
                write!(f, "{what}: a number that this training does not come to")
            }
            Self::Unwritable => f.write_str("it could not be written"),
        }
    }
}

impl core::error::Error for StateError {}

/// Refuses a length or number that is not the training's.
pub(crate) fn same(what: &'static str, state: usize, training: usize) -> Result<(), StateError> {
    if state == training {
        return Ok(());
    }
    Err(StateError::Differs {
        what,
        state: state as u64,
        training: training as u64,
    })
}

/// Refuses numbers that are not below `limit`.
pub(crate) fn all_below<'a>(
    what: &'static str,
    numbers: impl IntoIterator<Item = &'a u32>,
    limit: usize,
) -> Result<(), StateError> {
    let mut numbers = numbers.into_iter();
    match numbers.find(|&&number| number as usize >= limit) {
        None => Ok(()),
        Some(&value) => Err(StateError::Beyond {
            what,
            value: u64::from(value),
            limit: limit as u64,
        }),
    }
}

/// Refuses what training does not come to.
pub(crate) fn holds(what: &'static str, right: bool) -> Result<(), StateError> {
    if right {
        return Ok(());
    }
    Err(StateError::Impossible { what })
}

/// Refuses lists that do not hold each number below their length once.
pub(crate) fn all_once(what: &'static str, numbers: &[u32]) -> Result<(), StateError> {
    all_below(what, numbers, numbers.len())?;
    let mut seen = alloc::vec![false; numbers.len()];
    for &number in numbers {
        if core::mem::replace(&mut seen[number as usize], true) {
            return Err(StateError::Disordered { what });
        }
    }
    Ok(())
}

/// Gathers what serialization writes number by number into pieces worth handing on.
struct Pieces<'a> {
    buffer: Vec<u8>,
    sink: &'a mut dyn FnMut(&[u8]),
}

/// Bytes of a piece.
const PIECE: usize = 1 << 16;

impl Flavor for Pieces<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= PIECE {
            (self.sink)(&self.buffer);
            self.buffer.clear();
        }
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        if !self.buffer.is_empty() {
            (self.sink)(&self.buffer);
        }
        Ok(())
    }
}

/// Writes a state.
pub(crate) fn write(state: &impl Serialize, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
    let pieces = Pieces {
        buffer: Vec::with_capacity(PIECE + 64),
        sink,
    };
    postcard::serialize_with_flavor(state, pieces).map_err(|_| StateError::Unwritable)
}

/// Reads a state, all of the bytes.
pub(crate) fn read<S: DeserializeOwned>(bytes: &[u8]) -> Result<S, StateError> {
    let (state, rest) = postcard::take_from_bytes(bytes).map_err(|_| StateError::Malformed)?;
    match rest.len() {
        0 => Ok(state),
        bytes => Err(StateError::Trailing { bytes }),
    }
}

#[cfg(test)]
mod tests {
    use super::{StateError, all_once, read, write};
    use alloc::{string::ToString, vec, vec::Vec};

    #[test]
    fn what_is_written_in_pieces_is_read_whole_and_no_other_length_is() {
        let state: (Vec<f32>, Vec<u32>) = ((0..40_000).map(|n| n as f32).collect(), vec![7; 900]);
        let (mut bytes, mut pieces) = (Vec::new(), 0);
        write(&state, &mut |piece| {
            bytes.extend_from_slice(piece);
            pieces += 1;
        })
        .unwrap();
        assert!(pieces > 1);
        assert_eq!(read::<(Vec<f32>, Vec<u32>)>(&bytes), Ok(state));
        for end in [0, 1, 3, bytes.len() / 2, bytes.len() - 1] {
            let cut = read::<(Vec<f32>, Vec<u32>)>(&bytes[..end]);
            assert_eq!(cut, Err(StateError::Malformed));
        }
        bytes.push(0);
        let long = read::<(Vec<f32>, Vec<u32>)>(&bytes);
        assert_eq!(long, Err(StateError::Trailing { bytes: 1 }));
    }

    #[test]
    fn a_length_beyond_the_bytes_allocates_nothing_for_it() {
        // 2^60 numbers are announced, none follows.
        let bytes = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
        assert_eq!(read::<Vec<f32>>(&bytes), Err(StateError::Malformed));
    }

    #[test]
    fn numbers_that_must_occur_once_do() {
        assert_eq!(all_once("slots", &[2, 0, 1]), Ok(()));
        let twice = all_once("slots", &[0, 0]).unwrap_err();
        assert_eq!(twice.to_string(), "slots are out of order, or occur twice");
        let beyond = all_once("slot", &[2, 0]).unwrap_err();
        assert_eq!(beyond.to_string(), "slot 2 occurs, but must be below 2");
    }
}
