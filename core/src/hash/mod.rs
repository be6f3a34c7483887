//! Hash functions whose values are kept in model files: frozen, each with its test vectors.

mod feature;

pub use feature::FeatureHash;
