//! Numbers whose first stands where a line of a cache begins.
//!
//! Vectors of 64 bytes that lie across two lines take two reads each, and what is fetched ahead by
//! the first number of a vector would be half of it. Memory as it comes is aligned to 16 bytes.

use crate::{kernels::terms::LANES, train::TrainError};
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// Bytes of a line.
const LINE: usize = 64;

/// Numbers, all zero at first.
pub(super) struct Aligned {
    numbers: Vec<f32>,
    start: usize,
    count: usize,
}

impl Aligned {
    /// `count` zeros.
    pub(super) fn zeros(count: usize) -> Result<Self, TrainError> {
        let mut numbers = Vec::new();
        let lacking = |_| TrainError::OutOfMemory {
            bytes: count as u64 * 4,
        };
        let room = count.saturating_add(if count > 0 { LANES } else { 0 });
        numbers.try_reserve_exact(room).map_err(lacking)?;
        numbers.resize(room, 0f32);
        let start = numbers.as_ptr().align_offset(LINE);
        let start = if start <= room - count { start } else { 0 };
        Ok(Self {
            numbers,
            start,
            count,
        })
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.numbers[self.start..self.start + self.count]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.numbers[self.start..self.start + self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::Aligned;

    #[test]
    fn there_are_as_many_zeros_as_asked_for_and_they_can_be_changed() {
        for count in [0, 1, 15, 16, 17, 1000] {
            let mut numbers = Aligned::zeros(count).unwrap();
            assert_eq!(numbers.to_vec(), alloc::vec![0.0; count]);
            numbers.iter_mut().for_each(|number| *number = 1.0);
            assert_eq!(numbers.iter().sum::<f32>(), count as f32);
        }
        assert!(Aligned::zeros(usize::MAX / 8).is_err());
    }
}
