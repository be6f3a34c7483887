//! Tab-separated data that are read otherwise than they were meant: with the columns in the wrong order, with their
//! header as a row, or without the columns behind the second. All of it is well-formed, so only looks can tell.

use super::input::ColumnsName;
use std::collections::HashSet;

/// How many lines are looked at.
const LOOKED_AT: usize = 200;
/// With fewer lines than this nothing is suspected.
const LEAST: usize = 3;

/// How headers name the two columns.
const TEXTS: [&str; 9] = [
    "text",
    "texts",
    "sentence",
    "title",
    "query",
    "question",
    "utterance",
    "document",
    "content",
];
const LABELS: [&str; 10] = [
    "label",
    "labels",
    "class",
    "classes",
    "category",
    "categories",
    "target",
    "intent",
    "tag",
    "tags",
];

/// The text and the labels of the first lines, and what follows them.
fn cells(bytes: &[u8], columns: ColumnsName) -> impl Iterator<Item = (&str, &str, &str)> {
    let lines = bytes.split(|&byte| byte == b'\n').take(LOOKED_AT);
    let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter_map(move |line| {
        let (first, rest) = line.trim_end().split_once('\t')?;
        let (second, more) = rest.split_once('\t').unwrap_or((rest, ""));
        Some(match columns {
            ColumnsName::TextLabels => (first, second, more),
            ColumnsName::LabelsText => (second, first, more),
        })
    })
}

/// Whether the first line names its columns, and its label does not occur again.
pub fn look_headed(bytes: &[u8], columns: ColumnsName) -> bool {
    let mut cells = cells(bytes, columns);
    let named = |cell: &str, names: &[&str]| names.contains(&cell.trim().to_lowercase().as_str());
    cells.next().is_some_and(|(text, labels, _)| {
        named(text, &TEXTS)
            && named(labels, &LABELS)
            && cells.all(|(_, others, _)| others.trim() != labels.trim())
    })
}

/// Whether more than two columns hold something.
pub fn look_wide(bytes: &[u8], columns: ColumnsName) -> bool {
    cells(bytes, columns).any(|(_, _, more)| !more.trim().is_empty())
}

/// The looks of one column.
#[derive(Default)]
struct Looks<'a> {
    words: usize,
    /// Cells of one word or none.
    single: usize,
    different: HashSet<&'a str>,
}

impl<'a> Looks<'a> {
    fn add(&mut self, cell: &'a str) {
        let words = cell.split_whitespace().count();
        self.words += words;
        self.single += usize::from(words <= 1);
        self.different.insert(cell);
    }
}

/// Whether the first lines of `bytes` look as if the columns stood in the other order than `columns`: what
/// is taken for the text is a single word and what is taken for labels is a sentence, or the
/// texts repeat where the labels never do.
pub fn look_swapped(bytes: &[u8], columns: ColumnsName) -> bool {
    let (mut texts, mut labels) = (Looks::default(), Looks::default());
    let mut lines = 0;
    for (text, label, _) in cells(bytes, columns) {
        texts.add(text);
        labels.add(label);
        lines += 1;
    }
    let sentences = labels.words >= 3 * lines;
    let single_words = 10 * texts.single >= 9 * lines;
    let repeat = 2 * texts.different.len() < lines && 10 * labels.different.len() > 9 * lines;
    lines >= LEAST && sentences && (single_words || repeat)
}

#[cfg(test)]
mod tests {
    use super::{ColumnsName::*, look_headed, look_swapped, look_wide};

    #[test]
    fn headers_and_columns_that_are_not_read_are_seen() {
        let rows = "Where is my card?\tlost\nWho took it?\tstolen\n";
        for header in [
            "text\tlabel\n",
            "Utterance\tIntent \n",
            "query\tCategory\textra\n",
        ] {
            let headed = format!("{header}{rows}");
            assert!(look_headed(headed.as_bytes(), TextLabels), "{header}");
            assert!(!look_headed(headed.as_bytes(), LabelsText), "{header}");
            let used = format!(
                "{headed}What is it?\t{}",
                header.split('\t').nth(1).unwrap()
            );
            assert!(!look_headed(used.as_bytes(), TextLabels), "{header}");
        }
        assert!(look_headed(b"labels\ttext\n1\tone\n", LabelsText));
        for plain in ["", rows, "text\n", "text\tfruit\n"] {
            assert!(!look_headed(plain.as_bytes(), TextLabels), "{plain}");
            assert!(!look_wide(plain.as_bytes(), TextLabels), "{plain}");
        }
        assert!(look_wide(b"a\tb\nc\td\te\n", TextLabels));
        assert!(!look_wide(b"a\tb\t\r\nc\td\t \n", TextLabels));
    }

    #[test]
    fn the_wrong_order_is_suspected_and_the_right_one_is_not() {
        let numbers = b"12\tWhere is my card?\n3,4\tMy card is lost\n7\tA third question\textra\n";
        let names = b"lost card\tWhere is my card?\nlost card\tMy card was stolen\n\
            lost card\tI cannot find it\n";
        let texts = b"Where is my card?\t12\nMy card is lost\t345\nWho stole it\t7\n";
        for labels_first in [&numbers[..], names] {
            assert!(look_swapped(labels_first, TextLabels));
            assert!(!look_swapped(labels_first, LabelsText));
        }
        assert!(look_swapped(texts, LabelsText));
        assert!(!look_swapped(texts, TextLabels));
    }

    #[test]
    fn too_little_and_ordinary_data_are_not_suspected() {
        for text in [
            "",
            "no tab\n",
            "12\tone two three\n",
            "apple\tfruit\npear\tfruit\nleek\tvegetable\n",
        ] {
            assert!(!look_swapped(text.as_bytes(), TextLabels), "{text}");
            assert!(!look_swapped(text.as_bytes(), LabelsText), "{text}");
        }
        assert!(!look_swapped(b"\xff\t\xff\n\xff\tx\n\n\n", TextLabels));
    }
}
