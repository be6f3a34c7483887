//! Answers to queries, and why there is none.

use crate::{model::ModelError, text::NoFeatures};
use alloc::string::String;
use core::fmt;

/// A suggested label.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The label.
    pub id: u32,
    /// Its name, where labels have names.
    pub name: Option<String>,
    /// Its score: higher is better; the scale is the method's.
    pub score: f32,
    /// The probability that it is right, of a model that was calibrated.
    pub probability: Option<f32>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PredictError {
    /// Zero answers were asked for.
    ZeroAnswers,
    /// A text was given, but the model was trained on rows.
    NoVectorizer,
    /// The text has no feature that the model knows.
    NoFeatures(NoFeatures),
    /// A label was named, but the model's labels have no names, or names are used up.
    NoLabelNames,
    /// This program was made without the code of the model's kind; see [`crate::model::Kinds`].
    KindLeftOut,
    /// Memory is lacking, or the row cannot be learned.
    Failed(ModelError),
}

impl fmt::Display for PredictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroAnswers => f.write_str("k is 0, but must be at least 1"),
            Self::NoVectorizer => f.write_str(
                "the model was trained on rows of numbers, not on texts: give it rows of features",
            ),
            Self::NoFeatures(reason) => reason.fmt(f),
            Self::NoLabelNames => f.write_str("the model's labels have no names: give label ids"),
            Self::KindLeftOut => f.write_str(
                "this program holds only nearest neighbors, and the model is of another kind: use one with all kinds",
            ),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PredictError {}
