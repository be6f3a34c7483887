//! Training in one call, as `hapax train TRAIN` does it.

use crate::{
    core::{
        data::{Dataset, DatasetError, Source},
        kernels::Kernels,
        parameters::one_vs_rest::OneVsRest,
        text::{FeatureSpace, Vectorizer, VectorizerError, VectorizerOptions},
        train::{
            TrainError,
            auto::{Best, train_best},
            one_vs_rest::{FeatureError, GivenFeatures, choose_features},
        },
    },
    kernels,
    threads::Threads,
};
use std::fmt;

/// Why data train no model.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrainingError {
    /// The texts have no features.
    Features(FeatureError),
    /// The rows do not fit their labels.
    Data(DatasetError),
    /// There is nothing to learn from, or memory is lacking.
    Train(TrainError),
}

impl fmt::Display for TrainingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Features(error) => error.fmt(f),
            Self::Data(error) => error.fmt(f),
            Self::Train(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TrainingError {}

impl From<FeatureError> for TrainingError {
    fn from(error: FeatureError) -> Self {
        Self::Features(error)
    }
}

impl From<VectorizerError> for TrainingError {
    fn from(error: VectorizerError) -> Self {
        Self::Features(error.into())
    }
}

impl From<DatasetError> for TrainingError {
    fn from(error: DatasetError) -> Self {
        Self::Data(error)
    }
}

impl From<TrainError> for TrainingError {
    fn from(error: TrainError) -> Self {
        Self::Train(error)
    }
}

/// Trains the best model that is found for labelled texts or rows: which n-grams, which method and
/// which parameters serve is measured on held-out rows ([`crate::core::train::auto`]). Equal data
/// and seed give the model of `hapax train`, to the byte, with any number of threads.
///
/// # Errors
/// Data without rows, labels or features; lack of memory.
pub fn train(source: Source, seed: u64, threads: &Threads) -> Result<Best, TrainingError> {
    let machine: (_, &'static dyn Kernels) = (threads, kernels::best());
    let (data, vectorizer) = match source {
        Source::Rows(data) => (data, None),
        Source::Texts(documents) => {
            let plain = OneVsRest {
                seed,
                ..OneVsRest::default()
            };
            let base = VectorizerOptions {
                features: FeatureSpace::for_texts(documents.texts.len()),
                ..VectorizerOptions::default()
            };
            let texts = (&documents.texts[..], &documents.labels);
            let open = GivenFeatures::default();
            let chosen = choose_features(texts, &base, open, &plain, machine, |_| ())?;
            let texts = &documents.texts;
            let (vectorizer, rows) = Vectorizer::fit_transform(texts, chosen.options, threads)?;
            let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
            (data, Some(vectorizer))
        }
    };
    Ok(train_best(
        &data,
        vectorizer,
        seed,
        (threads, kernels::best()),
        |_| (),
    )?)
}
