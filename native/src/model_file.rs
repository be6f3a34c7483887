//! Models from files and to files.

use crate::{
    core::{format::FormatError, model::Model},
    files::{FileError, map_model, write_model},
};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Why a file is no model.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    File(FileError),
    /// The file breaks a rule of the format.
    Format {
        /// The file.
        path: PathBuf,
        /// The rule.
        error: FormatError,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Format { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for LoadError {}

/// `Model::load` and `model.save`, as the command does them.
///
/// ```
/// use hapax::core::{data::{ReadOptions, read}, executor::Sequential, model::Model};
/// use hapax::ModelFile;
///
/// let lines = b"a small cat\tanimal\na big dog\tanimal\na red car\tthing\n";
/// let source = read(lines, &ReadOptions::default(), &Sequential)?.source;
/// let trained = hapax::train(source, 42, &Sequential)?;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("model.hapax");
/// trained.model.save(&path)?;
/// assert_eq!(Model::load(&path)?.labels(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ModelFile: Sized {
    /// Maps the file at `path` into memory and checks every rule of the format. Nobody may cut or
    /// rewrite it in place from then on: replace it, as [`ModelFile::save`] does.
    ///
    /// # Errors
    /// If the file cannot be read or breaks a rule.
    fn load(path: impl AsRef<Path>) -> Result<Self, LoadError>;

    /// Writes the model beside `path` and renames it to that, so that the file is wholly there or
    /// as it was.
    ///
    /// # Errors
    /// If the folder does not exist or cannot be written, or the disk is full.
    fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError>;
}

impl ModelFile for Model {
    fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let bytes = map_model(path).map_err(LoadError::File)?;
        Self::from_bytes(bytes).map_err(|error| LoadError::Format {
            path: path.to_owned(),
            error,
        })
    }

    fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        write_model(path.as_ref(), self)
    }
}
