//! How the maximum inside the margin is found: exactly, or by a search that may miss classes.

use crate::parameters::{ParamError, ParamRule};
use serde::{Deserialize, Serialize};

/// Where violators are looked for. Whatever is found is scored exactly: an oracle can miss classes,
/// but never invent a score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Oracle {
    /// Among all classes, scored by all features of a row.
    Exhaustive,
    /// Among the classes that are best by the rarer features of a row: those with long lists of
    /// classes are left out as long as their squares add up to at most this share of the row's,
    /// from 0 to 1.
    RareFeatures(f32),
    /// Among those whose codes of signs agree most with the row's; see
    /// `search::sign_codes`.
    SignCodes {
        /// 64-bit words of a code.
        words: u32,
        /// How many classes are proposed.
        candidates: u32,
    },
    /// Among those found on a navigable graph; see `search::graph`.
    Graph {
        /// Edges that a new class gets.
        degree: u32,
        /// Classes that a search keeps: those proposed.
        beam: u32,
    },
}

impl Oracle {
    /// Whether the classes to score are proposed by a search of vectors.
    #[must_use]
    pub(crate) fn is_index(&self) -> bool {
        !matches!(self, Self::Exhaustive | Self::RareFeatures(_))
    }

    /// The oracle's name on the command line.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exhaustive => "exhaustive",
            Self::RareFeatures(_) => "rare-features",
            Self::SignCodes { .. } => "sign-codes",
            Self::Graph { .. } => "graph",
        }
    }

    /// How many classes a search is asked for.
    pub(crate) fn candidates(&self) -> usize {
        match *self {
            Self::Exhaustive | Self::RareFeatures(_) => 0,
            Self::SignCodes { candidates, .. } => candidates as usize,
            Self::Graph { beam, .. } => beam as usize,
        }
    }

    /// About the bytes that a search of so many classes with so many weights holds.
    pub(crate) fn memory(&self, classes: u64, weights: u64) -> u64 {
        // What tells which features a class has; see [`crate::train::memoir::class_row`].
        let marks = 2 * weights + 32 * classes;
        let search = match *self {
            Self::Exhaustive | Self::RareFeatures(_) => return 0,
            Self::SignCodes { words, .. } => classes * (264 * u64::from(words) + 24) + (1 << 20),
            Self::Graph { degree, .. } => 8 * weights + classes * (64 * u64::from(degree) + 256),
        };
        search + marks
    }

    pub(crate) fn check(&self) -> Result<(), ParamError> {
        let within = |name, value: u32, most: u32| {
            let value = f64::from(value);
            ParamError::check(name, value, ParamRule::AtLeast(1.0))?;
            let rule = ParamRule::AtMost(f64::from(most), "beyond which scoring all is faster");
            ParamError::check(name, value, rule)
        };
        match *self {
            Self::Exhaustive => Ok(()),
            Self::RareFeatures(share) => {
                let (name, share) = ("left_out", f64::from(share));
                ParamError::check(name, share, ParamRule::AtLeast(0.0))?;
                let rule = ParamRule::AtMost(1.0, "since it is a share");
                ParamError::check(name, share, rule)
            }
            Self::SignCodes { words, candidates } => {
                within("code_words", words, 64)?;
                within("candidates", candidates, 100_000)
            }
            Self::Graph { degree, beam } => {
                within("degree", degree, 1_000)?;
                within("beam", beam, 100_000)
            }
        }
    }
}
