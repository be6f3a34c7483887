//! Exact nearest neighbors among sparse rows under `J^beta * cos`.
//!
//! Given a sparse query x and n stored sparse rows d_i, the neighbors of x are the S rows of
//! largest `Similarity` that is positive, in the order of [`rank`](super::rank).
//! (Sparse Weighted Nearest Neighbor, Aoshima, Kobayashi, Minami 2018.)
//!
//! Two searches give the same neighbors with the same bits: row by row (`Similarity::between`, for
//! a few rows), and `NeighborIndex`, the fast one.

mod arrays;
mod build;
mod candidates;
mod cut;
mod forward;
mod index;
mod neighbor_error;
mod plan;
mod search;
mod similarity;
#[cfg(test)]
mod tests;

pub(crate) use crate::search::neighbors::arrays::{NeighborCounts, NeighborParts};
pub(crate) use forward::{ForwardRows, RowBuffer};
pub(crate) use index::NeighborIndex;
pub(crate) use neighbor_error::NeighborError;
pub(crate) use search::NeighborScratch;
pub(crate) use similarity::Similarity;
