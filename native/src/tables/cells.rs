//! Lines to rows of fields: a row ends with its line, unless a quote is open.

use super::TableFormat;
use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder, Terminator};

/// Collects the lines of a row and cuts it into fields.
#[derive(Debug)]
pub(super) struct Cells {
    reader: Reader,
    builder: ReaderBuilder,
    /// The lines of the row, each ended by `\n`.
    raw: Vec<u8>,
    output: Vec<u8>,
    written: usize,
    ends: Vec<usize>,
    fields: usize,
    open: bool,
}

impl Cells {
    pub(super) fn new(format: TableFormat, delimiter: u8) -> Self {
        let mut builder = ReaderBuilder::new();
        builder
            .delimiter(delimiter)
            .terminator(Terminator::Any(b'\n'))
            .quoting(format == TableFormat::Csv);
        Self {
            reader: builder.build(),
            builder,
            raw: Vec::new(),
            output: vec![0; 1024],
            written: 0,
            ends: vec![0; 16],
            fields: 0,
            open: false,
        }
    }

    /// Whether the row goes on in the next line.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// The lines of the row.
    pub(super) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Forgets the row.
    pub(super) fn clear(&mut self) {
        self.raw.clear();
        self.reader.reset();
        (self.written, self.fields, self.open) = (0, 0, false);
    }

    /// Takes a line, which is not blank if it begins a row; whether the row is whole now.
    pub(super) fn take(&mut self, line: &[u8]) -> bool {
        if !self.open {
            self.clear();
        }
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let start = self.raw.len();
        self.raw.extend_from_slice(line);
        self.raw.push(b'\n');
        let mut input = &self.raw[start..];
        loop {
            let (output, ends) = (
                &mut self.output[self.written..],
                &mut self.ends[self.fields..],
            );
            let (result, read, written, fields) = self.reader.read_record(input, output, ends);
            input = &input[read..];
            self.written += written;
            self.fields += fields;
            match result {
                ReadRecordResult::OutputFull => self.output.resize(2 * self.output.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::InputEmpty => {
                    self.open = true;
                    return false;
                }
                ReadRecordResult::Record | ReadRecordResult::End => {
                    self.open = false;
                    return true;
                }
            }
        }
    }

    /// The fields of a whole row.
    pub(super) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends[..self.fields].iter().map(move |&end| {
            let field = &self.output[start..end];
            start = end;
            field
        })
    }

    /// Where in the lines of the row the field begins, from 0, and whether it is quoted.
    pub(super) fn place(&self, field: usize) -> (usize, bool) {
        let mut reader = self.builder.build();
        let mut output = [0; 256];
        let (mut at, mut seen) = (0, 0);
        while seen < field {
            let (result, read, _) = reader.read_field(&self.raw[at..], &mut output);
            at += read;
            match result {
                ReadFieldResult::Field { .. } => seen += 1,
                ReadFieldResult::OutputFull => {}
                ReadFieldResult::InputEmpty | ReadFieldResult::End => break,
            }
        }
        (at, self.raw.get(at) == Some(&b'"'))
    }
}

#[cfg(test)]
mod tests {
    use super::{Cells, TableFormat};

    fn rows(format: TableFormat, text: &str) -> Vec<Vec<String>> {
        let mut cells = Cells::new(
            format,
            if format == TableFormat::Tsv {
                b'\t'
            } else {
                b','
            },
        );
        let mut rows = Vec::new();
        for line in text.split_inclusive('\n') {
            if cells.take(line.as_bytes()) {
                let text = |field: &[u8]| String::from_utf8(field.to_vec()).unwrap();
                rows.push(cells.fields().map(text).collect());
            }
        }
        assert!(!cells.is_open(), "{text}");
        rows
    }

    #[test]
    fn quotes_hold_delimiters_line_breaks_and_doubled_quotes() {
        let text = "a,\"b,c\",\"d\r\ne\n\n\"\"f\"\"\"\r\n,x\ny\"z,\"\"";
        let rows = rows(TableFormat::Csv, text);
        assert_eq!(rows[0], ["a", "b,c", "d\ne\n\n\"f\""]);
        assert_eq!(rows[1], ["", "x"]);
        assert_eq!(rows[2], ["y\"z", ""]);
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn tabs_separate_and_quotes_are_text() {
        let rows = rows(TableFormat::Tsv, "\"a\tb\"\t\nc\td\te\n");
        assert_eq!(rows, [["\"a", "b\"", ""], ["c", "d", "e"]]);
    }

    #[test]
    fn long_and_many_fields_fit() {
        let long = "x".repeat(5000);
        let many = vec![long.as_str(); 100].join(",");
        let rows = rows(TableFormat::Csv, &many);
        assert_eq!(rows[0].len(), 100);
        assert!(rows[0].iter().all(|field| *field == long));
    }

    #[test]
    fn fields_have_places() {
        let mut cells = Cells::new(TableFormat::Csv, b',');
        assert!(cells.take(b"ab,\"c,d\",e\n"));
        assert_eq!(cells.place(0), (0, false));
        assert_eq!(cells.place(1), (3, true));
        assert_eq!(cells.place(2), (9, false));
    }
}
