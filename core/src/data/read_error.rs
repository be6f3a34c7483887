//! What can be wrong with a text file of data, and where.

use super::{Columns, Format, IndexBase};
use alloc::string::String;
use core::fmt;

/// The place of the first mistake in the input, and the rule it breaks.
///
/// Displayed as `3:14: feature index 7 follows 9; indices must rise`: who knows the file's name
/// puts it and a colon in front.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1; bytes that are not UTF-8 count one each.
    pub column: usize,
    /// The rule and the value that breaks it.
    pub problem: ReadProblem,
}

/// What a number in the input stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// The number of rows in a header.
    Rows,
    /// The number of features in a header.
    Features,
    /// The number of labels in a header.
    Labels,
    /// A label of a row.
    Label,
    /// The index of a feature.
    Index,
    /// The value of a feature.
    Value,
}

impl Quantity {
    /// What is written of it.
    fn kind(self) -> &'static str {
        match self {
            Self::Value => "number",
            _ => "whole number",
        }
    }

    /// What a header says about it.
    fn declared(self) -> Self {
        match self {
            Self::Label => Self::Labels,
            Self::Index => Self::Features,
            own => own,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "number of rows",
            Self::Features => "number of features",
            Self::Labels => "number of labels",
            Self::Label => "label",
            Self::Index => "feature index",
            Self::Value => "feature value",
        })
    }
}

/// A rule of the input formats, with the value that breaks it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReadProblem {
    /// There is no row at all.
    Empty,
    /// The first line of an XMC file is not `rows features labels`.
    MissingHeader {
        /// What stands there instead.
        found: String,
    },
    /// A number was expected.
    NotANumber {
        /// What the number would have been.
        quantity: Quantity,
        /// What stands there instead.
        found: String,
    },
    /// A number does not fit 32 bits.
    TooLarge {
        /// What the number is.
        quantity: Quantity,
        /// The number as written.
        found: String,
        /// The largest number allowed.
        limit: u32,
    },
    /// A value is NaN or infinite, or beyond the largest `f32`.
    NotFinite {
        /// The value as written.
        found: String,
    },
    /// A feature is not written `index:value`.
    MissingColon {
        /// What stands there instead.
        found: String,
    },
    /// A feature index is not larger than the one before it.
    NotRising {
        /// The index before.
        previous: u32,
        /// The offending index.
        index: u32,
    },
    /// A label or a feature index is not below the number the header declares.
    OutOfRange {
        /// [`Quantity::Label`] or [`Quantity::Index`].
        quantity: Quantity,
        /// The offending number.
        value: u32,
        /// The number declared.
        limit: u32,
    },
    /// Index 0 where indices were said to start at 1.
    ZeroIndex,
    /// The header declares more rows than follow.
    TooFewRows {
        /// The number declared.
        declared: u64,
        /// The number found.
        found: u64,
    },
    /// More rows follow than the header declares.
    TooManyRows {
        /// The number declared.
        declared: u64,
    },
    /// A line of text and labels has no tab between them.
    MissingTab,
    /// A line has fewer columns than are needed.
    MissingColumn {
        /// The column that is not there.
        name: &'static str,
        /// Its place, from 1.
        column: usize,
        /// How many columns the line has.
        found: usize,
    },
    /// A line has more than two columns, and none are named.
    TooManyColumns {
        /// How many columns the line has.
        found: usize,
    },
    /// A fastText line carries no `__label__`.
    MissingMarker,
    /// Nothing stands where a label must stand.
    EmptyLabel,
    /// Bytes are not UTF-8.
    InvalidUtf8 {
        /// The first offending byte.
        byte: u8,
    },
    /// The first lines look like none of the formats.
    UnknownFormat,
    /// The first lines look like two formats.
    AmbiguousFormat {
        /// One of them.
        first: Format,
        /// The other one.
        second: Format,
    },
    /// More than 2^32 - 1 different labels, or 4 GiB of their names.
    TooManyLabels,
    /// Memory for the rows is lacking.
    OutOfMemory,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.problem)
    }
}

impl ReadProblem {
    /// The rule in words, if no value belongs to it. Such a rule is all that can be broken where no
    /// file is read.
    #[must_use]
    pub fn plain(&self) -> Option<&'static str> {
        Some(match self {
            Self::Empty => "the input is empty; at least one row is needed",
            Self::MissingTab => "expected a tab between the text and its labels",
            Self::MissingMarker => "expected at least one `__label__` in the line",
            Self::EmptyLabel => "a label is empty",
            Self::TooManyLabels => "more than 4294967295 different labels, or 4 GiB of their names",
            Self::OutOfMemory => "memory for the rows is lacking",
            _ => return None,
        })
    }
}

/// That the input looks like no format, and what each looks like.
fn unknown_format(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        f,
        "the first lines are neither {} (a header `rows features labels`), {} (`label index:value`), {} (a text, a tab, \
                 labels) nor {} (`__label__name`, a text); name the format",
        Format::Xmc,
        Format::Svmlight,
        Format::Tsv,
        Format::FastText
    )
}

impl fmt::Display for ReadProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty
            | Self::MissingTab
            | Self::MissingMarker
            | Self::EmptyLabel
            | Self::TooManyLabels
            | Self::OutOfMemory => f.write_str(self.plain().unwrap_or_default()),
            Self::MissingHeader { found } => write!(
                f,
                "expected the header `rows features labels`, three whole numbers, found `{found}`"
            ),
            Self::NotANumber { quantity, found } => {
                write!(f, "{quantity} `{found}` is not a {}", quantity.kind())
            }
            Self::TooLarge {
                quantity,
                found,
                limit,
            } => write!(f, "{quantity} {found} is above the limit, {limit}"),
            Self::NotFinite { found } => write!(
                f,
                "feature value {found} is not finite; values must lie within the range of f32"
            ),
            Self::MissingColon { found } => {
                write!(f, "expected a feature as `index:value`, found `{found}`")
            }
            Self::NotRising { previous, index } => write!(
                f,
                "feature index {index} follows {previous}; indices must rise"
            ),
            Self::OutOfRange {
                quantity,
                value,
                limit,
            } => write!(
                f,
                "{quantity} {value} is not below the {} in the header, {limit}",
                quantity.declared()
            ),
            Self::ZeroIndex => write!(
                f,
                "feature index 0 where indices start at 1; read the input as {}",
                IndexBase::Zero
            ),
            Self::TooFewRows { declared, found } => {
                write!(f, "the header declares {declared} rows but {found} follow")
            }
            Self::TooManyRows { declared } => {
                write!(f, "the header declares {declared} rows but more follow")
            }
            Self::MissingColumn {
                name,
                column,
                found,
            } => {
                let s = if *found == 1 { "" } else { "s" };
                write!(
                    f,
                    "expected {name} in column {column}, but the line has {found} column{s}"
                )
            }
            Self::TooManyColumns { found } => write!(
                f,
                "the line has {found} columns, but only {} are named: {}; name all columns in the file's order, such \
                 as id,text,labels",
                Columns::TEXT_LABELS.count(),
                Columns::TEXT_LABELS
            ),
            Self::InvalidUtf8 { byte } => write!(
                f,
                "byte 0x{byte:02x} is not UTF-8; convert the input to UTF-8"
            ),
            Self::UnknownFormat => unknown_format(f),
            Self::AmbiguousFormat { first, second } => write!(
                f,
                "the first lines could be {first} as well as {second}; name the format"
            ),
        }
    }
}

impl core::error::Error for ReadError {}

/// A mistake within one line.
#[derive(Debug)]
pub(super) struct Fault {
    /// Where in the line, in bytes.
    pub(super) offset: usize,
    pub(super) problem: ReadProblem,
}

impl Fault {
    pub(super) fn new(offset: usize, problem: ReadProblem) -> Self {
        Self { offset, problem }
    }

    /// The error, `line` being the text of line `number`.
    pub(super) fn at(self, number: usize, line: &[u8]) -> ReadError {
        let before = line.get(..self.offset).unwrap_or(line);
        let characters: usize = before
            .utf8_chunks()
            .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
            .sum();
        ReadError {
            line: number,
            column: characters + 1,
            problem: self.problem,
        }
    }
}

/// The beginning of `token`, for a message: at most 40 characters, no control characters.
pub(super) fn excerpt(token: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(token.get(..4 * LONGEST).unwrap_or(token));
    let mut shown: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
