//! Tables of texts with labels: CSV, tab-separated values with a header, and JSON Lines.
//!
//! ```text
//! CSV         RFC 4180: fields by a delimiter (`,` `;` `|` or a tab, told from the first
//!             lines), quoted by `"`, where a quote is doubled and line breaks are text
//! TSV         fields by tabs, no quotes
//! JSON Lines  an object a line; labels are a string, a number or an array of them
//! ```
//!
//! [`TableReader`] takes one line at a time and gives a row as soon as it is whole, so files of any
//! length stream. A [`Selection`] says which columns hold the text, the labels and the id, by name
//! or by number from 1. What it leaves open is recognized by the names in the header, or by place
//! where there are two columns; all else is refused with the option to give. Every mistake is a
//! [`TableError`] with line, column, rule and value.
//!
//! ```
//! use hapax::tables::{Selection, Table, TableFormat, read_table};
//! let table = Table {
//!     given: Selection { separator: Some(";".into()), ..Selection::default() },
//!     ..Table::new(TableFormat::Csv)
//! };
//! let bytes = b"id,text,subjects\n1,\"oak, old\",tree; wood\n2,mouse,animal\n";
//! let read = read_table(&bytes[..], table, None)?;
//! assert_eq!(read.documents.texts, ["oak, old", "mouse"]);
//! assert_eq!(read.documents.label_names.iter().collect::<Vec<_>>(), ["animal", "tree", "wood"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod error;
mod json;
mod label_columns;
mod lines;
mod places;
mod reader;
mod recognize;
mod selection;
mod table;
#[cfg(test)]
mod tests;
mod whole;

pub use error::{TableError, TableProblem};
pub use lines::{Line, MOST_BYTES, next_line, peek};
pub use reader::TableReader;
pub use selection::{Selection, TextColumn};
pub use table::{Table, TableRow};
pub use whole::{ReadTable, WholeError, read_table};

use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableFormat {
    /// Fields separated by a character, quoted where they hold it.
    Csv,
    /// Fields separated by tabs, without quotes.
    Tsv,
    /// One JSON object a line.
    JsonLines,
}

impl TableFormat {
    /// The format that the ending of a file's name tells, that of its compression aside.
    ///
    /// ```
    /// use hapax::tables::TableFormat;
    /// let of = |name: &str| TableFormat::by_ending(name.as_ref());
    /// assert_eq!(of("rows.csv.gz"), Some(TableFormat::Csv));
    /// assert_eq!(of("rows.ndjson"), Some(TableFormat::JsonLines));
    /// assert_eq!(of("rows.txt"), None);
    /// ```
    #[must_use]
    pub fn by_ending(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let plain = [".gz", ".xz", ".zst"]
            .iter()
            .find_map(|end| name.strip_suffix(end));
        match plain.unwrap_or(&name).rsplit_once('.')?.1 {
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "jsonl" | "ndjson" | "json" => Some(Self::JsonLines),
            _ => None,
        }
    }
}
