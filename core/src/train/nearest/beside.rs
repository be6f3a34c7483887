//! Neighbors that vote beside a linear model.

use crate::{
    data::Dataset,
    model::{Nearest, linear::fused::FusedNearest},
    parameters::NearestParameters,
    search::compact::CompactOptions,
    train::TrainError,
};

impl FusedNearest {
    /// Neighbors among the rows of `data`, over a compact index.
    ///
    /// # Errors
    /// As [`Nearest::train`].
    pub(crate) fn neighbors(data: &Dataset) -> Result<Nearest, TrainError> {
        let default = NearestParameters::default();
        let parameters = NearestParameters {
            neighbors: default.neighbors.min(data.len() as u32),
            ..default
        };
        Nearest::train_compact(parameters, data, &CompactOptions::default())
    }
}
