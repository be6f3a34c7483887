//! Sparse vectors and rows, their invariants checked once, where they are made.

mod rows;
mod vector;

pub use rows::SparseRows;
pub use vector::{SparseError, SparseVec, SparseView};
