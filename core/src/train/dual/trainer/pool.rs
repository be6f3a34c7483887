//! The negatives that all labels begin with.

use crate::{random::Stream, train::dual::parameters::OneVsRest};
use alloc::vec::Vec;

/// The random rows every label starts with, rising.
pub(super) fn draw_pool(parameters: &OneVsRest, rows: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..rows as u32).collect();
    if (parameters.pool as usize) < rows {
        let mut stream = Stream::new(parameters.seed, u64::MAX);
        for at in 0..parameters.pool as usize {
            let other = at + stream.below((rows - at) as u64) as usize;
            all.swap(at, other);
        }
        all.truncate(parameters.pool as usize);
        all.sort_unstable();
    }
    all
}
