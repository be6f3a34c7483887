//! Rows as XMC and svmlight text: what readers are held against, here and by fuzzing.
//!
//! Values are written with the fewest digits that read back to the same `f32`, so writing and
//! reading again gives the same rows to the bit.

use hapax_core::{data::Dataset, sparse::SparseView};
use std::fmt::Write;

/// The header and all rows. Label names have no place in that format.
pub fn xmc(data: &Dataset) -> String {
    let (rows, labels) = (data.rows(), data.labels());
    let counts = (rows.len(), rows.features(), labels.labels());
    let mut text = format!("{} {} {}\n", counts.0, counts.1, counts.2);
    for (row, ids) in rows.iter().zip(labels.iter()) {
        let names = ids.iter().map(u32::to_string);
        write_row(&names.collect::<Vec<_>>(), row, 0, &mut text);
    }
    text
}

/// All rows, with indices from 1. Labels are written by name, or by id where they have no names;
/// those that no row carries, and features that no row holds, are lost.
pub fn svmlight(data: &Dataset) -> String {
    let mut text = String::new();
    for (row, ids) in data.rows().iter().zip(data.labels().iter()) {
        let name = |&label: &u32| match data.label_names() {
            Some(names) => names.get(label).unwrap_or_default(),
            None => label.to_string(),
        };
        write_row(&ids.iter().map(name).collect::<Vec<_>>(), row, 1, &mut text);
    }
    text
}

fn write_row(labels: &[String], row: SparseView<'_>, base: u64, text: &mut String) {
    text.push_str(&labels.join(","));
    if labels.is_empty() && row.is_empty() {
        text.push(' ');
    }
    for (index, value) in row.iter() {
        let index = u64::from(index) + base;
        // An exponent where the value would be mostly zeros otherwise.
        let written = if (1e-5..1e9).contains(&value.abs()) {
            write!(text, " {index}:{value}")
        } else {
            write!(text, " {index}:{value:e}")
        };
        written.expect("a string takes any text");
    }
    text.push('\n');
}
