//! The golden models: one file for each version of the format and kind of model, kept for good, with
//! the answers it gave when it was made.
//!
//! `tests/data/NAME.hapax` is the model and `tests/data/NAME.answers` its answers, a query a line: the
//! text, then for each answer a tab and `label=bits`, the bits of the score in hexadecimal.
//! A release that reads an old file must give the same bits. `golden_files.rs` holds the rules, and
//! says how a new file is made.

#![allow(dead_code, reason = "each test program uses a part of it")]

use hapax::core::{
    data::{Dataset, ReadOptions, Source, read},
    executor::Sequential,
    format::FormatError,
    model::{Model, NearestParameters, Scratch},
    text::{Vectorizer, VectorizerOptions},
};
use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

/// The golden file of the present version of the format.
pub const NEWEST: &str = "nearest-1";

/// What the newest golden model is trained on.
const TEXTS: &str = include_str!("../../data/golden.tsv");

/// The queries whose answers are kept: known words, unknown ones, none at all.
const QUERIES: [&str; 6] = [
    "a small animal that eats cheese",
    "a large animal",
    "music for strings",
    "a building where people pray",
    "xylophone zebra",
    "",
];

/// Where the golden files are.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
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

/// Trains the newest golden model as this release does.
///
/// # Errors
/// If the texts cannot be read, trained on or written, which would be a mistake of this release.
pub fn made_now() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let input = read(TEXTS.as_bytes(), &ReadOptions::default(), &Sequential)?;
    let Source::Texts(documents) = input.source else {
        return Err("the golden texts were not read as texts".into());
    };
    let options = VectorizerOptions::default();
    let (vectorizer, rows) = Vectorizer::fit_transform(&documents.texts, options, &Sequential)?;
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    // Not the defaults, which may improve.
    let parameters = NearestParameters {
        neighbors: 5,
        alpha: 1.5,
        beta: 0.5,
        exponent: 0.75,
    };
    let mut model = Model::train_nearest(parameters, &data, Some(vectorizer), &Sequential)?;
    // Which release made it is not to change the file.
    model.provenance_mut().library = "golden".into();
    Ok(model.to_bytes()?)
}

/// The model's answers to the golden queries, as they are stored.
#[must_use]
pub fn answers(model: &Model) -> String {
    let mut scratch = Scratch::default();
    let mut lines = String::new();
    for query in QUERIES {
        lines.push_str(query);
        match model.predict_text(query, 5, &mut scratch) {
            Ok(best) => {
                for answer in best {
                    let name = answer.name.unwrap_or_default();
                    let _ = write!(lines, "\t{name}={:08x}", answer.score.to_bits());
                }
            }
            Err(reason) => {
                let _ = write!(lines, "\t{reason}");
            }
        }
        lines.push('\n');
    }
    lines
}

/// The answers of a model given as bytes.
///
/// # Errors
/// If the bytes are not a model.
pub fn answers_of(bytes: &[u8]) -> Result<String, FormatError> {
    Ok(answers(&Model::from_bytes(bytes.to_vec())?))
}
