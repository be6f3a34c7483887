//! What one-vs-rest training can be told, and which values it refuses.

use core::fmt;

/// The loss of a row whose margin falls short of 1 by `m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// `m`
    Hinge,
    /// `m²`
    SquaredHinge,
}

/// The constant added to the score of every label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bias {
    /// This number, not learned.
    Fixed(f64),
    /// The weight of a constant feature of this value, regularized like the others.
    Learned(f64),
}

/// Which rows without the label a label is trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negatives {
    /// All of them.
    All,
    /// A random pool shared by all labels, then the rows that wrongly rank the label high.
    Mined,
    /// `All` where that is cheap, else `Mined`.
    Auto,
}

/// Parameters of one-vs-rest training. [`OneVsRest::default`] is a good start for text;
/// [`super::one_vs_rest`] states the problem they belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct OneVsRest {
    /// The loss.
    pub loss: Loss,
    /// C, the price of loss against the size of the weights.
    pub cost: f64,
    /// How many times dearer the loss of rows with the label is.
    pub positive_weight: f64,
    /// The bias.
    pub bias: Bias,
    /// Values of rows are raised to this power, signs kept, before anything else.
    pub value_exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// Which rows a label is trained against.
    pub negatives: Negatives,
    /// How often labels are solved with mined negatives; mining happens between.
    pub rounds: u32,
    /// Random rows in the pool of the first round.
    pub pool: u32,
    /// Labels proposed for each row when mining.
    pub mine: u32,
    /// Largest values of a row used in all rounds but the last.
    pub short_terms: u32,
    /// Solving stops when the projected gradients differ by at most this.
    pub epsilon: f64,
    /// Most sweeps over the rows of a label in the last round.
    pub max_sweeps: u32,
    /// Most sweeps in the rounds before.
    pub early_sweeps: u32,
    /// Weights up to this size are left out of the model.
    pub prune: f32,
    /// Weights up to this size are left out while mining.
    pub mine_prune: f32,
    /// Bits of a stored weight: 4, 5, 6 or 8.
    pub bits: u32,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Default for OneVsRest {
    fn default() -> Self {
        Self {
            loss: Loss::SquaredHinge,
            cost: 1.0,
            positive_weight: 1.0,
            bias: Bias::Fixed(-1.0),
            value_exponent: 1.0,
            normalize: true,
            negatives: Negatives::Auto,
            rounds: 3,
            pool: 1000,
            mine: 20,
            short_terms: 64,
            epsilon: 0.5,
            max_sweeps: 15,
            early_sweeps: 2,
            prune: 0.11,
            mine_prune: 0.1,
            bits: 8,
            seed: 42,
        }
    }
}

/// A parameter outside its range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParamError {
    /// A number is not finite or not within its limits.
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Smallest value allowed.
        least: f64,
        /// Largest value allowed.
        most: f64,
    },
    /// Weights cannot be stored with so many bits.
    Bits {
        /// The number given.
        bits: u32,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange {
                name,
                value,
                least,
                most,
            } => write!(
                f,
                "{name} is {value}: choose a number from {least} to {most}"
            ),
            Self::Bits { bits } => write!(f, "bits is {bits}: choose 4, 5, 6 or 8"),
        }
    }
}

impl core::error::Error for ParamError {}

fn within(name: &'static str, value: f64, least: f64, most: f64) -> Result<(), ParamError> {
    if (least..=most).contains(&value) {
        Ok(())
    } else {
        Err(ParamError::OutOfRange {
            name,
            value,
            least,
            most,
        })
    }
}

impl OneVsRest {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub fn check(&self) -> Result<(), ParamError> {
        within("cost", self.cost, 1e-9, 1e9)?;
        within("positive weight", self.positive_weight, 1e-6, 1e6)?;
        let (Bias::Fixed(bias) | Bias::Learned(bias)) = self.bias;
        within("bias", bias, -1e6, 1e6)?;
        within("value exponent", self.value_exponent, 0.0, 4.0)?;
        within("rounds", f64::from(self.rounds), 1.0, 20.0)?;
        within("pool", f64::from(self.pool), 1.0, 1e7)?;
        within("mine", f64::from(self.mine), 1.0, 1e4)?;
        within("short terms", f64::from(self.short_terms), 1.0, 1e6)?;
        within("epsilon", self.epsilon, 1e-12, 10.0)?;
        within("max sweeps", f64::from(self.max_sweeps), 1.0, 1e6)?;
        within("early sweeps", f64::from(self.early_sweeps), 1.0, 1e6)?;
        within("prune", f64::from(self.prune), 0.0, 1e6)?;
        within("mine prune", f64::from(self.mine_prune), 0.0, 1e6)?;
        match self.bits {
            4 | 5 | 6 | 8 => Ok(()),
            bits => Err(ParamError::Bits { bits }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OneVsRest, ParamError};

    #[test]
    fn each_parameter_is_checked() {
        let good = OneVsRest::default();
        assert_eq!(good.check(), Ok(()));
        let bad = [
            OneVsRest {
                cost: f64::NAN,
                ..good.clone()
            },
            OneVsRest {
                cost: 0.0,
                ..good.clone()
            },
            OneVsRest {
                positive_weight: f64::INFINITY,
                ..good.clone()
            },
            OneVsRest {
                value_exponent: -1.0,
                ..good.clone()
            },
            OneVsRest {
                rounds: 0,
                ..good.clone()
            },
            OneVsRest {
                pool: 0,
                ..good.clone()
            },
            OneVsRest {
                mine: 0,
                ..good.clone()
            },
            OneVsRest {
                epsilon: 0.0,
                ..good.clone()
            },
            OneVsRest {
                prune: f32::NAN,
                ..good.clone()
            },
            OneVsRest {
                prune: -0.1,
                ..good.clone()
            },
        ];
        for parameters in bad {
            assert!(matches!(
                parameters.check(),
                Err(ParamError::OutOfRange { .. })
            ));
        }
        let bits = OneVsRest { bits: 7, ..good };
        assert_eq!(bits.check(), Err(ParamError::Bits { bits: 7 }));
    }
}
