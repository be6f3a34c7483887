//! Lines of raw text with labels: tab-separated columns, and fastText's.
//!
//! ```text
//! columns    field *(TAB field), of which one is the text and one holds
//!            [label *(separator label)], in any order; the others are ignored
//! fastText   tokens; those that begin with `__label__` are labels
//! ```
//!
//! Labels are names, without the blanks around them. Where blanks separate them (as in Annif's
//! files) a label may be written as `<uri>`; the brackets are not part of the name. Any other
//! separator leaves names their spaces. Fields beyond the named columns are ignored; where no
//! columns are named, more than two fields are a mistake unless the others are blank. A fastText
//! line's text is its other tokens, joined by single spaces. Blank lines are no rows. Input must be
//! UTF-8.

use super::{
    Columns, LabelSeparator, ReadError, ReadProblem, chunks::parse_lines, label_separator::tokens,
    read_error::Fault,
};
use crate::data::line_runs::{LabelPart, NamedLabels, TextPart};
use crate::executor::Executor;
use alloc::string::String;

/// How a line is laid out, and whether it may lack its labels.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) line: Line,
    pub(super) labels_optional: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Line {
    /// The columns, if they are named.
    Tsv(Option<Columns>, LabelSeparator),
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
    layout: &Layout,
    text: &mut String,
    labels: &mut LabelPart,
) -> Result<bool, Fault> {
    let line = decode(line)?;
    if line.trim().is_empty() {
        return Ok(false);
    }
    match &layout.line {
        Line::FastText => parse_fasttext(line, layout.labels_optional, text, labels)?,
        Line::Tsv(columns, separator) => {
            let Some(fields) = fields(line, *columns, layout.labels_optional)? else {
                text.push_str(line);
                return Ok(true);
            };
            text.push_str(fields.text);
            let (field, start) = fields.labels;
            separator.for_each(field, |label, at| labels.add(label, start + at))?;
        }
    }
    Ok(true)
}

/// The two fields of a line that are read.
struct Fields<'a> {
    text: &'a str,
    /// The labels, and where they begin.
    labels: (&'a str, usize),
}

/// Finds the fields; `None` if the line, which may lack its labels, is all text.
fn fields(
    line: &str,
    named: Option<Columns>,
    labels_optional: bool,
) -> Result<Option<Fields<'_>>, Fault> {
    let columns = named.unwrap_or_default();
    let (mut text, mut labels) = (None, None);
    let (mut found, mut start) = (0, 0);
    for field in line.split('\t') {
        if found == columns.text() {
            text = Some(field);
        } else if found == columns.labels() {
            labels = Some((field, start));
        } else if found >= columns.count() {
            if named.is_some() {
                break;
            }
            if !field.trim().is_empty() {
                let found = line.trim_end().split('\t').count();
                return Err(Fault::new(start, ReadProblem::TooManyColumns { found }));
            }
        }
        found += 1;
        start += field.len() + 1;
    }
    let missing = |name, column| {
        let problem = match (found, columns.count()) {
            (1, 2) => ReadProblem::MissingTab,
            _ => ReadProblem::MissingColumn {
                name,
                column: column + 1,
                found,
            },
        };
        Fault::new(line.len(), problem)
    };
    match (text, labels) {
        (Some(text), Some(labels)) => Ok(Some(Fields { text, labels })),
        _ if labels_optional && found == 1 => Ok(None),
        (Some(text), None) if labels_optional => Ok(Some(Fields {
            text,
            labels: ("", line.len()),
        })),
        (Some(_), None) => Err(missing("labels", columns.labels())),
        (None, _) => Err(missing("text", columns.text())),
    }
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
pub(super) fn read(
    bytes: &[u8],
    layout: &Layout,
    labels: &mut NamedLabels,
    executor: &Executor,
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
