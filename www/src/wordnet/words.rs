//! The distinct words of WordNet.

use super::WordNet;
use std::collections::BTreeMap;

/// What words are compared by: their lower-case form, so that `Turkey` and `turkey` are one.
#[must_use]
pub fn fold(word: &str) -> String {
    word.to_lowercase()
}

/// Every word once.
///
/// Spellings that differ in case only are one word. It is shown in the spelling of the most
/// synsets; among equals in the one with the fewest capitals, that is the last in byte order:
/// `turkey`, not `Turkey`. Words are sorted by what is shown, in byte order (capitals first), so
/// that a table of them can be searched by halving and neighbors share beginnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctWords {
    shown: Vec<String>,
    number: BTreeMap<String, u32>,
}

impl DistinctWords {
    /// The words of all synsets, in O(W log W) for W words.
    #[must_use]
    pub fn of(wordnet: &WordNet) -> Self {
        let mut spellings: BTreeMap<String, BTreeMap<&str, u32>> = BTreeMap::new();
        for word in wordnet.synsets().iter().flat_map(|synset| &synset.words) {
            *spellings
                .entry(fold(word))
                .or_default()
                .entry(word)
                .or_default() += 1;
        }
        let mut shown: Vec<String> = spellings.values().map(usual).collect();
        shown.sort_unstable();
        let number = shown.iter().map(|word| fold(word)).zip(0..).collect();
        Self { shown, number }
    }

    /// The words as shown, sorted.
    #[must_use]
    pub fn shown(&self) -> &[String] {
        &self.shown
    }

    /// The number of a word in any spelling.
    #[must_use]
    pub fn number(&self, word: &str) -> Option<u32> {
        self.number.get(&fold(word)).copied()
    }
}

/// The spelling with the most synsets, the last in byte order among equals.
fn usual(spellings: &BTreeMap<&str, u32>) -> String {
    let most = spellings
        .iter()
        .max_by_key(|&(&spelling, &count)| (count, spelling));
    most.map(|(&spelling, _)| spelling.to_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::DistinctWords;
    use crate::wordnet::fixture::Fixture;

    #[test]
    fn case_is_ignored_and_the_usual_spelling_shown() {
        let mut fixture = Fixture::animals();
        fixture.adjective = fixture.adjective.replace("mousy", "Mouse");
        fixture.adverb = fixture.adverb.replace("Mousily", "RAT");
        let words = DistinctWords::of(&fixture.read().unwrap());
        assert!(words.shown().is_sorted_by(|a, b| a < b));
        for (word, shown) in [("MOUSE", "mouse"), ("RAT", "rat"), ("mickey", "Mickey")] {
            let number = words.number(word).unwrap();
            assert_eq!(words.shown()[number as usize], shown);
        }
        assert_eq!(words.number("elephant"), None);
    }
}
