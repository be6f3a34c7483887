//! What stands for processes where there is no MPI: nothing.

use super::JoinError;
use hapax_core::train::{Exchange, ExchangeError};

/// Processes that cannot be had: this program was built without MPI.
#[derive(Debug)]
pub enum Processes {}

impl Processes {
    pub(super) fn join(started: usize) -> Result<Self, JoinError> {
        Err(JoinError::WithoutMpi { started })
    }

    /// Ends all processes.
    pub fn abort(&self, _: i32) -> ! {
        match *self {}
    }

    /// Bytes that this process has sent.
    #[must_use]
    pub fn sent(&self) -> u64 {
        match *self {}
    }
}

impl Exchange for Processes {
    fn ranks(&self) -> usize {
        match *self {}
    }

    fn rank(&self) -> usize {
        match *self {}
    }

    fn send(&mut self, _: &[(usize, &[u8])], _: &[usize]) -> Result<Vec<Vec<u8>>, ExchangeError> {
        match *self {}
    }

    fn largest(&mut self, _: &mut [f64]) -> Result<(), ExchangeError> {
        match *self {}
    }
}
