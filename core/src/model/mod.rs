//! Trained models: what answers queries, explains itself, learns single rows, and is written to one
//! file.
//!
//! A [`Model`] holds all that an answer needs: the method with its weights or rows
//! ([`Method`]), the names of the labels, the vectorizer that turns texts into rows, and the
//! record of what made it. Queries borrow a [`Scratch`] from the caller and allocate nothing
//! once it is warm.

mod answer;
mod compacted;
mod label_names;
pub mod linear;
pub mod nearest;

pub use answer::{Answer, PredictError};
pub use compacted::{Compacted, CompactionError, FewerWeights};
pub use linear::Linear;
pub use nearest::{Nearest, NearestParameters};

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    names::Names,
    search::Scored,
    sparse::{SparseVec, SparseView},
    text::{TextScratch, Vectorizer},
    train::{
        Provenance, TrainError,
        dual::{one_vs_rest::Report, parameters::OneVsRest},
        memoir::{parameters::Memoir, trainer},
    },
};
use alloc::{string::String, vec::Vec};
use core::ops::ControlFlow;
pub(crate) use label_names::LabelNames;
use linear::LinearScratch;
use nearest::{Evidence, NearestScratch};

/// A trained model; see the module's text.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) features: u32,
    pub(crate) labels: u32,
    pub(crate) label_names: Option<LabelNames>,
    pub(crate) vectorizer: Option<Vectorizer>,
    pub(crate) provenance: Provenance,
    pub(crate) method: Method,
}

/// The methods that can have made a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Method {
    /// Sparse weighted nearest neighbors.
    Nearest(Nearest),
    /// Linear weights, by one-vs-rest or MEMOIR.
    Linear(Linear),
}

/// The memory that queries need, owned by the caller and reused.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) nearest: NearestScratch,
    pub(crate) linear: LinearScratch,
    pub(crate) text: TextScratch,
}

impl Scratch {
    /// Scratch memory whose searches run these kernels.
    #[must_use]
    pub fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            nearest: NearestScratch::new(kernels),
            linear: LinearScratch::default(),
            text: TextScratch::default(),
        }
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new(&crate::kernels::Portable)
    }
}

impl Model {
    /// Trains a nearest-neighbor model on `data`, whose rows `vectorizer` made if they were texts.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; see [`Nearest::train`].
    pub fn train_nearest(
        parameters: NearestParameters,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
    ) -> Result<Self, TrainError> {
        let nearest = Nearest::train(parameters, data, executor)?;
        let provenance = Provenance::new("nearest", data, 0);
        Ok(Self::new(
            Method::Nearest(nearest),
            data,
            vectorizer,
            provenance,
        ))
    }

    /// Trains a linear model on `data` by one-vs-rest with mined negatives; `progress` hears of every part
    /// of the work and may stop it. Equal data and parameters give equal models for any executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so.
    pub fn train_ovr(
        parameters: &OneVsRest,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let linear = Linear::train(parameters, data, executor, kernels, progress)?;
        let provenance = Provenance::new("ovr", data, parameters.seed);
        Ok(Self::new(
            Method::Linear(linear),
            data,
            vectorizer,
            provenance,
        ))
    }

    /// Trains a linear model on `data` by MEMOIR; `progress` hears of every part of the work and may stop it. Equal
    /// data and parameters give equal models for any executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress` said so.
    pub fn train_memoir(
        parameters: &Memoir,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &impl Executor,
        progress: impl FnMut(trainer::Report, &trainer::Trainer<'_>) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let linear = Linear::train_memoir(parameters, data, executor, progress)?;
        let name = parameters.name();
        let provenance = Provenance::new(name, data, parameters.seed);
        let method = Method::Linear(linear);
        Ok(Self::new(method, data, vectorizer, provenance))
    }

    fn new(
        method: Method,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        provenance: Provenance,
    ) -> Self {
        Self {
            features: data.rows().features(),
            labels: data.labels().labels(),
            label_names: data.label_names().cloned().map(LabelNames::new),
            vectorizer,
            provenance,
            method,
        }
    }

    /// The method and its parameters.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// What made the model.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The record of what made the model, to add figures to its report.
    pub fn provenance_mut(&mut self) -> &mut Provenance {
        &mut self.provenance
    }

    /// What turns texts into rows, in a model trained on texts.
    #[must_use]
    pub fn vectorizer(&self) -> Option<&Vectorizer> {
        self.vectorizer.as_ref()
    }

    /// Number of features D of the training data.
    #[must_use]
    pub fn features(&self) -> u32 {
        self.features
    }

    /// Number of labels L, those learned since included.
    #[must_use]
    pub fn labels(&self) -> u32 {
        self.labels
    }

    /// The name of a label, where labels have names.
    #[must_use]
    pub fn label_name(&self, id: u32) -> Option<String> {
        self.label_names.as_ref()?.get(id)
    }

    /// The id of the label with this name.
    #[must_use]
    pub fn label_id(&self, name: &str) -> Option<u32> {
        self.label_names.as_ref()?.find(name)
    }

    /// One table of the names of all labels, where labels have names.
    #[must_use]
    pub fn label_table(&self) -> Option<Names> {
        self.label_names.as_ref()?.table().ok()
    }

    /// How many labels a training row had on average.
    #[must_use]
    pub fn mean_labels_per_row(&self) -> f64 {
        self.provenance.label_total as f64 / self.provenance.rows.max(1) as f64
    }

    /// How many training rows carry each label, where the model knows.
    #[must_use]
    pub fn label_frequencies(&self) -> Option<Vec<u32>> {
        match &self.method {
            Method::Nearest(nearest) => Some(nearest.label_frequencies(self.labels as usize)),
            Method::Linear(linear) => Some(linear.frequencies().to_vec()),
        }
    }

    /// The `k` best labels for a row, best first; fewer where fewer have a score.
    ///
    /// # Errors
    /// [`PredictError::ZeroAnswers`] if `k` is 0.
    pub fn predict<'s>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut Scratch,
    ) -> Result<&'s [Scored], PredictError> {
        if k == 0 {
            return Err(PredictError::ZeroAnswers);
        }
        match &self.method {
            Method::Nearest(nearest) => nearest
                .predict(row, k, &mut scratch.nearest)
                .map_err(PredictError::Failed),
            Method::Linear(linear) => {
                let k = k.min(self.labels as usize);
                Ok(linear.model().predict(row, k, &mut scratch.linear))
            }
        }
    }

    /// Turns a text into a row by the model's vectorizer.
    ///
    /// # Errors
    /// If the model has none, or the text has no feature that the model knows.
    pub fn row(&self, text: &str, scratch: &mut Scratch) -> Result<SparseVec, PredictError> {
        let vectorizer = self.vectorizer.as_ref().ok_or(PredictError::NoVectorizer)?;
        let row = vectorizer.transform(text, &mut scratch.text);
        match scratch.text.no_features() {
            Some(reason) => Err(PredictError::NoFeatures(reason)),
            None => Ok(row),
        }
    }

    /// The `k` best labels for a text, best first, with their names.
    ///
    /// # Errors
    /// If `k` is 0, the model has no vectorizer, or the text has no feature that the model knows.
    pub fn predict_text(
        &self,
        text: &str,
        k: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Answer>, PredictError> {
        let row = self.row(text, scratch)?;
        let best = self.predict(row.view(), k, scratch)?;
        let named = |s: &Scored| Answer {
            id: s.id,
            name: self.label_name(s.id),
            score: s.score,
        };
        Ok(best.iter().map(named).collect())
    }

    /// Why a row gets its labels: the most similar rows, at most `neighbors`, each with at most
    /// `features` features that it shares with `row`. A linear model has no such evidence: the list is empty.
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn explain(
        &self,
        row: SparseView<'_>,
        neighbors: usize,
        features: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Evidence>, PredictError> {
        match &self.method {
            Method::Nearest(nearest) => nearest
                .explain(row, neighbors, features, &mut scratch.nearest)
                .map_err(PredictError::Failed),
            Method::Linear(_) => Ok(Vec::new()),
        }
    }

    /// Learns one more row and returns its id. A label may be new: then it must have the next free
    /// id, which is [`Model::labels`], and the number of labels grows.
    ///
    /// # Errors
    /// If the row has no features or no labels, a label is beyond the next free id, or ids of rows
    /// are used up; [`TrainError::CannotLearn`] if the model is linear.
    pub fn learn(&mut self, row: SparseView<'_>, labels: &[u32]) -> Result<u32, TrainError> {
        let Method::Nearest(nearest) = &mut self.method else {
            return Err(TrainError::CannotLearn);
        };
        let largest = labels.iter().max().copied().ok_or(TrainError::NoLabels)?;
        if largest > self.labels || largest == u32::MAX {
            let (value, limit) = (u64::from(largest), u64::from(self.labels));
            return Err(TrainError::TooLarge {
                what: "is the id of the label",
                value,
                limit,
            });
        }
        let id = nearest.learn(row, labels)?;
        self.labels = self.labels.max(largest + 1);
        if let Some(names) = &mut self.label_names {
            names.extend_to(self.labels as usize);
        }
        let features = row
            .indices()
            .last()
            .map_or(0, |&last| last.saturating_add(1));
        self.features = self.features.max(features);
        Ok(id)
    }

    /// Learns one more text under these label names, new ones among them, and returns the row's id.
    ///
    /// # Errors
    /// If the text cannot be turned into a row, or the row cannot be learned.
    pub fn learn_text(
        &mut self,
        text: &str,
        labels: &[&str],
        scratch: &mut Scratch,
    ) -> Result<u32, PredictError> {
        if matches!(self.method, Method::Linear(_)) {
            return Err(PredictError::Failed(TrainError::CannotLearn));
        }
        let row = self.row(text, scratch)?;
        let names = self
            .label_names
            .as_mut()
            .ok_or(PredictError::NoLabelNames)?;
        let ids: Option<Vec<u32>> = labels.iter().map(|name| names.find_or_add(name)).collect();
        let ids = ids.ok_or(PredictError::NoLabelNames)?;
        // Several new names at once have the ids that follow each other.
        self.labels = self
            .labels
            .max(u32::try_from(names.len()).unwrap_or(u32::MAX));
        self.learn(row.view(), &ids).map_err(PredictError::Failed)
    }

    /// Removes the row with this id; whether there was one. A linear model holds no rows.
    pub fn forget(&mut self, id: u32) -> bool {
        match &mut self.method {
            Method::Nearest(nearest) => nearest.forget(id),
            Method::Linear(_) => false,
        }
    }
}
