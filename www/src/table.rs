//! What is in the task, for people.

use crate::wordnet::{ReverseDictionary, WordNet};
use std::fmt;

/// The counts of the task; its display is a sentence.
pub struct Counts<'a> {
    /// The database it is made of.
    pub wordnet: &'a WordNet,
    /// The task.
    pub reverse_dictionary: &'a ReverseDictionary,
}

impl fmt::Display for Counts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents = &self.reverse_dictionary.documents;
        let labels = documents.labels.total() as f64;
        writeln!(
            f,
            "WordNet: {} synsets, {} words (compared without regard to case), {:.2} a synset",
            grouped(self.wordnet.synsets().len()),
            grouped(documents.label_names.len()),
            labels / documents.texts.len().max(1) as f64
        )
    }
}

/// A number with commas between groups of three digits.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped_by_three() {
        let shown = [0, 7, 999, 1000, 117_791, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "7", "999", "1,000", "117,791", "1,234,567"]);
    }
}
