//! How a table is read, and a row of it.

use super::{
    MOST_BYTES, Selection, TableFormat, TableProblem,
    label_columns::mark,
    places::find,
    recognize::{delimiter, first_rows, is_half_a_header, is_header},
};
use crate::core::data::LabelSeparator;
use serde_json::Value;

/// How a table is read.
#[derive(Clone, Debug)]
pub struct Table {
    /// How it is written.
    pub format: TableFormat,
    /// The columns that were named, all of which must be there.
    pub given: Selection,
    /// The columns that a model remembers, for what was not named.
    pub remembered: Selection,
    /// Columns to hand through with each row.
    pub keep: Vec<String>,
    /// Whether rows may lack labels.
    pub labels_optional: bool,
    /// How many bytes a row has at most.
    pub most_bytes: usize,
}

impl Table {
    /// A table whose columns are recognized.
    #[must_use]
    pub fn new(format: TableFormat) -> Self {
        Self {
            format,
            given: Selection::default(),
            remembered: Selection::default(),
            keep: Vec::new(),
            labels_optional: false,
            most_bytes: MOST_BYTES,
        }
    }

    /// Whether the table, CSV or tab-separated, that begins with `sample` has a header.
    #[must_use]
    pub fn has_header(&self, sample: &[u8]) -> bool {
        let delimiter = match self.format {
            TableFormat::Csv => delimiter(sample),
            TableFormat::Tsv | TableFormat::JsonLines => b'\t',
        };
        let rows = first_rows(sample, self.format, delimiter);
        !rows.is_empty() && self.is_headed(&rows)
    }

    /// Whether the first row names the columns: it is said so, what is named or remembered stands
    /// there, names are given that are no numbers, or it is recognized.
    pub(super) fn is_headed(&self, rows: &[Vec<String>]) -> bool {
        let Self {
            given, remembered, ..
        } = self;
        if let Some(header) = given.header {
            return header;
        }
        let names = |selection: &Selection| -> Vec<String> {
            let text = selection.text.iter().map(|column| column.name.clone());
            let labels = selection.labels.iter();
            let labels = labels.flat_map(|names| names.split(',').map(String::from));
            text.chain(labels).chain(selection.id.clone()).collect()
        };
        let first = &rows[0];
        let mut wanted = names(given);
        wanted.extend(self.keep.iter().cloned());
        let is_number = |name: &String| name.parse::<usize>().is_ok();
        let there = |name: &String| find(first, name, false).is_some();
        let text = || remembered.text.iter().any(|column| there(&column.name));
        let optional = self.labels_optional && self.format == TableFormat::Csv;
        wanted.iter().any(|name| !is_number(name) || there(name))
            || text()
            || is_header(rows, optional)
            // Without a header tab-separated data are at home.
            || self.format == TableFormat::Csv && is_half_a_header(rows)
    }
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// The line that it begins in, from 1.
    pub line: u64,
    /// The text of all its columns.
    pub text: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its id, if there is a column of ids.
    pub id: Option<Value>,
    /// The values of the columns to hand through.
    pub kept: Vec<Value>,
}

impl TableRow {
    pub(super) fn add_text(&mut self, text: &str, times: u32) {
        for _ in 0..times {
            if !self.text.is_empty() && !text.is_empty() {
                self.text.push('\n');
            }
            self.text.push_str(text);
        }
    }

    /// Adds the label of a column if its mark says so.
    pub(super) fn add_marked(&mut self, name: &str, cell: &str) -> Result<(), TableProblem> {
        match mark(cell) {
            Some(true) => self.labels.push(name.into()),
            Some(false) => {}
            None => {
                return Err(TableProblem::NoMark {
                    name: name.into(),
                    found: cell.into(),
                });
            }
        }
        Ok(())
    }

    /// Adds the labels of a field; the place of the first that is empty, if one is.
    pub(super) fn add_labels(
        &mut self,
        field: &str,
        separator: &LabelSeparator,
    ) -> Result<(), usize> {
        separator.for_each(field, |label, at| {
            if label.is_empty() {
                return Err(at);
            }
            self.labels.push(label.into());
            Ok(())
        })
    }
}
