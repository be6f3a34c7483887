//! Why the command ends without having done its work, and the exit status that says so.

use super::{columns::unnamed_columns, table::count};
use hapax::{
    LoadError,
    core::{
        data::{ReadError, ReadProblem},
        format::FormatError,
        model::PredictError,
        train::TrainError,
    },
    files::FileError,
};
use std::{fmt, io, path::Path, process::ExitCode};

/// Why the command ends.
#[derive(Debug)]
pub enum Failure {
    /// Wrong usage or input: the user can mend it. Exit status 2.
    Input(String),
    /// Anything else. Exit status 1.
    Other(String),
    /// Several processes have stopped together, as they were asked to: all know it. Exit status 1.
    Stopped(String),
    /// So many of so many rows could not be read; each has its problem in the output. Exit
    /// status 3.
    Unread { unread: u64, rows: u64 },
    /// There is nothing more to do, which is no failure.
    Done,
    /// All is said already. Exit status 2.
    Shown,
    /// Whoever read the output has stopped reading, which is no failure.
    OutputClosed,
}

impl Failure {
    /// Something about this file is wrong: `path: message`.
    pub fn in_file(path: &Path, message: impl fmt::Display) -> Self {
        Self::Input(format!("{}: {message}", path.display()))
    }

    /// Something about a place in data is wrong: `path:line:column: message`.
    pub fn in_data(path: &Path, error: &ReadError) -> Self {
        let path = path.display();
        if let ReadProblem::TooManyColumns { found } = error.problem {
            let (line, column) = (error.line, error.column);
            let advice = unnamed_columns(found);
            return Self::Input(format!("{path}:{line}:{column}: {advice}"));
        }
        Self::Input(format!("{path}:{error}"))
    }

    /// Something about a place in a file of text is wrong: `path:line:column: message`.
    pub fn at(path: &Path, line: u64, column: u64, message: impl fmt::Display) -> Self {
        Self::Input(format!("{}:{line}:{column}: {message}", path.display()))
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) | Self::Shown => ExitCode::from(2),
            Self::Other(_) | Self::Stopped(_) => ExitCode::FAILURE,
            Self::Unread { .. } => ExitCode::from(3),
            Self::Done | Self::OutputClosed => ExitCode::SUCCESS,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(message) | Self::Other(message) | Self::Stopped(message) => {
                f.write_str(message)
            }
            Self::Unread { unread, rows } => write!(
                f,
                "{} of {} rows could not be read; each has its place in the output, without labels",
                count(*unread),
                count(*rows)
            ),
            Self::Done | Self::Shown => f.write_str("done"),
            Self::OutputClosed => f.write_str("the output was closed"),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        match error.is_lacking() {
            true => Self::Other(error.to_string()),
            false => Self::Input(error.to_string()),
        }
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::File(error) => error.into(),
            error => Self::Input(error.to_string()),
        }
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::OutOfMemory { .. } | TrainError::Unproven { .. } => {
                Self::Other(error.to_string())
            }
            TrainError::Parameter(error) => {
                let rule = error.to_string();
                let option = error.name.replace('_', "-");
                Self::Input(format!("--{}", rule.replacen(error.name, &option, 1)))
            }
            _ => Self::Input(error.to_string()),
        }
    }
}

impl From<PredictError> for Failure {
    fn from(error: PredictError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Self {
        Self::Other(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::Other(format!("cannot write the output: {error}"))
        }
    }
}
