//! Training in one call, as `hapax train TRAIN` does it.

use crate::{
    core::{
        data::{Dataset, DatasetError, Source},
        executor::Executor,
        kernels::Kernels,
        parameters::OneVsRest,
        text::{FeatureSpace, Vectorizer, VectorizerError, VectorizerOptions},
        train::{
            TrainError,
            auto::{Best, Progress, train_best},
            one_vs_rest::{FeatureError, GivenFeatures, choose_features},
        },
    },
    kernels,
};
use std::{fmt, ops::ControlFlow};

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

/// How texts become features where that is not left to held-out texts.
#[derive(Clone, Debug)]
pub struct TextFeatures {
    /// The vectorizer's options; what `given` leaves open is a start for the search.
    pub options: VectorizerOptions,
    /// Which of the options were decided.
    pub given: GivenFeatures,
}

impl TextFeatures {
    /// Nothing decided, for so many training texts.
    #[must_use]
    pub fn open(texts: usize) -> Self {
        Self {
            options: VectorizerOptions {
                features: FeatureSpace::for_texts(texts),
                ..VectorizerOptions::default()
            },
            given: GivenFeatures::default(),
        }
    }
}

/// Turns labelled texts or rows into rows, and returns the vectorizer of texts. With `tried_with`,
/// n-grams that `features` leaves open are chosen by one-vs-rest of these parameters on held-out
/// texts; `progress` hears how many trials are done. Without `features` all are open.
///
/// # Errors
/// Texts without features; lack of memory.
pub fn vectorize<E: Executor>(
    source: Source,
    features: Option<TextFeatures>,
    tried_with: Option<&OneVsRest>,
    executor: &E,
    mut progress: impl FnMut(usize),
) -> Result<(Dataset, Option<Vectorizer>), TrainingError> {
    let documents = match source {
        Source::Rows(data) => return Ok((data, None)),
        Source::Texts(documents) => documents,
    };
    let texts = &documents.texts[..];
    let TextFeatures { mut options, given } =
        features.unwrap_or_else(|| TextFeatures::open(texts.len()));
    if let Some(parameters) = tried_with {
        let labelled = (texts, &documents.labels);
        let machine: (_, &'static dyn Kernels) = (executor, kernels::best());
        let tell = |done| {
            progress(done);
            ControlFlow::Continue(())
        };
        let chosen = choose_features(labelled, &options, given, parameters, machine, tell)?;
        options = chosen.options;
    }
    let (vectorizer, rows) = Vectorizer::fit_transform(texts, options, executor)?;
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    Ok((data, Some(vectorizer)))
}

/// Trains the best model that is found for labelled texts or rows: which n-grams, which method and
/// which parameters serve is measured on held-out rows ([`crate::core::train::auto`]). The model is
/// calibrated if there are rows enough. Equal data and seed give the model of `hapax train`, to the
/// byte, with any number of threads.
///
/// # Errors
/// Data without rows, labels or features; lack of memory.
pub fn train<E: Executor>(source: Source, seed: u64, executor: &E) -> Result<Best, TrainingError> {
    train_watched(source, seed, None, executor, |_| ())
}

/// As [`train`], with features of texts that are given, and told of what is under way.
///
/// # Errors
/// As [`train`].
pub fn train_watched<E: Executor>(
    source: Source,
    seed: u64,
    features: Option<TextFeatures>,
    executor: &E,
    mut progress: impl FnMut(Progress),
) -> Result<Best, TrainingError> {
    let plain = OneVsRest {
        seed,
        ..OneVsRest::default()
    };
    let (data, vectorizer) = vectorize(source, features, Some(&plain), executor, |_| ())?;
    let machine: (_, &'static dyn Kernels) = (executor, kernels::best());
    let tell = |doing| {
        progress(doing);
        ControlFlow::Continue(())
    };
    let mut best = train_best(&data, vectorizer, seed, machine, tell)?;
    let kernels = kernels::best();
    let begun = core::mem::take(&mut best.choice.calibrating);
    best.model
        .calibrate(begun, (&data, seed), executor, kernels)?;
    Ok(best)
}
