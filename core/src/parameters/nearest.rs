//! What the user chooses, and its limits.

use crate::{
    parameters::{ParamError, ParamRule},
    search::neighbors::Similarity,
};
use serde::{Deserialize, Serialize};

/// How neighbors are compared and how they vote.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearestParameters {
    /// How many of the most similar rows vote (S in the paper): at least 1.
    pub neighbors: u32,
    /// The exponent of a neighbor's vote, `similarity^alpha`: any real number; 0 gives each
    /// neighbor one vote.
    pub alpha: f64,
    /// The exponent of the Jaccard similarity in `J^beta * cos`: 0 or more; 0 leaves the cosine.
    pub beta: f64,
    /// Every value `v` becomes `sign(v) |v|^exponent` before anything else: more than 0.
    pub exponent: f64,
}

impl Default for NearestParameters {
    /// Chosen on held-out training rows of several data sets.
    fn default() -> Self {
        Self {
            neighbors: 20,
            alpha: 2.0,
            beta: 1.0,
            exponent: 1.0,
        }
    }
}

impl NearestParameters {
    /// The same, with no more neighbors than there are rows.
    #[must_use]
    pub fn within(self, rows: usize) -> Self {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        Self {
            neighbors: self.neighbors.min(rows.max(1)),
            ..self
        }
    }

    /// The similarity by which neighbors are compared.
    ///
    /// # Errors
    /// If beta is negative, NaN or infinite.
    pub(crate) fn similarity(&self) -> Result<Similarity, ParamError> {
        ParamError::check("beta", self.beta, ParamRule::AtLeast(0.0))?;
        Ok(Similarity::new(self.beta))
    }

    /// Refuses values outside their ranges.
    ///
    /// # Errors
    /// The first parameter that is.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        ParamError::check(
            "neighbors",
            f64::from(self.neighbors),
            ParamRule::AtLeast(1.0),
        )?;
        ParamError::check("alpha", self.alpha, ParamRule::Finite)?;
        ParamError::check("beta", self.beta, ParamRule::AtLeast(0.0))?;
        ParamError::check("exponent", self.exponent, ParamRule::Above(0.0))
    }
}
