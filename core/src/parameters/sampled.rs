//! Parameters of labels trained directly on features by sampling.

use super::{
    ParamError, RowTransform,
    wsabie::{BITS, within},
};
use serde::{Deserialize, Serialize};

/// What is drawn for a label of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SampledDraws {
    /// So many labels the row does not carry, each trained for itself.
    Balance(u32),
    /// One label the row does not carry, trained against this one.
    Pairs,
}

/// Parameters of direct training. [`Sampled::one_vs_all`] and [`Sampled::auc`] are good starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// What is drawn.
    pub draws: SampledDraws,
    /// b, the margin of the hinge.
    pub margin: f64,
    /// λ, the length of a step.
    pub step_size: f64,
    /// C, the longest prototype; 0 for no limit.
    pub max_norm: f64,
    /// Passes over the rows.
    pub epochs: u32,
    /// Values of rows are raised to this power, signs kept.
    pub exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// Bits of a stored weight: 32, 8 or 4.
    pub bits: u32,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Sampled {
    /// One against all.
    #[must_use]
    pub fn one_vs_all() -> Self {
        Self {
            draws: SampledDraws::Balance(64),
            margin: 1.0,
            step_size: 0.5,
            max_norm: 0.0,
            epochs: 10,
            exponent: 1.0,
            normalize: true,
            bits: 8,
            seed: 42,
        }
    }

    /// Pairs of labels: the area under the curve.
    #[must_use]
    pub fn auc() -> Self {
        Self {
            draws: SampledDraws::Pairs,
            epochs: 20,
            ..Self::one_vs_all()
        }
    }

    /// The name of the algorithm, as on the command line.
    #[must_use]
    pub(crate) fn name(&self) -> &'static str {
        match self.draws {
            SampledDraws::Balance(_) => "ova-sgd",
            SampledDraws::Pairs => "auc",
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        if let SampledDraws::Balance(balance) = self.draws {
            within("balance", f64::from(balance), 1.0, 65_536.0)?;
        }
        within("margin", self.margin, 1e-9, 1e9)?;
        within("step_size", self.step_size, 1e-9, 1e6)?;
        within("max_norm", self.max_norm, 0.0, 1e9)?;
        within("epochs", f64::from(self.epochs), 1.0, 1e5)?;
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

    /// How many labels are looked at for each label of a row.
    pub(crate) fn draws_a_label(&self) -> usize {
        match self.draws {
            SampledDraws::Balance(balance) => balance as usize + 1,
            SampledDraws::Pairs => 2,
        }
    }
}
