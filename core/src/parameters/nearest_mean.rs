//! Parameters of nearest means.

use super::{
    ParamError, RowTransform,
    wsabie::{BITS, within},
};
use serde::{Deserialize, Serialize};

/// Parameters of nearest means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearestMean {
    /// Values of rows are raised to this power, signs kept.
    pub exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// Bits of a stored weight: 32, 8 or 4.
    pub bits: u32,
}

impl Default for NearestMean {
    fn default() -> Self {
        Self {
            exponent: 1.0,
            normalize: true,
            bits: 8,
        }
    }
}

impl NearestMean {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        within("exponent", self.exponent, 0.0, 4.0)?;
        ParamError::check("bits", f64::from(self.bits), BITS)
    }

    /// What happens to rows first.
    #[must_use]
    pub(crate) fn transform(&self) -> RowTransform {
        RowTransform {
            exponent: self.exponent,
            normalize: self.normalize,
        }
    }
}
