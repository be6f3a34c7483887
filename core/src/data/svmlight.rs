//! The text format of SVMlight and LIBSVM.
//!
//! ```text
//! line = [label *("," label)] [SP "qid:" text] *(SP index ":" value) [SP] ["#" comment]
//! ```
//!
//! Labels are whole numbers of either sign and any size. They are names of classes, not ids: ids
//! follow the order of the numbers, or the training set's. `+1` and `1` are one class. A row
//! without labels begins with a space, or with its first feature; a space alone is a row of
//! neither. Empty lines and lines that begin with `#` are no rows. Query ids are ignored.
//!
//! Indices rise within a line. They count from 1, or from 0 in some files: unless the caller says
//! which, index 0 anywhere in the input (with whatever value) means that they count from 0. Values
//! of zero are checked like all others and then left out.

use super::{
    IndexBase, ReadError, ReadProblem,
    chunks::parse_lines,
    number,
    read_error::{Fault, Quantity, excerpt},
};
use crate::data::line_runs::{NamedLabels, RowPart};
use crate::executor::Executor;

/// Reads one line into `part`, indices as written.
pub(super) fn parse_row(
    line: &[u8],
    base: Option<IndexBase>,
    part: &mut RowPart,
) -> Result<(), Fault> {
    let content = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
    if content.is_empty() {
        return Ok(());
    }
    let end = number::token_end(content, 0);
    let mut at = 0;
    if memchr::memchr(b':', &content[..end]).is_none() {
        parse_labels(&content[..end], part)?;
        at = end;
    }
    part.labels.end_row();
    let features = behind_query_id(content, at);
    let zero_before = core::mem::take(&mut part.has_zero);
    part.read_features(content, features, None)?;
    if base == Some(IndexBase::One) && part.has_zero {
        // Indices rise, so index 0 is the row's first.
        let blanks = content[features..]
            .iter()
            .take_while(|&&b| number::is_blank(b));
        return Err(Fault::new(
            features + blanks.count(),
            ReadProblem::ZeroIndex,
        ));
    }
    part.has_zero |= zero_before;
    Ok(())
}

fn parse_labels(list: &[u8], part: &mut RowPart) -> Result<(), Fault> {
    if list.is_empty() {
        return Ok(());
    }
    let mut at = 0;
    for label in list.split(|&b| b == b',') {
        let unsigned = label.strip_prefix(b"+").unwrap_or(label);
        let digits = unsigned.strip_prefix(b"-").unwrap_or(unsigned);
        let whole = !digits.is_empty()
            && digits.iter().all(u8::is_ascii_digit)
            && !label.starts_with(b"+-");
        match core::str::from_utf8(unsigned) {
            Ok(name) if whole || label.is_empty() => part.labels.add(name, at)?,
            _ => {
                let (quantity, found) = (Quantity::Label, excerpt(label));
                return Err(Fault::new(at, ReadProblem::NotANumber { quantity, found }));
            }
        }
        at += label.len() + 1;
    }
    Ok(())
}

fn behind_query_id(line: &[u8], start: usize) -> usize {
    let blanks = line[start..].iter().take_while(|&&b| number::is_blank(b));
    let at = start + blanks.count();
    if line[at..].starts_with(b"qid:") {
        number::token_end(line, at)
    } else {
        at
    }
}

/// Whether `line` is a row: what telling formats apart asks.
pub(super) fn looks_like(line: &[u8]) -> bool {
    let mut part = RowPart::default();
    parse_row(line, None, &mut part).is_ok() && !part.ends.is_empty()
}

/// Turns indices as written into indices from 0.
pub(super) fn shift(part: &mut RowPart, base: IndexBase) {
    if base == IndexBase::One {
        // No index is 0: that was refused, or had decided for the other base.
        for index in &mut part.indices {
            *index = index.saturating_sub(1);
        }
        part.features = part.features.saturating_sub(1);
    }
}

/// Reads a whole file; `labels` know the labels of the training set, if there is one.
pub(super) fn read(
    bytes: &[u8],
    base: Option<IndexBase>,
    labels: &mut NamedLabels,
    executor: &Executor,
) -> Result<(RowPart, IndexBase), ReadError> {
    let mut rows = RowPart::default();
    parse_lines(
        bytes,
        1,
        executor,
        |line, part| parse_row(line, base, part),
        |part: RowPart| {
            let joined = rows.append(&part).and_then(|()| labels.append(part.labels));
            joined.map_err(|problem| Fault::new(0, problem).at(1, &[]))
        },
    )?;
    let base = base.unwrap_or(if rows.has_zero {
        IndexBase::Zero
    } else {
        IndexBase::One
    });
    shift(&mut rows, base);
    Ok((rows, base))
}
