//! Memory for turning texts into rows, and why a text gave none.

use super::tokens::TokenScratch;
use crate::sparse::SparseView;
use alloc::vec::Vec;
use core::fmt;

/// Memory for turning texts into sparse rows, reused from text to text, and what was found in the
/// last one.
#[derive(Clone, Debug, Default)]
pub struct TextScratch {
    pub(super) tokens: TokenScratch,
    /// The feature of each known token, repetitions included.
    pub(super) features: Vec<u32>,
    pub(super) weights: Vec<f64>,
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f32>,
    /// Number of tokens of the last text, known or not.
    pub(super) token_count: usize,
}

/// Why a text gave an empty row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoFeatures {
    /// It holds no word that is long enough.
    NoTokens,
    /// None of its tokens is in the vocabulary.
    NoKnownTokens {
        /// Number of tokens, repetitions included.
        tokens: usize,
    },
}

impl fmt::Display for NoFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTokens => {
                f.write_str("the text holds no words; at least one letter or digit is needed")
            }
            Self::NoKnownTokens { tokens } => write!(
                f,
                "none of the {tokens} tokens of the text is known to the model"
            ),
        }
    }
}

impl core::error::Error for NoFeatures {}

impl TextScratch {
    /// The last text's row.
    #[must_use]
    pub(crate) fn row(&self) -> SparseView<'_> {
        SparseView::from_checked(&self.indices, &self.values)
    }

    /// Why the last text gave an empty row; `None` if it did not.
    #[must_use]
    pub(crate) fn no_features(&self) -> Option<NoFeatures> {
        if !self.features.is_empty() {
            None
        } else if self.token_count == 0 {
            Some(NoFeatures::NoTokens)
        } else {
            let tokens = self.token_count;
            Some(NoFeatures::NoKnownTokens { tokens })
        }
    }
}
