//! Why a model cannot be trained, and data that no method can learn from.

use crate::{
    data::Dataset,
    model::{ModelError, linear::build::TooManyWeights},
    parameters::ParamError,
    search::{compact::CompactError, neighbors::NeighborError},
    text::VectorizerError,
    train::{exchange::ExchangeError, state::StateError},
};
use alloc::vec::Vec;
use core::fmt;

/// Why a model cannot be trained.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TrainError {
    /// A parameter is outside its range.
    Parameter(ParamError),
    /// Texts make no rows: the options are bad, or no text has any features.
    Texts(VectorizerError),
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
    /// A row of data for a method that needs one label a row has none or several.
    NotOneLabel {
        /// The row, from 1.
        row: u64,
        /// How many labels it has.
        labels: u64,
    },
    /// All rows that can be learned from have the same label.
    OneClass {
        /// The label.
        label: u32,
    },
    /// The values of a row are too large to compute with.
    RowTooLong {
        /// The row, from 1.
        row: u64,
    },
    /// There are fewer than two labels to choose among.
    TooFewLabels {
        /// How many there are.
        labels: u64,
    },
    /// No row can be learned from: each lacks features or labels, or carries every label.
    NoNegatives,
    /// More rows, values or labels than the model can number.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        value: u64,
        /// The most there can be.
        limit: u64,
    },
    /// The model to start from has another number of features or labels than the data.
    StartDiffers {
        /// Features or labels.
        what: &'static str,
        /// How many the model has.
        model: u32,
        /// How many the data have.
        data: u32,
    },
    /// What was saved is not a state of this training.
    State(StateError),
    /// The model to start from is of another method.
    StartNotLinear,
    /// The model to start from sees rows through another exponent or another normalization, or
    /// standardized.
    StartTransform,
    /// Training was stopped before its end, or the model was asked for before.
    Stopped,
    /// Labels in bundles that rotate cannot train this method.
    NoBundles,
    /// Processes that train together did not reach each other.
    Exchange(ExchangeError),
    /// The method cannot learn single rows once it is trained.
    CannotLearn,
    /// Weights grew beyond all bounds.
    Diverged,
    /// The primal objective came out below the dual one by more than rounding, which cannot be: an
    /// error in the solver, whose proof is worth nothing.
    Unproven {
        /// The primal objective.
        primal: f64,
        /// The dual objective.
        dual: f64,
    },
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

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(error) => error.fmt(f),
            Self::Texts(error) => error.fmt(f),
            Self::NoRows => f.write_str("there are no training rows"),
            Self::TooFewRows { rows } => {
                write!(
                    f,
                    "{rows} training rows: at least 2 are needed, to hold one out"
                )
            }
            Self::NoFeatures => f.write_str("no training row has a feature"),
            Self::NoLabels => f.write_str("no training row has a label"),
            Self::NotOneLabel { row, labels: 0 } => no_label(f, *row),
            Self::NotOneLabel { row, labels } => write!(
                f,
                "row {row} (from 1) has {labels} labels, but this method needs exactly one: choose a method for \
                 several labels, such as ovr, or have rows replicated for each of their labels \
                 (--multilabel replicate)"
            ),
            Self::OneClass { label } => write!(
                f,
                "all rows with features have the label {label}: at least 2 labels are needed"
            ),
            Self::RowTooLong { row } => write!(
                f,
                "the values of row {row} are too large: their squares must add up to at most 1e30"
            ),
            Self::TooFewLabels { labels } => write!(
                f,
                "{labels} label: at least 2 are needed, to tell one from another"
            ),
            Self::NoNegatives => f.write_str(
                "no training row can be learned from: each lacks features or labels, or carries every label",
            ),
            Self::TooLarge { what, value, limit } => {
                write!(f, "{value} {what}, but at most {limit} are possible")
            }
            Self::StartDiffers { what, model, data } => write!(
                f,
                "the model to start from has {model} {what}, the data have {data}: start from a model \
                 of the same features, and of labels that the data have, too"
            ),
            Self::State(error) => write!(f, "no state to go on from: {error}"),
            Self::StartNotLinear => f.write_str(
                "the model to start from is not linear: only a linear model will do",
            ),
            Self::StartTransform => f.write_str(
                "the model to start from was trained with another exponent, or on features that are \
                 standardized or weighed: give the same exponent, or train anew (`hapax learn` \
                 teaches such models, too)",
            ),
            Self::Stopped => {
                f.write_str("training was stopped before its end: there is no model yet")
            }
            Self::NoBundles => f.write_str(
                "only ww can be trained by bundles of labels that rotate: its duals concern two labels each",
            ),
            Self::Exchange(error) => error.fmt(f),
            Self::CannotLearn => f.write_str(
                "this model cannot learn single rows: train it again with them, or train \
                 nearest neighbors, which can",
            ),
            Self::Diverged => f.write_str(
                "the weights grew beyond all bounds: give a smaller step size (learning rate), or normalize rows",
            ),
            Self::Unproven { primal, dual } => unproven(f, *primal, *dual),
            Self::Budget { budget, smallest } => write!(
                f,
                "{budget} bytes are too few for this model: the smallest takes {smallest}"
            ),
            Self::OutOfMemory { bytes } => write!(f, "no memory for {bytes} bytes"),
        }
    }
}

fn no_label(f: &mut fmt::Formatter<'_>, row: u64) -> fmt::Result {
    write!(
        f,
        "row {row} (from 1) has no label, but this method needs exactly one: leave such rows out, or \
         choose a method that passes them over, such as ovr"
    )
}

/// By how much the dual objective is above is told in whole parts of a billion: to print real
/// numbers takes 6 kB, gzipped, of every wasm file.
fn unproven(f: &mut fmt::Formatter<'_>, primal: f64, dual: f64) -> fmt::Result {
    let parts = (1e9 * (dual - primal) / primal.abs().max(f64::MIN_POSITIVE)) as u64;
    write!(
        f,
        "training failed its own proof: the primal objective is no number, or lies below the dual \
         one, by {parts} parts of 10^9, which no weights can reach. This is a defect of hapax: please report it \
         with the data and the options"
    )
}

impl core::error::Error for TrainError {}

impl From<ModelError> for TrainError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Parameter(error) => Self::Parameter(error),
            ModelError::NoRows => Self::NoRows,
            ModelError::NoFeatures => Self::NoFeatures,
            ModelError::NoLabels => Self::NoLabels,
            ModelError::TooLarge { what, value, limit } => Self::TooLarge { what, value, limit },
            ModelError::NotFinite => Self::Diverged,
            ModelError::CannotLearn => Self::CannotLearn,
            ModelError::Budget { budget, smallest } => Self::Budget { budget, smallest },
            ModelError::OutOfMemory { bytes } => Self::OutOfMemory { bytes },
        }
    }
}

impl From<CompactError> for TrainError {
    fn from(error: CompactError) -> Self {
        ModelError::from(error).into()
    }
}

impl From<NeighborError> for TrainError {
    fn from(error: NeighborError) -> Self {
        ModelError::from(error).into()
    }
}

impl From<ExchangeError> for TrainError {
    fn from(error: ExchangeError) -> Self {
        Self::Exchange(error)
    }
}

impl From<StateError> for TrainError {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

impl From<VectorizerError> for TrainError {
    fn from(error: VectorizerError) -> Self {
        Self::Texts(error)
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

/// An array of `count` numbers `value`, or the refusal.
pub(crate) fn array<T: Clone>(count: usize, value: T) -> Result<Vec<T>, TrainError> {
    let mut made = Vec::new();
    made.try_reserve_exact(count)
        .map_err(|_| TrainError::OutOfMemory {
            bytes: (count as u64).saturating_mul(size_of::<T>() as u64),
        })?;
    made.resize(count, value);
    Ok(made)
}

/// What every feature and label costs a trainer at the least: counts, starts, numbers of its own.
const LEAST_BYTES: u64 = 16;

/// Refuses data without rows, features or labels, with more rows than ids, or with so many declared
/// features and labels that there is no memory for a few counts of each: a header alone can declare
/// billions.
///
/// Every trainer checks its data so; a caller may do it before other work.
///
/// # Errors
/// The first of these that holds.
pub fn check_data(data: &Dataset) -> Result<(), TrainError> {
    if data.is_empty() {
        Err(TrainError::NoRows)
    } else if data.rows().nonzeros() == 0 {
        Err(TrainError::NoFeatures)
    } else if data.labels().total() == 0 {
        Err(TrainError::NoLabels)
    } else if data.len() >= u32::MAX as usize {
        let (value, limit) = (data.len() as u64, u64::from(u32::MAX) - 1);
        Err(TrainError::TooLarge {
            what: "rows",
            value,
            limit,
        })
    } else {
        let declared = u64::from(data.rows().features()) + u64::from(data.labels().labels());
        check_memory(LEAST_BYTES * declared)
    }
}

/// Refuses if so many bytes cannot be had at once; nothing is kept of them.
fn check_memory(bytes: u64) -> Result<(), TrainError> {
    let most = usize::try_from(bytes).unwrap_or(usize::MAX);
    let reserved = Vec::<u8>::new().try_reserve_exact(most);
    reserved.map_err(|_| TrainError::OutOfMemory { bytes })
}

#[cfg(test)]
mod tests {
    use super::{TrainError, check_memory};

    #[test]
    fn memory_that_cannot_be_had_is_refused() {
        assert_eq!(check_memory(1 << 20), Ok(()));
        let bytes = u64::MAX;
        assert_eq!(check_memory(bytes), Err(TrainError::OutOfMemory { bytes }));
    }
}
