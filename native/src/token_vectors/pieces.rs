//! Words as tokens of a vocabulary: whole ones, or pieces, the longest first.

use std::collections::HashMap;

/// The tokens of a vocabulary with their rows.
pub(super) struct Pieces {
    rows: HashMap<String, usize>,
    /// What a token at the begin of a word starts with, and what one behind it does, if words have
    /// pieces.
    marks: (&'static str, Option<&'static str>),
    /// Whether the bytes of words are written as characters, as GPT-2 does.
    bytes: bool,
    longest: usize,
}

impl Pieces {
    /// The tokens of a vocabulary. The mark that most of them begin with is that of its pieces.
    pub(super) fn new(rows: HashMap<String, usize>) -> Self {
        let begun = |mark: &str| rows.keys().filter(|token| token.starts_with(mark)).count();
        let [inner, blank, byte] = ["##", "\u{2581}", "\u{120}"].map(begun);
        let (marks, bytes) = match inner.max(blank).max(byte) {
            0 => (("", None), false),
            most if most == inner => (("", Some("##")), false),
            most if most == blank => (("\u{2581}", Some("")), false),
            _ => (("\u{120}", Some("")), true),
        };
        Self {
            longest: rows.keys().map(String::len).max().unwrap_or(0),
            rows,
            marks,
            bytes,
        }
    }

    /// The first `most` tokens that begin a word, by row, without their mark.
    pub(super) fn words(&self, most: usize) -> Vec<String> {
        let (first, others) = self.marks;
        let continues =
            |token: &str| others.is_some_and(|mark| !mark.is_empty() && token.starts_with(mark));
        // Bytes written as characters are words only as ASCII.
        let plain = |token: &str| !self.bytes || token.trim_start_matches(first).is_ascii();
        let tokens = self.rows.iter();
        let tokens = tokens.filter(|(token, _)| !continues(token) && plain(token));
        let mut words: Vec<(usize, &str)> = tokens
            .filter_map(|(token, &row)| Some((row, token.strip_prefix(first)?)))
            .collect();
        words.sort_unstable();
        words.truncate(most);
        words.into_iter().map(|(_, word)| word.into()).collect()
    }

    /// The rows of a word's tokens; none where a piece of it is no token.
    pub(super) fn of(&self, word: &str) -> Option<Vec<usize>> {
        let spelled: String = match self.bytes {
            true => word.bytes().map(character).collect(),
            false => word.into(),
        };
        let (first, others) = self.marks;
        let (mut rest, mut mark, mut found) = (&spelled[..], first, Vec::new());
        let mut token = String::new();
        while !rest.is_empty() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8());
            let ends: Vec<usize> = ends
                .take_while(|end| end + mark.len() <= self.longest)
                .collect();
            let longest = ends.into_iter().rev().find_map(|end| {
                token.clear();
                token.push_str(mark);
                token.push_str(&rest[..end]);
                self.rows.get(&token).map(|&row| (end, row))
            });
            let (end, row) = longest?;
            if end < rest.len() {
                mark = others?;
            }
            found.push(row);
            rest = &rest[end..];
        }
        (!found.is_empty()).then_some(found)
    }
}

/// The character that stands for a byte: itself if it can be seen, else one of those from 256 on,
/// in order.
fn character(byte: u8) -> char {
    let seen = |byte: u8| matches!(byte, 33..=126 | 161..=172 | 174..=255);
    match seen(byte) {
        true => char::from(byte),
        false => {
            let before = (0..byte).filter(|&other| !seen(other)).count();
            char::from_u32(256 + before as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pieces;

    fn pieces(tokens: &[&str]) -> Pieces {
        let rows = tokens.iter().enumerate();
        Pieces::new(rows.map(|(row, token)| (token.to_string(), row)).collect())
    }

    #[test]
    fn words_fall_into_the_longest_pieces() {
        let bert = pieces(&["un", "##like", "##ly", "##l", "unlike", "[UNK]", "##ö"]);
        assert_eq!(bert.of("unlikely"), Some(vec![4, 2]));
        assert_eq!(bert.of("unly"), Some(vec![0, 2]));
        assert_eq!(bert.of("unö"), Some(vec![0, 6]));
        assert_eq!(bert.of("likely"), None);
        assert_eq!(bert.of(""), None);
        assert_eq!(bert.words(2), ["un", "unlike"]);
        let llama = pieces(&["\u{2581}un", "like", "\u{2581}", "##"]);
        assert_eq!(llama.of("unlike"), Some(vec![0, 1]));
        assert_eq!(llama.of("like"), None);
        assert_eq!(llama.words(9), ["un", ""]);
        // A blank is \u{120}, and é two bytes.
        let gpt = pieces(&["\u{120}caf", "\u{c3}\u{a9}"]);
        assert_eq!(gpt.of("caf\u{e9}"), Some(vec![0, 1]));
        let whole = pieces(&["un", "like"]);
        assert_eq!((whole.of("un"), whole.of("unlike")), (Some(vec![0]), None));
    }
}
