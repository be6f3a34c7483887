//! The parameters of what made a linear model.

use super::{
    ParamError, RowTransform, memoir::Memoir, multiclass::MultiClassSvm, one_vs_rest::OneVsRest,
};
use serde::{Deserialize, Serialize};

/// The parameters of what made a linear model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LinearTraining {
    /// One-vs-rest.
    OneVsRest(OneVsRest),
    /// A multi-class machine.
    MultiClass(MultiClassSvm),
    /// MEMOIR.
    Memoir(Memoir),
}

impl LinearTraining {
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        match self {
            Self::OneVsRest(parameters) => parameters.check(),
            Self::MultiClass(parameters) => parameters.check(),
            Self::Memoir(parameters) => parameters.check(),
        }
    }

    /// The transform that rows go through in training and prediction.
    #[must_use]
    pub fn transform(&self) -> RowTransform {
        match self {
            Self::OneVsRest(parameters) => parameters.transform(),
            Self::MultiClass(parameters) => parameters.transform(),
            Self::Memoir(parameters) => parameters.transform(),
        }
    }
}
