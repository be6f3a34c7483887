//! Sparse vectors and rows, their invariants checked once, where they are made.

pub(crate) mod order;
mod rows;
mod vector;

pub use rows::SparseRows;
pub(crate) use rows::inverse_document_frequency;
pub use vector::{SparseError, SparseVec, SparseView};
