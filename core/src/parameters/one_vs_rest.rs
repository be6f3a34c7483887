//! What one-vs-rest training can be told, and which values it refuses.

use crate::parameters::{ParamError, ParamRule};
use serde::{Deserialize, Serialize};

/// The loss of a row whose margin falls short of 1 by `m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// `m`
    Hinge,
    /// `m²`
    SquaredHinge,
}

/// The constant added to the score of every label.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Bias {
    /// This number, not learned.
    Fixed(f64),
    /// The weight of a constant feature of this value, regularized like the others.
    Learned(f64),
}

/// Which rows without the label a label is trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Negatives {
    /// All of them.
    All,
    /// A random pool shared by all labels, then the rows that wrongly rank the label high.
    Mined,
    /// `All` where that is cheap, else `Mined`.
    Auto,
}

/// Parameters of one-vs-rest training. [`OneVsRest::default`] is a good start for text;
/// [`crate::train::one_vs_rest`] states the problem they belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// Which rows a label is trained against.
    pub negatives: Negatives,
    /// How often labels are solved with mined negatives; mining happens between.
    pub rounds: u32,
    /// Random rows that every label is held against while negatives are mined. From 65,536 labels
    /// on each counts, without the label, as 0.4 of the rows it stands for.
    pub pool: u32,
    /// Labels proposed for each row when mining.
    pub mine: u32,
    /// Largest values of a row used in all rounds but the last.
    pub short_terms: u32,
    /// Labels are solved until their gap, as a sweep estimates it, is at most this share of their
    /// objective.
    pub epsilon: f64,
    /// Most epochs (sweeps) over the rows of a label in the last round.
    pub max_epochs: u32,
    /// Most sweeps in the rounds before.
    pub early_epochs: u32,
    /// Weights up to this size are left out of the model.
    pub prune: f32,
    /// Weights up to this size are left out while mining.
    pub mine_prune: f32,
    /// Bits of a stored weight: 4, 5, 6, 8 or 16.
    pub bits: u32,
    /// So many times the direction of the mean of its rows is added to a label's weights at the
    /// end: the score of a nearest centroid beside that of the machine. 0 adds nothing.
    pub centroid: f64,
    /// Added to the biases at the end. Above 0, labels of a handful of rows are held back: so many
    /// times `ln(2 n / (n + 1))` for a label of n rows, 0 for a single one, up to ln 2 for many.
    /// Below 0, labels of many rows are: so many times `ln n`.
    pub prior: f64,
    /// So many times the weights of softmax regression over the stored weights are added to them at
    /// the end ([`crate::train::one_vs_rest`]). 0 adds nothing. Not serialized with the others, so
    /// that files from before it existed are read and written as they were.
    #[serde(skip)]
    pub softmax: f64,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Default for OneVsRest {
    fn default() -> Self {
        Self {
            loss: Loss::SquaredHinge,
            cost: 1.0,
            positive_weight: 1.0,
            bias: Bias::Learned(1.0),
            exponent: 1.0,
            normalize: true,
            negatives: Negatives::Auto,
            rounds: 2,
            pool: 5000,
            mine: 100,
            short_terms: 64,
            epsilon: 0.03,
            max_epochs: 15,
            early_epochs: 2,
            prune: 0.04,
            mine_prune: 0.1,
            bits: 8,
            centroid: 0.2,
            prior: 0.0,
            softmax: 0.0,
            seed: 42,
        }
    }
}

/// Refuses values outside `least..=most`, and NaN.
fn within(name: &'static str, value: f64, least: f64, most: f64) -> Result<(), ParamError> {
    ParamError::check(name, value, ParamRule::AtLeast(least))?;
    ParamError::check(name, value, ParamRule::AtMost(most, BEYOND))
}

/// Why parameters have upper limits.
const BEYOND: &str = "beyond which nothing is gained and numbers lose their meaning";

/// As many bits as a stored weight can have.
const BITS: ParamRule = ParamRule::OneOf(&[4.0, 5.0, 6.0, 8.0, 16.0]);

impl OneVsRest {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        within("cost", self.cost, 1e-9, 1e9)?;
        within("positive_weight", self.positive_weight, 1e-6, 1e6)?;
        let (Bias::Fixed(bias) | Bias::Learned(bias)) = self.bias;
        within("bias", bias, -1e6, 1e6)?;
        within("exponent", self.exponent, 0.0, 4.0)?;
        within("rounds", f64::from(self.rounds), 1.0, 20.0)?;
        within("pool", f64::from(self.pool), 1.0, 1e7)?;
        within("mine", f64::from(self.mine), 1.0, 1e4)?;
        within("short_terms", f64::from(self.short_terms), 1.0, 1e6)?;
        within("epsilon", self.epsilon, 1e-12, 10.0)?;
        within("max_epochs", f64::from(self.max_epochs), 1.0, 1e6)?;
        within("early_epochs", f64::from(self.early_epochs), 1.0, 1e6)?;
        within("prune", f64::from(self.prune), 0.0, 1e6)?;
        within("mine_prune", f64::from(self.mine_prune), 0.0, 1e6)?;
        within("prior", self.prior, -10.0, 10.0)?;
        within("centroid", self.centroid, 0.0, 1e3)?;
        within("softmax", self.softmax, 0.0, 1e3)?;
        ParamError::check("bits", f64::from(self.bits), BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::OneVsRest;
    use alloc::string::ToString;

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
                exponent: -1.0,
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
            assert!(parameters.check().is_err(), "{parameters:?}");
        }
        let bits = OneVsRest { bits: 7, ..good };
        let refused = bits.check().unwrap_err().to_string();
        assert_eq!(refused, "bits is 7, but must be one of 4, 5, 6, 8, 16");
    }
}
