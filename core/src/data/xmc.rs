//! The text format of the Extreme Classification Repository.
//!
//! ```text
//! file   = header line*
//! header = rows SP features SP labels
//! line   = [label *("," label)] *(SP index ":" value)
//! ```
//!
//! Labels and indices count from 0; indices rise within a line. A row without labels begins
//! with a space (or with its first feature: labels hold no colon), a row without features ends
//! after its labels, and an empty line is a row of neither. Blanks are spaces and tabs, lines end
//! in `\n` or `\r\n`. Values of zero are checked like all others and then left out. After the
//! last declared row empty lines may follow and nothing else.
//!
//! The header is believed only as far as the rows bear it out: it is compared with them, and
//! nothing is allocated on its word.

use super::{
    ReadError, ReadProblem,
    chunks::{first_line, parse_lines},
    number::{self, Digits},
    read_error::{Fault, Quantity, excerpt},
};
use crate::data::line_runs::{RowPart, wrong_number};
use crate::executor::Executor;

/// What a header declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) rows: u64,
    pub(super) features: u32,
    pub(super) labels: u32,
}

impl Header {
    /// Whether `line` has the shape of a header: three runs of digits.
    pub(super) fn looks_like(line: &[u8]) -> bool {
        let mut fields = line
            .split(|&b| number::is_blank(b))
            .filter(|f| !f.is_empty());
        let digits = |field: Option<&[u8]>| field.is_some_and(|f| f.iter().all(u8::is_ascii_digit));
        digits(fields.next())
            && digits(fields.next())
            && digits(fields.next())
            && fields.next().is_none()
    }

    pub(super) fn parse(line: &[u8]) -> Result<Self, Fault> {
        if !Self::looks_like(line) {
            let found = excerpt(line);
            return Err(Fault::new(0, ReadProblem::MissingHeader { found }));
        }
        let mut numbers = [0u32; 3];
        let quantities = [Quantity::Rows, Quantity::Features, Quantity::Labels];
        let mut at = 0;
        for (number, quantity) in numbers.iter_mut().zip(quantities) {
            while line.get(at).is_some_and(|&b| number::is_blank(b)) {
                at += 1;
            }
            let end = number::token_end(line, at);
            match number::digits(line, at) {
                Digits::Number(value, _) => *number = value,
                _ => return Err(wrong_number(&line[at..end], at, quantity)),
            }
            at = end;
        }
        let [rows, features, labels] = numbers;
        Ok(Self {
            rows: u64::from(rows),
            features,
            labels,
        })
    }
}

/// Reads one row into `part`, against the header if there is one.
pub(super) fn parse_row(
    line: &[u8],
    header: Option<&Header>,
    part: &mut RowPart,
) -> Result<(), Fault> {
    let end = number::token_end(line, 0);
    let first = &line[..end];
    let features = if memchr::memchr(b':', first).is_some() {
        0
    } else {
        parse_labels(first, header.map(|h| h.labels), part)?;
        end
    };
    part.labels.end_row();
    part.read_features(line, features, header.map(|h| h.features))
}

fn parse_labels(list: &[u8], limit: Option<u32>, part: &mut RowPart) -> Result<(), Fault> {
    let mut at = 0;
    while !list.is_empty() {
        let (value, end) = match number::digits(list, at) {
            Digits::Number(value, end) if end == list.len() || list[end] == b',' => (value, end),
            _ => return Err(wrong_label(list, at)),
        };
        if let Some(limit) = limit.filter(|&limit| value >= limit) {
            let quantity = Quantity::Label;
            return Err(Fault::new(
                at,
                ReadProblem::OutOfRange {
                    quantity,
                    value,
                    limit,
                },
            ));
        }
        part.labels.ids.push(value);
        if end == list.len() {
            break;
        }
        at = end + 1;
    }
    Ok(())
}

fn wrong_label(list: &[u8], start: usize) -> Fault {
    let rest = &list[start..];
    let label = rest.split(|&b| b == b',').next().unwrap_or(rest);
    if label.is_empty() {
        return Fault::new(start, ReadProblem::EmptyLabel);
    }
    wrong_number(label, start, Quantity::Label)
}

/// Reads a whole file.
pub(super) fn read(bytes: &[u8], executor: &Executor) -> Result<(RowPart, Header), ReadError> {
    let (line, body) = first_line(bytes);
    let header = Header::parse(line).map_err(|fault| fault.at(1, line))?;
    let mut rows = RowPart::default();
    parse_lines(
        &bytes[body..],
        2,
        executor,
        |line, part| parse_row(line, Some(&header), part),
        |part: RowPart| {
            let joined = rows
                .append(&part)
                .and_then(|()| rows.labels.append(&part.labels));
            joined.map_err(|problem| Fault::new(0, problem).at(1, line))
        },
    )?;
    check_rows(&mut rows, &header)?;
    Ok((rows, header))
}

fn check_rows(rows: &mut RowPart, header: &Header) -> Result<(), ReadError> {
    let declared = header.rows;
    let found = rows.ends.len() as u64;
    if declared > found {
        let problem = ReadProblem::TooFewRows { declared, found };
        return Err(Fault::new(0, problem).at(1, &[]));
    }
    // Not above the number found, so it fits.
    let kept = declared as usize;
    let last = |ends: &[usize]| kept.checked_sub(1).map_or(0, |row| ends[row]);
    let (values_end, labels_end) = (last(&rows.ends), last(&rows.labels.ends));
    let surplus = (kept..rows.ends.len())
        .find(|&row| rows.ends[row] > values_end || rows.labels.ends[row] > labels_end);
    if let Some(row) = surplus {
        let problem = ReadProblem::TooManyRows { declared };
        return Err(Fault::new(0, problem).at(row + 2, &[]));
    }
    rows.ends.truncate(kept);
    rows.labels.ends.truncate(kept);
    Ok(())
}
