//! The method of a model that one-vs-rest training made: the weights and what belongs to them.

use super::LinearModel;
use crate::{
    array::Array,
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    train::{
        TrainError,
        dual::{one_vs_rest::Report, parameters::OneVsRest},
    },
};
use alloc::collections::TryReserveError;
use core::ops::ControlFlow;

/// A linear model with the parameters that made it and the counts of its labels.
#[derive(Clone, Debug)]
pub struct Linear {
    model: LinearModel,
    frequencies: Array<u32>,
    parameters: OneVsRest,
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
            parameters: parameters.clone(),
        })
    }

    /// From what a file stored; `None` if the parts do not fit each other.
    pub(crate) fn from_stored(
        model: LinearModel,
        frequencies: Array<u32>,
        parameters: OneVsRest,
    ) -> Option<Self> {
        let fits = parameters.check().is_ok()
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

    /// Makes queries fast; see [`LinearModel::prepare`].
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn prepare(&mut self) -> Result<usize, TryReserveError> {
        self.model.prepare()
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
    pub fn parameters(&self) -> &OneVsRest {
        &self.parameters
    }
}
