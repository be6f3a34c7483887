//! Training of nearest neighbors: an index over the rows, parameters tuned on held-out rows, and an
//! index cut to a number of bytes.

mod budget;
mod judge;
mod tune;

pub use budget::{BudgetReport, BudgetTrial};
pub use tune::{Grid, TuneReport};

use crate::{
    array::Array,
    data::Dataset,
    model::{
        ModelError,
        linear::fused::FusedNearest,
        nearest::{Nearest, changes::Changes, conditioned::conditioned_rows, index::Index},
    },
    parameters::{NearestParameters, ParamError, ParamRule},
    search::compact::{CompactLabels, CompactOptions},
    sparse::SparseRows,
    train::{TrainError, check_data},
};

impl Nearest {
    /// Builds the index over the rows of `data`.
    ///
    /// # Errors
    /// If a parameter is out of range (more neighbors than rows among them), there are no rows,
    /// features or labels, or memory is lacking.
    pub fn train(parameters: NearestParameters, data: &Dataset) -> Result<Self, TrainError> {
        Self::over(parameters, data, Index::exact)
    }

    /// The method over the index that `build` makes of the conditioned rows of `data`, after all
    /// checks.
    fn over(
        parameters: NearestParameters,
        data: &Dataset,
        build: impl FnOnce(&SparseRows) -> Result<Index, ModelError>,
    ) -> Result<Self, TrainError> {
        Self::check(&parameters, data)?;
        let rows = conditioned_rows(data.rows(), parameters.exponent);
        Ok(Self {
            parameters,
            similarity: parameters.similarity()?,
            index: build(&rows)?,
            labels: CompactLabels::new(data.labels())?,
            ids: Array::default(),
            changes: Changes::new(data.len() as u32),
        })
    }

    fn check(parameters: &NearestParameters, data: &Dataset) -> Result<(), TrainError> {
        parameters.check()?;
        check_data(data)?;
        let rows = f64::from(data.len() as u32);
        let limit = ParamRule::AtMost(rows, "the number of training rows");
        Ok(ParamError::check(
            "neighbors",
            f64::from(parameters.neighbors),
            limit,
        )?)
    }

    /// Nearest neighbors over a compact index of the rows of `data`.
    ///
    /// # Errors
    /// As [`Nearest::train`].
    pub(crate) fn train_compact(
        parameters: NearestParameters,
        data: &Dataset,
        options: &CompactOptions,
    ) -> Result<Self, TrainError> {
        Self::over(parameters, data, |rows| Index::compact(rows, options))
    }
}

impl FusedNearest {
    /// Neighbors among the rows of `data`, over a compact index.
    ///
    /// # Errors
    /// As [`Nearest::train`].
    pub(crate) fn neighbors(data: &Dataset) -> Result<Nearest, TrainError> {
        let parameters = NearestParameters::default().within(data.len());
        Nearest::train_compact(parameters, data, &CompactOptions::default())
    }
}
