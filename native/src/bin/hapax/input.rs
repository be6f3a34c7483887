//! What every verb that reads data shares: the options, and the way from a file to rows.

use super::{
    columns::warn_of_columns,
    dense::read_dense,
    failure::Failure,
    fit::{Stated, numbers, warn_of_features, warn_of_labels},
    output::warn,
    separators::warn_of_separators,
};
use clap::{Args, ValueEnum};
use hapax::{
    core::{
        data::{
            Columns, Dataset, Documents, Format, IndexBase, Input, LabelSeparator, ReadOptions,
            Source, read,
        },
        model::Model,
        names::Names,
        text::Vectorizer,
    },
    files::read_text,
    npy,
    threads::Threads,
};
use std::path::{Path, PathBuf};

/// How a model file begins.
pub const MODEL_MARK: &[u8] = b"HAPAX\x1a";

/// How to read data.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Data")]
pub struct DataOptions {
    /// The format of the data [default: found by looking at the first lines]
    #[arg(long, value_enum)]
    pub format: Option<FormatName>,
    /// The columns of tab-separated data in the file's order: text and labels once each, and any other name for a
    /// column to ignore, such as id,text,labels. Columns beyond those named are ignored [default: text,labels, and
    /// more columns are refused]
    #[arg(long, value_name = "NAMES", allow_hyphen_values = true)]
    pub columns: Option<Columns>,
    /// What separates the labels of tab-separated data: a character such as ';' or a few, space, or none if the whole
    /// column is one label [default: space, or a comma where the labels stand before the text]
    #[arg(long, value_name = "SEP", allow_hyphen_values = true)]
    pub label_separator: Option<LabelSeparator>,
    /// Where the feature indices of svmlight data start: 0 or 1 [default: 0 if index 0 occurs]
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..2))]
    pub index_base: Option<u8>,
    /// The labels of the rows of a .npy file: a .npy file of whole numbers, one for each row, or of zeros and ones,
    /// a line of all labels for each row; or a text file with the labels of a row in each line,
    /// separated by spaces
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
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
    /// `__label__name … text`
    Fasttext,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Xmc => Self::Xmc,
            FormatName::Svmlight => Self::Svmlight,
            FormatName::Tsv => Self::Tsv,
            FormatName::Fasttext => Self::FastText,
        }
    }
}

impl DataOptions {
    /// The options for reading training data.
    pub fn for_training(&self) -> ReadOptions {
        ReadOptions {
            format: self.format.map(Format::from),
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

    /// Where the feature indices of data for a model start: where those of its training data did, if nothing is said.
    pub fn base_for(&self, model: &Model) -> Option<IndexBase> {
        let given = self.for_training().index_base;
        given.or(model.provenance().index_base)
    }

    /// The options for reading data that begin with `bytes`, which a model is to answer or to go on from: its labels keep
    /// their ids, and feature indices start where those of its training data did.
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
}

/// Data, and what was found of how they are written.
pub struct Reading {
    pub source: Source,
    /// The format in words.
    pub format: String,
    pub index_base: Option<IndexBase>,
    pub stated: Stated,
}

/// Reads a whole file of data: to train on, or for `model` to answer or to go on from.
pub fn read_input(
    path: &Path,
    data: &DataOptions,
    model: Option<&Model>,
    threads: &Threads,
) -> Result<Reading, Failure> {
    let bytes = read_text(path)?;
    if bytes.starts_with(MODEL_MARK) {
        return Err(Failure::in_file(
            path,
            "is a model, but data are expected here",
        ));
    }
    let options = model.map_or_else(
        || data.for_training(),
        |model| data.for_model(model, &bytes),
    );
    if bytes.starts_with(npy::MARK) {
        let labels = data.labels.as_deref();
        return read_dense(path, &bytes, labels, options.label_names.as_ref());
    }
    if let Some(labels) = &data.labels {
        let rule = format_args!(
            "holds the labels of .npy rows, but {} holds its own labels; leave out --labels",
            path.display()
        );
        return Err(Failure::in_file(labels, rule));
    }
    let input: Input =
        read(&bytes, &options, threads).map_err(|error| Failure::in_data(path, &error))?;
    if input.format == Format::Tsv {
        warn_of_columns(path, &bytes, options.columns);
        if data.label_separator.is_none() {
            warn_of_separators(path, &bytes, options.columns.unwrap_or_default());
        }
    } else if let Some(separator) = &data.label_separator {
        let rule = format_args!(
            "is read as {}, where labels are always separated alike; --label-separator '{separator}' is for \
             tab-separated data: leave it out, or say --format tsv",
            input.format
        );
        return Err(Failure::in_file(path, rule));
    }
    let stated = match &input.source {
        Source::Rows(rows) if input.format == Format::Xmc => Stated {
            features: Some(rows.rows().features()),
            labels: Some(rows.labels().labels()),
        },
        _ => Stated::default(),
    };
    Ok(Reading {
        format: input.format.to_string(),
        source: input.source,
        index_base: input.index_base,
        stated,
    })
}

/// Reads a file of data as rows that a model can answer: texts go through its vectorizer. Labels that it
/// has not seen in training get ids beyond its own.
pub fn read_for_model(
    path: &Path,
    data: &DataOptions,
    model: &Model,
    threads: &Threads,
) -> Result<Dataset, Failure> {
    let (rows, stated) = read_like(path, data, model, threads, |_, _| ())?;
    warn_of_features(path, rows.rows().features(), stated.features, model);
    warn_of_labels(path, stated.labels, model);
    Ok(rows)
}

/// As [`read_for_model`], but what does not fit the model is left to the caller, who learns what the file states and
/// may look at texts before they become rows.
pub fn read_like(
    path: &Path,
    data: &DataOptions,
    model: &Model,
    threads: &Threads,
    look: impl FnOnce(&Vectorizer, &[String]),
) -> Result<(Dataset, Stated), Failure> {
    let input = read_input(path, data, Some(model), threads)?;
    match input.source {
        Source::Texts(documents) => {
            if let Some(vectorizer) = model.vectorizer() {
                look(vectorizer, &documents.texts);
            }
            let rows = vectorize(path, documents, model, threads)?;
            Ok((rows, Stated::default()))
        }
        Source::Rows(_) if model.vectorizer().is_some() && data.format.is_none() => {
            let rule = "holds rows of features, but the model was trained on texts; if the rows are \
                        made of its own features, name the format with --format";
            Err(Failure::in_file(path, rule))
        }
        Source::Rows(rows) => Ok((rows, input.stated)),
    }
}

fn vectorize(
    path: &Path,
    documents: Documents,
    model: &Model,
    threads: &Threads,
) -> Result<Dataset, Failure> {
    let vectorizer = model.vectorizer().ok_or_else(|| {
        Failure::in_file(
            path,
            "holds texts, but the model was trained on rows of features",
        )
    })?;
    let rows = vectorizer.transform_all(&documents.texts, threads);
    Dataset::new(rows, documents.labels, Some(documents.label_names))
        .map_err(|error| Failure::in_file(path, error))
}

/// Loads a model, every rule of its file checked.
pub fn load_model(path: &Path) -> Result<Model, Failure> {
    let bytes = hapax::files::map_model(path)?;
    Model::from_bytes(bytes).map_err(|error| Failure::in_file(path, error))
}

/// From so many rows on a model is made ready for speed, which takes as long as about so many answers.
pub const MANY_ROWS: usize = 100;

/// Makes a model ready for many rows. Without memory for that it answers as well, but more slowly.
pub fn prepare(model: &mut Model) {
    if let Err(error) = model.prepare() {
        warn(format_args!("answers will take longer: {error}"));
    }
}

/// The pool of threads that `--threads` asks for.
pub fn threads(count: usize) -> Result<Threads, Failure> {
    Threads::new(count).map_err(|error| Failure::Other(format!("cannot start threads: {error}")))
}

/// Puts the names that a file gives in place of numbers: of XMC data, whose labels are ids.
pub fn name_labels(data: &Dataset, path: &Path, column: usize) -> Result<Dataset, Failure> {
    if data.label_names().is_some() {
        let rule = "names labels by their ids, but the labels of this data are names already; leave \
                    out --label-names";
        return Err(Failure::in_file(path, rule));
    }
    let names = read_label_names(path, column)?;
    Dataset::new(data.rows().clone(), data.labels().clone(), Some(names))
        .map_err(|error| Failure::in_file(path, error))
}

/// Reads a file that names labels, one a line in the order of their ids. Of lines with tabs the column
/// `column` counts, from 1.
fn read_label_names(path: &Path, column: usize) -> Result<Names, Failure> {
    let bytes = read_text(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        Failure::in_file(
            path,
            format_args!("byte {} is not UTF-8", error.valid_up_to()),
        )
    })?;
    let mut names = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let name = line.split('\t').nth(column - 1).ok_or_else(|| {
            let columns = line.split('\t').count();
            let rule =
                format_args!("the line has {columns} columns, but names are in column {column}");
            Failure::at(path, at as u64 + 1, 1, rule)
        })?;
        names.push(name);
    }
    Names::new(names).map_err(|error| Failure::in_file(path, error))
}
