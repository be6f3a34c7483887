//! Why a model cannot be made, asked or changed.

use crate::{
    parameters::ParamError,
    search::{compact::CompactError, neighbors::NeighborError},
};
use core::fmt;

/// Why a model cannot be made, asked or changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelError {
    /// A parameter is outside its range.
    Parameter(ParamError),
    /// There are no rows.
    NoRows,
    /// A row, or all of them, have no feature.
    NoFeatures,
    /// A row has no label.
    NoLabels,
    /// More rows, values or labels than the model can number.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        value: u64,
        /// The most there can be.
        limit: u64,
    },
    /// A weight is not finite, or too large to compute with.
    NotFinite,
    /// The method cannot learn single rows once it is trained.
    CannotLearn,
    /// No model is so small.
    Budget {
        /// The most bytes allowed.
        budget: u64,
        /// The bytes of the smallest model.
        smallest: u64,
    },
    /// Memory is lacking.
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(error) => error.fmt(f),
            Self::NoRows => f.write_str("there are no rows"),
            Self::NoFeatures => f.write_str("the row has no features"),
            Self::NoLabels => f.write_str("the row has no labels"),
            Self::TooLarge { what, value, limit } => {
                write!(f, "{value} {what}, but at most {limit} are possible")
            }
            Self::NotFinite => f.write_str("a weight is not finite, or too large to compute with"),
            Self::CannotLearn => f.write_str(
                "this model cannot learn single rows: train it again with them, or train \
                 nearest neighbors, which can",
            ),
            Self::Budget { budget, smallest } => write!(
                f,
                "{budget} bytes are too few for this model: the smallest takes {smallest}"
            ),
            Self::OutOfMemory { bytes } => write!(f, "no memory for {bytes} bytes"),
        }
    }
}

impl core::error::Error for ModelError {}

impl From<ParamError> for ModelError {
    fn from(error: ParamError) -> Self {
        Self::Parameter(error)
    }
}

/// More of something than 32 bits number.
fn too_large(what: &'static str, value: u64) -> ModelError {
    let limit = u64::from(u32::MAX);
    ModelError::TooLarge { what, value, limit }
}

impl From<CompactError> for ModelError {
    fn from(error: CompactError) -> Self {
        match error {
            CompactError::OutOfMemory { bytes } => Self::OutOfMemory {
                bytes: bytes as u64,
            },
            CompactError::TooManyRows { rows } => too_large("rows", rows as u64),
            // Building meets no other error: the rest are of options, which are ours, and of files.
            _ => too_large("bytes of postings", u64::from(u32::MAX) + 1),
        }
    }
}

impl From<NeighborError> for ModelError {
    fn from(error: NeighborError) -> Self {
        match error {
            NeighborError::OutOfMemory { bytes } => Self::OutOfMemory {
                bytes: bytes as u64,
            },
            NeighborError::TooLarge { count } => too_large("rows or values", count as u64),
            // The others are of files, which training does not read.
            _ => Self::NoFeatures,
        }
    }
}
