//! A fair question for the reverse dictionary.

use super::{ReverseDictionary, is_held_out};
use hapax_core::data::{Documents, LabelLists};

/// The reverse dictionary with one meaning in ten held out.
///
/// A held-out row is asked for those of its words that a training row has too, that is for words
/// whose other meanings were learned; rows without such a word are left out, since nothing
/// could answer them. This is a hard question: the definition of a word's other meanings must
/// give the word away.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOutMeanings {
    /// What to train on.
    pub training: Documents,
    /// What to evaluate on.
    pub held_out: Documents,
}

impl HeldOutMeanings {
    /// Splits the task by [`is_held_out`], in one pass over its labels.
    #[must_use]
    pub fn of(task: &ReverseDictionary) -> Self {
        let documents = &task.documents;
        let labels = documents.labels.labels();
        let (mut training, mut held_out) = (Side::new(labels), Side::new(labels));
        let rows = || {
            let texts = documents.texts.iter().zip(documents.labels.iter());
            task.synsets.iter().zip(texts)
        };
        for (_, (text, words)) in rows().filter(|(id, _)| !is_held_out(**id)) {
            training.push(text, words.to_vec());
        }
        let learned = training.labels.frequencies();
        for (_, (text, words)) in rows().filter(|(id, _)| is_held_out(**id)) {
            let known = words.iter().copied();
            let known: Vec<u32> = known.filter(|&word| learned[word as usize] > 0).collect();
            if !known.is_empty() {
                held_out.push(text, known);
            }
        }
        let documents = |side: Side| Documents {
            texts: side.texts,
            labels: side.labels,
            label_names: documents.label_names.clone(),
        };
        Self {
            training: documents(training),
            held_out: documents(held_out),
        }
    }
}

struct Side {
    texts: Vec<String>,
    labels: LabelLists,
}

impl Side {
    fn new(labels: u32) -> Self {
        Self {
            texts: Vec::new(),
            labels: LabelLists::new(labels),
        }
    }

    fn push(&mut self, text: &str, words: Vec<u32>) {
        self.texts.push(text.to_owned());
        self.labels.push(words);
    }
}

#[cfg(test)]
mod tests {
    use super::HeldOutMeanings;
    use crate::wordnet::{
        DocumentText, PartOfSpeech::Noun, ReverseDictionary, fixture::Fixture, is_held_out,
    };

    #[test]
    fn held_out_words_were_learned_in_another_meaning() {
        let mut fixture = Fixture::animals();
        let wordnet = fixture.read().unwrap();
        let nouns = wordnet.synsets().iter().filter(|s| s.id.part == Noun);
        let stranger = nouns.rev().find(|s| is_held_out(s.id)).unwrap();
        let own = format!(" {} 0 ", stranger.words[0].replace(' ', "_"));
        fixture.noun = fixture.noun.replace(&own, " mouse 0 ");
        let wordnet = fixture.read().unwrap();
        let task = ReverseDictionary::new(&wordnet, DocumentText::Definition).unwrap();
        let sides = HeldOutMeanings::of(&task);
        let held_out = wordnet.synsets().iter().filter(|s| is_held_out(s.id));
        assert_eq!(
            sides.training.texts.len(),
            wordnet.synsets().len() - held_out.count()
        );
        let learned = sides.training.labels.frequencies();
        let mut asked = 0;
        for (text, words) in sides
            .held_out
            .texts
            .iter()
            .zip(sides.held_out.labels.iter())
        {
            assert!(!sides.training.texts.contains(text));
            assert!(!words.is_empty() && words.iter().all(|&word| learned[word as usize] > 0));
            asked += 1;
        }
        assert!(
            asked > 0,
            "the fixture must hold out a meaning of a learned word"
        );
    }
}
