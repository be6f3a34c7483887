//! What `hapax predict` is asked: lines, and rows of tables, as they come.

use super::{
    answers::Passed,
    columns::warn_of_columns,
    data_options::DataOptions,
    failure::Failure,
    fit::warn_of_features,
    input::MODEL_MARK,
    tabular::{Tables, begins_like_json, warn_of_reader},
};
use hapax::{
    core::{
        data::{Format, LineReader, ReadProblem, Row},
        model::Model,
        sparse::SparseVec,
    },
    tables::{Line, Table, TableError, TableFormat, TableReader, TableRow},
};
use std::path::Path;

/// A row to answer.
pub enum Query {
    /// Given as features.
    Features(SparseVec),
    /// To be made of a text.
    Text(String),
    /// A blank line, answered so that answers stay beside their lines.
    Blank,
    /// It could not be read: where and why.
    Unread(String),
}

/// A row to answer and where it stands.
pub struct Question {
    pub line: u64,
    pub query: Query,
    /// What a row of a table hands through.
    pub row: Option<Passed>,
}

/// Where questions come from.
pub struct Questions<'a> {
    path: &'a Path,
    source: Source,
    most: u64,
    lines: u64,
    /// Whether a row was read.
    begun: bool,
}

enum Source {
    Lines(Box<LineReader>),
    Table(Box<TableReader>),
}

impl<'a> Questions<'a> {
    /// Questions to `model` in an input that begins with `sample`, its first line among it.
    pub fn new(
        path: &'a Path,
        data: &DataOptions,
        keep: &[String],
        model: &Model,
        sample: &[u8],
    ) -> Result<Self, Failure> {
        if sample.starts_with(MODEL_MARK) {
            let rule = "is a model; the model comes first, then the texts or rows";
            return Err(Failure::in_file(path, rule));
        }
        let tables = Tables::new(data, Some(model))?;
        let texts = model.vectorizer().is_some();
        let lines = || input_format(path, data, texts, sample);
        let format = match tables.format(path) {
            Some(format) => Some(format),
            None if data.format.is_none() && texts && begins_like_json(sample) => {
                Some(TableFormat::JsonLines)
            }
            None => {
                let tsv = lines()? == Format::Tsv;
                tables.in_lines(tsv.then_some(Format::Tsv), sample)
            }
        };
        let source = match format {
            Some(format) if texts => {
                let table = Table {
                    keep: keep.to_vec(),
                    labels_optional: true,
                    ..tables.table(format)
                };
                let reader = TableReader::new(table, sample);
                let reader = reader.map_err(|error| wrong_table(path, &error))?;
                warn_of_reader(path, &reader);
                Source::Table(Box::new(reader))
            }
            Some(_) => {
                let rule = "holds a table of texts, but the model was trained on rows of features";
                return Err(Failure::in_file(path, rule));
            }
            None => {
                let format = lines()?;
                let mut options = data.for_training();
                options.index_base = data.base_for(model);
                options.labels_optional = true;
                if format == Format::Tsv {
                    tables.remembered_lines(&mut options);
                    warn_of_columns(path, sample, options.columns);
                }
                if let Some(column) = keep.first() {
                    let rule = format_args!("is no table; leave out --keep {column}");
                    return Err(Failure::in_file(path, rule));
                }
                Source::Lines(Box::new(LineReader::new(format, &options)))
            }
        };
        Ok(Self {
            path,
            source,
            most: data.max_line,
            lines: 0,
            begun: false,
        })
    }

    /// Whether rows have ids.
    pub fn has_ids(&self) -> bool {
        matches!(&self.source, Source::Table(reader) if reader.has_ids())
    }

    /// The names of the columns that are handed through, as the table has them.
    pub fn kept_names(&self) -> Vec<String> {
        match &self.source {
            Source::Table(reader) => reader.kept_names(),
            Source::Lines(_) => Vec::new(),
        }
    }

    /// What the next line asks, if a question ends with it.
    pub fn take(&mut self, line: Line, model: &Model) -> Result<Option<Question>, Failure> {
        self.lines += 1;
        match &mut self.source {
            Source::Table(reader) => match reader.push(line) {
                None => Ok(None),
                Some(row) => self.row(row).map(Some),
            },
            Source::Lines(_) => self.line(&line, model),
        }
    }

    /// What the end of the input asks: a row whose quote is still open.
    pub fn end(&mut self) -> Result<Option<Question>, Failure> {
        match &mut self.source {
            Source::Table(reader) => match reader.end() {
                None => Ok(None),
                Some(error) => self.row(Err(error)).map(Some),
            },
            Source::Lines(_) => Ok(None),
        }
    }

    fn row(&mut self, row: Result<TableRow, TableError>) -> Result<Question, Failure> {
        let (line, query, id, kept) = match row {
            Ok(row) => {
                self.begun = true;
                (row.line, Query::Text(row.text), row.id, row.kept)
            }
            Err(error) if error.problem.is_of_all_rows() && !self.begun => {
                return Err(wrong_table(self.path, &error));
            }
            Err(error) => {
                let query = Query::Unread(error.to_string());
                (error.line, query, None, Vec::new())
            }
        };
        Ok(Question {
            line,
            query,
            row: Some(Passed { line, id, kept }),
        })
    }

    fn line(&mut self, line: &Line, model: &Model) -> Result<Option<Question>, Failure> {
        let Source::Lines(reader) = &mut self.source else {
            return Ok(None);
        };
        let number = self.lines;
        let question = |query| {
            Ok(Some(Question {
                line: number,
                query,
                row: None,
            }))
        };
        let Line::Whole(line) = line else {
            // It counts as a line, whatever an empty one is.
            let _ = reader.read(b"");
            let most = self.most;
            let rule = format!(
                "{number}:1: the line is longer than {most} bytes; allow more by --max-line if it is meant"
            );
            return question(Query::Unread(rule));
        };
        let row = match reader.read(line) {
            Ok(row) => row,
            // So is every line: the columns must be named.
            Err(error) if !self.begun && is_of_columns(&error.problem) => {
                return Err(Failure::in_data(self.path, &error));
            }
            Err(error) => return question(Query::Unread(error.to_string())),
        };
        let query = match row {
            Some(Row::Features { features, .. }) => Some(Query::Features(features.to_owned())),
            Some(Row::Text { text, .. }) => Some(Query::Text(text.to_owned())),
            None if line.trim_ascii().is_empty() => Some(Query::Blank),
            None => None,
        };
        if let (1, Some(features)) = (number, reader.features()) {
            warn_of_features(self.path, features, Some(features), model);
        }
        self.begun |= matches!(query, Some(Query::Features(_) | Query::Text(_)));
        query.map_or(Ok(None), question)
    }
}

fn is_of_columns(problem: &ReadProblem) -> bool {
    matches!(
        problem,
        ReadProblem::TooManyColumns { .. } | ReadProblem::MissingColumn { .. }
    )
}

fn wrong_table(path: &Path, error: &TableError) -> Failure {
    Failure::at(path, error.line, error.column, &error.problem)
}

/// The format of lines: what `--format` says, else text for a model of texts and what the first
/// lines look like for a model of rows.
fn input_format(
    path: &Path,
    data: &DataOptions,
    texts: bool,
    first: &[u8],
) -> Result<Format, Failure> {
    let format = match data
        .format
        .and_then(super::data_options::FormatName::of_lines)
    {
        Some(format) => format,
        None if texts && begins_like_fasttext(first) => Format::FastText,
        None if texts => Format::Tsv,
        None if first.trim_ascii().is_empty() => Format::Xmc,
        None => {
            // The last line may be cut off where the buffer ends.
            let end = first.iter().rposition(|&byte| byte == b'\n');
            let whole = &first[..end.map_or(first.len(), |at| at + 1)];
            Format::detect(whole).map_err(|error| {
                let rule = "the model answers rows of features, as xmc or svmlight";
                Failure::Input(format!("{}:{error}; {rule}", path.display()))
            })?
        }
    };
    match format {
        Format::Tsv | Format::FastText if !texts => Err(Failure::in_file(
            path,
            format_args!("holds texts ({format}), but the model was trained on rows of features"),
        )),
        _ => Ok(format),
    }
}

fn begins_like_fasttext(first: &[u8]) -> bool {
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    text.trim_ascii_start().starts_with(b"__label__")
}
