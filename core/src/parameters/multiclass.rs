//! What the training of multi-class machines can be told, and which values it refuses.

use crate::parameters::{ParamError, ParamRule, RowTransform};
use serde::{Deserialize, Serialize};

/// The loss of a row; see [`crate::train::multiclass`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MultiClassLoss {
    /// The largest shortfall of a margin counts.
    CrammerSinger,
    /// All shortfalls of margins count.
    WestonWatkins,
    /// All scores of wrong classes above -1 count; weights add up to 0.
    LeeLinWahba,
}

/// Which rows are left alone between two passes over all rows and classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shrinking {
    /// Rows whose projected gradients are within the bounds of what still matters.
    Bounds,
    /// Rows whose duals did not move so many times in a row, as the paper does.
    Counter(u32),
    /// None.
    Off,
}

/// Parameters of a multi-class machine. [`MultiClassSvm::new`] gives those of a loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MultiClassSvm {
    /// The loss.
    pub loss: MultiClassLoss,
    /// C, the price of loss against the size of the weights.
    pub cost: f64,
    /// The value of a constant feature appended to every row; 0 for none.
    pub bias: f64,
    /// Values of rows are raised to this power, signs kept, before anything else.
    pub exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// Training ends when no projected gradient of a pass over all rows and classes is larger; 0
    /// leaves the end to `gap`.
    pub epsilon: f64,
    /// Training ends when the gap is at most this share of the primal objective; 0 leaves the end
    /// to `epsilon`.
    pub gap: f64,
    /// Most epochs: passes over all rows, in full or over listed classes.
    pub max_epochs: u32,
    /// Which rows are left alone for a while.
    pub shrinking: Shrinking,
    /// Weights up to this size are left out of the model.
    pub prune: f32,
    /// Bits of a stored weight: 4, 5, 6, 8 or 16.
    pub bits: u32,
    /// Everything random follows from it.
    pub seed: u64,
}

/// Why parameters have upper limits.
const BEYOND: &str = "beyond which nothing is gained and numbers lose their meaning";

/// As many bits as a stored weight can have.
const BITS: ParamRule = ParamRule::OneOf(&[4.0, 5.0, 6.0, 8.0, 16.0]);

impl MultiClassSvm {
    /// The defaults for a loss: cost 1, no bias, rows of length 1, a relative gap of 1/1000.
    #[must_use]
    pub fn new(loss: MultiClassLoss) -> Self {
        Self {
            loss,
            cost: 1.0,
            bias: 0.0,
            exponent: 1.0,
            normalize: true,
            epsilon: 0.0,
            gap: 1e-3,
            max_epochs: 1000,
            shrinking: Shrinking::Bounds,
            prune: 0.01,
            bits: 8,
            seed: 42,
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        let within = |name, value: f64, least: f64, most: f64| {
            ParamError::check(name, value, ParamRule::AtLeast(least))?;
            ParamError::check(name, value, ParamRule::AtMost(most, BEYOND))
        };
        ParamError::check("cost", self.cost, ParamRule::Above(0.0))?;
        within("cost", self.cost, 1e-9, 1e9)?;
        within("bias", self.bias, -1e6, 1e6)?;
        within("exponent", self.exponent, 0.0, 4.0)?;
        within("gap", self.gap, 0.0, 1.0)?;
        within("epsilon", self.epsilon, 0.0, 10.0)?;
        if self.gap == 0.0 {
            ParamError::check("epsilon", self.epsilon, ParamRule::Above(0.0))?;
        }
        within("max_epochs", f64::from(self.max_epochs), 1.0, 1e9)?;
        if let Shrinking::Counter(count) = self.shrinking {
            within("shrinking", f64::from(count), 1.0, 1e6)?;
        }
        within("prune", f64::from(self.prune), 0.0, 1e6)?;
        ParamError::check("bits", f64::from(self.bits), BITS)
    }

    /// The transform that rows go through in training and prediction.
    #[must_use]
    pub(crate) fn transform(&self) -> RowTransform {
        RowTransform {
            exponent: self.exponent,
            normalize: self.normalize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MultiClassLoss, MultiClassSvm, Shrinking};
    use alloc::string::ToString;

    #[test]
    fn each_parameter_is_checked() {
        let good = MultiClassSvm::new(MultiClassLoss::WestonWatkins);
        assert_eq!(good.check(), Ok(()));
        let spoil: [fn(&mut MultiClassSvm); 9] = [
            |p| p.cost = 0.0,
            |p| p.cost = f64::NAN,
            |p| p.bias = f64::INFINITY,
            |p| p.gap = -1.0,
            |p| p.epsilon = -0.1,
            |p| p.gap = 0.0,
            |p| p.max_epochs = 0,
            |p| p.bits = 7,
            |p| p.shrinking = Shrinking::Counter(0),
        ];
        for change in spoil {
            let mut bad = good.clone();
            change(&mut bad);
            assert!(bad.check().is_err(), "{bad:?}");
        }
        let refused = MultiClassSvm { cost: -1.0, ..good }.check().unwrap_err();
        assert_eq!(refused.to_string(), "cost is -1, but must be more than 0");
    }
}
