//! What can be chosen for each method: plain data with the ranges of its values. Models keep the
//! parameters that made them; trainers read them.

pub mod embedding;
mod error;
pub mod linear;
pub mod mach;
pub mod memoir;
pub mod multiclass;
mod nearest;
mod nearest_mean;
pub mod one_vs_rest;
pub mod sampled;
mod transform;
pub mod wsabie;

pub use error::{ParamError, ParamRule};
pub use nearest::NearestParameters;
pub use nearest_mean::NearestMean;
pub use transform::RowTransform;
