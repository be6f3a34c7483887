//! Whole inputs: bytes to a [`Dataset`] or to [`Documents`].

use super::{
    Columns, Dataset, Documents, Format, IndexBase, LabelLists, LabelSeparator, ReadError,
    ReadProblem,
    format::without_mark,
    labelled_text::{self, Layout, Line},
    read_error::Fault,
    svmlight, xmc,
};
use crate::data::line_runs::{NamedLabels, RowPart};
use crate::{executor::Executor, names::Names, sparse::SparseRows};

/// How to read an input.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; told from the first lines if `None` (see [`Format::detect`]).
    pub format: Option<Format>,
    /// The columns of tab-separated text; others beyond them are ignored. If `None`, they are
    /// [`Columns::default`], and others are refused.
    pub columns: Option<Columns>,
    /// What separates the labels of tab-separated text; [`Columns::separator`] if `None`.
    pub label_separator: Option<LabelSeparator>,
    /// Where the indices of an svmlight input start. If `None`, index 0 anywhere in the input
    /// means 0, and its absence 1. A test set should be read as its training set was.
    pub index_base: Option<IndexBase>,
    /// The labels of the training set, where they have names: they keep their ids, and other
    /// labels get ids beyond them, in order of first occurrence. Without them ids follow the
    /// order of the names: by value if all are whole numbers, by bytes otherwise.
    pub label_names: Option<Names>,
    /// Whether a line of text may lack its labels: all of it is text then.
    pub labels_optional: bool,
}

impl ReadOptions {
    pub(super) fn layout(&self, format: Format) -> Option<Layout> {
        let line = match format {
            Format::Xmc | Format::Svmlight => return None,
            Format::Tsv => {
                let given = self.label_separator.clone();
                let separator =
                    given.unwrap_or_else(|| self.columns.unwrap_or_default().separator());
                Line::Tsv(self.columns, separator)
            }
            Format::FastText => Line::FastText,
        };
        let labels_optional = self.labels_optional;
        Some(Layout {
            line,
            labels_optional,
        })
    }
}

/// What an input holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Sparse rows with labels.
    Rows(Dataset),
    /// Texts with labels.
    Texts(Documents),
}

/// An input and how it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// What it holds.
    pub source: Source,
    /// The format, given or told from the first lines.
    pub format: Format,
    /// Where the feature indices started in the text, given or found; the rows always count from 0.
    /// `None` for text.
    pub index_base: Option<IndexBase>,
}

/// Reads a whole input.
///
/// Parsing runs on `executor`; the result and the first error do not depend on it. Time: one pass.
/// Memory beside `bytes`: the result, and while it is made the parts of a few MiB of text a
/// thread. XMC rows have as many features and labels as the header says, svmlight rows as many
/// features as the largest index needs.
///
/// ```
/// use hapax_core::{data::{ReadOptions, Source, read}, executor::Sequential};
/// let input = read(b"2 3 2\n0,1 0:0.5 2:1\n 1:2\n", &ReadOptions::default(), &Sequential)?;
/// let Source::Rows(data) = input.source else { unreachable!() };
/// assert_eq!(data.labels().row(0), [0, 1]);
/// assert!(data.labels().row(1).is_empty());
/// assert_eq!(data.rows().row(0).values(), [0.5, 1.0]);
///
/// let wrong = read(b"1 9 2\n0 7:1 5:1\n", &ReadOptions::default(), &Sequential);
/// assert_eq!(
///     wrong.unwrap_err().to_string(),
///     "2:7: feature index 5 follows 7; indices must rise"
/// );
/// # Ok::<(), hapax_core::data::ReadError>(())
/// ```
///
/// # Errors
/// The first mistake, with line, column and rule. An input without rows is one.
pub fn read(bytes: &[u8], options: &ReadOptions, executor: &Executor) -> Result<Input, ReadError> {
    let bytes = without_mark(bytes);
    // A blank line can be an svmlight row.
    if bytes.trim_ascii().is_empty() && options.format != Some(Format::Svmlight) {
        return Err(whole(ReadProblem::Empty));
    }
    let format = match options.format {
        Some(format) => format,
        None => Format::detect(bytes)?,
    };
    let mut labels = NamedLabels::new(options.label_names.as_ref());
    let (source, index_base) = if let Some(layout) = options.layout(format) {
        let texts = labelled_text::read(bytes, &layout, &mut labels, executor)?;
        let (labels, label_names) = labels.finish().map_err(whole)?;
        let documents = Documents {
            texts,
            labels,
            label_names,
        };
        (Source::Texts(documents), None)
    } else if format == Format::Svmlight {
        let (rows, base) = svmlight::read(bytes, options.index_base, &mut labels, executor)?;
        let (labels, names) = labels.finish().map_err(whole)?;
        (
            Source::Rows(dataset(rows, labels, Some(names))?),
            Some(base),
        )
    } else {
        let (mut rows, header) = xmc::read(bytes, executor)?;
        rows.features = header.features;
        let labels = rows.labels.lists(header.labels);
        (
            Source::Rows(dataset(rows, labels, None)?),
            Some(IndexBase::Zero),
        )
    };
    let rows = match &source {
        Source::Rows(data) => data.len(),
        Source::Texts(documents) => documents.texts.len(),
    };
    if rows == 0 {
        return Err(whole(ReadProblem::Empty));
    }
    Ok(Input {
        source,
        format,
        index_base,
    })
}

/// An error of the input as a whole.
fn whole(problem: ReadProblem) -> ReadError {
    Fault::new(0, problem).at(1, &[])
}

fn dataset(part: RowPart, labels: LabelLists, names: Option<Names>) -> Result<Dataset, ReadError> {
    let RowPart {
        indices,
        values,
        ends,
        features,
        ..
    } = part;
    let mut offsets = ends;
    offsets
        .try_reserve(1)
        .map_err(|_| whole(ReadProblem::OutOfMemory))?;
    offsets.insert(0, 0);
    let (mut indices, mut values) = (indices, values);
    let kept = offsets.last().copied().unwrap_or(0);
    indices.truncate(kept);
    values.truncate(kept);
    // The parsers have held every rule these two check.
    let rows = SparseRows::from_parts(offsets, indices, values, features);
    let data = rows.map(|rows| Dataset::new(rows, labels, names));
    match data {
        Ok(Ok(data)) => Ok(data),
        _ => Err(whole(ReadProblem::OutOfMemory)),
    }
}
