//! Rows in a space of few dimensions: a randomized truncated singular value decomposition of sparse
//! rows.
//!
//! [`Reduction`] are the parameters, [`Projection`] is what [`Reduction::fit`] finds: the `k`
//! directions in which the rows extend most, as a table of k numbers a feature. It turns rows of D
//! features into dense rows of k, and turns what was trained on those back into a table for the
//! rows as they were.
//!
//! For training only: a model made in the reduced space holds the projection (or its product with
//! an embedding) as the embedding of its features, and answers sparse rows as any
//! [`EmbeddingModel`] does.
//!
//! The problem, its cost and the paper stand in `fit`.
//!
//! [`EmbeddingModel`]: crate::model::embedding::EmbeddingModel

mod columns;
pub(crate) mod fit;
mod projection;

pub use fit::Reduction;
pub use projection::Projection;

#[cfg(test)]
mod tests;
