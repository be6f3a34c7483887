//! The embedding model: rows become points of few dimensions, and each label answers by its
//! prototype.
//!
//! The score of label l for a row x is
//!
//! ```text
//! z = sum_f x_f scale_f W_f,     s_l = scale_l (beta_l . z) + offset_l    (inner products)
//!                                s_l = -|beta_l - z|²                     (distances)
//! ```
//!
//! with the row's values transformed first. Without an embedding z is x itself: prototypes then
//! have a coordinate for each feature. Distances are computed as `2 beta . z - |beta|² - |z|²`.
//!
//! Prediction scores all labels, panel by panel (`panels`), straight from the stored weights of 32,
//! 8 or 4 bits (`weights`). Every label has a sum of its own whose order is fixed, so scores have
//! the same bits on every machine. Cost: M for each value of the row and each label. Memory of a
//! query: 8 bytes a dimension and value.

mod arrays;
pub(crate) mod build;
mod neighbors;
mod plane;
mod predict;
mod trained;

pub use crate::model::embedding::arrays::EmbeddingModel;
pub(crate) use crate::model::embedding::arrays::{EmbeddingError, EmbeddingParts, Table};
pub use neighbors::Neighbor;
pub(crate) use predict::EmbeddingScratch;
pub use trained::Embedding;
