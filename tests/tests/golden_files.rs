//! A file of any earlier version is read by this release, with the same answers to the last bit.
//!
//! When the format changes on purpose, raise its version, name a new golden file in `golden`
//! and make it with
//!
//! ```text
//! HAPAX_BLESS=1 cargo test -p hapax-tests --test all golden_files
//! ```
//!
//! Older files stay as they are: blessing writes the newest only.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use crate::golden::{ALL_NEWEST, answers, answers_of, folder, names, stored};
use hapax::core::{
    model::{Method, Model},
    text::{FeatureSpace, Vectorizer},
};
use std::{fs, sync::Once};

/// Writes the newest golden file if that was asked for; every test waits until it is there.
fn bless() {
    static ONCE: Once = Once::new();
    if std::env::var_os("HAPAX_BLESS").is_some_and(|value| value == "1") {
        ONCE.call_once(write_newest);
    }
}

fn write_newest() {
    for (name, make) in ALL_NEWEST {
        let path = folder().join(name);
        let bytes = make().unwrap();
        fs::write(path.with_extension("answers"), answers_of(&bytes).unwrap()).unwrap();
        fs::write(path.with_extension("hapax"), bytes).unwrap();
    }
}

#[test]
fn the_newest_golden_files_are_what_this_release_writes() {
    bless();
    for (name, make) in ALL_NEWEST {
        let (bytes, _) = stored(name).unwrap();
        let now = make().unwrap();
        assert!(
            bytes == now,
            "{name}.hapax has {} bytes and this release writes {} others: see the head of this file",
            bytes.len(),
            now.len()
        );
    }
}

fn knows_words(vectorizer: &Vectorizer) -> bool {
    matches!(
        vectorizer.options().features,
        FeatureSpace::Vocabulary { .. }
    )
}

#[test]
fn every_golden_file_gives_its_answers_and_is_written_as_it_was() {
    bless();
    let names = names().unwrap();
    let newest = ALL_NEWEST.map(|(name, _)| name);
    for name in newest {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    for name in names {
        let (bytes, expected) = stored(&name).unwrap();
        let model = Model::from_bytes(bytes.clone()).unwrap();
        assert_eq!(answers(&model), expected, "{name}");
        let mut prepared = model.clone();
        let bytes_more = prepared.prepare().unwrap();
        let looks_up = matches!(model.method(), Method::Linear(_))
            || model.vectorizer().is_some_and(knows_words);
        assert_eq!(bytes_more > 0, looks_up, "{name}");
        assert_eq!(answers(&prepared), expected, "{name}, prepared");
        // A later version may write the model otherwise, but not with other answers.
        let written = model.to_bytes().unwrap();
        assert_eq!(answers_of(&written).unwrap(), expected, "{name}");
        assert!(
            !newest.contains(&name.as_str()) || written == bytes,
            "{name}"
        );
    }
}
