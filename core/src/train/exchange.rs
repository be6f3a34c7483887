//! How processes that train one machine reach each other.

use alloc::vec::Vec;
use core::{error::Error, fmt};

/// Processes numbered from 0, which all call the same methods in the same order.
pub trait Exchange {
    /// How many there are.
    fn ranks(&self) -> usize;

    /// The number of this one.
    fn rank(&self) -> usize;

    /// Sends each parcel to its process, and receives one from each process of `from`, in that
    /// order; a process may be named several times. Parcels between the same two processes keep
    /// their order.
    ///
    /// # Errors
    /// If a process cannot be reached.
    fn send(
        &mut self,
        parcels: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError>;

    /// Replaces each value by the largest that any process has there. No sum is offered: its bits
    /// would depend on the order.
    ///
    /// # Errors
    /// If a process cannot be reached.
    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError>;
}

/// Hands this parcel to all processes, and returns those of all, this one's among them, in their
/// order.
///
/// # Errors
/// If a process cannot be reached.
pub(crate) fn gather(
    exchange: &mut impl Exchange,
    parcel: Vec<u8>,
) -> Result<Vec<Vec<u8>>, ExchangeError> {
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    let others: Vec<usize> = (0..ranks).filter(|&other| other != rank).collect();
    let parcels = others.iter().map(|&other| (other, &parcel[..]));
    let parcels: Vec<(usize, &[u8])> = parcels.collect();
    let mut all = exchange.send(&parcels, &others)?;
    all.insert(rank.min(all.len()), parcel);
    Ok(all)
}

/// Why processes did not reach each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExchangeError {
    /// A parcel does not hold what it should: other processes run another program or other data.
    Parcel {
        /// The process it came from.
        rank: usize,
    },
    /// A parcel is longer than can be sent.
    TooLarge {
        /// Its bytes.
        bytes: u64,
    },
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parcel { rank } => write!(
                f,
                "process {rank} sent what does not belong here: start all with the same program, data and options"
            ),
            Self::TooLarge { bytes } => {
                write!(
                    f,
                    "a parcel of {bytes} bytes is too long to be sent: use fewer labels or features"
                )
            }
        }
    }
}

impl Error for ExchangeError {}

/// A process on its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Exchange for Alone {
    fn ranks(&self) -> usize {
        1
    }

    fn rank(&self) -> usize {
        0
    }

    fn send(
        &mut self,
        parcels: &[(usize, &[u8])],
        _: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        Ok(parcels.iter().map(|parcel| parcel.1.to_vec()).collect())
    }

    fn largest(&mut self, _: &mut [f64]) -> Result<(), ExchangeError> {
        Ok(())
    }
}
