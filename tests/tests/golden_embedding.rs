//! The golden file of models of prototypes: this release writes it as it was. That every release answers from it as it
//! did is held by `golden_files.rs`, which reads all golden files and says how one is made.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test: the helpers fail it too"
)]

mod golden;

use golden::{answers_of, folder, stored};
use hapax::core::{
    data::{Dataset, ReadOptions, Source, read},
    executor::Sequential,
    kernels::Portable,
    model::{EmbeddingTraining, Model},
    text::{Vectorizer, VectorizerOptions},
    train::embedding::parameters::{Discriminant, RankWeight, Search, Steps, Wsabie},
};
use std::{fs, ops::ControlFlow};

const NAME: &str = "embedding-1";

/// Parameters written out, for defaults may improve.
fn parameters() -> Wsabie {
    Wsabie {
        dimensions: 6,
        discriminant: Discriminant::Euclidean,
        margin: 1.0,
        step_size: 0.1,
        steps: Steps::AdaGradByFeature,
        decay: true,
        rank_weight: RankWeight::Constant,
        max_norm: 0.0,
        violators: 1,
        search: Search::Blocks {
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
    }
}

fn made_now() -> Vec<u8> {
    let texts = include_str!("../data/golden.tsv");
    let input = read(texts.as_bytes(), &ReadOptions::default(), &Sequential).unwrap();
    let Source::Texts(documents) = input.source else {
        panic!("the golden texts are texts")
    };
    let options = VectorizerOptions::default();
    let (vectorizer, rows) =
        Vectorizer::fit_transform(&documents.texts, options, &Sequential).unwrap();
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names)).unwrap();
    let training = EmbeddingTraining::Wsabie(parameters());
    let go_on = |_| ControlFlow::Continue(());
    let mut model = Model::train_embedding(
        &training,
        &data,
        Some(vectorizer),
        &Sequential,
        &Portable,
        go_on,
    )
    .unwrap();
    // Which release made it is not to change the file.
    model.provenance_mut().library = "golden".into();
    model.to_bytes().unwrap()
}

#[test]
fn the_golden_file_of_prototypes_is_what_this_release_writes() {
    let now = made_now();
    if std::env::var_os("HAPAX_BLESS").is_some_and(|value| value == "1") {
        let path = folder().join(NAME);
        fs::write(path.with_extension("answers"), answers_of(&now).unwrap()).unwrap();
        fs::write(path.with_extension("hapax"), &now).unwrap();
    }
    let (bytes, answers) = stored(NAME).unwrap();
    assert!(
        bytes == now,
        "{NAME} has {} bytes, {} others are written",
        bytes.len(),
        now.len()
    );
    assert_eq!(answers_of(&now).unwrap(), answers);
}
