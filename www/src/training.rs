//! Training and judging a model of one task.

use hapax::{kernels, threads::Threads};
use hapax_core::{
    data::{Dataset, DatasetError, Documents},
    format::FormatError,
    metrics::{Evaluation, EvaluationError, Options},
    model::{Model, PredictError, Scratch},
    parameters::NearestParameters,
    text::{FeatureSpace, NGrams, TokenOptions, Vectorizer, VectorizerError, VectorizerOptions},
    train::{CompactionError, TrainError},
};
use std::{fmt, hint::black_box, time::Instant};

/// A model, its file, and how long both took.
pub struct Trained {
    /// The model as the file gives it back.
    pub model: Model,
    /// The file.
    pub bytes: Vec<u8>,
    /// Seconds from texts to file.
    pub seconds: f64,
}

/// Why there is no model, or no figure.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrainingError {
    /// The texts give no features.
    Texts(VectorizerError),
    /// Rows and labels do not fit each other.
    Data(DatasetError),
    /// The rows cannot be learned from.
    Train(TrainError),
    /// The model cannot be made so small.
    Compaction(CompactionError),
    /// The model does not become a file, or the file no model.
    Format(FormatError),
    /// There is nothing to judge.
    Evaluation(EvaluationError),
    /// The model cannot be made ready for many questions.
    Prepare(PredictError),
}

impl fmt::Display for TrainingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Texts(error) => error.fmt(f),
            Self::Data(error) => error.fmt(f),
            Self::Train(error) => error.fmt(f),
            Self::Compaction(error) => error.fmt(f),
            Self::Format(error) => error.fmt(f),
            Self::Evaluation(error) => error.fmt(f),
            Self::Prepare(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TrainingError {}

macro_rules! from {
    ($($variant:ident($error:ty)),+) => {$(
        impl From<$error> for TrainingError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )+};
}
from!(
    Texts(VectorizerError),
    Data(DatasetError),
    Train(TrainError),
    Compaction(CompactionError),
    Format(FormatError),
    Evaluation(EvaluationError),
    Prepare(PredictError)
);

/// How definitions become features: by their words. Pairs of words as well make the file larger by
/// three quarters.
fn text_options() -> VectorizerOptions {
    VectorizerOptions {
        tokens: TokenOptions {
            words: Some(NGrams { min: 1, max: 1 }),
            ..TokenOptions::default()
        },
        features: FeatureSpace::Vocabulary {
            min_documents: 2,
            max_document_share: 1.0,
            max_features: None,
        },
        ..VectorizerOptions::default()
    }
}

/// How neighbors are compared and vote. Tuning prefers a beta of 0; but then definitions of a
/// single word outdo fuller ones, and people describe in sentences: 0.5 keeps a good part of the
/// gain.
pub const REVERSE_DICTIONARY: NearestParameters = NearestParameters {
    neighbors: 50,
    alpha: 3.0,
    beta: 0.5,
    exponent: 1.0,
};

/// Trains nearest neighbors on `documents`, writes the file, of at most `max_bytes`, and reads it
/// again, so that what is judged is what is kept.
///
/// # Errors
/// If the documents give no features or labels, no file is so small, or memory is lacking.
pub fn train(
    documents: &Documents,
    parameters: NearestParameters,
    max_bytes: u64,
    threads: &Threads,
) -> Result<Trained, TrainingError> {
    let start = Instant::now();
    let (vectorizer, rows) = Vectorizer::fit_transform(&documents.texts, text_options(), threads)?;
    let names = documents.label_names.clone();
    let data = Dataset::new(rows, documents.labels.clone(), Some(names))?;
    let words = Some(vectorizer);
    let model = Model::train_nearest(parameters.within(data.len()), &data, words)?;
    let kernels = kernels::best();
    let model = model.compacted(max_bytes, SEED, threads, kernels)?.model;
    let bytes = model.to_bytes()?;
    let seconds = start.elapsed().as_secs_f64();
    let mut model = Model::from_bytes(bytes.clone())?;
    model.prepare()?;
    Ok(Trained {
        model,
        bytes,
        seconds,
    })
}

/// Draws the rows that decide what a smaller file leaves out.
const SEED: u64 = 42;

/// How many answers a row of the table looks at.
pub const KS: [usize; 3] = [1, 3, 5];

/// P@k for each k of [`KS`], over all of `held_out`.
///
/// # Errors
/// If there is no row.
pub fn precision(
    model: &Model,
    held_out: &Documents,
    threads: &Threads,
) -> Result<Vec<f64>, TrainingError> {
    let mut evaluation = Evaluation::new(&KS, Options::default())?;
    let depth = evaluation.depth();
    let scratch = || Scratch::new(kernels::best());
    let answer = |scratch: &mut Scratch, text: &str| -> Result<Vec<_>, PredictError> {
        let row = model.row(text, scratch)?;
        model.predict(row.view(), depth, scratch).map(<[_]>::to_vec)
    };
    evaluation.add_all(&held_out.labels, threads, scratch, |scratch, row, best| {
        // A text without a known word has no answers: misses.
        *best = answer(scratch, &held_out.texts[row]).unwrap_or_default();
    });
    Ok(evaluation.finish()?.precision)
}

/// Mean microseconds from a text to five named answers, on one thread, memory warm.
#[must_use]
pub fn microseconds_a_query(model: &Model, texts: &[String]) -> f64 {
    const QUERIES: usize = 1000;
    let mut scratch = Scratch::new(kernels::best());
    let step = texts.len().div_ceil(QUERIES).max(1);
    let ask = |scratch: &mut Scratch| {
        let asked = texts.iter().step_by(step);
        asked
            .map(|text| black_box(model.predict_text(text, 5, scratch)))
            .count()
    };
    ask(&mut scratch);
    let start = Instant::now();
    let asked = ask(&mut scratch);
    1e6 * start.elapsed().as_secs_f64() / asked.max(1) as f64
}
