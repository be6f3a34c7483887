//! What every verb that reads data shares: the options, and the way from a file to rows.

use super::{
    columns::{cells, warn_of_columns},
    data_options::DataOptions,
    dense::read_dense,
    evaluate::repeats::{Marks, marks},
    failure::Failure,
    fit::{Stated, warn_of_features, warn_of_labels},
    output::warn,
    separators::{LOOKED_AT, warn_of_separators},
    tabular::{Tables, remember_columns},
};
use hapax::{
    ModelFile,
    core::{
        data::{Dataset, Documents, Format, IndexBase, Input, Names, Source, read},
        executor::Executor,
        model::Model,
        text::Vectorizer,
    },
    files::read_text,
    npy,
    threads::Threads,
};
use std::{num::NonZero, path::Path, thread::available_parallelism};

/// How a model file begins.
pub const MODEL_MARK: &[u8] = b"HAPAX\x1a";

/// How training data are written, as the model made of them remembers it.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Where the feature indices of rows start.
    pub index_base: Option<IndexBase>,
    /// The columns of a table.
    pub columns: Option<String>,
    /// The marks of the rows, where test data will be looked through for them.
    pub marks: Marks,
}

/// Data, and what was found of how they are written.
pub struct Reading {
    pub source: Source,
    /// The format in words.
    pub format: String,
    pub origin: Origin,
    pub stated: Stated,
}

/// Reads a whole file of data: to train on, or for `model` to answer or to go on from.
pub fn read_input(
    path: &Path,
    data: &DataOptions,
    model: Option<&Model>,
    threads: &Executor,
) -> Result<Reading, Failure> {
    let tables = Tables::new(data, model)?;
    if let Some(reading) = tables.read_file(path)? {
        return Ok(reading);
    }
    let bytes = read_text(path)?;
    if bytes.starts_with(MODEL_MARK) {
        return Err(Failure::in_file(
            path,
            "is a model, but data are expected here",
        ));
    }
    let mut options = model.map_or_else(
        || data.for_training(),
        |model| data.for_model(model, &bytes),
    );
    if bytes.starts_with(npy::MARK) {
        let labels = data.labels.as_ref().map(Path::new);
        let separated = (labels, options.label_separator.as_ref());
        return read_dense(path, &bytes, separated, options.label_names.as_ref());
    }
    let format = tables.format_of_lines(path, &bytes);
    if let Some(table) = tables.in_lines(format, &bytes) {
        return tables.read_bytes(path, bytes, table);
    }
    options.format = options.format.or(format);
    tables.remembered_lines(&mut options);
    let input: Input =
        read(&bytes, &options, threads).map_err(|error| tables.mistake(path, &error))?;
    let mut columns = None;
    if input.format == Format::Tsv {
        warn_of_columns(path, &bytes, options.columns);
        let named = options.columns.unwrap_or_default();
        if let (None, Source::Texts(read)) = (&options.label_separator, &input.source) {
            let fields = cells(&bytes, named, LOOKED_AT).map(|(_, labels)| labels);
            warn_of_separators(path, fields, &named.separator(), &read.label_names);
        }
        columns = remember_columns(&options);
    } else {
        data.check_no_columns(path, input.format)?;
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
        origin: Origin {
            index_base: input.index_base,
            columns,
            marks: Marks::new(),
        },
        stated,
    })
}

/// Reads a file of data as rows that a model can answer: texts go through its vectorizer. Labels
/// that it has not seen in training get ids beyond its own.
pub fn read_for_model(
    path: &Path,
    data: &DataOptions,
    model: &Model,
    threads: &Executor,
) -> Result<Like, Failure> {
    let like = read_like(path, data, model, threads, |_, _| ())?;
    let (rows, stated) = (&like.rows, like.stated);
    warn_of_features(path, rows.rows().features(), stated.features, model);
    warn_of_labels(path, stated.labels, model);
    Ok(like)
}

/// Rows as a model would be given them.
pub struct Like {
    pub rows: Dataset,
    pub stated: Stated,
    /// The columns of a table that they were read from.
    pub columns: Option<String>,
    pub marks: Marks,
    /// The texts that the rows were made of, if they were.
    pub texts: Vec<String>,
}

/// As [`read_for_model`], but what does not fit the model is left to the caller, who learns what
/// the file states and may look at texts before they become rows.
pub fn read_like(
    path: &Path,
    data: &DataOptions,
    model: &Model,
    threads: &Executor,
    look: impl FnOnce(&Vectorizer, &[String]),
) -> Result<Like, Failure> {
    let input = read_input(path, data, Some(model), threads)?;
    let columns = input.origin.columns;
    let marks = marks(&input.source);
    let mut texts = Vec::new();
    let (rows, stated) = match input.source {
        Source::Texts(documents) => {
            if let Some(vectorizer) = model.vectorizer() {
                look(vectorizer, &documents.texts);
            }
            let rows;
            (rows, texts) = vectorize(path, documents, model, threads)?;
            (rows, Stated::default())
        }
        Source::Rows(_) if model.vectorizer().is_some() && data.format.is_none() => {
            let rule = "holds rows of features, but the model was trained on texts; if the rows are \
                        made of its own features, name the format with --format";
            return Err(Failure::in_file(path, rule));
        }
        Source::Rows(rows) => (rows, input.stated),
    };
    Ok(Like {
        rows,
        stated,
        columns,
        marks,
        texts,
    })
}

fn vectorize(
    path: &Path,
    documents: Documents,
    model: &Model,
    threads: &Executor,
) -> Result<(Dataset, Vec<String>), Failure> {
    let vectorizer = model.vectorizer().ok_or_else(|| {
        Failure::in_file(
            path,
            "holds texts, but the model was trained on rows of features",
        )
    })?;
    let rows = vectorizer.transform_all(&documents.texts, threads);
    let rows = Dataset::new(rows, documents.labels, Some(documents.label_names))
        .map_err(|error| Failure::in_file(path, error))?;
    Ok((rows, documents.texts))
}

/// Loads a model, every rule of its file checked.
pub fn load_model(path: &Path) -> Result<Model, Failure> {
    Ok(Model::load(path)?)
}

/// From so many rows on a model is made ready for speed, which takes as long as about so many
/// answers.
pub const MANY_ROWS: usize = 100;

/// Makes a model ready for many rows. Without memory for that it answers as well, but more slowly.
pub fn prepare(model: &mut Model) {
    if let Err(error) = model.prepare() {
        warn(format_args!("answers will take longer: {error}"));
    }
}

/// So many threads may be asked for on any machine, and four for each core.
const MOST_THREADS: usize = 32;

/// The pool of threads that `--threads` asks for.
pub fn threads(count: usize) -> Result<Threads, Failure> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let most = MOST_THREADS.max(4 * cores);
    let count = match count > most {
        true => {
            warn(format_args!(
                "--threads {count} is far more than the {cores} cores of this machine; {most} are started"
            ));
            most
        }
        false => count,
    };
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

/// Reads a file that names labels, one a line in the order of their ids. Of lines with tabs the
/// column `column` counts, from 1.
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
