//! Processes that a launcher such as `mpirun` started, to train one machine together
//! (`hapax_core::train::bundles`).
//!
//! They reach each other through MPI, which needs this crate's feature `mpi`; without it,
//! [`Processes`] cannot be had, and [`join`] refuses to be one of several processes that would all
//! do the same.
//!
//! A process that ends without the others would leave them waiting for ever: a panic after [`join`]
//! ends all of them, and whoever gives up for another reason calls [`Processes::abort`].

#[cfg(feature = "mpi")]
mod mpi;
#[cfg(not(feature = "mpi"))]
mod none;

#[cfg(feature = "mpi")]
pub use mpi::Processes;
#[cfg(not(feature = "mpi"))]
pub use none::Processes;

use std::{env, error::Error, fmt};

/// The variables by which launchers tell the number of processes, and of those on the same machine.
const STARTED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];
const STARTED_HERE: [&str; 3] = [
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
    "MV2_COMM_WORLD_LOCAL_SIZE",
];

fn told(names: [&str; 3]) -> Option<usize> {
    let value = names.iter().find_map(|name| env::var(name).ok())?;
    value.parse().ok()
}

/// Why this process cannot join those it was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JoinError {
    /// This program was built without MPI.
    WithoutMpi {
        /// How many processes were started.
        started: usize,
    },
    /// MPI cannot be started, or was before.
    CannotStart,
    /// MPI joined another number of processes than were started.
    Differs {
        /// How many were started.
        started: usize,
        /// How many were joined.
        joined: usize,
    },
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutMpi { started } => write!(
                f,
                "{started} processes were started, but this hapax was built without MPI, and each would train on \
                 its own: build it with `cargo install --path native --features mpi`"
            ),
            Self::CannotStart => f.write_str("MPI cannot be started"),
            Self::Differs { started, joined } => write!(
                f,
                "{started} processes were started, but MPI joined {joined}: start them with the mpirun of the MPI \
                 that hapax was built with"
            ),
        }
    }
}

impl Error for JoinError {}

/// Joins the processes that a launcher started with this one; `None` if it was started alone.
///
/// # Errors
/// If they cannot be joined.
pub fn join() -> Result<Option<Processes>, JoinError> {
    if launched() {
        Processes::join(started()).map(Some)
    } else {
        Ok(None)
    }
}

/// Whether a launcher started this process as one of several, of which there may be but one.
#[must_use]
pub fn launched() -> bool {
    match told(STARTED) {
        Some(0) | None => false,
        Some(1) => cfg!(feature = "mpi"),
        Some(_) => true,
    }
}

/// How many processes a launcher says that it started, this one among them: 1 if it was started
/// alone.
#[must_use]
pub fn started() -> usize {
    told(STARTED).unwrap_or(1).max(1)
}

/// How many processes of this one's job are on this machine.
#[must_use]
pub fn on_this_machine() -> usize {
    told(STARTED_HERE).unwrap_or(1).max(1)
}
