//! Tables for people, and numbers as people read them.

use comfy_table::{CellAlignment, Table, presets};

/// A table of these columns, the first left and the others right aligned.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A share as percent with two decimals.
pub fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// Bytes in the unit people would choose.
pub fn bytes(bytes: u64) -> String {
    indicatif::DecimalBytes(bytes).to_string()
}

/// A count with its thousands set apart.
pub fn count(count: u64) -> String {
    indicatif::HumanCount(count).to_string()
}
