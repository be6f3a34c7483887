//! What all methods of training share: the errors that end it before any work, and the record
//! of what made a model.

mod error;
mod provenance;

pub use error::{ParamError, ParamRule, TrainError};
pub use provenance::Provenance;
