//! The method of a model whose training made linear weights: the weights and what belongs to them.

use super::LinearModel;
use super::query::RowTransform;
use crate::{
    array::Array,
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    train::{
        TrainError,
        dual::{one_vs_rest::Report, parameters::OneVsRest},
        memoir::{parameters::Memoir, trainer},
    },
};
use core::ops::ControlFlow;
use serde::{Deserialize, Serialize};

/// What made the weights of a linear model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum LinearParameters {
    /// One-vs-rest.
    OneVsRest(OneVsRest),
    /// MEMOIR.
    Memoir(Memoir),
}

impl LinearParameters {
    /// The transform that rows go through in training and prediction.
    #[must_use]
    pub fn transform(&self) -> RowTransform {
        match self {
            Self::OneVsRest(parameters) => parameters.transform(),
            Self::Memoir(parameters) => parameters.transform(),
        }
    }

    fn are_sound(&self) -> bool {
        match self {
            Self::OneVsRest(parameters) => parameters.check().is_ok(),
            Self::Memoir(parameters) => parameters.check().is_ok(),
        }
    }
}

/// A linear model with the parameters that made it and the counts of its labels.
#[derive(Clone, Debug)]
pub struct Linear {
    model: LinearModel,
    frequencies: Array<u32>,
    parameters: LinearParameters,
}

impl Linear {
    /// Trains on `data`; see [`crate::train::dual::one_vs_rest`].
    ///
    /// # Errors
    /// As [`OneVsRest::train`].
    pub fn train(
        parameters: &OneVsRest,
        data: &Dataset,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        Ok(Self {
            model: parameters.train(data, executor, kernels, progress)?,
            frequencies: data.labels().frequencies().into(),
            parameters: LinearParameters::OneVsRest(parameters.clone()),
        })
    }

    /// Trains on `data` by MEMOIR; see [`crate::train::memoir`].
    ///
    /// # Errors
    /// As [`Memoir::trainer`] and [`trainer::Trainer::finish`], and if `progress` stops the work.
    pub fn train_memoir(
        parameters: &Memoir,
        data: &Dataset,
        executor: &impl Executor,
        mut progress: impl FnMut(trainer::Report, &trainer::Trainer<'_>) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let mut trainer = parameters.trainer(data)?;
        while let Some(report) = trainer.step(executor) {
            if progress(report, &trainer).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        Ok(Self {
            model: trainer.finish()?,
            frequencies: data.labels().frequencies().into(),
            parameters: LinearParameters::Memoir(parameters.clone()),
        })
    }

    /// From what a file stored; `None` if the parts do not fit each other.
    pub(crate) fn from_stored(
        model: LinearModel,
        frequencies: Array<u32>,
        parameters: LinearParameters,
    ) -> Option<Self> {
        let fits = parameters.are_sound()
            && frequencies.len() == model.labels() as usize
            && model.parts().transform == parameters.transform();
        fits.then_some(Self {
            model,
            frequencies,
            parameters,
        })
    }

    /// The same method with other weights.
    pub(crate) fn with_model(&self, model: LinearModel) -> Self {
        Self {
            model,
            ..self.clone()
        }
    }

    /// The weights.
    #[must_use]
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// How many training rows carry each label.
    #[must_use]
    pub fn frequencies(&self) -> &Array<u32> {
        &self.frequencies
    }

    /// What the user chose, or the automatic rule.
    #[must_use]
    pub fn parameters(&self) -> &LinearParameters {
        &self.parameters
    }
}
