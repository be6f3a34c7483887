//! What is in the tasks, as a table for people.

use crate::wordnet::{KindOfThing, ReverseDictionary, WordNet};
use hapax_core::data::Documents;
use std::fmt;

/// The counts of both tasks; its display is the table.
pub struct Counts<'a> {
    /// The database they are made of.
    pub wordnet: &'a WordNet,
    /// The first task.
    pub kind_of_thing: &'a KindOfThing,
    /// The second task.
    pub reverse_dictionary: &'a ReverseDictionary,
}

impl fmt::Display for Counts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kinds, words) = (self.kind_of_thing, &self.reverse_dictionary.documents);
        let counts = &kinds.counts;
        writeln!(
            f,
            "WordNet: {} synsets, {} words (compared without regard to case)\n",
            grouped(self.wordnet.synsets().len()),
            grouped(words.label_names.len())
        )?;
        writeln!(
            f,
            "{:<24} {:>8} {:>8} {:>11} {:>17}",
            "task", "n", "L", "labels/row", "bytes of names"
        )?;
        row(f, "kind of thing, training", &kinds.training)?;
        row(f, "kind of thing, held out", &kinds.held_out)?;
        row(f, "reverse dictionary", words)?;
        writeln!(
            f,
            "\nkind of thing: {} definitions have a hypernym; {} of them one of the {} that two or \
             more share.\nOne tenth is held out by number, and labels are the hypernyms of two or \
             more training rows:\nwithout a label, {} training rows and {} held-out rows are left \
             out; {} hypernyms of the held-out rows kept are no label.",
            grouped(counts.rows),
            grouped(counts.rows_in_classes),
            grouped(counts.classes),
            grouped(counts.training_left_out),
            grouped(counts.held_out_left_out),
            grouped(counts.held_out_labels_left_out)
        )
    }
}

fn row(f: &mut fmt::Formatter<'_>, task: &str, documents: &Documents) -> fmt::Result {
    let (rows, labels) = (documents.texts.len(), &documents.labels);
    let names = &documents.label_names;
    writeln!(
        f,
        "{task:<24} {:>8} {:>8} {:>11.2} {:>17}",
        grouped(rows),
        grouped(names.len()),
        labels.total() as f64 / rows.max(1) as f64,
        grouped(names.iter().map(|name| name.len()).sum())
    )
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
