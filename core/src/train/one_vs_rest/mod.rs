//! Support vector machines solved in the dual, one coordinate at a time.
//!
//! `one_vs_rest` trains one binary machine for each label. Rows are stored for it as `packed_rows`;
//! `label_block` is the inner loop, which solves sixteen labels at once, `mining` the search for
//! rows which a label wrongly claims where not all rows are its negatives. `choice` finds good
//! parameters by trying some.

#[cfg(test)]
mod bits_tests;
mod centroids;
pub(crate) mod certificate;
pub(crate) mod choice;
mod fused;
pub(crate) mod label_block;
pub(crate) mod label_jobs;
pub(crate) mod label_solver;
pub(crate) mod label_weights;
pub(crate) mod memory;
pub(crate) mod mining;
pub(crate) mod packed_rows;
pub(crate) mod proof;
pub(crate) mod sweep;
pub(crate) mod trainer;
pub(crate) mod training;
pub(crate) mod training_rows;
pub(in crate::train) mod update;

pub use crate::train::one_vs_rest::training::{Report, Stage};
pub use choice::{Choice, FeatureChoice, FeatureTrial, Given, GivenFeatures, choose_features};
pub use fused::FusedWeights;
pub(crate) use fused::VECTORS;
pub use trainer::Trainer;
