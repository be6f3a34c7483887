//! What all methods of training share: the errors that end it before any work, and the record
//! of what made a model.

pub mod auto;
pub mod dual;
pub mod embedding;
mod error;
pub mod exact;
pub mod mach;
pub mod memoir;
pub mod parts;
pub mod reduction;
pub mod state;
mod unusable;

pub use error::TrainError;
pub use unusable::check_data;
