//! Tables for people, and numbers as people read them.

use comfy_table::{CellAlignment, Row, Table, presets};
use std::fmt;

/// A table as it is printed: no line for a header without words, no blanks at the ends of lines.
pub struct Figures(Table);

impl Figures {
    pub fn add_row<T: Into<Row>>(&mut self, row: T) {
        self.0.add_row(row);
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let lines = text.lines().map(str::trim_end);
        let lines: Vec<_> = lines.skip_while(|line| line.is_empty()).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// A table of these columns, the first left and the others right aligned.
pub fn table(header: &[&str]) -> Figures {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Figures(table)
}

/// A table of names and what there is to say about them, both left aligned.
pub fn facts_table() -> Figures {
    let mut figures = table(&["", ""]);
    for column in figures.0.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Left);
    }
    figures
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

/// Reads a number of bytes such as `4000000`, `4MB`, `500 kB` or `4MiB`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => {
            return Err(format!(
                "'{unit}' is no unit: use kB, MB, GB, KiB, MiB or GiB"
            ));
        }
    };
    match number.parse::<f64>() {
        Ok(value) if value * factor >= 1.0 => Ok((value * factor) as u64),
        _ => Err(format!(
            "'{text}' is no number of bytes: write 4000000 or 4MB"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_bytes;

    #[test]
    fn bytes_are_read_with_and_without_units() {
        assert_eq!(parse_bytes("4000000"), Ok(4_000_000));
        assert_eq!(parse_bytes("4MB"), Ok(4_000_000));
        assert_eq!(parse_bytes("1.5 kib"), Ok(1536));
        for wrong in ["", "0", "-4MB", "4 apples", "1.2.3"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }
}
