//! What all methods of training share: the errors that end it before any work, and the record
//! of what made a model.

pub mod auto;
pub(crate) mod calibration;
pub(crate) mod compacted;
pub mod embedding;
mod error;
pub mod exchange;
mod learning_on;
pub mod mach;
pub mod memoir;
mod models;
pub mod multiclass;
pub mod nearest;
pub mod one_vs_rest;
mod precision;
pub mod published;
pub mod reduction;
pub mod shards;
mod softmax;
pub mod state;
mod training;

pub use calibration::{Calibrated, Calibrating};
pub use compacted::{Compacted, CompactionError, FewerWeights};
pub use error::{TrainError, check_data};
pub use learning_on::Learned;
pub use precision::Precision;
pub use training::{Hearing, Training, Watch};
pub(crate) use training::{going, heard};
