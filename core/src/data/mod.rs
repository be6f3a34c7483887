//! Data sets: sparse rows with the labels of each row, and the text formats they are read from.

mod dataset;
mod labels;

pub use dataset::{Dataset, DatasetError, Documents};
pub use labels::LabelLists;
