//! How sure an answer must be to be given.

use super::{answers::Answered, failure::Failure};
use clap::Args;
use hapax::core::model::{Calibration, Model};
use std::path::Path;

/// How sure an answer must be to be given.
#[derive(Args, Debug)]
pub struct Sure {
    /// Give only answers of at least this probability: a number, or `micro` or `macro` for the
    /// threshold with the best micro- or macro-F1 on held-out training rows
    #[arg(long, value_name = "P", value_parser = threshold)]
    above: Option<Threshold>,
    /// Give no answer to rows whose first answer has less than this probability [default: the
    /// stored one, which balances rows answered and rows answered rightly]
    #[arg(long, value_name = "P", num_args = 0..=1, require_equals = true,
          default_missing_value = "stored", value_parser = threshold)]
    abstain: Option<Threshold>,
}

/// A probability, or which of the model's.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Threshold {
    Given(f32),
    Micro,
    Macro,
    Stored,
}

fn threshold(text: &str) -> Result<Threshold, String> {
    match text {
        "micro" => Ok(Threshold::Micro),
        "macro" => Ok(Threshold::Macro),
        "stored" => Ok(Threshold::Stored),
        _ => match text.parse::<f32>() {
            Ok(p) if (0.0..=1.0).contains(&p) => Ok(Threshold::Given(p)),
            _ => Err("give a probability from 0 to 1, micro or macro".into()),
        },
    }
}

impl Threshold {
    fn of(self, calibration: &Calibration, own: f32) -> f32 {
        match self {
            Self::Given(p) => p,
            Self::Micro => calibration.micro_f1,
            Self::Macro => calibration.macro_f1,
            Self::Stored => own,
        }
    }
}

/// The probabilities from which answers are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    above: Option<f32>,
    abstain: Option<f32>,
}

impl Sure {
    /// Whether a probability says how many answers a row gets.
    pub fn above(&self) -> bool {
        self.above.is_some()
    }

    /// The limits for answers of this model. Refuses what needs probabilities of a model without.
    pub fn limits(&self, model: &Model, path: &Path) -> Result<Limits, Failure> {
        if self.above.is_none() && self.abstain.is_none() {
            return Ok(Limits::default());
        }
        let Some(calibration) = model.calibration() else {
            let rule = "has scores, but no probabilities, which --above and --abstain need: train it again, on \
                        200 rows or more and without --no-calibration";
            return Err(Failure::in_file(path, rule));
        };
        Ok(Limits {
            above: self.above.map(|p| p.of(calibration, calibration.micro_f1)),
            abstain: self.abstain.map(|p| p.of(calibration, calibration.abstain)),
        })
    }
}

impl Limits {
    /// Takes away the answers that are not sure enough.
    pub fn apply(self, answered: &mut Answered) {
        let first = answered.probabilities.first().copied().unwrap_or(0.0);
        let mut kept = answered.best.len();
        if let Some(above) = self.above {
            // They never rise.
            kept = answered.probabilities.partition_point(|&p| p >= above);
        }
        if self.abstain.is_some_and(|least| first < least) {
            (kept, answered.abstained) = (0, true);
        }
        answered.best.truncate(kept);
        answered.probabilities.truncate(answered.best.len());
    }
}
