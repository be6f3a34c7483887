//! The parameters of what made a linear model.

use super::{
    ParamError, RowTransform, memoir::Memoir, multiclass::MultiClassSvm, one_vs_rest::OneVsRest,
};
use serde::{Deserialize, Serialize};

/// The parameters of what made a linear model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub enum LinearTraining {
    /// One-vs-rest.
    OneVsRest(OneVsRest),
    /// A multi-class machine.
    MultiClass(MultiClassSvm),
    /// MEMOIR.
    Memoir(Memoir),
}

/// The parameters as files have them: a variant may follow, none may change.
#[derive(Serialize, Deserialize)]
enum Stored {
    OneVsRest(OneVsRest),
    MultiClass(MultiClassSvm),
    Memoir(Memoir),
    /// One-vs-rest, and the weight of softmax regression that was added.
    WithSoftmax(OneVsRest, f64),
}

impl From<LinearTraining> for Stored {
    fn from(training: LinearTraining) -> Self {
        match training {
            LinearTraining::OneVsRest(parameters) if parameters.softmax != 0.0 => {
                let softmax = parameters.softmax;
                Self::WithSoftmax(parameters, softmax)
            }
            LinearTraining::OneVsRest(parameters) => Self::OneVsRest(parameters),
            LinearTraining::MultiClass(parameters) => Self::MultiClass(parameters),
            LinearTraining::Memoir(parameters) => Self::Memoir(parameters),
        }
    }
}

impl From<Stored> for LinearTraining {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::OneVsRest(parameters) => Self::OneVsRest(parameters),
            Stored::MultiClass(parameters) => Self::MultiClass(parameters),
            Stored::Memoir(parameters) => Self::Memoir(parameters),
            Stored::WithSoftmax(parameters, softmax) => Self::OneVsRest(OneVsRest {
                softmax,
                ..parameters
            }),
        }
    }
}

impl LinearTraining {
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        match self {
            Self::OneVsRest(parameters) => parameters.check(),
            Self::MultiClass(parameters) => parameters.check(),
            Self::Memoir(parameters) => parameters.check(),
        }
    }

    /// The transform that rows go through in training and prediction.
    #[must_use]
    pub fn transform(&self) -> RowTransform {
        match self {
            Self::OneVsRest(parameters) => parameters.transform(),
            Self::MultiClass(parameters) => parameters.transform(),
            Self::Memoir(parameters) => parameters.transform(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LinearTraining, OneVsRest, Stored};
    use alloc::vec::Vec;

    #[test]
    fn what_was_added_is_stored_only_where_something_was() {
        let bytes = |softmax| -> Vec<u8> {
            let parameters = OneVsRest {
                softmax,
                ..OneVsRest::default()
            };
            let training = LinearTraining::OneVsRest(parameters);
            let bytes = postcard::to_allocvec(&training).unwrap();
            let read: LinearTraining = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(read, training);
            bytes
        };
        let plain = Stored::OneVsRest(OneVsRest::default());
        assert_eq!(bytes(0.0), postcard::to_allocvec(&plain).unwrap());
        assert_eq!(bytes(0.1).len(), bytes(0.0).len() + 8);
    }
}
