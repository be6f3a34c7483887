//! How to read data, as every verb that reads them asks for it.

use super::{failure::Failure, fit::numbers, table::parse_bytes};
use clap::{Args, ValueEnum};
use hapax::{
    core::{
        data::{Columns, ColumnsError, Format, IndexBase, LabelSeparator, ReadOptions},
        model::Model,
    },
    tables::{Selection, TableFormat, TextColumn},
};
use std::path::Path;

/// How to read data.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Data")]
pub struct DataOptions {
    /// The format of the data
    /// [default: by the file's ending (.csv, .json, .jsonl, .ndjson, perhaps compressed), else by
    /// its first lines]
    #[arg(long, value_enum)]
    pub format: Option<FormatName>,
    /// The columns of the text in a table (CSV, JSON Lines, or tab-separated data with a header),
    /// by name, as title or meta.title, or by number from 1, joined; title:3 counts three times
    /// [default: as the model remembers, or by their names]
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        conflicts_with = "columns"
    )]
    pub text: Vec<TextColumn>,
    /// The column of the labels in a table, by name or by number; labels of several, as a,b, count
    /// together, and columns of 0 and 1 are labels themselves. For .npy rows the file of their
    /// labels: a .npy file of whole numbers, one for each row, or of zeros and ones, a line of all
    /// labels for each row; or a text file with the labels of a row in each line, separated by
    /// spaces
    #[arg(long, value_name = "COLUMNS", conflicts_with = "columns")]
    pub labels: Option<String>,
    /// The column of the ids in a table, by name or by number [default: the one named id]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Whether the first line of a table names its columns [default: found by looking at it]
    #[arg(long, value_name = "BOOL", value_parser = clap::builder::BoolishValueParser::new())]
    pub header: Option<bool>,
    /// What separates the fields of CSV
    /// [default: a comma, semicolon, tab or bar, whichever cuts lines evenly]
    #[arg(long, value_name = "CHAR", value_parser = parse_delimiter)]
    pub delimiter: Option<char>,
    /// The longest row of a table, and the longest line that `predict` reads, such as 16MB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "16MB")]
    pub max_line: u64,
    /// The columns of tab-separated data without a header in the file's order: text and labels once
    /// each, and any other name for a column to ignore, such as id,text,labels. Columns beyond
    /// those named are ignored [default: text,labels, and more columns are refused]
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true, value_parser = parse_columns)]
    pub columns: Option<Columns>,
    /// What separates labels in their column: a character such as ';' or a few, space, or none if
    /// the whole field is one label
    /// [default: none in CSV and JSON Lines; of tab-separated data space, or a comma where the
    /// labels stand before the text]
    #[arg(long, value_name = "SEP", allow_hyphen_values = true)]
    pub label_separator: Option<LabelSeparator>,
    /// Where the feature indices of svmlight data start: 0 or 1 [default: 0 if index 0 occurs]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..2))]
    pub index_base: Option<u8>,
}

/// The formats by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FormatName {
    /// `rows features labels`, then `label,label index:value …`, all from 0
    Xmc,
    /// `label index:value …`
    Svmlight,
    /// Columns separated by tabs
    Tsv,
    /// A table of quoted fields
    Csv,
    /// A JSON object a line
    #[value(alias = "ndjson")]
    Jsonl,
    /// `__label__name … text`
    Fasttext,
}

impl FormatName {
    /// The format of lines, unless it is one of tables.
    pub fn of_lines(self) -> Option<Format> {
        match self {
            Self::Xmc => Some(Format::Xmc),
            Self::Svmlight => Some(Format::Svmlight),
            Self::Tsv => Some(Format::Tsv),
            Self::Fasttext => Some(Format::FastText),
            Self::Csv | Self::Jsonl => None,
        }
    }
}

/// Names of a header are what people take this option for.
fn parse_columns(names: &str) -> Result<Columns, String> {
    names.parse().map_err(|error| match error {
        ColumnsError::Missing { .. } => {
            format!("{error}; where the first line names the columns, say --text and --labels")
        }
        _ => error.to_string(),
    })
}

fn parse_delimiter(text: &str) -> Result<char, String> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(one), None)
            if one.is_ascii() && !one.is_alphanumeric() && !"\"\n\r".contains(one) =>
        {
            Ok(one)
        }
        _ => Err(format!(
            "{text:?} separates no fields; give one ASCII character, such as ';', or tab"
        )),
    }
}

impl DataOptions {
    /// The options for reading training data.
    pub fn for_training(&self) -> ReadOptions {
        ReadOptions {
            format: self.format.and_then(FormatName::of_lines),
            columns: self.columns,
            label_separator: self.label_separator.clone(),
            index_base: self.index_base.map(|base| match base {
                0 => IndexBase::Zero,
                _ => IndexBase::One,
            }),
            label_names: None,
            labels_optional: false,
        }
    }

    /// Where the feature indices of data for a model start: where those of its training data did,
    /// if nothing is said.
    pub fn base_for(&self, model: &Model) -> Option<IndexBase> {
        let given = self.for_training().index_base;
        given.or(model.provenance().index_base)
    }

    /// The options for reading data that begin with `bytes`, which a model is to answer or to go on
    /// from: its labels keep their ids, and feature indices start where those of its training data
    /// did.
    pub fn for_model(&self, model: &Model, bytes: &[u8]) -> ReadOptions {
        let mut options = self.for_training();
        options.label_names = model.label_table();
        options.index_base = self.base_for(model);
        let format = options.format.or_else(|| Format::detect(bytes).ok());
        if options.label_names.is_none() && format != Some(Format::Xmc) {
            // Else labels would be numbered by their order in this file.
            options.label_names = numbers(model.labels());
        }
        options
    }

    /// The options that name columns of a table.
    pub fn selection(&self) -> Selection {
        Selection {
            text: self.text.clone(),
            labels: self.labels.clone(),
            marks: false,
            separator: self.label_separator.as_ref().map(ToString::to_string),
            id: self.id.clone(),
            header: self.header,
            delimiter: self.delimiter,
            columns: None,
        }
    }

    /// The file that holds the labels of `rows`, unless these hold their own.
    pub fn labels_file(&self, rows: &Path) -> Option<&Path> {
        let file = self.labels.as_ref().map(Path::new);
        file.filter(|_| TableFormat::by_ending(rows).is_none())
    }

    /// Refuses options for columns where lines of `format` have none.
    pub fn check_no_columns(&self, path: &Path, format: Format) -> Result<(), Failure> {
        if let Some(labels) = &self.labels {
            let rule = format_args!(
                "is read as {format}, whose lines hold their own labels; leave out --labels {labels}, or name the format \
                 of a table: --format csv, jsonl or tsv"
            );
            return Err(Failure::in_file(path, rule));
        }
        if let Some(separator) = &self.label_separator {
            let rule = format_args!(
                "is read as {format}, where labels are always separated alike; --label-separator '{separator}' is for \
                 tables: leave it out, or say --format tsv"
            );
            return Err(Failure::in_file(path, rule));
        }
        let others = [
            (!self.text.is_empty(), "text"),
            (self.id.is_some(), "id"),
            (self.header.is_some(), "header"),
            (self.delimiter.is_some(), "delimiter"),
        ];
        match others.iter().find(|(given, _)| *given) {
            Some((_, option)) => {
                let rule = format_args!(
                    "is read as {format}, which has no columns; leave out --{option}, or name the format of a table: \
                     --format csv, jsonl or tsv"
                );
                Err(Failure::in_file(path, rule))
            }
            None => Ok(()),
        }
    }
}
