//! Which columns of tab-separated text are read.

use super::LabelSeparator;
use alloc::string::String;
use core::{fmt, str::FromStr};

/// The name of the column of texts.
const TEXT: &str = "text";
/// The name of the column of labels.
const LABELS: &str = "labels";

/// The columns of tab-separated text: one holds the text, one the labels, others are ignored, as
/// are columns beyond those that are named.
///
/// ```
/// use hapax_core::data::Columns;
/// let columns: Columns = "id,text,labels".parse()?;
/// assert_eq!((columns.text(), columns.labels(), columns.count()), (1, 2, 3));
/// assert_eq!(columns.to_string(), "-,text,labels");
/// # Ok::<(), hapax_core::data::ColumnsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    text: usize,
    labels: usize,
    count: usize,
}

impl Columns {
    /// The text, then the labels.
    pub(crate) const TEXT_LABELS: Self = Self {
        text: 0,
        labels: 1,
        count: 2,
    };
    /// The place of the text, from 0.
    #[must_use]
    pub fn text(self) -> usize {
        self.text
    }

    /// The place of the labels, from 0.
    #[must_use]
    pub fn labels(self) -> usize {
        self.labels
    }

    /// How many columns are named.
    #[must_use]
    pub fn count(self) -> usize {
        self.count
    }

    /// The same columns with text and labels exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            text: self.labels,
            labels: self.text,
            ..self
        }
    }

    /// What separates labels where nothing else is said: blanks where the text comes first, commas
    /// where the labels do.
    #[must_use]
    pub fn separator(self) -> LabelSeparator {
        match self.text < self.labels {
            true => LabelSeparator::BLANKS,
            false => LabelSeparator::COMMAS,
        }
    }
}

impl Default for Columns {
    fn default() -> Self {
        Self::TEXT_LABELS
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for at in 0..self.count {
            let comma = if at > 0 { "," } else { "" };
            let name = match at {
                _ if at == self.text => TEXT,
                _ if at == self.labels => LABELS,
                _ => "-",
            };
            write!(f, "{comma}{name}")?;
        }
        Ok(())
    }
}

/// Names, separated by commas, in the order of the columns.
impl FromStr for Columns {
    type Err = ColumnsError;

    fn from_str(names: &str) -> Result<Self, ColumnsError> {
        let (mut text, mut labels, mut count) = (None, None, 0);
        for name in names.split(',').map(str::trim) {
            let before = match name {
                TEXT => text.replace(count),
                LABELS => labels.replace(count),
                "" => return Err(ColumnsError::Unnamed { column: count + 1 }),
                _ => None,
            };
            if before.is_some() {
                let name = if name == TEXT { TEXT } else { LABELS };
                return Err(ColumnsError::Repeated { name });
            }
            count += 1;
        }
        Ok(Self {
            text: text.ok_or(ColumnsError::Missing { name: TEXT })?,
            labels: labels.ok_or(ColumnsError::Missing { name: LABELS })?,
            count,
        })
    }
}

/// Why names name no columns, or something separates no labels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnsError {
    /// One of the two columns that are read is not among them.
    Missing {
        /// The column's name.
        name: &'static str,
    },
    /// One of the two columns that are read is named twice.
    Repeated {
        /// The column's name.
        name: &'static str,
    },
    /// A name is empty.
    Unnamed {
        /// The column, from 1.
        column: usize,
    },
    /// It is nothing.
    EmptySeparator,
    /// It ends the column or the line.
    EndsField,
    /// It is made of letters and digits alone, as labels are.
    Word {
        /// What was given.
        found: String,
    },
}

impl fmt::Display for ColumnsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name } => write!(
                f,
                "no column is named `{name}`; name all columns in the file's order, `text` and `labels` among \
                 them, such as id,text,labels"
            ),
            Self::Repeated { name } => write!(
                f,
                "two columns are named `{name}`; call a column to ignore `-`"
            ),
            Self::Unnamed { column } => write!(
                f,
                "column {column} has no name; call a column to ignore `-`"
            ),
            Self::EmptySeparator => f.write_str(
                "a separator has at least one character; `none` makes the whole column one label",
            ),
            Self::EndsField => f.write_str(
                "a tab ends the column and a line break the line; labels stand within one column",
            ),
            Self::Word { found } => write!(
                f,
                "`{found}` is a word; give the character itself, such as `;`, or `space` or `none`"
            ),
        }
    }
}

impl core::error::Error for ColumnsError {}

#[cfg(test)]
mod tests {
    use super::Columns;
    use alloc::string::ToString;

    #[test]
    fn columns_are_named_in_their_order() {
        for (names, (text, labels, count), shown) in [
            ("text,labels", (0, 1, 2), "text,labels"),
            ("labels, text", (1, 0, 2), "labels,text"),
            ("labels,id,text", (2, 0, 3), "labels,-,text"),
            ("-,text,-,date,labels,-", (1, 4, 6), "-,text,-,-,labels,-"),
        ] {
            let columns: Columns = names.parse().unwrap();
            assert_eq!(
                (columns.text, columns.labels, columns.count),
                (text, labels, count)
            );
            assert_eq!(columns.to_string(), shown);
            assert_eq!(columns.to_string().parse(), Ok(columns));
            assert_eq!(columns.swapped().swapped(), columns);
        }
        let wanted = "name all columns in the file's order, `text` and `labels` among them, such as id,text,labels";
        for (names, message) in [
            (
                "text",
                alloc::format!("no column is named `labels`; {wanted}"),
            ),
            (
                "id,label",
                alloc::format!("no column is named `text`; {wanted}"),
            ),
            (
                "text,labels,text",
                "two columns are named `text`; call a column to ignore `-`".into(),
            ),
            (
                "text,,labels",
                "column 2 has no name; call a column to ignore `-`".into(),
            ),
        ] {
            assert_eq!(names.parse::<Columns>().unwrap_err().to_string(), message);
        }
    }
}
