//! Processes through MPI.

use super::JoinError;
use hapax_core::train::{Exchange, ExchangeError};
use mpi::{
    Threading,
    collective::SystemOperation,
    environment::Universe,
    request::multiple_scope,
    topology::SimpleCommunicator,
    traits::{Communicator, CommunicatorCollectives, Destination, Source},
};
use std::{fmt, panic};

/// Most bytes of a message: counts are 32 bits wide.
const MOST_BYTES: usize = 1 << 30;

/// This process among others, for as long as this lives.
pub struct Processes {
    world: SimpleCommunicator,
    sent: u64,
    /// Ends MPI when it is dropped.
    _universe: Universe,
}

impl fmt::Debug for Processes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rank, ranks) = (self.rank(), self.ranks());
        write!(f, "process {rank} of {ranks}")
    }
}

impl Processes {
    pub(super) fn join(started: usize) -> Result<Self, JoinError> {
        let starting = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, _) = starting.ok_or(JoinError::CannotStart)?;
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            hook(info);
            SimpleCommunicator::world().abort(101);
        }));
        let processes = Self {
            world: universe.world(),
            sent: 0,
            _universe: universe,
        };
        let joined = processes.ranks();
        if joined == started {
            Ok(processes)
        } else {
            Err(JoinError::Differs { started, joined })
        }
    }

    /// Ends all processes.
    pub fn abort(&self, status: i32) -> ! {
        self.world.abort(status)
    }

    /// Bytes that this process has sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        self.sent
    }

    fn process(&self, rank: usize) -> mpi::topology::Process<'_> {
        self.world.process_at_rank(rank as i32)
    }
}

impl Exchange for Processes {
    fn ranks(&self) -> usize {
        self.world.size() as usize
    }

    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn send(
        &mut self,
        parcels: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        for (_, parcel) in parcels {
            let bytes = parcel.len();
            if bytes > MOST_BYTES {
                let bytes = bytes as u64;
                return Err(ExchangeError::TooLarge { bytes });
            }
            self.sent += bytes as u64;
        }
        let received = multiple_scope(parcels.len(), |scope, requests| {
            for &(to, parcel) in parcels {
                requests.add(self.process(to).immediate_send(scope, parcel));
            }
            let receive = |&rank: &usize| self.process(rank).receive_vec::<u8>().0;
            let received = from.iter().map(receive).collect();
            requests.wait_all(&mut Vec::with_capacity(parcels.len()));
            received
        });
        Ok(received)
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError> {
        for part in values.chunks_mut(MOST_BYTES / 8) {
            let own = part.to_vec();
            self.sent += 8 * own.len() as u64;
            self.world
                .all_reduce_into(&own[..], part, SystemOperation::max());
        }
        Ok(())
    }
}
