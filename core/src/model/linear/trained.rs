//! The method of a model that training of linear machines made: the weights and what belongs to them.

use super::{LinearModel, LinearScratch, fused::FusedNearest};
use crate::parameters::RowTransform;
use crate::{
    array::Array,
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::nearest::NearestScratch,
    parameters::{ParamError, memoir::Memoir, multiclass::MultiClassSvm, one_vs_rest::OneVsRest},
    search::Scored,
    sparse::SparseView,
    train::{TrainError, dual::one_vs_rest::Report, exact::machine::Machine, memoir::trainer},
};
use alloc::{boxed::Box, collections::TryReserveError};
use core::ops::ControlFlow;
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
    fn check(&self) -> Result<(), ParamError> {
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

/// A linear model with the parameters that made it and the counts of its labels.
#[derive(Clone, Debug)]
pub struct Linear {
    model: LinearModel,
    frequencies: Array<u32>,
    parameters: LinearTraining,
    /// Neighbors that vote, too.
    nearest: Option<Box<FusedNearest>>,
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
        Self::train_from(None, parameters, data, executor, kernels, progress)
    }

    /// Trains as [`Linear::train`] does, from an earlier model if there is one; see
    /// [`crate::train::dual::trainer::Trainer::start_from`].
    ///
    /// # Errors
    /// As [`OneVsRest::train_from`].
    pub fn train_from(
        start: Option<&Self>,
        parameters: &OneVsRest,
        data: &Dataset,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let start = start.map(Self::model);
        Ok(Self {
            model: parameters.train_from(start, data, executor, kernels, progress)?,
            frequencies: data.labels().frequencies().into(),
            parameters: LinearTraining::OneVsRest(parameters.clone()),
            nearest: None,
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
            parameters: LinearTraining::Memoir(parameters.clone()),
            nearest: None,
        })
    }

    /// Of both parts of a fused model that one-vs-rest with `parameters` made of `data`.
    #[must_use]
    pub fn from_fused(
        (model, nearest): (LinearModel, FusedNearest),
        parameters: &OneVsRest,
        data: &Dataset,
    ) -> Self {
        Self {
            nearest: Some(Box::new(nearest)),
            ..Self::from_proven(model, parameters, data)
        }
    }

    /// The `k` best labels for `row`, best first.
    ///
    /// # Errors
    /// If memory is lacking for the search of neighbors, where the model has them.
    pub fn predict<'s>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut LinearScratch,
        nearest: &mut NearestScratch,
    ) -> Result<&'s [Scored], TrainError> {
        match &self.nearest {
            None => Ok(self.model.predict(row, k, scratch)),
            Some(fused) => fused.predict(&self.model, row, k, scratch, nearest),
        }
    }

    /// The neighbors that vote, too, in a fused model.
    #[must_use]
    pub fn nearest(&self) -> Option<&FusedNearest> {
        self.nearest.as_deref()
    }

    /// Of weights that one-vs-rest with `parameters` made of `data`.
    #[must_use]
    pub fn from_proven(model: LinearModel, parameters: &OneVsRest, data: &Dataset) -> Self {
        Self::from_training(model, LinearTraining::OneVsRest(parameters.clone()), data)
    }

    /// Of weights that a training made of `data`.
    pub(crate) fn from_training(
        model: LinearModel,
        parameters: LinearTraining,
        data: &Dataset,
    ) -> Self {
        Self {
            model,
            frequencies: data.labels().frequencies().into(),
            parameters,
            nearest: None,
        }
    }

    /// Of a machine that `parameters` made of `data`.
    #[must_use]
    pub fn from_machine(machine: &Machine, parameters: &MultiClassSvm, data: &Dataset) -> Self {
        Self {
            model: machine.model.clone(),
            frequencies: data.labels().frequencies().into(),
            parameters: LinearTraining::MultiClass(parameters.clone()),
            nearest: None,
        }
    }

    /// From what a file stored; `None` if the parts do not fit each other.
    pub(crate) fn from_stored(
        model: LinearModel,
        frequencies: Array<u32>,
        parameters: LinearTraining,
        nearest: Option<FusedNearest>,
    ) -> Option<Self> {
        let fits = parameters.check().is_ok()
            && frequencies.len() == model.labels() as usize
            && model.parts().transform == parameters.transform();
        fits.then_some(Self {
            model,
            frequencies,
            parameters,
            nearest: nearest.map(Box::new),
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
    pub fn parameters(&self) -> &LinearTraining {
        &self.parameters
    }
}
