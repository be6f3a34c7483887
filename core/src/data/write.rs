//! Writing rows as XMC and svmlight text.
//!
//! Values are written with the fewest digits that read back to the same `f32`, so writing and
//! reading again gives the same rows to the bit.

use super::Dataset;
use crate::{names::Names, sparse::SparseView};
use alloc::string::String;
use core::fmt::{self, Write};

/// Why rows cannot be written as svmlight.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// A label's name is not a whole number, which svmlight requires.
    LabelNotANumber {
        /// The label.
        label: u32,
        /// Its name.
        name: String,
    },
    /// The receiver of the text refused it.
    Refused,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LabelNotANumber { label, name } => write!(
                f,
                "label {label} is named `{name}`, but svmlight labels are whole numbers; \
                 write xmc instead"
            ),
            Self::Refused => f.write_str("the text could not be written"),
        }
    }
}

impl core::error::Error for WriteError {}

impl From<fmt::Error> for WriteError {
    fn from(_: fmt::Error) -> Self {
        Self::Refused
    }
}

/// Writes the header and all rows of `data` as XMC. Label names have no place in that format.
///
/// ```
/// use hapax_core::{data::{ReadOptions, Source, read, write_xmc}, executor::Sequential};
/// let text = "2 3 2\n0,1 0:0.1 2:1\n 1:2\n";
/// let input = read(text.as_bytes(), &ReadOptions::default(), &Sequential)?;
/// let Source::Rows(data) = input.source else { unreachable!() };
/// let mut written = String::new();
/// write_xmc(&data, &mut written)?;
/// assert_eq!(written, text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `out` refuses the text.
pub fn write_xmc<W: Write>(data: &Dataset, out: &mut W) -> fmt::Result {
    let (rows, labels) = (data.rows(), data.labels());
    writeln!(
        out,
        "{} {} {}",
        rows.len(),
        rows.features(),
        labels.labels()
    )?;
    for (row, ids) in rows.iter().zip(labels.iter()) {
        write_xmc_row(ids, row, out)?;
    }
    Ok(())
}

/// Writes one row as XMC, with the end of its line.
///
/// # Errors
/// If `out` refuses the text.
pub fn write_xmc_row<W: Write>(labels: &[u32], row: SparseView<'_>, out: &mut W) -> fmt::Result {
    for (at, label) in labels.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        write!(out, "{comma}{label}")?;
    }
    if labels.is_empty() && row.is_empty() {
        out.write_char(' ')?;
    }
    write_features(row, 0, out)
}

/// Writes all rows of `data` as svmlight with indices from 1. Labels are written by name, or by id
/// where they have no names; those that no row carries, and features that no row holds, are
/// lost.
///
/// # Errors
/// If a name is not a whole number, before anything is written, or `out` refuses the text.
pub fn write_svmlight<W: Write>(data: &Dataset, out: &mut W) -> Result<(), WriteError> {
    if let Some(names) = data.label_names() {
        for (label, name) in (0..).zip(names.iter()) {
            let digits = name.strip_prefix('-').unwrap_or(&name);
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(WriteError::LabelNotANumber { label, name });
            }
        }
    }
    for (row, ids) in data.rows().iter().zip(data.labels().iter()) {
        for (at, &label) in ids.iter().enumerate() {
            out.write_str(if at > 0 { "," } else { "" })?;
            match data
                .label_names()
                .and_then(|names| Names::get(names, label))
            {
                Some(name) => out.write_str(&name)?,
                None => write!(out, "{label}")?,
            }
        }
        if ids.is_empty() && row.is_empty() {
            out.write_char(' ')?;
        }
        write_features(row, 1, out)?;
    }
    Ok(())
}

fn write_features<W: Write>(row: SparseView<'_>, base: u64, out: &mut W) -> fmt::Result {
    for (index, value) in row.iter() {
        write!(out, " {}:", u64::from(index) + base)?;
        write_value(value, out)?;
    }
    out.write_char('\n')
}

/// The shortest text, with an exponent where it would be mostly zeros otherwise.
fn write_value<W: Write>(value: f32, out: &mut W) -> fmt::Result {
    if (1e-5..1e9).contains(&value.abs()) {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    }
}
