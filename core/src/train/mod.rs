//! What all methods of training share: the errors that end it before any work, and the record
//! of what made a model.

pub mod auto;
pub(crate) mod compacted;
pub mod dual;
pub mod embedding;
mod error;
pub mod exact;
pub mod mach;
pub mod memoir;
mod models;
pub mod nearest;
pub mod parts;
pub mod reduction;
pub mod state;
mod unusable;

pub use compacted::{Compacted, CompactionError, FewerWeights};
pub use error::TrainError;
pub use unusable::check_data;
