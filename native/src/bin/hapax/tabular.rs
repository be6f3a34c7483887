//! Data in tables: CSV, JSON Lines, and tab-separated data with a header.

use super::{
    columns::warn_of_order,
    data_options::{DataOptions, FormatName},
    failure::Failure,
    fit::Stated,
    input::{MODEL_MARK, Origin, Reading},
    output::{note, shown, warn},
    separators::warn_of_separators,
};
use hapax::{
    core::{
        data::{Columns, Format, Names, ReadError, ReadOptions, ReadProblem, Source},
        model::Model,
    },
    files::{FileError, open_text},
    npy,
    tables::{ReadTable, Selection, Table, TableFormat, TableReader, WholeError, peek, read_table},
};
use std::{
    io::{BufRead, Cursor},
    path::Path,
};

/// How many bytes of lines are looked at for a header.
const LOOKED_AT: usize = 1 << 16;

/// How many texts are looked at for numbers.
const LOOKED_AT_ROWS: usize = 1000;

/// How tables are read by these options and this model.
pub struct Tables<'a> {
    data: &'a DataOptions,
    given: Selection,
    remembered: Selection,
    names: Option<Names>,
    for_model: bool,
}

impl<'a> Tables<'a> {
    pub fn new(data: &'a DataOptions, model: Option<&Model>) -> Result<Self, Failure> {
        let remembered = model.and_then(|model| model.provenance().columns.as_deref());
        let remembered = match remembered.map(Selection::from_json) {
            None => Selection::default(),
            Some(Ok(remembered)) => remembered,
            Some(Err(_)) => {
                let rule = "the model remembers the columns of its data in a way that this release cannot read";
                return Err(Failure::Input(rule.into()));
            }
        };
        Ok(Self {
            data,
            given: data.selection(),
            remembered,
            names: model.and_then(Model::label_table),
            for_model: model.is_some(),
        })
    }

    /// How a table of this format is read.
    pub fn table(&self, format: TableFormat) -> Table {
        let mut given = self.given.clone();
        if let (Some(columns), TableFormat::Csv) = (self.data.columns, format) {
            let number = |at: usize| (at + 1).to_string();
            given.text.extend(number(columns.text()).parse());
            given.labels = Some(number(columns.labels()));
            given.header = given.header.or(Some(false));
        }
        Table {
            given,
            remembered: self.remembered.clone(),
            most_bytes: usize::try_from(self.data.max_line).unwrap_or(usize::MAX),
            ..Table::new(format)
        }
    }

    /// The format of tables that `--format` or the file's ending says.
    pub fn format(&self, path: &Path) -> Option<TableFormat> {
        match self.data.format {
            Some(FormatName::Csv) => Some(TableFormat::Csv),
            Some(FormatName::Jsonl) => Some(TableFormat::JsonLines),
            Some(_) => None,
            None => TableFormat::by_ending(path).filter(|&format| format != TableFormat::Tsv),
        }
    }

    /// The format that the first lines look like, else the one that the file's ending says: `.tsv`
    /// is what many call rows of any kind.
    pub fn format_of_lines(&self, path: &Path, bytes: &[u8]) -> Option<Format> {
        let tsv = TableFormat::by_ending(path) == Some(TableFormat::Tsv);
        match self.data.format {
            Some(name) => name.of_lines(),
            None => Format::detect(bytes).ok().or(tsv.then_some(Format::Tsv)),
        }
    }

    /// The format of the table that lines are, if they are one: JSON objects, or tab-separated data
    /// with a header or with columns that are named.
    pub fn in_lines(&self, format: Option<Format>, bytes: &[u8]) -> Option<TableFormat> {
        let sample = &bytes[..bytes.len().min(LOOKED_AT)];
        if format.is_none() && begins_like_json(sample) {
            return Some(TableFormat::JsonLines);
        }
        let named = self.given.names_columns();
        let numbered = self.remembered.header == Some(false) && !self.remembered.text.is_empty();
        let is_table = format == Some(Format::Tsv)
            && self.data.columns.is_none()
            && (named || numbered || self.table(TableFormat::Tsv).has_header(sample));
        is_table.then_some(TableFormat::Tsv)
    }

    /// What a model remembers of tab-separated data, where options say nothing.
    pub fn remembered_lines(&self, options: &mut ReadOptions) {
        let remembered = &self.remembered;
        if options.columns.is_none() {
            let columns = remembered.columns.as_deref();
            options.columns = columns.and_then(|columns| columns.parse().ok());
        }
        if options.label_separator.is_none() {
            let separator = remembered.separator.as_deref();
            options.label_separator = separator.and_then(|separator| separator.parse().ok());
        }
    }

    /// A mistake in lines, with what to do if they look like a table.
    pub fn mistake(&self, path: &Path, error: &ReadError) -> Failure {
        match (error.problem.clone(), self.data.format) {
            (ReadProblem::UnknownFormat, None) => Failure::Input(format!(
                "{}:{error} (of tables: --format csv or jsonl)",
                path.display()
            )),
            _ => Failure::in_data(path, error),
        }
    }

    /// Reads a file that is a table by its ending or by `--format`; `None` if it is none.
    pub fn read_file(&self, path: &Path) -> Result<Option<Reading>, Failure> {
        let Some(format) = self.format(path) else {
            return Ok(None);
        };
        let (sample, input) = self.open(path)?;
        if sample.starts_with(MODEL_MARK) {
            return Err(Failure::in_file(
                path,
                "is a model, but data are expected here",
            ));
        }
        if sample.starts_with(npy::MARK) {
            return Ok(None);
        }
        self.read(path, input, format).map(Some)
    }

    /// The first bytes of a file, a whole line among them, and all of it.
    fn open(&self, path: &Path) -> Result<(Vec<u8>, Box<dyn BufRead + Send>), Failure> {
        let input = open_text(path)?;
        let most = usize::try_from(self.data.max_line).unwrap_or(usize::MAX);
        peek(input, most).map_err(|error| FileError::reading(path, error).into())
    }

    /// Reads lines that are a table.
    pub fn read_bytes(
        &self,
        path: &Path,
        bytes: Vec<u8>,
        format: TableFormat,
    ) -> Result<Reading, Failure> {
        self.read(path, Cursor::new(bytes), format)
    }

    fn read(
        &self,
        path: &Path,
        input: impl BufRead + Send + 'static,
        format: TableFormat,
    ) -> Result<Reading, Failure> {
        let read = read_table(input, self.table(format), self.names.as_ref());
        let read = read.map_err(|error| match error {
            WholeError::Io(error) => FileError::reading(path, error).into(),
            WholeError::Table(error) => Failure::at(path, error.line, error.column, error.problem),
            error => Failure::in_file(path, error),
        })?;
        warn_of_table(path, &read);
        let named = self.given.names_columns() || self.data.columns.is_some();
        if !self.for_model && !named && read.selection.header == Some(false) {
            let texts = read.documents.texts.iter().map(String::as_str);
            let fields = read.label_fields.iter().map(String::as_str);
            warn_of_order(&path.display(), texts.zip(fields), Columns::default());
        }
        if !self.for_model {
            warn_of_numbers(path, &read.documents.texts);
            let unread = match &read.unread_names[..] {
                [] => String::new(),
                names => shown(&format!(", not read: {}", names.join(","))).into_owned(),
            };
            note(format_args!(
                "{}: {}{unread}",
                path.display(),
                described(&read.selection)
            ));
        }
        let name = match format {
            TableFormat::Csv => "csv",
            TableFormat::Tsv => "tsv",
            TableFormat::JsonLines => "jsonl",
        };
        Ok(Reading {
            format: format!("{name}, {}", described(&read.selection)),
            source: Source::Texts(read.documents),
            origin: Origin {
                index_base: None,
                columns: read.selection.to_json(),
                marks: Vec::new(),
            },
            stated: Stated::default(),
        })
    }
}

/// Whether the first line is a JSON object.
pub fn begins_like_json(sample: &[u8]) -> bool {
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    let mut lines = sample.split(|&byte| byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| serde_json::from_slice::<serde_json::Map<_, _>>(line).is_ok())
}

/// Says what may be meant otherwise than a table was read.
pub fn warn_of_table(path: &Path, read: &ReadTable) {
    if read.looks_headed {
        warn_of_header(path);
    }
    if !read.is_separator_known {
        let fields = read.label_fields.iter().map(String::as_str);
        warn_of_separators(path, fields, &read.separator, &read.documents.label_names);
    }
}

/// Says that texts are rows of numbers, which as words mean little.
fn warn_of_numbers(path: &Path, texts: &[String]) {
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    let of_numbers = |text: &String| {
        let mut words = text.split_whitespace();
        words.clone().nth(1).is_some() && words.all(is_number)
    };
    if texts.iter().take(LOOKED_AT_ROWS).all(of_numbers) {
        warn(format_args!(
            "{}: the text holds numbers alone, and each is read as a word; to train on what they measure, \
             save them as a matrix (.npy, see docs/formats.md)",
            path.display()
        ));
    }
}

/// Says that the first row looks like a header, but is read as a row.
pub fn warn_of_header(path: &Path) {
    warn(format_args!(
        "{}: the first line looks like a header, but is read as a row; if it is one, say --header true",
        path.display()
    ));
}

/// As [`warn_of_header`], of rows that are still to come.
pub fn warn_of_reader(path: &Path, reader: &TableReader) {
    if reader.looks_headed() {
        warn_of_header(path);
    }
}

/// Which columns are read, in words.
fn described(selection: &Selection) -> String {
    let text: Vec<String> = selection.text.iter().map(ToString::to_string).collect();
    let mut words = format!("text from {}", text.join(","));
    if let Some(labels) = &selection.labels {
        let marks = if selection.marks { "marks of " } else { "" };
        words += &format!(", labels from {marks}{labels}");
        match selection.separator.as_deref() {
            None | Some("none") => {}
            Some("space") => words += " separated by spaces",
            Some(separator) => words += &format!(" separated by '{separator}'"),
        }
    }
    if let Some(id) = &selection.id {
        words += &format!(", ids from {id}");
    }
    shown(&words).into_owned()
}

/// What a model remembers of tab-separated data without a header.
pub fn remember_columns(options: &ReadOptions) -> Option<String> {
    let selection = Selection {
        columns: options.columns.map(|columns| columns.to_string()),
        separator: options.label_separator.as_ref().map(ToString::to_string),
        ..Selection::default()
    };
    selection.to_json()
}
