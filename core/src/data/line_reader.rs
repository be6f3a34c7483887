//! One line at a time, for rows that come from a pipe.

use super::{
    Format, ReadError, ReadOptions, ReadProblem,
    format::without_mark,
    labelled_text::{self, Layout},
    read_error::Fault,
    svmlight,
    xmc::{self, Header},
};
use crate::data::line_runs::{NamedLabels, RowPart};
use crate::{data::IndexBase, sparse::SparseView};
use alloc::string::String;

/// Reads rows line by line, with the rules of [`read`](super::read) but for what only a
/// whole input shows:
///
/// - The format must be given: there are no lines to look ahead at. [`Format::detect`] accepts
///   whatever lines the caller has.
/// - XMC may come without a header. If line 1 is one, labels and indices are held against it;
///   how many rows follow is not.
/// - The indices of svmlight start at 1 unless [`ReadOptions::index_base`] says 0.
/// - New labels get ids in order of first occurrence.
///
/// ```
/// use hapax_core::data::{Format, LineReader, ReadOptions, Row};
/// let mut reader = LineReader::new(Format::Xmc, &ReadOptions::default());
/// let Some(Row::Features { labels, features }) = reader.read(b"3 0:1 7:0.5\n")? else {
///     unreachable!()
/// };
/// assert_eq!((labels, features.indices()), (&[3][..], &[0, 7][..]));
/// # Ok::<(), hapax_core::data::ReadError>(())
/// ```
#[derive(Debug)]
pub struct LineReader {
    format: Format,
    layout: Option<Layout>,
    base: IndexBase,
    header: Option<Header>,
    labels: NamedLabels,
    part: RowPart,
    text: String,
    line: usize,
}

/// One row, borrowed from its [`LineReader`] until the next line is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Row<'a> {
    /// Of XMC or svmlight.
    Features {
        /// The labels, rising, without repetition.
        labels: &'a [u32],
        /// The features, counting from 0.
        features: SparseView<'a>,
    },
    /// Of tab-separated text or fastText.
    Text {
        /// The labels, rising, without repetition.
        labels: &'a [u32],
        /// The text.
        text: &'a str,
    },
}

impl LineReader {
    /// A reader of `format`; [`ReadOptions::format`] is not looked at.
    #[must_use]
    pub fn new(format: Format, options: &ReadOptions) -> Self {
        Self {
            format,
            layout: options.layout(format),
            base: options.index_base.unwrap_or(IndexBase::One),
            header: None,
            labels: NamedLabels::new(options.label_names.as_ref()),
            part: RowPart::default(),
            text: String::new(),
            line: 0,
        }
    }

    /// Reads the next line, with or without its end. `None` if it is no row: a header, a blank
    /// line of text, a comment. After an error the next line can be read.
    ///
    /// # Errors
    /// The first mistake in the line, with the number of lines read so far as its line.
    pub fn read(&mut self, line: &[u8]) -> Result<Option<Row<'_>>, ReadError> {
        self.line += 1;
        let line = if self.line == 1 {
            without_mark(line)
        } else {
            line
        };
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.part.clear();
        self.text.clear();
        match self.parse(line) {
            Err(fault) => Err(fault.at(self.line, line)),
            Ok(false) => Ok(None),
            Ok(true) => Ok(Some(self.row())),
        }
    }

    fn parse(&mut self, line: &[u8]) -> Result<bool, Fault> {
        let part = &mut self.part;
        if let Some(layout) = &self.layout {
            if !labelled_text::parse_line(line, layout, &mut self.text, &mut part.labels)? {
                return Ok(false);
            }
        } else if self.format == Format::Svmlight {
            svmlight::parse_row(line, Some(self.base), part)?;
            if part.ends.is_empty() {
                return Ok(false);
            }
            svmlight::shift(part, self.base);
        } else {
            if self.line == 1 && Header::looks_like(line) {
                self.header = Some(Header::parse(line)?);
                return Ok(false);
            }
            xmc::parse_row(line, self.header.as_ref(), part)?;
        }
        if self.format != Format::Xmc {
            let problem = |problem: ReadProblem| Fault::new(0, problem);
            self.labels.translate(&mut part.labels).map_err(problem)?;
        }
        part.labels.ids.sort_unstable();
        part.labels.ids.dedup();
        Ok(true)
    }

    fn row(&self) -> Row<'_> {
        let labels = &self.part.labels.ids[..];
        match self.layout {
            Some(_) => Row::Text {
                labels,
                text: &self.text,
            },
            None => Row::Features {
                labels,
                features: SparseView::from_checked(&self.part.indices, &self.part.values),
            },
        }
    }

    /// How many features the header says there are, once it is read.
    #[must_use]
    pub fn features(&self) -> Option<u32> {
        self.header.as_ref().map(|header| header.features)
    }
}
