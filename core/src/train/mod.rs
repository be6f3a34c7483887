//! What all methods of training share: the errors that end it before any work, and the record
//! of what made a model.

pub mod dual;
mod error;
pub mod memoir;
mod provenance;
mod unusable;

pub use error::{ParamError, ParamRule, TrainError};
pub use provenance::Provenance;
pub(crate) use unusable::check_data;
