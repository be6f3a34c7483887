//! The text formats of data, and how to tell them apart.

use super::{
    ReadError, ReadProblem, chunks::lines, labelled_text, read_error::Fault, svmlight, xmc::Header,
};
use core::fmt;
use serde::{Deserialize, Serialize};

/// A text format of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// The Extreme Classification Repository's: `rows features labels`, then
    /// `label,label index:value …`, all from 0.
    Xmc,
    /// SVMlight's and LIBSVM's: `label index:value …`, labels being names of classes.
    Svmlight,
    /// Tab-separated: text and labels, or labels and text.
    Tsv,
    /// fastText's: `__label__name … text`.
    FastText,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xmc => "xmc",
            Self::Svmlight => "svmlight",
            Self::Tsv => "tsv",
            Self::FastText => "fasttext",
        })
    }
}

/// Where the feature indices of an svmlight file start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexBase {
    /// At 0.
    Zero,
    /// At 1.
    One,
}

impl fmt::Display for IndexBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zero => "0-based",
            Self::One => "1-based",
        })
    }
}

/// How many lines are looked at.
const LOOKED_AT: usize = 32;

impl Format {
    /// Tells the format from the first 32 lines.
    ///
    /// XMC if the first line is three whole numbers. Otherwise, by all lines that are neither blank
    /// nor begin with `#`: fastText if each begins with `__label__`; svmlight if each is a row of
    /// labels (numbers) and features `index:value`; tab-separated if each holds a tab. Lines
    /// of the last two kinds at once are ambiguous.
    ///
    /// # Errors
    /// [`ReadProblem::Empty`], [`ReadProblem::UnknownFormat`] at the first line that rules out the
    /// last candidate, [`ReadProblem::AmbiguousFormat`].
    pub fn detect(bytes: &[u8]) -> Result<Self, ReadError> {
        let bytes = without_mark(bytes);
        if Header::looks_like(lines(bytes).next().unwrap_or(&[])) {
            return Ok(Self::Xmc);
        }
        let (mut marked, mut sparse, mut tabbed) = (true, true, true);
        let mut first = None;
        for (at, line) in lines(bytes).enumerate().take(LOOKED_AT) {
            if line.trim_ascii().is_empty() || line.starts_with(b"#") {
                continue;
            }
            first.get_or_insert(at + 1);
            marked &= labelled_text::has_marker(line);
            sparse &= svmlight::looks_like(line);
            tabbed &= line.contains(&b'\t');
            if !(marked || sparse || tabbed) {
                return Err(Fault::new(0, ReadProblem::UnknownFormat).at(at + 1, line));
            }
        }
        let line = first.ok_or_else(|| Fault::new(0, ReadProblem::Empty).at(1, &[]))?;
        match (marked, sparse, tabbed) {
            (true, _, _) => Ok(Self::FastText),
            (_, true, true) => {
                let (first, second) = (Self::Svmlight, Self::Tsv);
                let problem = ReadProblem::AmbiguousFormat { first, second };
                Err(Fault::new(0, problem).at(line, &[]))
            }
            (_, true, false) => Ok(Self::Svmlight),
            _ => Ok(Self::Tsv),
        }
    }
}

/// `bytes` without the byte order mark that some editors put in front of UTF-8.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::Format;
    use alloc::string::ToString;

    #[test]
    fn formats_are_told_apart() {
        for (text, format) in [
            ("2 3 4\n0 1:1\n 2:1\n", Format::Xmc),
            ("\u{feff}2 3 4\r\n", Format::Xmc),
            ("# made by\n-1 1:0.5 2:1\n\n+1 # none\n", Format::Svmlight),
            ("1,2 qid:7 0:1", Format::Svmlight),
            ("a text\tlabel\nanother\tone two\n", Format::Tsv),
            ("12\tWhere is my card?\n", Format::Tsv),
            ("__label__a __label__b some\ttext\n", Format::FastText),
        ] {
            assert_eq!(Format::detect(text.as_bytes()), Ok(format), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_told_is_refused_with_its_line() {
        for (text, message) in [
            ("", "1:1: the input is empty; at least one row is needed"),
            (
                "\n \n",
                "1:1: the input is empty; at least one row is needed",
            ),
            (
                "a\tb\nplain text\n",
                "2:1: the first lines are neither xmc (a header `rows features labels`), svmlight (`label index:value`), tsv (a text, a tab, labels) nor fasttext (`__label__name`, a text); name the format",
            ),
            (
                "\n1\t1:2\n",
                "2:1: the first lines could be svmlight as well as tsv; name the format",
            ),
        ] {
            let error = Format::detect(text.as_bytes()).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
