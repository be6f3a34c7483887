//! What all methods of training share: the errors that end it before any work, and the record
//! of what made a model.

mod again;
pub mod auto;
pub(crate) mod calibration;
pub(crate) mod compacted;
pub(crate) mod embedding;
mod error;
pub(crate) mod exchange;
mod fewer_features;
mod learning_on;
pub mod mach;
pub(crate) mod memoir;
mod method;
mod models;
pub mod multiclass;
pub mod nearest;
pub mod one_vs_rest;
pub(crate) mod precision;
pub(crate) mod published;
pub(crate) mod reduction;
pub(crate) mod shards;
mod softmax;
mod standardizing;
pub(crate) mod state;
mod training;

pub use calibration::{Calibrated, Calibrating};
pub use compacted::{Compacted, CompactionError, FewerWeights};
pub use embedding::EmbeddingReport;
pub use error::{TrainError, check_data};
pub use exchange::{Alone, Exchange, ExchangeError};
pub use learning_on::Learned;
pub use memoir::{Measured, MemoirReport, MemoirTrainer};
pub use method::{MemoryEstimate, Parameters};
pub use models::Trained;
pub use precision::Precision;
pub use published::SharedTraining;
pub use reduction::{Projection, Reduction};
pub use shards::Parts;
pub use state::{Identity, Resumable, Shared, StateError};
pub use training::{Training, Watch};
pub(crate) use training::{going, heard};
