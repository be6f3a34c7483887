//! Words with the symbols that belong to them, symbols that are words themselves, and punctuation.
//!
//! A segment of Unicode's text segmentation that begins with a symbol is a word: `🐟`,
//! `👩🏽‍💻`, `€`. One or two of `+` and `#` right behind a word, with no word right
//! behind them, belong to it: `c++`, `c#`, `a+`, but not `1+1`. So does a single dot in front of a
//! word that begins with two letters, where no word and no other dot stands before it: `.net`.
//! All other segments are punctuation, but those that begin with a blank; so is the dot of `.net`,
//! once more.

use super::unicode::for_each_segment;

/// So many of `+` and `#` belong to a word at most.
const MOST_BEHIND: usize = 2;

/// The mark that asks for an emoji to be drawn in color: the same emoji with or without it.
const IN_COLOR: char = '\u{fe0f}';

/// Whether a segment that begins so is a word though it holds no letter and no digit. Ranges are
/// those of whole blocks.
pub(super) fn is_symbol(character: char) -> bool {
    matches!(
        character,
        '$' | '%' | '&'
            | '¢'..='©' | '¬' | '®'..='±' | '×' | '÷'
            | '\u{20a0}'..='\u{20cf}' // currency
            | '\u{2100}'..='\u{214f}' // like letters
            | '\u{2190}'..='\u{23ff}' // arrows, mathematics, technical
            | '\u{25a0}'..='\u{27bf}' // shapes, miscellany, dingbats
            | '\u{27f0}'..='\u{27ff}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}' // arrows
            | '\u{2a00}'..='\u{2aff}' // operators
            | '\u{1f000}'..='\u{1faff}' // pictures, flags, emoji
    )
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It holds a letter or a digit.
    Word,
    Symbol,
    Punctuation,
}

/// A word that symbols behind it may belong to.
struct Open {
    start: usize,
    end: usize,
    /// So many of `+` and `#` follow.
    run: usize,
}

impl Open {
    /// Hands the word over, with what belongs to it, and then what does not.
    fn close(self, followed: bool, take: &mut impl FnMut(usize, usize, Kind)) {
        let own = if followed || self.run > MOST_BEHIND {
            0
        } else {
            self.run
        };
        take(self.start, self.end + own, Kind::Word);
        for at in self.end + own..self.end + self.run {
            take(at, at + 1, Kind::Punctuation);
        }
    }
}

/// Calls `take` with the start and the end of each word, symbol and punctuation mark of `text`, and
/// which it is. Time: linear in the text.
pub(super) fn for_each_part(text: &str, mut take: impl FnMut(usize, usize, Kind)) {
    let mut word: Option<Open> = None;
    // Whether a dot here would be the first of a word, and whether one is there.
    let (mut free, mut dot) = (true, false);
    for_each_segment(text, |start, end, is_word| {
        let segment = &text[start..end];
        if let ("+" | "#", Some(word)) = (segment, &mut word) {
            word.run += 1;
            (free, dot) = (true, false);
            return;
        }
        if let Some(word) = word.take() {
            word.close(is_word, &mut take);
        }
        if is_word {
            let mut first = segment.chars();
            let mut letter = || first.next().is_some_and(char::is_alphabetic);
            let start = if dot && letter() && letter() {
                start - 1
            } else {
                start
            };
            word = Some(Open { start, end, run: 0 });
            (free, dot) = (false, false);
            return;
        }
        let first = segment.chars().next().unwrap_or(' ');
        if is_symbol(first) {
            let drawn = segment.trim_end_matches(IN_COLOR);
            take(start, start + drawn.len(), Kind::Symbol);
        } else if !first.is_whitespace() {
            take(start, end, Kind::Punctuation);
        }
        dot = segment == "." && free;
        free = segment != ".";
    });
    if let Some(word) = word {
        word.close(false, &mut take);
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, for_each_part};
    use alloc::{borrow::ToOwned, string::String, vec::Vec};

    fn parts(text: &str, wanted: impl Fn(Kind) -> bool) -> Vec<String> {
        let mut parts = Vec::new();
        for_each_part(text, |start, end, kind| {
            if wanted(kind) {
                parts.push(text[start..end].to_owned());
            }
        });
        parts
    }

    fn words(text: &str) -> Vec<String> {
        parts(text, |kind| kind != Kind::Punctuation)
    }

    /// Frozen: models of files depend on each of these.
    #[test]
    fn frozen_vectors() {
        for (text, expected) in [
            ("C, C++, C# and .NET", "C|C++|C#|and|.NET"),
            ("asp.net in f# (c++)", "asp.net|in|f#|c++"),
            ("A+ or B++, c+++ no", "A+|or|B++|c|no"),
            ("1+1 a+b c#d #tag", "1|1|a|b|c|d|tag"),
            (
                "the end. .htaccess ..hidden .5 .x",
                "the|end|.htaccess|hidden|5|x",
            ),
            ("a.b c. d end.Next", "a.b|c|d|end.Next"),
            ("B&B 100% $5 5€", "B|&|B|100|%|$|5|5|€"),
            ("🐟 fish🐟🐟", "🐟|fish|🐟|🐟"),
            ("👩🏽\u{200d}💻 ❤\u{fe0f} ❤ 🇫🇮🇸🇪", "👩🏽\u{200d}💻|❤|❤|🇫🇮|🇸🇪"),
            ("→ ≠ ☃ © \u{2013} \u{201c}q\u{201d}", "→|≠|☃|©|q"),
            ("?! ... -- * / = < > @", ""),
            ("日本 東京!", "日|本|東|京"),
            ("", ""),
        ] {
            let expected: Vec<_> = expected
                .split('|')
                .filter(|word| !word.is_empty())
                .collect();
            assert_eq!(words(text), expected, "{text}");
        }
    }

    /// Frozen, too.
    #[test]
    fn frozen_vectors_with_punctuation() {
        for (text, expected) in [
            ("?! ... -- @", "? ! . . . - - @"),
            ("<b>Don't, he said:</b>", "< b > Don't , he said : < / b >"),
            ("a+b C++, c+++", "a + b C++ , c + + +"),
            ("in .net 3.5 ($x)", "in . .net 3.5 ( $ x )"),
            ("「東京」\t☃\n\u{a0}\u{2003}", "「 東 京 」 ☃"),
            // A mark over a blank.
            ("a \u{301}!", "a !"),
        ] {
            let expected: Vec<_> = expected.split(' ').collect();
            assert_eq!(parts(text, |_| true), expected, "{text}");
        }
    }
}
