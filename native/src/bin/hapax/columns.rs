//! Tab-separated data read with its columns in the wrong order: both orders are well-formed, so only
//! the looks of the columns can tell.

use super::input::ColumnsName;
use std::collections::HashSet;

/// How many lines are looked at.
const LOOKED_AT: usize = 200;
/// With fewer lines than this nothing is suspected.
const LEAST: usize = 3;

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
    for line in bytes.split(|&byte| byte == b'\n').take(LOOKED_AT) {
        let cells = std::str::from_utf8(line)
            .ok()
            .and_then(|line| line.trim_end().split_once('\t'));
        let Some((first, rest)) = cells else {
            continue;
        };
        let second = rest.split('\t').next().unwrap_or(rest);
        let (text, label) = match columns {
            ColumnsName::TextLabels => (first, second),
            ColumnsName::LabelsText => (second, first),
        };
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
    use super::{ColumnsName::*, look_swapped};

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
