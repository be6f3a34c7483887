//! Data sets: sparse rows with the labels of each row, and the text formats they are read from;
//! what they are like and how rows are held out.

mod dataset;
mod labels;
mod split;
mod statistics;
mod summary;

pub use dataset::{Dataset, DatasetError, Documents};
pub use labels::LabelLists;
pub use split::{Split, SplitError};
pub use statistics::{Statistics, attainable_precision};
pub use summary::Summary;
