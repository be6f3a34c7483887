//! What can be wrong with a table, and where.

use std::fmt;

/// The place of a mistake in a table, and the rule it breaks.
///
/// Displayed as `3:14: a label is empty`: who knows the file's name puts it and a colon in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The line, from 1.
    pub line: u64,
    /// The character in the line, from 1.
    pub column: u64,
    /// The rule and the value that breaks it.
    pub problem: TableProblem,
}

/// A rule of tables, with the value that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableProblem {
    /// There is no row at all.
    Empty,
    /// Lines end by carriage returns alone.
    OnlyReturns,
    /// Nothing says which columns to read.
    Unnamed {
        /// The columns there are.
        columns: Vec<String>,
        /// Options that name them.
        advice: String,
    },
    /// A column is named that there is not.
    NoColumn {
        /// The name.
        name: String,
        /// The columns there are.
        columns: Vec<String>,
    },
    /// A row has more or fewer fields than the first one.
    Ragged {
        /// Fields of the row.
        found: usize,
        /// Fields of the first row.
        expected: usize,
    },
    /// A quote begins a field and nothing ends it.
    Unclosed,
    /// A row is longer than allowed.
    TooLong {
        /// The bytes allowed.
        most: usize,
    },
    /// Nothing stands where a label must stand.
    EmptyLabel,
    /// Bytes are not UTF-8.
    InvalidUtf8 {
        /// The first of them.
        byte: u8,
    },
    /// A line is no JSON.
    NotJson {
        /// What the parser says.
        rule: String,
    },
    /// A line is JSON, but no object.
    NotAnObject,
    /// A column whose first rows hold 0 and 1 holds something else.
    NoMark {
        /// Its name.
        name: String,
        /// What it holds.
        found: String,
    },
    /// A value of an object is of no use as text or label.
    WrongValue {
        /// Its name.
        name: String,
        /// What it is.
        found: &'static str,
    },
}

impl TableProblem {
    /// Whether all rows have the problem: options or the file are wrong, not a line of it.
    #[must_use]
    pub fn is_of_all_rows(&self) -> bool {
        matches!(
            self,
            Self::Empty | Self::OnlyReturns | Self::Unnamed { .. } | Self::NoColumn { .. }
        )
    }
}

impl fmt::Display for TableProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the table has no rows; at least one is needed"),
            Self::OnlyReturns => f.write_str(
                "lines end by CR alone, as on old Macs; convert line ends to LF or CRLF",
            ),
            Self::Unnamed { columns, .. } if columns.is_empty() => {
                f.write_str("the row has no columns; each has a text and labels")
            }
            Self::Unnamed { columns, advice } => write!(
                f,
                "which column holds what is not clear: the columns are {}; say {advice}",
                listed(columns)
            ),
            Self::NoColumn { name, columns } => write!(
                f,
                "there is no column {name:?}; the columns are {}",
                listed(columns)
            ),
            Self::Ragged { found, expected } => write!(
                f,
                "the row has {found} field{}, but the first line has {expected}; quote fields that hold \
                 separators or line breaks",
                if *found == 1 { "" } else { "s" }
            ),
            Self::Unclosed => f.write_str(
                "the row has a quote that nothing closes; quotes within a field are doubled",
            ),
            Self::TooLong { most } => write!(
                f,
                "the row is longer than {most} bytes; allow more by --max-line if it is meant"
            ),
            Self::EmptyLabel => f.write_str("a label is empty"),
            Self::InvalidUtf8 { byte } => write!(
                f,
                "byte 0x{byte:02x} is not UTF-8; convert the input to UTF-8"
            ),
            Self::NotJson { rule } => write!(f, "the line is no JSON: {rule}"),
            Self::NotAnObject => f.write_str(
                "the line is no JSON object, such as {\"text\": \"…\", \"labels\": [\"…\"]}",
            ),
            Self::NoMark { name, found } => write!(
                f,
                "{name:?} holds {}, but 0 or 1 in the first rows, which mark whether a row has the label {name:?}; \
                 where values are labels themselves, say --label-separator none",
                listed(std::slice::from_ref(found))
            ),
            Self::WrongValue { name, found } => write!(
                f,
                "{name:?} is {found}; expected a string, a number or an array of them"
            ),
        }
    }
}

/// So many columns are listed in a message.
const LISTED: usize = 20;

/// Names of columns for a message, no longer than a few lines and without control characters.
fn listed(names: &[String]) -> String {
    let mut shown: Vec<String> = names
        .iter()
        .take(LISTED)
        .map(|name| {
            let short: String = name.chars().take(40).collect();
            short.escape_debug().to_string()
        })
        .collect();
    if names.len() > LISTED {
        shown.push(format!("… ({} in all)", names.len()));
    }
    shown.join(", ")
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.problem)
    }
}

impl std::error::Error for TableError {}
