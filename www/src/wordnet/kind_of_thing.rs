//! The first task: what kind of thing does a definition describe?

use super::{
    DocumentText, Synset, SynsetId, TaskError, WordNet, is_held_out, kind_names::kind_names,
};
use hapax_core::data::{Documents, LabelLists, Names};
use std::collections::{BTreeMap, BTreeSet};

/// Definitions with the hypernyms of what they define, one tenth of them held out.
///
/// A *row* is a synset with at least one hypernym, instances included. [`is_held_out`] decides its
/// side before anything is counted. A *class* is a hypernym of at least two training rows; labels
/// are the classes, sorted by name, the same on both sides. A hypernym that is no class is no
/// label, and a row without a label is left out and counted in [`KindCounts`]: in training it
/// teaches nothing, and in the held-out part no answer could be right. Whoever wants a figure over
/// all held-out rows counts those as wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct KindOfThing {
    /// What to train on.
    pub training: Documents,
    /// The synset of each training row.
    pub training_synsets: Vec<SynsetId>,
    /// What to evaluate on.
    pub held_out: Documents,
    /// The synset of each held-out row.
    pub held_out_synsets: Vec<SynsetId>,
    /// What was counted on the way.
    pub counts: KindCounts,
}

/// What became of the definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindCounts {
    /// Synsets with a hypernym.
    pub rows: usize,
    /// Rows with a hypernym that at least two rows of either side have.
    pub rows_in_classes: usize,
    /// Hypernyms of at least two rows of either side.
    pub classes: usize,
    /// Training rows none of whose hypernyms is a class.
    pub training_left_out: usize,
    /// Held-out rows none of whose hypernyms is a class.
    pub held_out_left_out: usize,
    /// Hypernyms of the held-out rows kept that are no class, and therefore no label.
    pub held_out_labels_left_out: usize,
}

impl KindOfThing {
    /// Makes the task, in O(n log n) for n synsets.
    ///
    /// # Errors
    /// If no training row is left.
    pub fn new(wordnet: &WordNet, text: DocumentText) -> Result<Self, TaskError> {
        let rows: Vec<&Synset> = with_hypernyms(wordnet).collect();
        let (held_out, training): (Vec<&Synset>, Vec<&Synset>) =
            rows.iter().partition(|synset| is_held_out(synset.id));
        let everywhere = classes(&rows);
        let in_class =
            |synset: &&&Synset| synset.hypernyms.iter().any(|id| everywhere.contains(id));
        let labels = Labels::new(wordnet, &classes(&training))?;
        let (training_documents, training_synsets) = labels.documents(&training, text);
        let (held_out_documents, held_out_synsets) = labels.documents(&held_out, text);
        if training_synsets.is_empty() {
            return Err(TaskError::NothingToTrainOn);
        }
        let hypernyms: usize = held_out_synsets
            .iter()
            .filter_map(|&id| wordnet.get(id))
            .map(|synset| distinct(synset).len())
            .sum();
        let counts = KindCounts {
            rows: rows.len(),
            rows_in_classes: rows.iter().filter(in_class).count(),
            classes: everywhere.len(),
            training_left_out: training.len() - training_synsets.len(),
            held_out_left_out: held_out.len() - held_out_synsets.len(),
            held_out_labels_left_out: hypernyms - held_out_documents.labels.total(),
        };
        Ok(Self {
            training: training_documents,
            training_synsets,
            held_out: held_out_documents,
            held_out_synsets,
            counts,
        })
    }
}

fn with_hypernyms(wordnet: &WordNet) -> impl Iterator<Item = &Synset> {
    let synsets = wordnet.synsets().iter();
    synsets.filter(|synset| !synset.hypernyms.is_empty())
}

/// The hypernyms of a synset, each once.
fn distinct(synset: &Synset) -> BTreeSet<SynsetId> {
    synset.hypernyms.iter().copied().collect()
}

/// The hypernyms of at least two of `rows`.
fn classes(rows: &[&Synset]) -> BTreeSet<SynsetId> {
    let mut members: BTreeMap<SynsetId, u32> = BTreeMap::new();
    for id in rows.iter().flat_map(|synset| distinct(synset)) {
        *members.entry(id).or_default() += 1;
    }
    members.retain(|_, count| *count >= 2);
    members.into_keys().collect()
}

/// The classes numbered in the order of their names.
struct Labels {
    number: BTreeMap<SynsetId, u32>,
    names: Names,
}

impl Labels {
    fn new(wordnet: &WordNet, classes: &BTreeSet<SynsetId>) -> Result<Self, TaskError> {
        let named = kind_names(wordnet, classes).into_iter();
        let mut sorted: Vec<(String, SynsetId)> = named.map(|(id, name)| (name, id)).collect();
        sorted.sort_unstable();
        let names = Names::new(sorted.iter().map(|(name, _)| name))?;
        let number = sorted.iter().map(|&(_, id)| id).zip(0..).collect();
        Ok(Self { number, names })
    }

    /// The rows that have a label, and their synsets.
    fn documents(&self, rows: &[&Synset], text: DocumentText) -> (Documents, Vec<SynsetId>) {
        let (mut texts, mut synsets) = (Vec::new(), Vec::new());
        let mut labels = LabelLists::new(self.number.len() as u32);
        for synset in rows {
            let numbers = synset.hypernyms.iter().filter_map(|id| self.number.get(id));
            let numbers: Vec<u32> = numbers.copied().collect();
            if !numbers.is_empty() {
                texts.push(text.of(synset));
                labels.push(numbers);
                synsets.push(synset.id);
            }
        }
        let label_names = self.names.clone();
        let documents = Documents {
            texts,
            labels,
            label_names,
        };
        (documents, synsets)
    }
}

#[cfg(test)]
mod tests {
    use super::KindOfThing;
    use crate::wordnet::{DocumentText, TaskError, fixture::Fixture, is_held_out};
    use std::collections::BTreeSet;

    #[test]
    fn the_split_is_by_number_and_labels_have_two_training_rows() {
        let wordnet = Fixture::animals().read().unwrap();
        let task = KindOfThing::new(&wordnet, DocumentText::Definition).unwrap();
        assert!(task.training_synsets.iter().all(|&id| !is_held_out(id)));
        assert!(task.held_out_synsets.iter().all(|&id| is_held_out(id)));
        let frequencies = task.training.labels.frequencies();
        assert!(frequencies.iter().all(|&count| count >= 2));
        let names = &task.training.label_names;
        assert_eq!(frequencies.len(), names.len());
        assert_eq!(task.held_out.label_names, *names);
        assert_eq!(task.held_out.labels.labels() as usize, names.len());
        let counts = task.counts;
        let kept = task.training_synsets.len() + task.held_out_synsets.len();
        let left_out = counts.training_left_out + counts.held_out_left_out;
        assert_eq!(kept + left_out, counts.rows);
    }

    /// Every row by its rule, written out again without indices.
    #[test]
    fn rows_carry_the_names_of_their_hypernyms() {
        let wordnet = Fixture::animals().read().unwrap();
        let task = KindOfThing::new(&wordnet, DocumentText::DefinitionAndExamples).unwrap();
        let names = &task.training.label_names;
        let shown: Vec<String> = names.iter().collect();
        assert_eq!(
            shown,
            [
                "device",
                "entity",
                "mouse (device)",
                "mouse (rodent)",
                "rodent"
            ]
        );
        let find = |text: &str| {
            let sides = [&task.training, &task.held_out].into_iter();
            let mut rows = sides.flat_map(|side| side.texts.iter().zip(side.labels.iter()));
            let (_, row) = rows.find(|(other, _)| *other == text).unwrap();
            row.iter()
                .map(|&id| names.get(id).unwrap())
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(
            find("a small rodent; \"mice squeak\""),
            ["rodent".to_owned()].into()
        );
        assert_eq!(
            find("a mouse and a celebrity"),
            ["entity".to_owned(), "mouse (rodent)".to_owned()].into()
        );
        assert!(!task.held_out.texts.is_empty());
        assert!(!task.training.texts.contains(&"bite steadily".to_owned()));
    }

    #[test]
    fn nothing_to_train_on_is_refused() {
        let mut fixture = Fixture::animals();
        fixture.noun = fixture
            .noun
            .lines()
            .take(2)
            .map(|line| format!("{line}\n"))
            .collect();
        let wordnet = fixture.read().unwrap();
        let refused = KindOfThing::new(&wordnet, DocumentText::Definition);
        assert_eq!(refused, Err(TaskError::NothingToTrainOn));
    }
}
