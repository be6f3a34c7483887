//! What can be chosen for each method: plain data with the ranges of its values. Models keep the
//! parameters that made them; trainers read them.

pub(crate) mod embedding;
mod error;
pub(crate) mod linear;
pub(crate) mod mach;
pub(crate) mod memoir;
pub(crate) mod multiclass;
mod nearest;
mod nearest_mean;
pub(crate) mod one_vs_rest;
pub(crate) mod sampled;
mod transform;
pub(crate) mod wsabie;

pub use crate::hash::BucketHash;
pub use embedding::EmbeddingTraining;
pub use error::{ParamError, ParamRule};
pub use linear::LinearTraining;
pub use mach::{Estimator, HeadLoss, MachParameters, Optimizer};
pub use memoir::{
    Average, Length, Memoir, MemoirDraws, MemoirSteps, Oracle, Regularizer, Repro, SeveralLabels,
    Silent, Truncation,
};
pub use multiclass::{MultiClassLoss, MultiClassSvm, Shrinking};
pub use nearest::NearestParameters;
pub use nearest_mean::NearestMean;
pub use one_vs_rest::{Bias, Loss, Negatives, OneVsRest};
pub use sampled::{Sampled, SampledDraws};
pub use transform::RowTransform;
pub use wsabie::{Discriminant, RankWeight, ViolatorSearch, Wsabie, WsabieSteps};
