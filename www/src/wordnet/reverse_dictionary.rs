//! The second task: which word has this definition?

use super::{DistinctWords, DocumentText, SynsetId, TaskError, WordNet};
use hapax_core::data::{Documents, LabelLists, Names};

/// Every definition with the words it defines: a row for each synset, in the order of their
/// numbers, and a label for each of the [`DistinctWords`], in their order.
///
/// Nothing is held out: most words occur in one synset only, so a word whose definition is held
/// out could not be answered. Only definitions from elsewhere can judge this task.
#[derive(Clone, Debug, PartialEq)]
pub struct ReverseDictionary {
    /// The texts and their words.
    pub documents: Documents,
    /// The synset of each row.
    pub synsets: Vec<SynsetId>,
}

impl ReverseDictionary {
    /// Makes the task, in O(W log W) for W words.
    ///
    /// # Errors
    /// If there is no synset.
    pub fn new(wordnet: &WordNet, text: DocumentText) -> Result<Self, TaskError> {
        let words = DistinctWords::of(wordnet);
        if words.shown().is_empty() {
            return Err(TaskError::NothingToTrainOn);
        }
        let label_names = Names::new(words.shown())?;
        let mut labels = LabelLists::new(label_names.len() as u32);
        for synset in wordnet.synsets() {
            labels.push(synset.words.iter().filter_map(|word| words.number(word)));
        }
        let synsets = wordnet.synsets();
        let documents = Documents {
            texts: synsets.iter().map(|synset| text.of(synset)).collect(),
            labels,
            label_names,
        };
        let synsets = synsets.iter().map(|synset| synset.id).collect();
        Ok(Self { documents, synsets })
    }
}

#[cfg(test)]
mod tests {
    use super::ReverseDictionary;
    use crate::wordnet::{DocumentText, fixture::Fixture};

    #[test]
    fn every_synset_carries_its_words() {
        let wordnet = Fixture::animals().read().unwrap();
        let task = ReverseDictionary::new(&wordnet, DocumentText::Definition).unwrap();
        let names = &task.documents.label_names;
        assert_eq!(task.documents.texts.len(), wordnet.synsets().len());
        for (row, synset) in wordnet.synsets().iter().enumerate() {
            assert_eq!(task.documents.texts[row], synset.gloss.definition);
            let labels = task.documents.labels.row(row);
            let mut words: Vec<String> = labels.iter().filter_map(|&id| names.get(id)).collect();
            words.sort();
            let mut expected = synset.words.clone();
            expected.sort();
            assert_eq!(words, expected);
        }
        let mouse = names.iter().position(|name| name == "mouse").unwrap();
        assert_eq!(task.documents.labels.frequencies()[mouse], 3);
    }
}
