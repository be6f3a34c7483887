//! Dense rows from `.npy` files, with the labels of a second file.

use super::{
    failure::Failure,
    fit::Stated,
    input::{Origin, Reading},
    separators::{LOOKED_AT, warn_of_separators},
};
use hapax::{
    core::data::{Dataset, IndexBase, LabelLists, LabelSeparator, Names, Source, named_labels},
    files::read_text,
    npy,
};
use std::{convert::Infallible, path::Path};

/// The rows of a `.npy` file whose bytes are read, with the labels of the file `labels`, which
/// `separator` separates in its lines. Labels that `known` names keep their ids.
pub fn read_dense(
    path: &Path,
    bytes: &[u8],
    (labels, separator): (Option<&Path>, Option<&LabelSeparator>),
    known: Option<&Names>,
) -> Result<Reading, Failure> {
    let rows = npy::rows(bytes).map_err(|error| Failure::in_file(path, error))?;
    let labels = labels.ok_or_else(|| {
        let rule = "holds rows without labels: name the file of their labels by --labels (in `hapax train`, of the rows of \
                    --test, by --test-labels)";
        Failure::in_file(path, rule)
    })?;
    let (lists, names) = read_labels(labels, separator, known)?;
    if lists.iter().len() != rows.len() {
        let rule = format_args!(
            "has the labels of {} rows, but {} has {} rows",
            lists.iter().len(),
            path.display(),
            rows.len()
        );
        return Err(Failure::in_file(labels, rule));
    }
    let stated = Stated {
        features: Some(rows.features()),
        labels: None,
    };
    let data = Dataset::new(rows, lists, Some(names));
    Ok(Reading {
        source: Source::Rows(data.map_err(|error| Failure::in_file(path, error))?),
        format: "npy".into(),
        origin: Origin {
            index_base: Some(IndexBase::Zero),
            columns: None,
            marks: Vec::new(),
        },
        stated,
    })
}

/// The labels of rows: of a `.npy` file, or of the lines of a text file, where blanks separate them
/// if nothing else is given.
fn read_labels(
    path: &Path,
    separator: Option<&LabelSeparator>,
    known: Option<&Names>,
) -> Result<(LabelLists, Names), Failure> {
    let bytes = read_text(path)?;
    if bytes.starts_with(npy::MARK) {
        if let Some(separator) = separator {
            let rule = format_args!(
                "is a .npy file, where nothing separates labels; leave out --label-separator '{separator}'"
            );
            return Err(Failure::in_file(path, rule));
        }
        return npy::labels(&bytes, known).map_err(|error| Failure::in_file(path, error));
    }
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let at = error.valid_up_to();
        Failure::in_file(path, format_args!("byte {at} is not UTF-8"))
    })?;
    let by = separator.unwrap_or(&LabelSeparator::BLANKS);
    let lists = text.lines().map(|line| labels_of(line, by));
    let (lists, names) =
        named_labels(lists, known).map_err(|error| Failure::in_data(path, &error))?;
    if separator.is_none() {
        warn_of_separators(path, text.lines().take(LOOKED_AT), by, &names);
    }
    Ok((lists, names))
}

/// The labels of a line.
fn labels_of<'l>(line: &'l str, separator: &LabelSeparator) -> Vec<&'l str> {
    let mut labels = Vec::new();
    let taken = separator.for_each(line, |label, _| {
        labels.push(label);
        Ok::<(), Infallible>(())
    });
    match taken {
        Ok(()) => labels,
    }
}
