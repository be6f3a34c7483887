//! Why a model cannot be trained.

use crate::{
    model::linear::build::TooManyWeights,
    search::{compact::CompactError, neighbors::NeighborError},
};
use core::fmt;

/// A parameter outside its range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ParamError {
    /// The parameter, by the name of its field.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The rule that the value breaks.
    pub rule: ParamRule,
}

/// What the value of a parameter must be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParamRule {
    /// Neither NaN nor infinite.
    Finite,
    /// This or more.
    AtLeast(f64),
    /// More than this.
    Above(f64),
    /// This or less; why there is such a limit, in words.
    AtMost(f64, &'static str),
    /// One of these.
    OneOf(&'static [f64]),
}

impl ParamError {
    /// Refuses `value` unless it is finite and meets `rule`.
    ///
    /// # Errors
    /// If it does not.
    pub fn check(name: &'static str, value: f64, rule: ParamRule) -> Result<(), Self> {
        let rule = if value.is_finite() {
            rule
        } else {
            ParamRule::Finite
        };
        let met = match rule {
            ParamRule::Finite => value.is_finite(),
            ParamRule::AtLeast(limit) => value >= limit,
            ParamRule::Above(limit) => value > limit,
            ParamRule::AtMost(limit, _) => value <= limit,
            ParamRule::OneOf(values) => values.contains(&value),
        };
        if met {
            Ok(())
        } else {
            Err(Self { name, value, rule })
        }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, but must be ", self.name, self.value)?;
        match self.rule {
            ParamRule::Finite => f.write_str("a finite number"),
            ParamRule::AtLeast(limit) => write!(f, "at least {limit}"),
            ParamRule::Above(limit) => write!(f, "more than {limit}"),
            ParamRule::AtMost(limit, reason) => write!(f, "at most {limit}, {reason}"),
            ParamRule::OneOf(values) => write!(f, "one of {values:?}"),
        }
    }
}

impl core::error::Error for ParamError {}

/// Why a model cannot be trained.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TrainError {
    /// A parameter is outside its range.
    Parameter(ParamError),
    /// There are no rows to learn from.
    NoRows,
    /// There are too few rows to hold some out.
    TooFewRows {
        /// How many there are.
        rows: u64,
    },
    /// No row has a feature.
    NoFeatures,
    /// No row has a label.
    NoLabels,
    /// Too few labels have rows: there is nothing to tell apart.
    TooFewLabels {
        /// How many there are.
        labels: u32,
    },
    /// A row has several labels, and the method takes one.
    SeveralLabels {
        /// The first such row, from 0.
        row: u64,
        /// How many it has.
        labels: u64,
    },
    /// More rows, values or labels than the model can number.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        value: u64,
        /// The most there can be.
        limit: u64,
    },
    /// Training was stopped before its end, or the model was asked for before.
    Stopped,
    /// The method cannot learn single rows once it is trained.
    CannotLearn,
    /// Memory is lacking.
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(error) => error.fmt(f),
            Self::NoRows => f.write_str("there are no training rows"),
            Self::TooFewRows { rows } => {
                write!(
                    f,
                    "{rows} training rows: at least 2 are needed, to hold one out"
                )
            }
            Self::NoFeatures => f.write_str("no training row has a feature"),
            Self::NoLabels => f.write_str("no training row has a label"),
            Self::TooFewLabels { labels } => write!(
                f,
                "{labels} label has training rows: at least 2 are needed, to tell them apart"
            ),
            Self::SeveralLabels { row, labels } => write!(
                f,
                "row {row} (from 0) has {labels} labels, but the method takes one a row: replicate such \
                 rows, one for each label, or take the first label"
            ),
            Self::TooLarge { what, value, limit } => {
                write!(f, "{value} {what}, but at most {limit} are possible")
            }
            Self::Stopped => {
                f.write_str("training was stopped before its end: there is no model yet")
            }
            Self::CannotLearn => f.write_str(
                "a linear model cannot learn single rows: train it again with them, or train \
                 nearest neighbors, which can",
            ),
            Self::OutOfMemory { bytes } => write!(f, "no memory for {bytes} bytes"),
        }
    }
}

impl core::error::Error for TrainError {}

impl From<CompactError> for TrainError {
    fn from(error: CompactError) -> Self {
        match error {
            CompactError::OutOfMemory { bytes } => Self::OutOfMemory {
                bytes: bytes as u64,
            },
            CompactError::TooManyRows { rows } => {
                let (value, limit) = (rows as u64, u64::from(u32::MAX));
                Self::TooLarge {
                    what: "rows",
                    value,
                    limit,
                }
            }
            // Building meets no other error: the rest are of options, which are ours, and of files.
            _ => {
                let limit = u64::from(u32::MAX);
                Self::TooLarge {
                    what: "bytes of postings",
                    value: limit + 1,
                    limit,
                }
            }
        }
    }
}

impl From<NeighborError> for TrainError {
    fn from(error: NeighborError) -> Self {
        match error {
            NeighborError::OutOfMemory { bytes } => Self::OutOfMemory {
                bytes: bytes as u64,
            },
            NeighborError::TooLarge { count } => {
                let (value, limit) = (count as u64, u64::from(u32::MAX));
                Self::TooLarge {
                    what: "rows or values",
                    value,
                    limit,
                }
            }
            // The others are of files, which training does not read.
            _ => Self::NoFeatures,
        }
    }
}

impl From<ParamError> for TrainError {
    fn from(error: ParamError) -> Self {
        Self::Parameter(error)
    }
}

impl From<TooManyWeights> for TrainError {
    fn from(error: TooManyWeights) -> Self {
        Self::TooLarge {
            what: "bytes of weights (prune more)",
            value: error.bytes as u64,
            limit: u64::from(u32::MAX),
        }
    }
}
