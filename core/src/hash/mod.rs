//! Hash functions whose values are kept in model files: frozen, each with its test vectors.

mod buckets;
mod feature;

pub use buckets::BucketHash;
pub(crate) use buckets::{BucketCodes, BucketPlan, NoMemoryForCodes};
pub(crate) use feature::FeatureHash;
