//! Promise 1: a model is one file, and nothing has to be remembered beside it.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use hapax::{
    core::{
        data::{Dataset, ReadOptions, Source, read},
        executor::Sequential,
        model::{Model, Scratch},
        parameters::NearestParameters,
        text::{FeatureSpace, NGrams, TokenOptions, Vectorizer, VectorizerOptions},
    },
    files::{map_model, read_text, write_whole},
};
use std::{fs, path::Path};

const TRAIN: &str = "\
Where IS my card\tarrival
where is my Card now\tarrival
the exchange rate\tmoney <urn:rate>
an exchange rate of the day\tmoney
";

/// Every option differs from its default: forgotten ones would show.
fn unusual() -> [VectorizerOptions; 2] {
    let tokens = TokenOptions {
        lower_case: false,
        words: Some(NGrams { min: 1, max: 1 }),
        characters: Some(NGrams { min: 3, max: 4 }),
        ..TokenOptions::default()
    };
    let vocabulary = VectorizerOptions {
        tokens,
        features: FeatureSpace::Vocabulary {
            min_documents: 1,
            max_document_share: 0.9,
            max_features: Some(90),
        },
        inverse_document_frequency: false,
        unit_norm: false,
        ..VectorizerOptions::default()
    };
    let hashed = VectorizerOptions {
        features: FeatureSpace::Hashed { bits: 12, seed: 9 },
        ..vocabulary.clone()
    };
    [vocabulary, hashed]
}

/// Trains from a file into a file, in a folder that is gone afterwards but for the model.
fn train(options: VectorizerOptions, to: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.tsv");
    fs::write(&path, TRAIN).unwrap();
    let text = read_text(&path).unwrap();
    let input = read(&text, &ReadOptions::default(), &Sequential).unwrap();
    let Source::Texts(documents) = input.source else {
        unreachable!("tab-separated texts")
    };
    let (vectorizer, rows) =
        Vectorizer::fit_transform(&documents.texts, options, &Sequential).unwrap();
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names)).unwrap();
    let parameters = NearestParameters {
        neighbors: 2,
        alpha: -0.5,
        beta: 0.25,
        exponent: 1.5,
    };
    let model = Model::train_nearest(parameters, &data, Some(vectorizer)).unwrap();
    let made = folder.path().join("model.hapax");
    write_whole(&made, &model.to_bytes().unwrap()).unwrap();
    fs::copy(&made, to).unwrap();
    said(&model)
}

/// All that a model says about some texts.
fn said(model: &Model) -> Vec<String> {
    let mut scratch = Scratch::default();
    let mut lines = Vec::new();
    for text in [
        "Where is the card",
        "where is the card",
        "exchange",
        "tomorrow",
    ] {
        let answers = model.predict_text(text, 9, &mut scratch);
        lines.push(format!("{answers:?}"));
        if let Ok(row) = model.row(text, &mut scratch) {
            let evidence = model.explain(row.view(), 2, 99, &mut scratch);
            lines.push(format!("{evidence:?}"));
            let names = row.view().indices().iter();
            let names = names.map(|&id| model.vectorizer().unwrap().feature_name(id));
            lines.push(format!("{:?}", names.collect::<Vec<_>>()));
        }
    }
    lines
}

#[test]
fn a_moved_file_says_what_the_trained_model_said() {
    for options in unusual() {
        let elsewhere = tempfile::tempdir().unwrap();
        let path = elsewhere.path().join("renamed");
        let then = train(options, &path);
        let model = Model::from_bytes(map_model(&path).unwrap()).unwrap();
        assert_eq!(said(&model), then);
        assert!(then.len() > 8, "some texts have known features: {then:?}");
        assert_eq!(model.label_id("arrival"), Some(0));
    }
}

#[test]
fn upper_case_was_told_from_lower() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let said = train(unusual()[0].clone(), &path);
    assert_ne!(said[0], said[3], "{said:?}");
}
