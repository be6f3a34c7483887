//! What the parameters of all methods have in common.

use super::reduction::Reduction;
use crate::{
    data::Dataset,
    parameters::{
        EmbeddingTraining, MachParameters, Memoir, MultiClassLoss, MultiClassSvm,
        NearestParameters, OneVsRest, ParamError,
    },
};

/// The parameters of a method.
pub trait Parameters {
    /// The method's name on the command line and in records.
    fn name(&self) -> &'static str;

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    fn check(&self) -> Result<(), ParamError>;
}

/// Work that says what memory it needs.
pub trait MemoryEstimate {
    /// The most memory, in bytes, that work on `data` with `threads` threads will hold at once,
    /// without `data` itself.
    #[must_use]
    fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64;
}

macro_rules! parameters {
    ($($type:ty: $name:expr,)*) => {$(
        impl Parameters for $type {
            fn name(&self) -> &'static str {
                let name: fn(&Self) -> &'static str = $name;
                name(self)
            }

            fn check(&self) -> Result<(), ParamError> {
                <$type>::check(self)
            }
        }
    )*};
}

parameters! {
    NearestParameters: |_| "nearest",
    OneVsRest: |_| "ovr",
    MultiClassSvm: |parameters| match parameters.loss {
        MultiClassLoss::CrammerSinger => "cs",
        MultiClassLoss::WestonWatkins => "ww",
        MultiClassLoss::LeeLinWahba => "llw",
    },
    Memoir: Memoir::name,
    MachParameters: |_| "mach",
    EmbeddingTraining: EmbeddingTraining::name,
}

macro_rules! memory_estimates {
    ($($type:ty: $estimate:expr,)*) => {$(
        impl MemoryEstimate for $type {
            fn memory_estimate(&self, data: &Dataset, threads: usize) -> u64 {
                let estimate: fn(&Self, &Dataset, usize) -> u64 = $estimate;
                estimate(self, data, threads)
            }
        }
    )*};
}

memory_estimates! {
    OneVsRest: OneVsRest::memory_estimate,
    MultiClassSvm: |parameters, data, _| parameters.memory_estimate(data),
    Memoir: Memoir::memory_estimate,
    MachParameters: |parameters, data, _| parameters.memory_estimate(data),
    Reduction: Reduction::memory_estimate,
}
