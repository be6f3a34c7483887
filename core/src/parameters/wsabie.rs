//! What training of an embedding can be told, and which values it refuses.

use crate::parameters::{ParamError, ParamRule, RowTransform};
use serde::{Deserialize, Serialize};

/// How a class answers a point of the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Discriminant {
    /// The inner product with the class's prototype.
    Linear,
    /// The negative squared distance from the class's prototype.
    Euclidean,
}

/// How much a violation counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RankWeight {
    /// 1, whatever the rank.
    Constant,
    /// `1 + 1/2 + … + 1/r` for an estimated rank r of the positive class (WARP).
    Harmonic,
}

/// How long steps are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WsabieSteps {
    /// The step size times the gradient.
    Plain,
    /// AdaGrad with one sum a class and one a dimension of the embedding, as published.
    AdaGrad,
    /// AdaGrad with one sum a class and one a feature, for sparse rows.
    AdaGradByFeature,
}

/// How a class is found that violates the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ViolatorSearch {
    /// Classes are drawn with replacement, at most as many as there are, up to the first violator:
    /// as published. Of a single violator among many classes it misses 37 percent.
    Replacement,
    /// Classes are gone through in an order drawn for each epoch, from a random place on, up to the
    /// first violator. None is missed.
    Cyclic,
    /// As `Cyclic`, but blocks of this many classes, rounded up to whole panels, are scored at a
    /// time; of the first block with violators the `top` worst count, each by its share of their
    /// violations.
    Blocks {
        /// Classes of a block.
        classes: u32,
        /// Most violators of a row that count.
        top: u32,
    },
}

/// Parameters of joint training of an embedding and class prototypes; `super::trainer` states the
/// problem. [`Wsabie::default`] is what worked best on held-out rows of public data;
/// [`Wsabie::published`] and [`Wsabie::plus_plus`] are the algorithms of the papers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wsabie {
    /// Dimensions M of the embedding.
    pub dimensions: u32,
    /// How classes answer.
    pub discriminant: Discriminant,
    /// By how much the right class must be ahead of every other.
    pub margin: f64,
    /// λ, the length of a step.
    pub step_size: f64,
    /// How steps shrink.
    pub steps: WsabieSteps,
    /// Whether the step size falls to 0 in a straight line.
    pub decay: bool,
    /// How much a violation counts.
    pub rank_weight: RankWeight,
    /// The longest prototype, and the longest vector of a feature; 0 for no limit.
    pub max_norm: f64,
    /// Q, the links of the chain of last violators that make a row be ignored; 0 for none.
    pub violators: u32,
    /// How violators are found.
    pub search: ViolatorSearch,
    /// A row without violators is left out of so many following epochs, at most: the first time
    /// one, then two, …
    pub rest: u32,
    /// Passes over the rows.
    pub epochs: u32,
    /// Rows drawn from one state of the weights, whose steps are then taken in their order; 0 for a
    /// number that follows from the data.
    pub batch: u32,
    /// Size of the random signs that the embedding starts with.
    pub initial: f64,
    /// Models trained from different draws, whose scores add up.
    pub models: u32,
    /// Values of rows are raised to this power, signs kept.
    pub exponent: f64,
    /// Whether rows are then scaled to length 1.
    pub normalize: bool,
    /// Bits of a stored weight: 32 (as trained), 8 or 4.
    pub bits: u32,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Default for Wsabie {
    fn default() -> Self {
        Self {
            dimensions: 32,
            discriminant: Discriminant::Linear,
            margin: 1.0,
            step_size: 0.05,
            steps: WsabieSteps::AdaGradByFeature,
            decay: true,
            rank_weight: RankWeight::Constant,
            max_norm: 0.0,
            violators: 0,
            search: ViolatorSearch::Blocks {
                classes: 256,
                top: 5,
            },
            rest: 3,
            epochs: 5,
            batch: 0,
            initial: 0.03,
            models: 1,
            exponent: 1.0,
            normalize: true,
            bits: 8,
            seed: 42,
        }
    }
}

impl Wsabie {
    /// Wsabie as the paper of 2014 compares with: WARP weights, inner products, vectors within a
    /// ball, plain steps of one size, one violator at a time.
    #[must_use]
    pub fn published() -> Self {
        Self {
            margin: 0.1,
            step_size: 0.01,
            steps: WsabieSteps::Plain,
            decay: false,
            rank_weight: RankWeight::Harmonic,
            max_norm: 1.0,
            search: ViolatorSearch::Cyclic,
            rest: 0,
            epochs: 30,
            batch: 1,
            ..Self::default()
        }
    }

    /// Wsabie++ as published, with the margin and step size of its tables: distances, no limits,
    /// constant weights, AdaGrad, chains of eight last violators. The search misses no violator.
    #[must_use]
    pub fn plus_plus() -> Self {
        Self {
            discriminant: Discriminant::Euclidean,
            margin: 10_000.0,
            step_size: 10.0,
            steps: WsabieSteps::AdaGrad,
            decay: false,
            violators: 8,
            search: ViolatorSearch::Cyclic,
            rest: 0,
            initial: 1.0,
            epochs: 30,
            batch: 1,
            ..Self::default()
        }
    }

    /// What of Wsabie++ worked best on held-out rows of text: distances with the steps and the
    /// search of [`Wsabie::default`], two models of 4 bits in the place of one of 8, and no last
    /// violators, which lose there.
    #[must_use]
    pub fn distances() -> Self {
        Self {
            discriminant: Discriminant::Euclidean,
            margin: 3.0,
            step_size: 0.07,
            models: 2,
            bits: 4,
            ..Self::default()
        }
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first that is not finite or outside its range.
    pub(crate) fn check(&self) -> Result<(), ParamError> {
        within(
            "dimensions",
            f64::from(self.dimensions),
            1.0,
            MOST_DIMENSIONS,
        )?;
        within("margin", self.margin, 1e-9, 1e9)?;
        within("step_size", self.step_size, 1e-9, 1e6)?;
        within("max_norm", self.max_norm, 0.0, 1e9)?;
        within("violators", f64::from(self.violators), 0.0, 1e4)?;
        if let ViolatorSearch::Blocks { classes, top } = self.search {
            within("block", f64::from(classes), 1.0, 1e6)?;
            within("top", f64::from(top), 1.0, 256.0)?;
        }
        within("rest", f64::from(self.rest), 0.0, 100.0)?;
        within("epochs", f64::from(self.epochs), 1.0, 1e5)?;
        within("batch", f64::from(self.batch), 0.0, 1e5)?;
        within("initial", self.initial, 0.0, 1e6)?;
        within("models", f64::from(self.models), 1.0, 64.0)?;
        within("exponent", self.exponent, 0.0, 4.0)?;
        let all = u64::from(self.dimensions) * u64::from(self.models);
        within("dimensions", all as f64, 1.0, MOST_DIMENSIONS)?;
        ParamError::check("bits", f64::from(self.bits), BITS)
    }

    /// The name of the algorithm, as on the command line: distances make it Wsabie++.
    #[must_use]
    pub(crate) fn name(&self) -> &'static str {
        if self.is_euclidean() {
            "wsabie-pp"
        } else {
            "wsabie"
        }
    }

    /// Whether classes answer by distance.
    #[must_use]
    pub(crate) fn is_euclidean(&self) -> bool {
        self.discriminant == Discriminant::Euclidean
    }

    /// What happens to rows before they are embedded.
    #[must_use]
    pub(crate) fn transform(&self) -> RowTransform {
        RowTransform {
            exponent: self.exponent,
            normalize: self.normalize,
        }
    }
}

/// More than any data have needed; a model's dimensions must fit a file's limits.
pub(crate) const MOST_DIMENSIONS: f64 = 65_536.0;

/// Refuses values outside `least..=most`, and NaN.
pub(crate) fn within(
    name: &'static str,
    value: f64,
    least: f64,
    most: f64,
) -> Result<(), ParamError> {
    ParamError::check(name, value, ParamRule::AtLeast(least))?;
    ParamError::check(name, value, ParamRule::AtMost(most, BEYOND))
}

/// Why parameters have upper limits.
const BEYOND: &str = "beyond which nothing is gained and numbers lose their meaning";

/// As many bits as a stored weight can have.
pub(crate) const BITS: ParamRule = ParamRule::OneOf(&[4.0, 8.0, 32.0]);

#[cfg(test)]
mod tests {
    use super::{ViolatorSearch, Wsabie};
    use alloc::string::ToString;

    #[test]
    fn each_parameter_is_checked() {
        for good in [Wsabie::default(), Wsabie::published(), Wsabie::plus_plus()] {
            assert_eq!(good.check(), Ok(()));
        }
        let changes: [fn(&mut Wsabie); 14] = [
            |p| p.dimensions = 0,
            |p| p.margin = 0.0,
            |p| p.margin = -1.0,
            |p| p.margin = f64::NAN,
            |p| p.step_size = 0.0,
            |p| p.step_size = f64::INFINITY,
            |p| p.max_norm = -1.0,
            |p| p.epochs = 0,
            |p| p.models = 0,
            |p| (p.dimensions, p.models) = (65_536, 2),
            |p| p.initial = -1.0,
            |p| p.bits = 7,
            |p| p.exponent = f64::NAN,
            |p| p.search = ViolatorSearch::Blocks { classes: 0, top: 1 },
        ];
        for change in changes {
            let mut parameters = Wsabie::default();
            change(&mut parameters);
            assert!(parameters.check().is_err(), "{parameters:?}");
        }
        let margin = Wsabie {
            margin: -2.0,
            ..Wsabie::default()
        };
        let refused = margin.check().unwrap_err().to_string();
        assert_eq!(refused, "margin is -2, but must be at least 1e-9");
    }
}
