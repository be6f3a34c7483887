//! The golden models: one file for each version of the format and kind of model, kept for good,
//! with the answers it gave when it was made.
//!
//! `tests/data/NAME.hapax` is the model and `tests/data/NAME.answers` its answers, a query a line:
//! the text, then for each answer a tab and `label=bits`, the bits of the score in hexadecimal. A
//! release that reads an old file must give the same bits. `golden_files.rs` holds the rules, and
//! says how a new file is made.

use hapax::core::{
    data::{Dataset, ReadOptions, Source, read},
    executor::Sequential,
    format::FormatError,
    kernels::Portable,
    model::{Model, Scratch},
    parameters::{
        Bias, BucketHash, Discriminant, EmbeddingTraining, Estimator, HeadLoss, Loss,
        MachParameters, NearestParameters, Negatives, OneVsRest, Optimizer, RankWeight,
        ViolatorSearch, Wsabie, WsabieSteps,
    },
    sparse::SparseVec,
    text::{Vectorizer, VectorizerOptions},
    train::{Calibrating, one_vs_rest::FusedWeights},
};
use std::{
    fmt::{Display, Write},
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
};

/// The golden file of the present version of the format.
pub const NEWEST: &str = "nearest-1-symbols";

/// Every golden file of that version that this release makes: its name, and how. What an earlier
/// release made of the same texts otherwise (`linear-1`, whose labels were solved one by one;
/// those without `-symbols`, for which symbols were no words; `mach-1-symbols`, trained with l1
/// and l2, which are gone) is kept beside them, as are `standardized-1`, `weighed-1` and
/// `vectors-1`: `train::auto` of sixty dense rows, of 200 sparse ones, and of 120 texts with given
/// vectors of words made them, with defaults that may improve.
pub const ALL_NEWEST: [(&str, Make); 7] = [
    (NEWEST, || nearest(false)),
    ("nearest-1-punctuation", || nearest(true)),
    ("linear-1-symbols", || linear(0.0)),
    ("linear-1-embedding", || linear(0.2)),
    ("mach-1-steps", mach),
    ("embedding-1-symbols", embedding),
    ("calibrated-1-votes", calibrated),
];

/// Trains a golden model and gives it as a file.
pub type Make = fn() -> Result<Vec<u8>, Box<dyn std::error::Error>>;

/// What the newest golden model is trained on.
const TEXTS: &str = include_str!("../../data/golden.tsv");

/// The queries whose answers are kept: known words, unknown ones, none at all.
pub const QUERIES: [&str; 6] = [
    "a small animal that eats cheese",
    "a large animal",
    "music for strings",
    "a building where people pray",
    "xylophone zebra",
    "",
];

/// The rows whose answers are kept of a model of rows: one in the middle of all, one beside it, a
/// feature that the model does not know, values far away, none at all.
const ROWS: [&[(u32, f32)]; 5] = [
    &[(0, 12.0), (1, 480.0), (2, 0.5)],
    &[(0, 14.5), (1, 20.0)],
    &[(2, 1.0), (7, 3.0)],
    &[(0, -1e20), (1, 1e30)],
    &[],
];

/// Where the golden files are.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

/// The names of all golden files, in order.
///
/// # Errors
/// If the folder cannot be read.
pub fn names() -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder())? {
        let path = entry?.path();
        if path.extension().is_some_and(|name| name == "hapax") {
            names.extend(
                path.file_stem()
                    .and_then(|name| name.to_str())
                    .map(str::to_owned),
            );
        }
    }
    names.sort();
    Ok(names)
}

/// The bytes of a golden model and its answers.
///
/// # Errors
/// If a file cannot be read.
pub fn stored(name: &str) -> io::Result<(Vec<u8>, String)> {
    let path = folder().join(name);
    Ok((
        fs::read(path.with_extension("hapax"))?,
        fs::read_to_string(path.with_extension("answers"))?,
    ))
}

/// The golden model of nearest neighbors. Parameters are written out here and below, for defaults
/// may improve.
fn nearest(punctuation: bool) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (vectorizer, data) = texts(punctuation)?;
    let parameters = NearestParameters {
        neighbors: 5,
        alpha: 1.5,
        beta: 0.5,
        exponent: 0.75,
    };
    written(Model::train_nearest(parameters, &data, Some(vectorizer))?)
}

/// The golden linear model: one-vs-rest with weights of 5 bits and neighbors that vote, too.
fn linear(embedding: f32) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (vectorizer, data) = texts(false)?;
    let parameters = OneVsRest {
        loss: Loss::SquaredHinge,
        cost: 2.0,
        positive_weight: 1.5,
        bias: Bias::Learned(0.5),
        exponent: 0.75,
        normalize: true,
        negatives: Negatives::Mined,
        rounds: 2,
        pool: 4,
        mine: 3,
        short_terms: 5,
        epsilon: 0.1,
        max_epochs: 20,
        early_epochs: 3,
        prune: 0.01,
        mine_prune: 0.02,
        bits: 5,
        centroid: 0.25,
        prior: 0.03,
        softmax: 0.0,
        seed: 42,
    };
    let go_on = |_| ControlFlow::Continue(());
    let weights = parameters.train(&data, &Sequential, &Portable, go_on)?;
    let fused = FusedWeights {
        neighbors: 0.35,
        embedding,
    };
    let rows = (&data, Some(vectorizer));
    written(fused.model(weights, &parameters, rows, &Sequential, &Portable)?)
}

/// The golden model with a calibration: neighbors of the same texts, each many times over, for few
/// rows are not held out.
fn calibrated() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (vectorizer, data) = texts(false)?;
    let rows: Vec<usize> = (0..400).map(|row| row * row % data.len()).collect();
    let data = data.select(&rows);
    let parameters = NearestParameters {
        neighbors: 5,
        alpha: 1.5,
        beta: 0.5,
        exponent: 0.75,
    };
    let mut model = Model::train_nearest(parameters, &data, Some(vectorizer))?;
    let told = model.calibrate(Calibrating::default(), (&data, 42), &Sequential, &Portable)?;
    told.ok_or("no rows were held out")?;
    written(model)
}

/// The golden MACH model.
fn mach() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (vectorizer, data) = texts(false)?;
    let parameters = MachParameters {
        buckets: 4,
        repetitions: 9,
        hash: BucketHash::Permutation,
        loss: HeadLoss::Softmax,
        optimizer: Optimizer::FeatureAdaGrad,
        learning_rate: 0.9,
        decay: true,
        epochs: 4,
        averaged_epochs: 2,
        dropout: 0.1,
        exponent: 0.75,
        normalize: true,
        bias: 1.0,
        estimator: Estimator::LogitSum,
        bits: 4,
        keep: 0.5,
        rerank: 6,
        rerank_weight: 2.0,
        centroid_entries: 8,
        seed: 42,
    };
    written(Model::train_mach(
        &parameters,
        &data,
        Some(vectorizer),
        &Sequential,
        &Portable,
        |_| ControlFlow::Continue(()),
    )?)
}

/// The golden model of an embedding and prototypes.
fn embedding() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (vectorizer, data) = texts(false)?;
    let parameters = Wsabie {
        dimensions: 6,
        discriminant: Discriminant::Euclidean,
        margin: 1.0,
        step_size: 0.1,
        steps: WsabieSteps::AdaGradByFeature,
        decay: true,
        rank_weight: RankWeight::Constant,
        max_norm: 0.0,
        violators: 1,
        search: ViolatorSearch::Blocks {
            classes: 64,
            top: 3,
        },
        rest: 1,
        epochs: 8,
        batch: 1,
        initial: 0.05,
        models: 2,
        exponent: 1.0,
        normalize: true,
        bits: 8,
        seed: 42,
    };
    written(Model::train_embedding(
        &EmbeddingTraining::Wsabie(parameters),
        None,
        &data,
        Some(vectorizer),
        &Sequential,
        &Portable,
        &mut |_| ControlFlow::Continue(()),
    )?)
}

/// The model as a file; which release made it is not to change it.
fn written(mut model: Model) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    model.provenance_mut().library = "golden".into();
    Ok(model.to_bytes()?)
}

/// The golden texts as rows; with punctuation behind them where that counts.
fn texts(punctuation: bool) -> Result<(Vectorizer, Dataset), Box<dyn std::error::Error>> {
    let input = read(TEXTS.as_bytes(), &ReadOptions::default(), &Sequential)?;
    let Source::Texts(mut documents) = input.source else {
        return Err("the golden texts were not read as texts".into());
    };
    let mut options = VectorizerOptions::default();
    options.tokens.punctuation = punctuation;
    if punctuation {
        let marks = [", (or so)", "!", "?!"].into_iter().cycle();
        let texts = documents.texts.iter_mut().zip(marks);
        texts.for_each(|(text, marks)| text.push_str(marks));
    }
    let (vectorizer, rows) = Vectorizer::fit_transform(&documents.texts, options, &Sequential)?;
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    Ok((vectorizer, data))
}

/// The model's answers to the golden queries, as they are stored; of a model of rows to the golden
/// rows.
#[must_use]
pub fn answers(model: &Model) -> String {
    let mut scratch = Scratch::default();
    let mut lines = String::new();
    if model.vectorizer().is_none() {
        for row in ROWS {
            let pairs = row.iter().copied();
            let answered = SparseVec::from_pairs(pairs).map_or_else(
                |reason| reason.to_string(),
                |query| match model.predict(query.view(), 5, &mut scratch) {
                    Ok(best) => bits_of(best.iter().map(|best| (best.id, best.score))),
                    Err(reason) => format!("\t{reason}"),
                },
            );
            let _ = writeln!(lines, "{row:?}{answered}");
        }
        return lines;
    }
    for query in QUERIES {
        let answered = match model.predict_text(query, 5, &mut scratch) {
            Ok(best) => bits_of(
                best.into_iter()
                    .map(|a| (a.name.unwrap_or_default(), a.score)),
            ),
            Err(reason) => format!("\t{reason}"),
        };
        let _ = writeln!(lines, "{query}{answered}");
    }
    lines
}

/// Answers as they are stored: labels and the bits of their scores.
fn bits_of(answers: impl Iterator<Item = (impl Display, f32)>) -> String {
    let answers = answers.map(|(label, score)| format!("\t{label}={:08x}", score.to_bits()));
    answers.collect()
}

/// The answers of a model given as bytes.
///
/// # Errors
/// If the bytes are not a model.
pub fn answers_of(bytes: &[u8]) -> Result<String, FormatError> {
    Ok(answers(&Model::from_bytes(bytes.to_vec())?))
}
