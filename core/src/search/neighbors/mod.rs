//! Exact nearest neighbors among sparse rows under `J^beta * cos`.
//!
//! Given a sparse query x and n stored sparse rows d_i, the neighbors of x are the S rows of
//! largest [`Similarity`] that is positive, in the order of [`rank`](super::rank).
//! (Sparse Weighted Nearest Neighbor, Aoshima, Kobayashi, Minami 2018.)
//!
//! Three searches give the same neighbors with the same bits:
//! row by row ([`Similarity::between`], for a few rows), [`Exhaustive`] (one feature after the
//! other over plain postings), and `NeighborIndex`, the fast one.

mod exhaustive;
mod similarity;

pub use exhaustive::{Exhaustive, ExhaustiveScratch};
pub use similarity::{Similarity, SimilarityError};
