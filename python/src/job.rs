//! One training under way: its data, where it runs, and what it tells.

use super::{
    checkpoints::{Kept, Watching},
    errors::{checkpoint, training as failed, wrong},
    interrupt::Step,
};
use hapax::{
    TrainingError,
    checkpoint::CheckpointError,
    core::{
        data::Dataset,
        executor::Executor,
        model::{LinearModel, Model},
        text::Vectorizer,
        train::{TrainError, Training},
    },
};
use pyo3::PyErr;
use serde::Serialize;
use std::sync::mpsc::Sender;

/// Why there is no model.
pub enum Failure {
    Training(TrainingError),
    Checkpoint(CheckpointError),
    Wrong(String),
}

impl<T: Into<TrainingError>> From<T> for Failure {
    fn from(error: T) -> Self {
        Self::Training(error.into())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Training(error) => failed(error),
            Failure::Checkpoint(error) => checkpoint(&error),
            Failure::Wrong(text) => wrong(text),
        }
    }
}

/// What a method trains with.
pub struct Job<'a> {
    pub data: &'a Dataset,
    pub executor: &'a Executor,
    pub steps: &'a Sender<Step>,
    pub kept: Option<&'a Kept>,
    /// The model to start from.
    pub start: Option<&'a Model>,
    pub max_bytes: Option<u64>,
}

/// The vectorizer of texts.
pub type Texts = Option<Vectorizer>;

impl Job<'_> {
    /// Tells Python of a step. Nobody listening any more is no reason to fail.
    pub fn tell(&self, what: &'static str, done: usize, of: usize) {
        _ = self.steps.send((what, done, of));
    }

    /// The weights of the model to start from, if there is one.
    pub fn start(&self) -> Result<Option<&LinearModel>, TrainError> {
        self.start.map(Model::weights_to_start_from).transpose()
    }

    /// Trains to the end, with checkpoints if they were asked for. They belong to a training of
    /// this name and identity, the names and identities of the command.
    pub fn train<T: Training, I: Serialize>(
        &self,
        training: T,
        belonging: (&str, I),
        tell: impl FnMut(T::Report),
    ) -> Result<T::Made, Failure> {
        self.watched(belonging, tell, |watch| {
            training.train(self.executor, watch)
        })
    }

    /// The same for a training that runs by itself.
    pub fn watched<'b, M, I, T>(
        &'b self,
        (name, identity): (&'b str, I),
        tell: T,
        run: impl FnOnce(&mut Watching<'b, I, T>) -> Result<M, TrainError>,
    ) -> Result<M, Failure> {
        let belonging = (name, identity, self.data);
        let mut watching =
            Watching::new(self.kept, belonging, tell).map_err(Failure::Checkpoint)?;
        let made = run(&mut watching);
        match watching.failure {
            Some(error) => Err(Failure::Checkpoint(error)),
            None => Ok(made?),
        }
    }
}
