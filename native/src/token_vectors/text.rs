//! Vectors as text: a word and its numbers in each line, as GloVe and word2vec write them.

use super::{Found, MOST, VectorsError, Words};
use crate::{
    files::{FileError, open_text},
    tables::{Line, MOST_BYTES, next_line},
};
use std::{collections::HashMap, ops::ControlFlow, path::Path};

/// A line with a vector.
struct Parts<'a> {
    /// Its number, from 1, and its bytes.
    line: u64,
    text: &'a [u8],
    word: &'a [u8],
    /// Where each number begins and ends in the line.
    numbers: Vec<(usize, usize)>,
}

/// Reads what there is for `words`. Of several lines for a word the first counts; one in lower case
/// is also found by a word that is written otherwise in the file, if the file has none like it.
pub(super) fn read(path: &Path, words: &Words) -> Result<Found, VectorsError> {
    // The vector of each feature, and whether its word is written the same.
    let mut found: HashMap<u32, (bool, Vec<f32>)> = HashMap::new();
    let dimensions = each_line(path, |parts| {
        let word = String::from_utf8_lossy(parts.word);
        let same = words.features.get(&*word).map(|&feature| (feature, true));
        let lower = || words.features.get(&word.to_lowercase());
        let Some((feature, same)) = same.or_else(|| Some((*lower()?, false))) else {
            return Ok(ControlFlow::Continue(()));
        };
        let known = found.get(&feature).map(|(same, _)| *same);
        if known.is_none_or(|known| same && !known) {
            found.insert(feature, (same, parts.vector()?));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let vectors = found.into_iter();
    Ok(Found {
        dimensions,
        vectors: vectors
            .map(|(feature, (_, vector))| (feature, vector))
            .collect(),
    })
}

/// The words of the first `most` lines.
pub(super) fn words(path: &Path, most: usize) -> Result<Vec<String>, VectorsError> {
    let mut words = Vec::new();
    each_line(path, |parts| {
        words.push(String::from_utf8_lossy(parts.word).into_owned());
        Ok(match words.len() < most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })
    })?;
    Ok(words)
}

/// Hands each vector to `take`, until it has enough; how many numbers they have.
fn each_line(
    path: &Path,
    mut take: impl FnMut(&Parts<'_>) -> Result<ControlFlow<()>, VectorsError>,
) -> Result<usize, VectorsError> {
    let mut input = open_text(path)?;
    let failed = |error| FileError::reading(path, error);
    let (mut dimensions, mut line) = (None, 0);
    while let Some(next) = next_line(input.as_mut(), MOST_BYTES).map_err(failed)? {
        line += 1;
        let Line::Whole(bytes) = next else {
            return Err(wrong(line, 1, format!("is longer than {MOST_BYTES} bytes")));
        };
        let text = bytes.trim_ascii_end();
        if text.trim_ascii().is_empty() || (line == 1 && is_header(text)) {
            continue;
        }
        let expected = match dimensions {
            Some(expected) => expected,
            None => {
                let first = fields(text).saturating_sub(1);
                if !(1..=MOST).contains(&first) {
                    let problem = format!(
                        "has {first} numbers behind its first word, but must have 1 to {MOST}, separated by blanks"
                    );
                    return Err(wrong(line, 1, problem));
                }
                *dimensions.insert(first)
            }
        };
        let parts = split(text, line, expected).map_err(|has| {
            let problem = format!("has {has} numbers, but the first vector has {expected}");
            wrong(line, 1, problem)
        })?;
        if take(&parts)?.is_break() {
            break;
        }
    }
    dimensions.ok_or_else(|| VectorsError::Whole("holds no vectors".into()))
}

impl Parts<'_> {
    /// The numbers.
    fn vector(&self) -> Result<Vec<f32>, VectorsError> {
        let parse = |&(start, end): &(usize, usize)| {
            number(&self.text[start..end]).ok_or_else(|| {
                let column = String::from_utf8_lossy(&self.text[..start]).chars().count();
                let shown = String::from_utf8_lossy(&self.text[start..end]);
                let problem = format!("{shown:?} is no finite number");
                wrong(self.line, column as u64 + 1, problem)
            })
        };
        self.numbers.iter().map(parse).collect()
    }
}

fn wrong(line: u64, column: u64, problem: String) -> VectorsError {
    VectorsError::Line {
        line,
        column,
        problem,
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn fields(text: &[u8]) -> usize {
    let parts = text.split(is_blank);
    parts.filter(|part| !part.is_empty()).count()
}

/// Whether the first line says how many vectors follow, and of how many numbers, as word2vec does.
fn is_header(text: &[u8]) -> bool {
    let whole = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    fields(text) == 2
        && text
            .split(is_blank)
            .all(|part| part.is_empty() || whole(part))
}

fn number(text: &[u8]) -> Option<f32> {
    let value: f32 = str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// The last `count` fields of a line, and the word before them, which may have blanks; or how many
/// numbers there are instead.
fn split(text: &[u8], line: u64, count: usize) -> Result<Parts<'_>, usize> {
    let mut numbers = Vec::with_capacity(count);
    let mut rest = text;
    for _ in 0..count {
        let Some(at) = memchr::memrchr2(b' ', b'\t', rest) else {
            return Err(fields(text).saturating_sub(1));
        };
        numbers.push((at + 1, rest.len()));
        rest = rest[..at].trim_ascii_end();
    }
    numbers.reverse();
    if rest.is_empty() {
        return Err(fields(text).saturating_sub(1));
    }
    // A word of several parts is one of GloVe's; one that ends with a number is a longer vector.
    match memchr::memrchr2(b' ', b'\t', rest) {
        Some(at) if number(&rest[at + 1..]).is_some() => Err(fields(text) - 1),
        _ => Ok(Parts {
            line,
            text,
            word: rest,
            numbers,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Words, VectorsError, read};
    use std::fs;

    /// What a file with this text has for three words.
    fn found(text: &[u8]) -> Result<Vec<(u32, Vec<f32>)>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.txt");
        fs::write(&path, text).unwrap();
        let names = ["house", "mouse", "c++"].into_iter().map(String::from);
        let words = Words {
            features: names.zip([4, 7, 9]).collect(),
        };
        match read(&path, &words) {
            Ok(found) => Ok(found.vectors.into_iter().collect()),
            Err(VectorsError::File(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn words_that_are_wanted_are_found() {
        let house = (4, vec![3.0, 4.0]);
        let cases: [&[u8]; 5] = [
            b"house 3 4\nzebra 1 1\n",
            b"2 2\nhouse 3 4 \nzebra 1 1 \n",
            b"HOUSE 1 0\nhouse 3 4\nhouse 5 5\nHouse 1 1",
            b"\xfd\xfe 1 2\r\n. . . 1 nan\r\nHouse\t3\t4\r\n",
            b"house  3e0   4.0\n\n zebra 0 0\n",
        ];
        for text in cases {
            let shown = String::from_utf8_lossy(text);
            assert_eq!(found(text).as_ref(), Ok(&vec![house.clone()]), "{shown}");
        }
        assert_eq!(
            found(b"mouse 0 -2\nc++ 1 0\n"),
            Ok(vec![(7, vec![0.0, -2.0]), (9, vec![1.0, 0.0])])
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let cases: [(&[u8], &str); 8] = [
            (b"", "holds no vectors"),
            (b"2 2\n\n", "holds no vectors"),
            (
                b"house\n",
                "1:1: has 0 numbers behind its first word, but must have 1 to 65536, separated by blanks",
            ),
            (
                b"a 1 2\nb 1\n",
                "2:1: has 1 numbers, but the first vector has 2",
            ),
            (
                b"a 1 2\nb 1 2 3\n",
                "2:1: has 3 numbers, but the first vector has 2",
            ),
            (
                b"a 1 2\n1 2\n",
                "2:1: has 1 numbers, but the first vector has 2",
            ),
            (b"a 1 2\nhouse 1 nan\n", "2:9: \"nan\" is no finite number"),
            (
                "a 1 2\nmouse x 1".as_bytes(),
                "2:7: \"x\" is no finite number",
            ),
        ];
        for (text, told) in cases {
            assert_eq!(found(text), Err(told.into()));
        }
    }
}
