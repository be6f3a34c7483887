//! Hash functions whose values are kept in model files: frozen, each with its test vectors.

mod buckets;
mod feature;

pub use buckets::{BucketCodes, BucketHash, BucketPlan, NoMemoryForCodes};
pub use feature::FeatureHash;
