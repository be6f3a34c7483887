//! Trained models: what answers queries, explains itself, learns single rows, and is written to one
//! file.
//!
//! A [`Model`] holds all that an answer needs: the method with its weights or rows
//! ([`Method`]), the names of the labels, the vectorizer that turns texts into rows, and the
//! record of what made it. Queries borrow a [`Scratch`] from the caller. Once it is warm, a query
//! by a row allocates nothing; one by a text allocates its row, its words and its answers.

mod answer;
pub(crate) mod calibration;
pub(crate) mod embedding;
mod evidence;
mod kinds;
mod label_names;
pub(crate) mod linear;
pub(crate) mod mach;
mod model_error;
pub(crate) mod nearest;
pub(crate) mod provenance;
mod scratch;
pub(crate) mod standardization;

pub use answer::{Answer, PredictError};
pub use calibration::Calibration;
pub use embedding::{Embedding, EmbeddingModel, Neighbor};
pub use kinds::{AllKinds, Kinds, NearestOnly};
pub use linear::{Contribution, Linear, LinearModel, LinearParts};
pub use mach::Mach;
pub use model_error::ModelError;
pub use nearest::{Evidence, Nearest, NearestScratch, SharedFeature};
pub use provenance::Provenance;
pub use scratch::Scratch;

use crate::{
    data::Dataset,
    names::Names,
    search::Scored,
    sparse::{SparseVec, SparseView},
    text::{TextScratch, Vectorizer},
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::mem;
use evidence::out_of_memory;
pub(crate) use label_names::LabelNames;
use standardization::{Standardization, seen};

/// A trained model; see the module's text.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) features: u32,
    pub(crate) labels: u32,
    pub(crate) label_names: Option<LabelNames>,
    pub(crate) vectorizer: Option<Vectorizer>,
    pub(crate) standardization: Option<Standardization>,
    pub(crate) provenance: Provenance,
    pub(crate) method: Method,
    pub(crate) calibration: Option<Box<Calibration>>,
}

/// The methods that can have made a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Method {
    /// Sparse weighted nearest neighbors.
    Nearest(Nearest),
    /// A linear machine: one-vs-rest, multi-class, or MEMOIR.
    Linear(Linear),
    /// Heads over hashed labels.
    Mach(Box<Mach>),
    /// Prototypes of labels, perhaps in an embedding.
    Embedding(Embedding),
}

impl Model {
    /// A model of `data`, whose rows `vectorizer` made if they were texts.
    pub(crate) fn new(
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
            standardization: None,
            provenance,
            method,
            calibration: None,
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

    /// What turns scores into probabilities, if the model was calibrated.
    #[must_use]
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_deref()
    }

    /// What turns texts into rows, in a model trained on texts.
    #[must_use]
    pub fn vectorizer(&self) -> Option<&Vectorizer> {
        self.vectorizer.as_ref()
    }

    /// What is done to rows before they are answered, if anything is: features are brought to mean
    /// 0 and variance 1, so that every feature of a row counts, those that are 0, too; or those
    /// that are stored are weighed by how rare they were.
    #[must_use]
    pub fn rows_are(&self) -> Option<&'static str> {
        let of = self.standardization.as_ref()?;
        Some(match of.is_dense() {
            true => "standardized",
            false => "weighed by how rare they are",
        })
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

    /// How many training rows carry each label.
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn label_frequencies(&self) -> Result<Vec<u32>, ModelError> {
        let stored = match &self.method {
            Method::Nearest(nearest) => return nearest.label_frequencies(self.labels as usize),
            Method::Linear(linear) => linear.frequencies(),
            Method::Mach(mach) => mach.frequencies(),
            Method::Embedding(embedding) => embedding.frequencies(),
        };
        let mut counts = Vec::new();
        let bytes = stored.len() as u64 * 4;
        let reserved = counts.try_reserve_exact(stored.len());
        reserved.map_err(|_| ModelError::OutOfMemory { bytes })?;
        counts.extend_from_slice(stored);
        Ok(counts)
    }

    /// Makes queries fast at the cost of memory, and returns how many bytes of it: for a linear
    /// model a second form of its weights, 4 to 5 bytes each, made in about 20 ns each; for texts
    /// an index of the words of a vocabulary, 5 to 11 bytes each, if memory is there. Answers stay
    /// the same to the bit. Worth it from a hundred queries on; a device that answers from flash
    /// does without.
    ///
    /// # Errors
    /// If memory is lacking; the model stays as it is and answers more slowly.
    pub fn prepare(&mut self) -> Result<usize, PredictError> {
        let words = self.vectorizer.as_mut().map_or(0, Vectorizer::prepare);
        let weights = match &mut self.method {
            Method::Nearest(_) | Method::Mach(_) | Method::Embedding(_) => 0,
            Method::Linear(linear) => linear.prepare().map_err(|_| {
                let least = size_of::<u32>() * linear.model().nonzeros();
                out_of_memory(least)
            })?,
        };
        Ok(words + weights)
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
        self.predict_of::<AllKinds>(row, k, scratch)
    }

    /// [`Model::predict`] without the code of kinds that a program leaves out; see [`Kinds`].
    ///
    /// # Errors
    /// As [`Model::predict`], and [`PredictError::KindLeftOut`].
    pub fn predict_of<'s, K: Kinds>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut Scratch,
    ) -> Result<&'s [Scored], PredictError> {
        if k == 0 {
            return Err(PredictError::ZeroAnswers);
        }
        let row = seen(&self.standardization, row, &mut scratch.standardized);
        match &self.method {
            Method::Nearest(nearest) => nearest
                .predict(row, k, &mut scratch.nearest)
                .map_err(PredictError::Failed),
            _ if !K::OTHERS => Err(PredictError::KindLeftOut),
            Method::Linear(linear) => {
                let k = k.min(self.labels as usize);
                let beside = (&mut scratch.nearest, &mut scratch.embedding);
                linear
                    .predict(row, k, &mut scratch.linear, beside)
                    .map_err(PredictError::Failed)
            }
            Method::Mach(mach) => Ok(mach.predict(row, k, &mut scratch.mach)),
            Method::Embedding(embedding) => {
                Ok(embedding.model().predict(row, k, &mut scratch.embedding))
            }
        }
    }

    /// Turns a text into a row by the model's vectorizer.
    ///
    /// # Errors
    /// If the model has none, or the text has no feature that the model knows.
    pub fn row(&self, text: &str, scratch: &mut Scratch) -> Result<SparseVec, PredictError> {
        Ok(self.row_in(text, &mut scratch.text)?.to_owned())
    }

    /// [`Model::row`], left where it was made.
    fn row_in<'s>(
        &self,
        text: &str,
        scratch: &'s mut TextScratch,
    ) -> Result<SparseView<'s>, PredictError> {
        let vectorizer = self.vectorizer.as_ref().ok_or(PredictError::NoVectorizer)?;
        let _ = vectorizer.transform(text, scratch);
        match scratch.no_features() {
            Some(reason) => Err(PredictError::NoFeatures(reason)),
            None => Ok(scratch.row()),
        }
    }

    /// The `k` best labels for a text, best first, with their names. Once `scratch` has seen texts
    /// as long, memory is taken for the answers alone: one vector, and a string for each name.
    ///
    /// # Errors
    /// If `k` is 0, the model has no vectorizer, or the text has no feature that the model knows.
    pub fn predict_text(
        &self,
        text: &str,
        k: usize,
        scratch: &mut Scratch,
    ) -> Result<Vec<Answer>, PredictError> {
        // The row stays where it was made, so that this allocates nothing but the answers.
        let mut texts = mem::take(&mut scratch.text);
        let answers = self.row_in(text, &mut texts).and_then(|row| {
            // The first answer's probability depends on the second's score.
            let best = self.predict(row, if k == 1 { 2 } else { k }, scratch)?;
            Ok(self.answers(best, k))
        });
        scratch.text = texts;
        answers
    }

    /// The first `k` of the best labels, with their names and probabilities.
    fn answers(&self, best: &[Scored], k: usize) -> Vec<Answer> {
        let mut probabilities = self.calibration().map(|c| c.probabilities(best));
        let named = |s: &Scored| Answer {
            id: s.id,
            name: self.label_name(s.id),
            score: s.score,
            probability: probabilities.as_mut().and_then(Iterator::next),
        };
        best.iter().take(k).map(named).collect()
    }

    /// Learns one more row and returns its id. A label may be new: then it must have the next free
    /// id, which is [`Model::labels`], and the number of labels grows.
    ///
    /// # Errors
    /// If the row has no features or no labels, a label is beyond the next free id, or ids of rows
    /// are used up; [`ModelError::CannotLearn`] if the model holds no rows.
    pub fn learn(&mut self, row: SparseView<'_>, labels: &[u32]) -> Result<u32, ModelError> {
        let Method::Nearest(nearest) = &mut self.method else {
            return Err(ModelError::CannotLearn);
        };
        let largest = labels.iter().max().copied().ok_or(ModelError::NoLabels)?;
        if largest > self.labels || largest == u32::MAX {
            let (value, limit) = (u64::from(largest), u64::from(self.labels));
            return Err(ModelError::TooLarge {
                what: "is the id of the label",
                value,
                limit,
            });
        }
        let mut place = SparseVec::default();
        let row = seen(&self.standardization, row, &mut place);
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
        if !matches!(self.method, Method::Nearest(_)) {
            return Err(PredictError::Failed(ModelError::CannotLearn));
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

    /// Removes the row with this id; whether there was one. Only nearest neighbors hold rows.
    pub fn forget(&mut self, id: u32) -> bool {
        match &mut self.method {
            Method::Nearest(nearest) => nearest.forget(id),
            Method::Linear(_) | Method::Mach(_) | Method::Embedding(_) => false,
        }
    }
}
