//! Models that go on: more rows for a model whose training rows are gone.

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{LabelNames, Method, Model, Nearest, linear::FusedEmbedding},
    parameters::linear::LinearTraining,
    text::Vectorizer,
    train::{TrainError, one_vs_rest::update::learn_on},
};
use alloc::vec::Vec;
use core::ops::Range;

/// A model that has learned more rows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Learned {
    /// The model.
    pub model: Model,
    /// Rows that taught nothing: without features, or without labels.
    pub skipped: usize,
    /// How far labels of one-vs-rest moved, chosen by held-out rows: 0 not at all, 1 as far as
    /// their new rows alone would have them. `None` of nearest neighbors.
    pub strength: Option<f64>,
    /// How far labels of an embedding beside one-vs-rest moved, chosen after that; `None` without
    /// one.
    pub pull: Option<f64>,
    /// The ids that neighbors got, by which they can be forgotten.
    pub ids: Option<Range<u32>>,
}

impl Model {
    /// The model with the rows of `data` learned: neighbors get them beside their own, labels of
    /// one-vs-rest move as little as the new rows need, and an embedding beside them learns new
    /// labels and words, where old ones stay. Weights of labels without rows in `data` stay as they
    /// are. Those of the model come first, with its names; others are new. `extended`, from
    /// [`Vectorizer::extended`], brings new words of texts. Probabilities stay those of before.
    ///
    /// # Errors
    /// [`TrainError::CannotLearn`] if the model is neither of nearest neighbors nor of one-vs-rest,
    /// or has an embedding beside that other than the default steps made; if `data` have other
    /// features, fewer labels, or nothing to learn from.
    pub fn learn_all(
        &self,
        data: &Dataset,
        extended: Option<(Vectorizer, Vec<u32>)>,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<Learned, TrainError> {
        if !self.can_learn_all() {
            return Err(TrainError::CannotLearn);
        }
        let seen = self.standardization.as_ref().map(|of| of.dataset(data));
        let (raw, data) = (data, seen.as_ref().unwrap_or(data));
        let features = data.rows().features();
        let (vectorizer, places) = match extended {
            Some((vectorizer, places)) => (Some(vectorizer), places),
            None => (self.vectorizer.clone(), (0..self.features).collect()),
        };
        let differ = |what, model, data| TrainError::StartDiffers { what, model, data };
        let fits = places.len() == self.features as usize
            && places.windows(2).all(|pair| pair[0] < pair[1])
            && places.last().is_none_or(|&last| last < features);
        if !fits {
            return Err(differ("features", self.features, features));
        }
        let labels = data.labels().labels();
        if labels < self.labels {
            return Err(differ("labels", self.labels, labels));
        }
        let skipped = empty_rows(data);
        if skipped == data.len() {
            return Err(TrainError::NoRows);
        }
        let (method, moves, ids) = match &self.method {
            Method::Linear(linear) => {
                let (linear, moves) = learn_on(linear, data, &places, executor, kernels)?;
                (Method::Linear(linear), Some(moves), None)
            }
            Method::Nearest(nearest) => {
                let (nearest, ids) = nearest.learn_all(data, &places)?;
                (Method::Nearest(nearest), None, Some(ids))
            }
            _ => return Err(TrainError::CannotLearn),
        };
        let given = data.label_names().cloned().map(LabelNames::new);
        let mut label_names = given.or_else(|| self.label_names.clone());
        let names = label_names.iter_mut();
        names.for_each(|names| names.extend_to(labels as usize));
        let model = Self {
            features,
            labels,
            label_names,
            vectorizer,
            standardization: self.standardization.clone(),
            provenance: self.provenance.went_on(raw),
            calibration: self.calibration.clone(),
            method,
        };
        let embedding = match &model.method {
            Method::Linear(linear) => linear.embedding(),
            _ => None,
        };
        Ok(Learned {
            strength: moves.map(|moves| moves.strength),
            pull: moves.and_then(|moves| embedding.map(|_| moves.pull)),
            model,
            skipped,
            ids,
        })
    }

    /// Whether [`Model::learn_all`] can: the model is of nearest neighbors or of one-vs-rest, whose
    /// embedding, if it has one, can go on, and that has no vectors of words beside it.
    fn can_learn_all(&self) -> bool {
        match &self.method {
            Method::Nearest(_) => true,
            Method::Linear(linear) => {
                let mut beside = linear.embeddings().iter().map(FusedEmbedding::embedding);
                matches!(linear.parameters(), LinearTraining::OneVsRest(_))
                    && beside.all(|beside| beside.goes_on().is_some())
            }
            Method::Mach(_) | Method::Embedding(_) => false,
        }
    }
}

impl Nearest {
    /// These neighbors with the rows of `data` that have features and labels beside their own, and
    /// the ids of those rows; feature f is `places[f]` in `data`.
    ///
    /// # Errors
    /// If memory or ids are lacking.
    pub(in crate::train) fn learn_all(
        &self,
        data: &Dataset,
        places: &[u32],
    ) -> Result<(Self, Range<u32>), TrainError> {
        let features = data.rows().features();
        let mut nearest = match features as usize > places.len() {
            true => self.renumbered(places, features)?,
            false => self.clone(),
        };
        let mut ids = 0..0;
        for (row, own) in data.rows().iter().zip(data.labels().iter()) {
            if row.is_empty() || own.is_empty() {
                continue;
            }
            let id = nearest.learn(row, own)?;
            let first = if ids.is_empty() { id } else { ids.start };
            ids = first..id.saturating_add(1);
        }
        nearest.changes.widen(data.labels().labels());
        Ok((nearest, ids))
    }
}

/// Rows without features or without labels.
fn empty_rows(data: &Dataset) -> usize {
    let rows = data.rows().iter().zip(data.labels().iter());
    rows.filter(|(row, labels)| row.is_empty() || labels.is_empty())
        .count()
}
