//! Rows of a table, line by line.

use super::{
    Line, Selection, Table, TableError, TableFormat, TableProblem, TableRow, TextColumn,
    cells::Cells,
    json,
    places::{Known, Places},
    recognize::{delimiter, first_rows, looks_like_header},
};
use crate::core::data::LabelSeparator;
use serde_json::Value;
use std::collections::HashSet;

/// Takes the lines of a table and gives its rows.
#[derive(Debug)]
pub struct TableReader {
    table: Table,
    /// How labels are separated, if it was said.
    separator: Option<LabelSeparator>,
    cells: Cells,
    /// `None` until the first object of JSON Lines.
    places: Option<Places>,
    /// The names of the columns; none of JSON Lines, whose rows may have others each.
    names: Vec<String>,
    headed: bool,
    /// Whether the header is still to come.
    header_due: bool,
    looks_headed: bool,
    line: u64,
    begun: u64,
    /// The fields of labels of the first rows.
    pub(super) label_fields: Vec<String>,
}

/// How many fields of labels are kept to be looked at.
const LOOKED_AT: usize = 1000;

impl TableReader {
    /// A reader of the table that begins with `sample`, which holds its first line (see
    /// [`peek`](super::peek)).
    ///
    /// # Errors
    /// If a column is named that there is not, or it is not clear which columns to read.
    pub fn new(table: Table, sample: &[u8]) -> Result<Self, TableError> {
        let said = [&table.given.separator, &table.remembered.separator];
        let separator = said.into_iter().flatten().next();
        let mut reader = Self {
            separator: separator.and_then(|separator| separator.parse().ok()),
            cells: Cells::new(table.format, b'\t'),
            places: None,
            names: Vec::new(),
            headed: true,
            header_due: false,
            looks_headed: false,
            line: 0,
            begun: 0,
            label_fields: Vec::new(),
            table,
        };
        if reader.table.format == TableFormat::JsonLines || sample.trim_ascii().is_empty() {
            return Ok(reader);
        }
        let first = |problem| TableError {
            line: 1,
            column: 1,
            problem,
        };
        if sample.contains(&b'\r') && !sample.contains(&b'\n') {
            return Err(first(TableProblem::OnlyReturns));
        }
        reader.look(sample).map_err(first)?;
        Ok(reader)
    }

    /// Finds the columns of CSV or TSV.
    fn look(&mut self, sample: &[u8]) -> Result<(), TableProblem> {
        let table = &self.table;
        let said = table.given.delimiter.or(table.remembered.delimiter);
        let said = said.and_then(|said| u8::try_from(said).ok());
        let delimiter = match table.format {
            TableFormat::Csv => said.unwrap_or_else(|| delimiter(sample)),
            _ => b'\t',
        };
        self.cells = Cells::new(table.format, delimiter);
        let rows = first_rows(sample, table.format, delimiter);
        let Some(first) = rows.first() else {
            return Ok(());
        };
        self.headed = self.table.is_headed(&rows);
        self.header_due = self.headed;
        self.looks_headed =
            !self.headed && table.given.header.is_none() && looks_like_header(&rows);
        let numbers = || (1..=first.len()).map(|number| number.to_string()).collect();
        let names = match self.headed {
            true => first.clone(),
            false => numbers(),
        };
        self.places = Some(self.known(&names, &rows).places()?);
        self.names = names;
        Ok(())
    }

    fn known<'a>(&'a self, names: &'a [String], rows: &'a [Vec<String>]) -> Known<'a> {
        Known {
            format: self.table.format,
            names,
            headed: self.headed,
            rows,
            given: &self.table.given,
            remembered: &self.table.remembered,
            keep: &self.table.keep,
            labels_optional: self.table.labels_optional,
        }
    }

    /// Takes the next line. Gives the row that ends with it, or what is wrong with that row; the
    /// rows behind it can be read. `None` while a quote is open, and for blank lines and headers.
    pub fn push(&mut self, line: Line) -> Option<Result<TableRow, TableError>> {
        self.line += 1;
        let most = self.table.most_bytes;
        let open = self.cells.is_open();
        if !open {
            self.begun = self.line;
        }
        let too_long = |begun| {
            Some(Err(TableError {
                line: begun,
                column: 1,
                problem: TableProblem::TooLong { most },
            }))
        };
        let Line::Whole(line) = line else {
            self.cells.clear();
            return too_long(self.begun);
        };
        if self.cells.raw().len() + line.len() > most && open {
            self.cells.clear();
            return too_long(self.begun);
        }
        let line = match self.line {
            1 => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line),
            _ => &line[..],
        };
        if !open && line.trim_ascii().is_empty() {
            return None;
        }
        if self.table.format == TableFormat::JsonLines {
            return Some(self.json_row(line));
        }
        if !self.cells.take(line) {
            return None;
        }
        if std::mem::take(&mut self.header_due) {
            return None;
        }
        Some(self.row())
    }

    /// What is wrong with the end of the table, if something is.
    pub fn end(&mut self) -> Option<TableError> {
        let open = self.cells.is_open();
        open.then(|| self.wrong_at(0, TableProblem::Unclosed))
    }

    /// A mistake at a byte of the lines of the current row.
    fn wrong_at(&self, at: usize, problem: TableProblem) -> TableError {
        let before = &self.cells.raw()[..at.min(self.cells.raw().len())];
        let lines = before.iter().filter(|&&byte| byte == b'\n').count();
        let start = before.iter().rposition(|&byte| byte == b'\n');
        let within = &before[start.map_or(0, |at| at + 1)..];
        TableError {
            line: self.begun + lines as u64,
            column: String::from_utf8_lossy(within).chars().count() as u64 + 1,
            problem,
        }
    }

    /// A mistake in a field, at a byte of it where it has no quotes.
    fn wrong_in(&self, field: usize, at: usize, problem: TableProblem) -> TableError {
        let (start, quoted) = self.cells.place(field);
        self.wrong_at(start + if quoted { 0 } else { at }, problem)
    }

    fn row(&mut self) -> Result<TableRow, TableError> {
        if let Err(error) = std::str::from_utf8(self.cells.raw()) {
            let at = error.valid_up_to();
            let byte = self.cells.raw()[at];
            return Err(self.wrong_at(at, TableProblem::InvalidUtf8 { byte }));
        }
        let fields: Vec<&str> = self.cells.fields().map(text).collect();
        let found = fields.iter().rposition(|field| !field.is_empty());
        let found = found.map_or(1, |last| last + 1);
        if fields.len() < self.names.len() || found > self.names.len() {
            let (found, expected) = (fields.len(), self.names.len());
            let problem = TableProblem::Ragged { found, expected };
            return Err(match found > expected {
                true => self.wrong_in(expected, 0, problem),
                false => self.wrong_at(self.cells.raw().len() - 1, problem),
            });
        }
        let mut row = TableRow {
            line: self.begun,
            ..TableRow::default()
        };
        let Some(places) = &self.places else {
            return Ok(row);
        };
        for (place, times) in &places.text {
            row.add_text(fields[place.at], *times);
        }
        let separator = self.separator();
        for place in &places.labels {
            let field = fields[place.at];
            if places.marks {
                let marked = row.add_marked(&place.name, field);
                marked.map_err(|problem| self.wrong_in(place.at, 0, problem))?;
            } else {
                let added = row.add_labels(field, &separator);
                added.map_err(|at| self.wrong_in(place.at, at, TableProblem::EmptyLabel))?;
            }
        }
        let value = |at: usize| Value::String(fields[at].into());
        row.id = places.id.as_ref().map(|place| value(place.at));
        row.kept = places.keep.iter().map(|place| value(place.at)).collect();
        if self.label_fields.len() < LOOKED_AT && !places.marks {
            let of_labels = places.labels.iter().map(|place| fields[place.at].into());
            self.label_fields.extend(of_labels);
        }
        Ok(row)
    }

    fn json_row(&mut self, line: &[u8]) -> Result<TableRow, TableError> {
        let number = self.line;
        let wrong = |problem| TableError {
            line: number,
            column: 1,
            problem,
        };
        if let Err(error) = std::str::from_utf8(line) {
            let (before, rest) = line.split_at(error.valid_up_to());
            let problem = TableProblem::InvalidUtf8 { byte: rest[0] };
            let column = text(before).chars().count() as u64 + 1;
            return Err(TableError {
                column,
                ..wrong(problem)
            });
        }
        let object = json::object(line, number)?;
        if self.places.is_none() {
            let (names, cells) = json::names(&object);
            let rows = [names.clone(), cells];
            let places = self.known(&names, &rows).places();
            self.places = Some(places.map_err(wrong)?);
        }
        let separator = self.separator();
        let optional = self.table.labels_optional;
        let Some(places) = &self.places else {
            return Ok(TableRow::default());
        };
        let row = json::row(&object, places, &separator, optional).map_err(wrong)?;
        if self.label_fields.len() < LOOKED_AT && !places.marks {
            let of_labels = places
                .labels
                .iter()
                .map(|place| json::value(&object, &place.name));
            let texts = of_labels.filter_map(|value| value?.as_str().map(String::from));
            self.label_fields.extend(texts);
        }
        Ok(TableRow {
            line: number,
            ..row
        })
    }

    /// What separates labels: as was said, else by spaces or commas in tab-separated data, as
    /// without a header; elsewhere a field is one label.
    #[must_use]
    pub fn separator(&self) -> LabelSeparator {
        let text_first = self.places.as_ref().is_none_or(|places| {
            let text = places.text.first().map(|(text, _)| text.at);
            text < places.labels.first().map(|labels| labels.at)
        });
        match (&self.separator, self.table.format) {
            (Some(separator), _) => separator.clone(),
            (None, TableFormat::Tsv) if text_first => LabelSeparator::BLANKS,
            (None, TableFormat::Tsv) => LabelSeparator::COMMAS,
            _ => LabelSeparator::WHOLE,
        }
    }

    /// Whether the separator of labels was said or remembered.
    #[must_use]
    pub fn is_separator_known(&self) -> bool {
        self.separator.is_some()
    }

    /// Whether the first row is read as one, but looks like a header.
    #[must_use]
    pub fn looks_headed(&self) -> bool {
        self.looks_headed
    }

    /// The names of the columns to hand through, as the table has them.
    #[must_use]
    pub fn kept_names(&self) -> Vec<String> {
        let places = self.places.iter();
        let kept = places.flat_map(|places| &places.keep);
        kept.map(|place| place.name.clone()).collect()
    }

    /// The names of the columns that are not read; of JSON Lines they are not told.
    #[must_use]
    pub fn unread_names(&self) -> Vec<String> {
        let Some(places) = &self.places else {
            return Vec::new();
        };
        let text = places.text.iter().map(|(place, _)| place.at);
        let others = places.labels.iter().chain(&places.id).chain(&places.keep);
        let others = others.map(|place| place.at);
        let read: HashSet<usize> = text.chain(others).collect();
        let names = self.names.iter().enumerate();
        let unread = names.filter(|(at, _)| !read.contains(at));
        unread.map(|(_, name)| name.clone()).collect()
    }

    /// Whether rows have ids.
    #[must_use]
    pub fn has_ids(&self) -> bool {
        self.places
            .as_ref()
            .is_some_and(|places| places.id.is_some())
    }

    /// What a model remembers of how the table was read.
    #[must_use]
    pub fn selection(&self) -> Selection {
        let Some(places) = &self.places else {
            return Selection::default();
        };
        let name = |place: &super::places::Place| place.name.clone();
        let text = places.text.iter();
        let text = text.map(|(place, times)| TextColumn {
            name: name(place),
            times: *times,
        });
        let labels: Vec<String> = places.labels.iter().map(name).collect();
        Selection {
            text: text.collect(),
            labels: (!labels.is_empty()).then(|| labels.join(",")),
            marks: places.marks,
            separator: (!places.marks).then(|| self.separator().to_string()),
            id: places.id.as_ref().map(name),
            header: (!self.headed).then_some(false),
            delimiter: self.table.given.delimiter,
            columns: None,
        }
    }
}

/// Text that was checked to be UTF-8.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}
