//! What can be chosen for each method: plain data with the ranges of its values. Models keep the parameters that made
//! them; trainers read them.

mod error;
pub mod mach;
pub mod memoir;
pub mod multiclass;
mod nearest;
pub mod one_vs_rest;
mod transform;
pub mod wsabie;

pub use error::{ParamError, ParamRule};
pub use nearest::NearestParameters;
pub use transform::RowTransform;
