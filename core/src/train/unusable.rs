//! Data that no method can learn from.

use super::TrainError;
use crate::data::Dataset;
use alloc::vec::Vec;

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
