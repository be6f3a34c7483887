//! Hash functions whose values are kept in model files: frozen, each with its test vectors.

mod buckets;
mod feature;

pub(crate) use buckets::{BucketCodes, NoMemoryForCodes};
pub use buckets::{BucketHash, BucketPlan};
pub(crate) use feature::FeatureHash;
