//! What trains a model of prototypes.

use super::{
    NearestMean, ParamError, RowTransform, memoir::Memoir, sampled::Sampled, wsabie::Wsabie,
};
use serde::{Deserialize, Serialize};

/// What trains a model of prototypes, with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EmbeddingTraining {
    /// The mean of the rows of each label.
    NearestMean(NearestMean),
    /// One against all, or pairs of labels, by sampling.
    Sampled(Sampled),
    /// Joint training of an embedding and prototypes.
    Wsabie(Wsabie),
    /// A multi-class margin machine in few dimensions.
    Memoir(Memoir),
    /// Softmax regression over vectors of features that were given, beside other parts of a sum
    /// only, whose file says so by its sections.
    #[serde(skip)]
    GivenVectors {
        /// Everything random follows from it.
        seed: u64,
    },
}

impl EmbeddingTraining {
    /// The name of the algorithm, as on the command line.
    #[must_use]
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::NearestMean(_) => "nearest-mean",
            Self::Sampled(sampled) => sampled.name(),
            Self::Wsabie(wsabie) => wsabie.name(),
            Self::Memoir(_) => "memoir-lsh",
            Self::GivenVectors { .. } => "vectors",
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        match self {
            Self::NearestMean(mean) => mean.check(),
            Self::Sampled(sampled) => sampled.check(),
            Self::Wsabie(wsabie) => wsabie.check(),
            Self::Memoir(memoir) => memoir.check(),
            Self::GivenVectors { .. } => Ok(()),
        }
    }

    /// The seed of all that is random; 0 where nothing is.
    #[must_use]
    pub(crate) fn seed(&self) -> u64 {
        match self {
            Self::NearestMean(_) => 0,
            Self::Sampled(sampled) => sampled.seed,
            Self::Wsabie(wsabie) => wsabie.seed,
            Self::Memoir(memoir) => memoir.seed,
            Self::GivenVectors { seed } => *seed,
        }
    }

    /// What happens to rows first.
    #[must_use]
    pub fn transform(&self) -> RowTransform {
        match self {
            Self::NearestMean(mean) => mean.transform(),
            Self::Sampled(sampled) => sampled.transform(),
            Self::Wsabie(wsabie) => wsabie.transform(),
            Self::Memoir(memoir) => memoir.transform(),
            Self::GivenVectors { .. } => RowTransform {
                exponent: 1.0,
                normalize: true,
            },
        }
    }

    /// The same training with rows that are transformed otherwise.
    #[must_use]
    pub(crate) fn with_transform(&self, transform: RowTransform) -> Self {
        let RowTransform {
            exponent,
            normalize,
        } = transform;
        match self.clone() {
            Self::NearestMean(mean) => Self::NearestMean(NearestMean {
                exponent,
                normalize,
                ..mean
            }),
            Self::Sampled(sampled) => Self::Sampled(Sampled {
                exponent,
                normalize,
                ..sampled
            }),
            Self::Wsabie(wsabie) => Self::Wsabie(Wsabie {
                exponent,
                normalize,
                ..wsabie
            }),
            Self::Memoir(memoir) => Self::Memoir(Memoir {
                exponent,
                normalize,
                ..memoir
            }),
            Self::GivenVectors { seed } => Self::GivenVectors { seed },
        }
    }
}
