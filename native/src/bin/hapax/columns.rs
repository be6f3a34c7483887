//! Tab-separated data that are read otherwise than they were meant: with the columns in the wrong
//! order, with their header as a row, or without the columns beyond those named. All of it is
//! well-formed, so only looks can tell. And what to do about columns where none are named.

use super::output::warn;
use hapax::{
    core::data::Columns,
    tables::{Table, TableFormat},
};
use std::{collections::HashSet, fmt::Display, path::Path};

/// How many lines are looked at.
const LOOKED_AT: usize = 200;
/// With fewer lines than this nothing is suspected.
const LEAST: usize = 3;

/// The text and the labels of the first lines.
pub fn cells(bytes: &[u8], columns: Columns, lines: usize) -> impl Iterator<Item = (&str, &str)> {
    let lines = bytes.split(|&byte| byte == b'\n').take(lines);
    let lines = lines.filter_map(|line| std::str::from_utf8(line).ok());
    lines.filter_map(move |line| {
        let cell = |at| line.trim_end().split('\t').nth(at);
        Some((cell(columns.text())?, cell(columns.labels())?))
    })
}

/// Whether columns beyond those named hold something.
fn look_wide(bytes: &[u8], columns: Columns) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n').take(LOOKED_AT);
    lines.any(|line| line.trim_ascii_end().split(|&byte| byte == b'\t').count() > columns.count())
}

/// The looks of one column.
#[derive(Default)]
struct Looks<'a> {
    words: usize,
    /// Cells of one word or none.
    single: usize,
    different: HashSet<&'a str>,
}

impl<'a> Looks<'a> {
    fn add(&mut self, cell: &'a str) {
        let words = cell.split_whitespace().count();
        self.words += words;
        self.single += usize::from(words <= 1);
        self.different.insert(cell);
    }
}

/// Whether the first of these texts and labels look as if they were the other way round: what is
/// taken for the text is a single word and what is taken for labels is a sentence, or the texts
/// repeat where the labels never do.
fn look_swapped<'a>(cells: impl Iterator<Item = (&'a str, &'a str)>) -> bool {
    let (mut texts, mut labels) = (Looks::default(), Looks::default());
    let mut lines = 0;
    for (text, label) in cells.take(LOOKED_AT) {
        texts.add(text);
        labels.add(label);
        lines += 1;
    }
    let sentences = labels.words >= 3 * lines;
    let single_words = 10 * texts.single >= 9 * lines;
    let repeat = 2 * texts.different.len() < lines && 10 * labels.different.len() > 9 * lines;
    lines >= LEAST && sentences && (single_words || repeat)
}

/// Says so if tab-separated data look as if they were meant otherwise than they are read.
pub fn warn_of_columns(path: &Path, bytes: &[u8], named: Option<Columns>) {
    let path = path.display();
    let columns = named.unwrap_or_default();
    if look_wide(bytes, columns) {
        if named.is_none() {
            // Reading will refuse this.
            return;
        }
        let count = columns.count();
        warn(format_args!(
            "{path}: only the first {count} columns are read"
        ));
    }
    warn_of_order(&path, cells(bytes, columns, LOOKED_AT), columns);
    if Table::new(TableFormat::Tsv).has_header(bytes) {
        warn(format_args!(
            "{path}: the first line looks like a header, but is read as a row; if it is one, leave out --columns"
        ));
    }
}

/// Says so if these texts and labels look as if they were the other way round than `columns`.
pub fn warn_of_order<'a>(
    path: &impl Display,
    cells: impl Iterator<Item = (&'a str, &'a str)>,
    columns: Columns,
) {
    if look_swapped(cells) {
        let read = match columns.text() < columns.labels() {
            true => "text, then labels",
            false => "labels, then text",
        };
        let other = columns.swapped();
        warn(format_args!(
            "{path}: read as {read}, but the columns look as if they were the other way round; if \
             so, say --columns {other}"
        ));
    }
}

/// So many columns are written out in a message.
const FEW: usize = 8;

/// What to do about a line of `found` columns where none are named.
pub fn unnamed_columns(found: usize) -> String {
    let columns = Columns::default();
    let count = columns.count();
    let wrong = format!(
        "the line has {found} columns, but only {count} are named ({columns}); name all columns in the file's \
         order, such as --columns"
    );
    let rest = ",-".repeat(found.saturating_sub(count));
    match found {
        3 => format!("{wrong} id,{columns}, or --columns {columns}{rest} to ignore the third"),
        ..=FEW => format!("{wrong} {columns}{rest} to ignore the others"),
        _ => format!("{wrong} id,{columns},- (- is a column to ignore)"),
    }
}

#[cfg(test)]
mod tests {
    use super::{LOOKED_AT, cells, look_swapped, look_wide, unnamed_columns};
    use hapax::core::data::Columns;

    fn swapped(bytes: &[u8], columns: Columns) -> bool {
        look_swapped(cells(bytes, columns, LOOKED_AT))
    }

    #[test]
    fn the_wrong_order_is_suspected_and_the_right_one_is_not() {
        let numbers = b"12\tWhere is my card?\n3,4\tMy card is lost\n7\tA third question\textra\n";
        let names = b"lost card\tWhere is my card?\nlost card\tMy card was stolen\n\
            lost card\tI cannot find it\n";
        let texts = b"Where is my card?\t12\nMy card is lost\t345\nWho stole it\t7\n";
        for labels_first in [&numbers[..], names] {
            assert!(swapped(labels_first, Columns::default()));
            assert!(!swapped(labels_first, Columns::default().swapped()));
        }
        assert!(swapped(texts, Columns::default().swapped()));
        assert!(!swapped(texts, Columns::default()));
    }

    #[test]
    fn columns_that_are_not_read_are_seen() {
        assert!(look_wide(b"a\tb\nc\td\te\n", Columns::default()));
        assert!(look_wide(b"\tb\tc\n", Columns::default().swapped()));
        assert!(!look_wide(b"a\tb\t\r\nc\td\t \n", Columns::default()));
    }

    #[test]
    fn columns_without_a_name_are_to_get_one() {
        assert_eq!(
            unnamed_columns(4),
            "the line has 4 columns, but only 2 are named (text,labels); name all columns in the file's order, such as \
             --columns text,labels,-,- to ignore the others"
        );
        assert!(
            unnamed_columns(900).ends_with("--columns id,text,labels,- (- is a column to ignore)")
        );
    }

    #[test]
    fn too_little_and_ordinary_data_are_not_suspected() {
        for text in [
            "",
            "no tab\n",
            "12\tone two three\n",
            "apple\tfruit\npear\tfruit\nleek\tvegetable\n",
        ] {
            assert!(!swapped(text.as_bytes(), Columns::default()), "{text}");
            assert!(
                !swapped(text.as_bytes(), Columns::default().swapped()),
                "{text}"
            );
        }
        assert!(!swapped(b"\xff\t\xff\n\xff\tx\n\n\n", Columns::default()));
    }
}
