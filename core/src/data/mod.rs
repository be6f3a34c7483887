//! Data sets: sparse rows with the labels of each row, and the text formats they are read from.
//!
//! [`read`] turns the bytes of a whole file into rows or texts, [`LineReader`] one line at a
//! time, both with the same rules: the grammars stand at the head of each format's file. Every
//! mistake is a [`ReadError`] with line, column, rule and value. [`Statistics`] says what data are
//! like, and [`Split`] holds rows out.

mod chunks;
mod columns;
mod dataset;
mod format;
mod label_ids;
mod label_separator;
mod labelled_text;
mod labels;
mod line_reader;
mod line_runs;
mod number;
mod read;
mod read_error;
mod split;
mod statistics;
mod svmlight;
mod xmc;

pub use crate::names::{Names, NamesError};
pub use columns::{Columns, ColumnsError};
pub use dataset::{Dataset, DatasetError, Documents};
pub use format::{Format, IndexBase};
use label_ids::LabelIds;
pub use label_separator::LabelSeparator;
pub use labels::{LabelLists, named_labels};
pub use line_reader::{LineReader, Row};
pub use read::{Input, ReadOptions, Source, read};
pub use read_error::{Quantity, ReadError, ReadProblem};
pub use split::{Split, SplitError};
pub use statistics::{Statistics, Summary};
