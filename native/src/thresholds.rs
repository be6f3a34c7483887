//! From which probability on an answer is worth giving.

use hapax_core::model::Calibration;
use std::str::FromStr;

/// A probability, or which of those that a model stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// This one.
    Given(f32),
    /// The one with the best micro-F1 on held-out training rows.
    Micro,
    /// The one with the best macro-F1.
    Macro,
    /// The one that balances rows answered and rows answered rightly.
    Abstain,
}

impl FromStr for Threshold {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "micro" => Ok(Self::Micro),
            "macro" => Ok(Self::Macro),
            _ => match text.parse::<f32>() {
                Ok(p) if (0.0..=1.0).contains(&p) => Ok(Self::Given(p)),
                _ => Err("give a probability from 0 to 1, micro or macro"),
            },
        }
    }
}

impl Threshold {
    /// The probability that it means in a model of this calibration.
    #[must_use]
    pub fn of(self, calibration: &Calibration) -> f32 {
        match self {
            Self::Given(p) => p,
            Self::Micro => calibration.micro_f1,
            Self::Macro => calibration.macro_f1,
            Self::Abstain => calibration.abstain,
        }
    }
}

/// The probabilities from which answers are given; `None` gives all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thresholds {
    /// Of each answer.
    pub above: Option<f32>,
    /// Of the first answer, below which the row gets none.
    pub abstain: Option<f32>,
}

impl Thresholds {
    /// How many answers of these probabilities, which never rise, are given, and whether there are
    /// none because the first was not sure enough.
    ///
    /// ```
    /// use hapax::thresholds::Thresholds;
    ///
    /// let limits = Thresholds { above: Some(0.5), abstain: Some(0.8) };
    /// assert_eq!(limits.given(&[0.9, 0.5, 0.4]), (2, false));
    /// assert_eq!(limits.given(&[0.7, 0.6]), (0, true));
    /// assert_eq!(Thresholds::default().given(&[0.1, 0.0]), (2, false));
    /// ```
    #[must_use]
    pub fn given(self, probabilities: &[f32]) -> (usize, bool) {
        let first = probabilities.first().copied().unwrap_or(0.0);
        if self.abstain.is_some_and(|least| first < least) {
            return (0, true);
        }
        let given = self.above.map_or(probabilities.len(), |above| {
            probabilities.partition_point(|&p| p >= above)
        });
        (given, false)
    }
}
