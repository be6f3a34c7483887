//! The errors of Python: `OSError` for files, `MemoryError` for memory, `ValueError` for all else,
//! each with the text of the core.

use hapax::core::model::{ModelError, PredictError};
use hapax::core::train::TrainError;
use hapax::{TrainingError, VectorsError, core::data::DatasetError};
use hapax::{checkpoint::CheckpointError, files::FileError, sealed::SealedError};
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyOSError, PyValueError};
use std::{fmt::Display, panic::AssertUnwindSafe};

/// A wrong value.
pub fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A file that cannot be read or written.
pub fn file(error: &FileError) -> PyErr {
    match error.is_absent() {
        true => PyFileNotFoundError::new_err(error.to_string()),
        false => PyOSError::new_err(error.to_string()),
    }
}

/// A query without an answer.
pub fn prediction(error: &PredictError) -> PyErr {
    match error {
        PredictError::Failed(ModelError::OutOfMemory { .. }) => {
            PyMemoryError::new_err(error.to_string())
        }
        _ => wrong(error),
    }
}

/// What the steps of training fail with.
pub fn training(error: impl Into<TrainingError>) -> PyErr {
    match error.into() {
        error @ TrainingError::Train(TrainError::OutOfMemory { .. }) => {
            PyMemoryError::new_err(error.to_string())
        }
        TrainingError::Vectors(_, AssertUnwindSafe(VectorsError::File(error))) => file(&error),
        error => wrong(error),
    }
}

/// Rows that do not fit their labels.
pub fn dataset(error: DatasetError) -> PyErr {
    training(error)
}

/// Checkpoints that cannot be kept or gone on from.
pub fn checkpoint(error: &CheckpointError) -> PyErr {
    match error {
        CheckpointError::Sealed(SealedError::File(error)) => file(error),
        error => wrong(error),
    }
}
