//! Whole tables.

use super::{Selection, Table, TableError, TableProblem, TableReader, next_line, peek};
use crate::core::{
    data::Names,
    data::{Documents, LabelSeparator, named_labels},
};
use std::{fmt, io, io::BufRead};

/// A table that was read.
#[derive(Debug)]
pub struct ReadTable {
    /// Its texts and labels.
    pub documents: Documents,
    /// What a model remembers of how it was read.
    pub selection: Selection,
    /// The names of the columns that were not read; of JSON Lines they are not told.
    pub unread_names: Vec<String>,
    /// What labels were separated by.
    pub separator: LabelSeparator,
    /// Whether that was said or remembered.
    pub is_separator_known: bool,
    /// Whether the first row looks like a header, but was read as a row.
    pub looks_headed: bool,
    /// The fields of labels of the first rows, to be looked at.
    pub label_fields: Vec<String>,
}

/// Why a table was not read.
#[derive(Debug)]
pub enum WholeError {
    /// Reading failed.
    Io(io::Error),
    /// It breaks a rule.
    Table(TableError),
    /// Its labels are too many, or memory for them is lacking.
    Labels(String),
}

impl fmt::Display for WholeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Table(error) => write!(f, "{error}"),
            Self::Labels(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for WholeError {}

impl From<io::Error> for WholeError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<TableError> for WholeError {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

/// Reads a whole table, row by row. Labels in `known`, those of a model, keep their ids.
///
/// # Errors
/// The first mistake. A table without rows is one.
pub fn read_table(
    input: impl BufRead + Send + 'static,
    table: Table,
    known: Option<&Names>,
) -> Result<ReadTable, WholeError> {
    let most = table.most_bytes;
    let (sample, mut input) = peek(Box::new(input), most)?;
    let mut reader = TableReader::new(table, &sample)?;
    let mut texts = Vec::new();
    let mut failed = None;
    let rows = std::iter::from_fn(|| match next_row(input.as_mut(), most, &mut reader) {
        Ok(Some(row)) => {
            texts.push(row.text);
            Some(row.labels)
        }
        Ok(None) => None,
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    let named = named_labels(rows, known);
    if let Some(error) = failed {
        return Err(error);
    }
    if texts.is_empty() {
        let problem = TableProblem::Empty;
        let (line, column) = (1, 1);
        return Err(WholeError::Table(TableError {
            line,
            column,
            problem,
        }));
    }
    let (labels, label_names) =
        named.map_err(|error| WholeError::Labels(error.problem.to_string()))?;
    Ok(ReadTable {
        documents: Documents {
            texts,
            labels,
            label_names,
        },
        selection: reader.selection(),
        unread_names: reader.unread_names(),
        separator: reader.separator(),
        is_separator_known: reader.is_separator_known(),
        looks_headed: reader.looks_headed(),
        label_fields: reader.label_fields,
    })
}

fn next_row(
    input: &mut dyn BufRead,
    most: usize,
    reader: &mut TableReader,
) -> Result<Option<super::TableRow>, WholeError> {
    while let Some(line) = next_line(input, most)? {
        if let Some(row) = reader.push(line) {
            return Ok(Some(row?));
        }
    }
    reader.end().map_or(Ok(None), |error| Err(error.into()))
}
