//! Embeddings trained with sampled violators: Wsabie, Wsabie++ and what they are compared with.
//!
//! `trainer` learns an embedding and class prototypes jointly, its `parameters` switch each idea of
//! the paper on its own: `last_violators` ignore rows of classes too confusable to learn from, a
//! `visit` finds violators of the margin, `steps` and `space` hold what is learned. `sampled`
//! trains classes directly on features, one against all or in pairs; `nearest_mean` only takes
//! means.

pub(crate) mod given_vectors;
pub(crate) mod joint;
pub(crate) mod last_violators;
mod learn;
mod learning_on;
pub(crate) mod memory;
mod model;
pub(crate) mod nearest_mean;
pub(crate) mod rows;
pub(crate) mod sampled;
mod sampling;
pub(crate) mod space;
pub(crate) mod steps;
pub(crate) mod visit;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;

pub use joint::EmbeddingReport;
