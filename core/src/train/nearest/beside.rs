//! Neighbors that vote beside a linear model.

use crate::{
    data::Dataset,
    model::{
        Nearest,
        linear::fused::{FusedNearest, MOST_WEIGHT},
    },
    parameters::{NearestParameters, ParamError, ParamRule},
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

    /// The same, with what a share of 1 adds to a score: finite, 0 or more.
    ///
    /// # Errors
    /// As [`Nearest::train`], and if there is no such weight.
    pub fn train(data: &Dataset, weight: f32) -> Result<Self, TrainError> {
        ParamError::check("neighbors", f64::from(weight), ParamRule::AtLeast(0.0))?;
        let most = ParamRule::AtMost(
            f64::from(MOST_WEIGHT),
            "beyond which linear scores are lost",
        );
        ParamError::check("neighbors", f64::from(weight), most)?;
        let nearest = Self::neighbors(data)?;
        Ok(Self::of(nearest, weight))
    }
}
