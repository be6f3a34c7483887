//! Data that no method can learn from.

use super::TrainError;
use crate::data::Dataset;

/// Refuses data without rows, features or labels, or with more rows than ids.
pub(crate) fn check_data(data: &Dataset) -> Result<(), TrainError> {
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
        Ok(())
    }
}
