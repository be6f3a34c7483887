//! Lines of raw text with labels: tab-separated columns, and fastText's.
//!
//! ```text
//! text,labels   text TAB [label *(SP label)] [TAB ignored]
//! labels,text   [label *("," label)] TAB text [TAB ignored]
//! fastText      tokens; those that begin with `__label__` are labels
//! ```
//!
//! Labels are names. In the order `text,labels` (that of Annif) a label may be written as
//! `<uri>`; the brackets are not part of the name. In `labels,text` names may hold spaces. A
//! fastText line's text is its other tokens, joined by single spaces. Blank lines are no rows.
//! Input must be UTF-8.

use super::{
    ReadError, ReadProblem,
    chunks::parse_lines,
    parts::{LabelPart, NamedLabels, TextPart},
    read_error::Fault,
};
use crate::executor::Executor;
use alloc::string::String;

/// The order of the columns of tab-separated text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// The text, a tab, and labels separated by spaces.
    #[default]
    TextLabels,
    /// Labels separated by commas, a tab, and the text.
    LabelsText,
}

/// How a line is laid out, and whether it may lack its labels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) line: Line,
    pub(super) labels_optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Tsv(Columns),
    FastText,
}

const MARKER: &str = "__label__";

/// Whether the line begins with a fastText label.
pub(super) fn has_marker(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(MARKER.as_bytes())
}

fn decode(line: &[u8]) -> Result<&str, Fault> {
    core::str::from_utf8(line).map_err(|error| {
        let offset = error.valid_up_to();
        let byte = line.get(offset).copied().unwrap_or(0);
        Fault::new(offset, ReadProblem::InvalidUtf8 { byte })
    })
}

/// Reads one line: appends its text to `text` and its labels to `labels`, without ending the
/// row. `false` if the line is blank.
pub(super) fn parse_line(
    line: &[u8],
    layout: Layout,
    text: &mut String,
    labels: &mut LabelPart,
) -> Result<bool, Fault> {
    let line = decode(line)?;
    if line.trim().is_empty() {
        return Ok(false);
    }
    match layout.line {
        Line::FastText => parse_fasttext(line, layout.labels_optional, text, labels)?,
        Line::Tsv(columns) => parse_columns(line, columns, layout.labels_optional, text, labels)?,
    }
    Ok(true)
}

fn parse_columns(
    line: &str,
    columns: Columns,
    labels_optional: bool,
    text: &mut String,
    labels: &mut LabelPart,
) -> Result<(), Fault> {
    let Some((first, rest)) = line.split_once('\t') else {
        if labels_optional {
            text.push_str(line);
            return Ok(());
        }
        return Err(Fault::new(line.len(), ReadProblem::MissingTab));
    };
    let second = rest.split('\t').next().unwrap_or(rest);
    match columns {
        Columns::TextLabels => {
            text.push_str(first);
            for (label, offset) in tokens(second) {
                let inner = label.strip_prefix('<').and_then(|l| l.strip_suffix('>'));
                labels.add(inner.unwrap_or(label), first.len() + 1 + offset)?;
            }
        }
        Columns::LabelsText => {
            text.push_str(second);
            let mut offset = 0;
            for label in first.split(',').filter(|_| !first.trim().is_empty()) {
                let trimmed = label.trim_start();
                labels.add(trimmed.trim_end(), offset + label.len() - trimmed.len())?;
                offset += label.len() + 1;
            }
        }
    }
    Ok(())
}

/// The tokens between white space, with their places.
fn tokens(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |token| (token, token.as_ptr() as usize - start))
}

fn parse_fasttext(
    line: &str,
    labels_optional: bool,
    text: &mut String,
    labels: &mut LabelPart,
) -> Result<(), Fault> {
    let start = text.len();
    let mut marked = false;
    for (token, offset) in tokens(line) {
        if let Some(label) = token.strip_prefix(MARKER) {
            labels.add(label, offset + MARKER.len())?;
            marked = true;
        } else {
            if text.len() > start {
                text.push(' ');
            }
            text.push_str(token);
        }
    }
    if marked || labels_optional {
        Ok(())
    } else {
        Err(Fault::new(0, ReadProblem::MissingMarker))
    }
}

/// Reads a whole file into texts; the labels go to `labels`.
pub(super) fn read<E: Executor>(
    bytes: &[u8],
    layout: Layout,
    labels: &mut NamedLabels,
    executor: &E,
) -> Result<alloc::vec::Vec<String>, ReadError> {
    let mut texts = alloc::vec::Vec::new();
    parse_lines(
        bytes,
        1,
        executor,
        |line, part: &mut TextPart| {
            let mut text = String::new();
            if parse_line(line, layout, &mut text, &mut part.labels)? {
                part.labels.end_row();
                part.texts.push(text);
            }
            Ok(())
        },
        |part| {
            texts.extend(part.texts);
            let joined = labels.append(part.labels);
            joined.map_err(|problem| Fault::new(0, problem).at(1, &[]))
        },
    )?;
    Ok(texts)
}
