//! One line of a data file.

use super::{Gloss, PartOfSpeech, Synset, SynsetId};
use std::fmt;

/// The rule of the format that a line breaks. Values are quoted from the line, at most
/// 40 characters of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineError {
    /// The line is not UTF-8.
    NotUtf8,
    /// There is no `|` between the fields and the gloss.
    NoGloss,
    /// The gloss has no definition.
    NoDefinition,
    /// A field is missing: the line breaks off.
    Missing {
        /// What the field says.
        field: &'static str,
    },
    /// A field is not what it must be.
    Bad {
        /// What the field says.
        field: &'static str,
        /// What it must look like.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// Something stands between the last pointer, or the last verb frame, and the gloss.
    Surplus {
        /// The first field too many.
        found: String,
    },
    /// The synset does not stand behind the one before it.
    OutOfOrder {
        /// The offset of the synset before it.
        previous: u32,
        /// Its own offset.
        offset: u32,
    },
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("the line is not UTF-8"),
            Self::NoGloss => f.write_str("no ` | ` stands between the fields and the gloss"),
            Self::NoDefinition => f.write_str("the gloss has no definition"),
            Self::Missing { field } => write!(f, "the line breaks off before the {field}"),
            Self::Bad {
                field,
                expected,
                found,
            } => write!(f, "the {field} must be {expected}, not `{found}`"),
            Self::Surplus { found } => write!(
                f,
                "the gloss must follow the pointers and verb frames, not `{found}`"
            ),
            Self::OutOfOrder { previous, offset } => write!(
                f,
                "offsets must rise, but {offset:08} follows {previous:08}"
            ),
        }
    }
}

impl std::error::Error for LineError {}

/// The pointer symbols of wndb(5WN) and wninput(5WN).
const POINTERS: [&str; 26] = [
    "!", "@", "@i", "~", "~i", "#m", "#s", "#p", "%m", "%s", "%p", "=", "+", ";c", "-c", ";r",
    "-r", ";u", "-u", "*", ">", "^", "$", "&", "<", "\\",
];

/// Reads the line of one synset:
/// `offset lex_filenum type w_cnt (word lex_id)… p_cnt (symbol offset part source/target)…
/// [f_cnt (+ frame word)…] | gloss`, where `w_cnt`, `lex_id`, `source/target` and the word of a
/// frame are hexadecimal, and verb frames stand in `data.verb` only.
///
/// # Errors
/// The first rule that the line breaks.
pub fn parse_line(line: &str, part: PartOfSpeech) -> Result<Synset, LineError> {
    let (fields, gloss) = line.split_once('|').ok_or(LineError::NoGloss)?;
    let mut fields = Fields(fields.split_ascii_whitespace());
    let offset = fields.decimal("synset offset", 8, "eight decimal digits")?;
    fields.decimal("lexicographer file number", 2, "two decimal digits")?;
    let letter = fields.next("synset type")?;
    if PartOfSpeech::from_letter(letter) != Some(part) {
        return Err(bad("synset type", "the letter of this file", letter));
    }
    let words = words(&mut fields, part)?;
    pointers(&mut fields)?;
    if part == PartOfSpeech::Verb {
        verb_frames(&mut fields)?;
    }
    if let Some(found) = fields.0.next() {
        let found = quoted(found);
        return Err(LineError::Surplus { found });
    }
    let gloss = Gloss::parse(gloss);
    if gloss.definition.is_empty() {
        return Err(LineError::NoDefinition);
    }
    Ok(Synset {
        id: SynsetId { part, offset },
        words,
        gloss,
    })
}

/// The words of the synset, freed of underscores and of the markers of adjectives.
fn words(fields: &mut Fields<'_>, part: PartOfSpeech) -> Result<Vec<String>, LineError> {
    let expected = "two hexadecimal digits above 00";
    let count = fields.hexadecimal("number of words", 2, expected)?;
    if count == 0 {
        return Err(bad("number of words", expected, "00"));
    }
    let mut words = Vec::new();
    for _ in 0..count {
        let written = fields.next("word")?;
        fields.hexadecimal("lexical id", 1, "one hexadecimal digit")?;
        let word = match written.split_once('(') {
            Some((word, "a)" | "p)" | "ip)")) if part == PartOfSpeech::Adjective => word,
            Some(_) => {
                let expected = "free of `(`, but for (a), (p), (ip) behind an adjective";
                return Err(bad("word", expected, written));
            }
            None => written,
        };
        if word.split('_').any(str::is_empty) {
            let expected = "letters, with single underscores between words";
            return Err(bad("word", expected, written));
        }
        words.push(word.replace('_', " "));
    }
    Ok(words)
}

/// The pointers to other synsets, which nothing here needs.
fn pointers(fields: &mut Fields<'_>) -> Result<(), LineError> {
    for _ in 0..fields.decimal("number of pointers", 3, "three decimal digits")? {
        let symbol = fields.next("pointer symbol")?;
        if !POINTERS.contains(&symbol) {
            return Err(bad(
                "pointer symbol",
                "one of wninput(5WN), such as @ or ~i",
                symbol,
            ));
        }
        fields.decimal("pointer's offset", 8, "eight decimal digits")?;
        let letter = fields.next("pointer's part of speech")?;
        PartOfSpeech::from_letter(letter)
            .ok_or_else(|| bad("pointer's part of speech", "n, v, a, s or r", letter))?;
        let expected = "four hexadecimal digits";
        fields.hexadecimal("pointer's source and target", 4, expected)?;
    }
    Ok(())
}

fn verb_frames(fields: &mut Fields<'_>) -> Result<(), LineError> {
    for _ in 0..fields.decimal("number of verb frames", 2, "two decimal digits")? {
        match fields.next("verb frame")? {
            "+" => {}
            found => return Err(bad("verb frame", "preceded by +", found)),
        }
        fields.decimal("verb frame", 2, "two decimal digits")?;
        fields.hexadecimal("word of a verb frame", 2, "two hexadecimal digits")?;
    }
    Ok(())
}

/// What is left of the fields before the gloss.
struct Fields<'a>(std::str::SplitAsciiWhitespace<'a>);

impl<'a> Fields<'a> {
    fn next(&mut self, field: &'static str) -> Result<&'a str, LineError> {
        self.0.next().ok_or(LineError::Missing { field })
    }

    fn decimal(
        &mut self,
        field: &'static str,
        digits: usize,
        expected: &'static str,
    ) -> Result<u32, LineError> {
        self.number(field, digits, 10, expected)
    }

    fn hexadecimal(
        &mut self,
        field: &'static str,
        digits: usize,
        expected: &'static str,
    ) -> Result<u32, LineError> {
        self.number(field, digits, 16, expected)
    }

    /// A number of exactly `digits` digits; a sign is none.
    fn number(
        &mut self,
        field: &'static str,
        digits: usize,
        radix: u32,
        expected: &'static str,
    ) -> Result<u32, LineError> {
        let found = self.next(field)?;
        let well_formed = found.len() == digits && found.chars().all(|c| c.is_digit(radix));
        u32::from_str_radix(found, radix)
            .ok()
            .filter(|_| well_formed)
            .ok_or_else(|| bad(field, expected, found))
    }
}

fn bad(field: &'static str, expected: &'static str, found: &str) -> LineError {
    LineError::Bad {
        field,
        expected,
        found: quoted(found),
    }
}

fn quoted(found: &str) -> String {
    found.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
