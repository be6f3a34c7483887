//! Training in one call, as `hapax train TRAIN` does it.

use crate::{
    core::{
        data::{Dataset, DatasetError, Documents, Source},
        executor::Executor,
        kernels::Kernels,
        parameters::OneVsRest,
        text::{FeatureSpace, Vectorizer, VectorizerError, VectorizerOptions},
        train::{
            TrainError,
            auto::{Best, Progress, train_best},
            one_vs_rest::{FeatureChoice, GivenFeatures, choose_features},
        },
    },
    kernels,
    token_vectors::{VectorsError, first_words, read_vectors, weight_of_vectors},
};
use std::{
    fmt,
    ops::ControlFlow,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
};

/// Why data train no model.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrainingError {
    /// The rows do not fit their labels.
    Data(DatasetError),
    /// There is nothing to learn from, or memory is lacking.
    Train(TrainError),
    /// A file gives no vectors of words. Errors of files are no less sound after a panic.
    Vectors(PathBuf, AssertUnwindSafe<VectorsError>),
}

impl fmt::Display for TrainingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(error) => error.fmt(f),
            Self::Train(error) => error.fmt(f),
            Self::Vectors(_, AssertUnwindSafe(VectorsError::File(error))) => error.fmt(f),
            Self::Vectors(path, AssertUnwindSafe(error @ VectorsError::Line { .. })) => {
                write!(f, "{}:{error}", path.display())
            }
            Self::Vectors(path, AssertUnwindSafe(error)) => {
                write!(f, "{}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for TrainingError {}

impl From<VectorizerError> for TrainingError {
    fn from(error: VectorizerError) -> Self {
        Self::Train(error.into())
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

    /// For a model file of at most `max_bytes`: if nothing was said of the size of a vocabulary, it
    /// has the most frequent features of one for each [`BYTES_A_FEATURE`] bytes, so that weights
    /// find room beside it.
    ///
    /// ```
    /// use hapax::{TextFeatures, core::text::FeatureSpace};
    /// let features = TextFeatures::open(10_000).within(100_000).options.features;
    /// let FeatureSpace::Vocabulary { max_features, .. } = features else { unreachable!() };
    /// assert_eq!(max_features, Some(2500));
    /// ```
    #[must_use]
    pub fn within(mut self, max_bytes: u64) -> Self {
        if let FeatureSpace::Vocabulary {
            max_features: most @ None,
            ..
        } = &mut self.options.features
        {
            let features = (max_bytes / BYTES_A_FEATURE).max(1);
            *most = Some(u32::try_from(features).unwrap_or(u32::MAX));
        }
        self
    }
}

/// Bytes of a model file for each feature of its vocabulary: some twelve for its name, frequency
/// and place, the others for its weights. More lose precision where the budget is near what the
/// file would take anyway, fewer at a quarter of that or less (`benches/record/choice.md`).
pub const BYTES_A_FEATURE: u64 = 40;

/// What training data became.
#[derive(Clone, Debug)]
pub struct Vectorized {
    /// The rows.
    pub data: Dataset,
    /// The vectorizer of texts.
    pub vectorizer: Option<Vectorizer>,
    /// How n-grams were chosen, if some were tried.
    pub chosen: Option<FeatureChoice>,
    /// Texts of labels that had no feature and were left out.
    pub left_out: usize,
}

/// Turns labelled texts or rows into rows. With `tried_with`, n-grams that `features` leaves open
/// are chosen by one-vs-rest of these parameters on held-out texts; `progress` hears how many
/// trials are done. Without `features` all are open. Features are those of the rows' own texts:
/// texts of labels
/// ([`Documents::describe`](crate::core::data::Documents::describe)) choose nothing.
///
/// # Errors
/// Texts without features; lack of memory.
pub fn vectorize(
    source: Source,
    features: Option<TextFeatures>,
    tried_with: Option<&OneVsRest>,
    executor: &Executor,
    progress: impl FnMut(usize),
) -> Result<Vectorized, TrainingError> {
    let none: &[String] = &[];
    let made = vectorize_knowing(none, source, features, tried_with, executor, progress)?;
    Ok(made.0)
}

/// As [`vectorize`]; and the same data where the vectorizer knows `words`, too, chosen features
/// alike: of texts, and with words.
///
/// # Errors
/// As [`vectorize`].
pub fn vectorize_knowing<W: AsRef<str>>(
    words: &[W],
    source: Source,
    features: Option<TextFeatures>,
    tried_with: Option<&OneVsRest>,
    executor: &Executor,
    mut progress: impl FnMut(usize),
) -> Result<(Vectorized, Option<Vectorized>), TrainingError> {
    let documents = match source {
        Source::Rows(data) => {
            let rows = Vectorized {
                data,
                vectorizer: None,
                chosen: None,
                left_out: 0,
            };
            return Ok((rows, None));
        }
        Source::Texts(documents) => documents,
    };
    let measured = documents.labels.measured();
    let TextFeatures { mut options, given } =
        features.unwrap_or_else(|| TextFeatures::open(measured));
    let mut chosen = None;
    if let Some(parameters) = tried_with {
        let machine: (_, &'static dyn Kernels) = (executor, kernels::best());
        let tell = |done| {
            progress(done);
            ControlFlow::Continue(())
        };
        let texts = (&documents.texts[..], &documents.labels);
        let found = choose_features(texts, &options, given, parameters, machine, tell)?;
        options = found.options.clone();
        chosen = (!found.tried.is_empty()).then_some(found);
    }
    let texts = &documents.texts;
    let (vectorizer, mut rows) = Vectorizer::fit_transform(&texts[..measured], options, executor)?;
    if measured < texts.len() {
        rows = vectorizer.transform_all(texts, executor);
    }
    let knowing = match words.is_empty() {
        true => None,
        false => {
            let mut vectorizer = vectorizer.clone();
            vectorizer.extend(words.iter().map(AsRef::as_ref));
            let rows = vectorizer.transform_all(texts, executor);
            let names = Some(documents.label_names.clone());
            let data = Dataset::new(rows, documents.labels.clone(), names)?;
            Some(vectorized(data, vectorizer, None))
        }
    };
    drop(documents.texts);
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    Ok((vectorized(data, vectorizer, chosen), knowing))
}

/// Data without texts of labels that have no feature.
fn vectorized(
    mut data: Dataset,
    vectorizer: Vectorizer,
    chosen: Option<FeatureChoice>,
) -> Vectorized {
    let (all, measured) = (data.len(), data.labels().measured());
    let known = |row: &usize| *row < measured || !data.rows().row(*row).is_empty();
    let kept: Vec<usize> = (0..all).filter(known).collect();
    if kept.len() < all {
        data = data.select(&kept);
    }
    Vectorized {
        left_out: all - kept.len(),
        data,
        vectorizer: Some(vectorizer),
        chosen,
    }
}

/// Trains the best model that is found for labelled texts or rows: which n-grams, which method and
/// which parameters serve is measured on held-out rows ([`crate::core::train::auto`]). The model is
/// calibrated if there are rows enough. Equal data and seed give the model of `hapax train`, to the
/// byte, with any number of threads.
///
/// # Errors
/// Data without rows, labels or features; lack of memory.
pub fn train(source: Source, seed: u64, executor: &Executor) -> Result<Best, TrainingError> {
    train_watched(source, seed, (None, None), executor, |_| ())
}

/// As [`train`], with features of texts that are given, and told of what is under way. If bytes are
/// given, the caller makes the model as small afterwards:
/// [`Model::compacted`](crate::core::model::Model::compacted).
///
/// # Errors
/// As [`train`].
pub fn train_watched(
    source: Source,
    seed: u64,
    (features, max_bytes): (Option<TextFeatures>, Option<u64>),
    executor: &Executor,
    mut progress: impl FnMut(Progress),
) -> Result<Best, TrainingError> {
    let plain = OneVsRest {
        seed,
        ..OneVsRest::default()
    };
    let Vectorized {
        data, vectorizer, ..
    } = vectorize(source, features, Some(&plain), executor, |_| ())?;
    let machine: (_, &'static dyn Kernels) = (executor, kernels::best());
    let tell = |doing| {
        progress(doing);
        ControlFlow::Continue(())
    };
    let best = train_best(&data, vectorizer, (seed, max_bytes), machine, tell)?;
    calibrated(best, (&data, seed), max_bytes, executor)
}

/// As [`train_watched`] of texts, with the vectors of words that a file has ([`read_vectors`]):
/// they answer beside the weights if they gain on held-out texts, and know words that no training
/// text has, the first 20,000 of the file. Where no word of the texts has a vector, or training on
/// them would take long, the model is that of [`train_watched`].
///
/// ```
/// use hapax::core::{data::Documents, executor::Sequential};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("vectors.txt");
/// std::fs::write(&path, "mouse 0.1 0.9\ncat 0.2 0.8\nhouse 0.8 0.2\n")?;
/// let texts = [("a mouse", ["animal"]), ("the cat", ["animal"]), ("a house", ["thing"])];
/// let documents = Documents::new(texts.iter().map(|(text, labels)| (*text, labels)))?;
/// let open = (None, None);
/// let best = hapax::train_with_vectors(&path, documents, 42, open, &Sequential, |_| ())?;
/// assert_eq!(best.model.labels(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`train_watched`]; a file that gives no vectors, or hashed features.
pub fn train_with_vectors(
    path: &Path,
    documents: Documents,
    seed: u64,
    (features, max_bytes): (Option<TextFeatures>, Option<u64>),
    executor: &Executor,
    mut progress: impl FnMut(Progress),
) -> Result<Best, TrainingError> {
    let wrong = |error| TrainingError::Vectors(path.into(), AssertUnwindSafe(error));
    let plain = OneVsRest {
        seed,
        ..OneVsRest::default()
    };
    let (words, source) = (first_words(path).map_err(wrong)?, Source::Texts(documents));
    let tried_with = Some(&plain);
    let (made, knowing) =
        vectorize_knowing(&words, source, features, tried_with, executor, |_| ())?;
    let machine: (_, &'static dyn Kernels) = (executor, kernels::best());
    let mut tell = |doing| {
        progress(doing);
        ControlFlow::Continue(())
    };
    let mut best = None;
    if let Some((data, vectorizer)) = knowing.and_then(|made| Some((made.data, made.vectorizer?))) {
        let found = read_vectors(path, &vectorizer).map_err(wrong)?;
        let met = made.vectorizer.as_ref().map(|own| found.met(own).1);
        if met > Some(0) && found.serve(&data) {
            let aim = (seed, max_bytes, &found.vectors);
            best = Some(train_best(
                &data,
                Some(vectorizer),
                aim,
                machine,
                &mut tell,
            )?);
        }
    }
    let best = match best.filter(|best| weight_of_vectors(&best.model).is_some()) {
        Some(best) => best,
        None => train_best(
            &made.data,
            made.vectorizer,
            (seed, max_bytes),
            machine,
            tell,
        )?,
    };
    calibrated(best, (&made.data, seed), max_bytes, executor)
}

fn calibrated(
    mut best: Best,
    rows: (&Dataset, u64),
    max_bytes: Option<u64>,
    executor: &Executor,
) -> Result<Best, TrainingError> {
    let mut begun = core::mem::take(&mut best.choice.calibrating);
    begun.max_bytes = max_bytes;
    best.model
        .calibrate(begun, rows, executor, kernels::best())?;
    Ok(best)
}
