//! How sure an answer must be to be given.

use super::{answers::Answered, failure::Failure};
use clap::Args;
use hapax::{
    core::model::Model,
    thresholds::{Threshold, Thresholds},
};
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
          default_missing_value = "stored", value_parser = confidence)]
    abstain: Option<Threshold>,
}

fn threshold(text: &str) -> Result<Threshold, String> {
    Ok(text.parse::<Threshold>()?)
}

/// As [`threshold`], or what the option without a value means.
fn confidence(text: &str) -> Result<Threshold, String> {
    match text {
        "stored" => Ok(Threshold::Abstain),
        _ => threshold(text),
    }
}

impl Sure {
    /// Whether a probability says how many answers a row gets.
    pub fn above(&self) -> bool {
        self.above.is_some()
    }

    /// The limits for answers of this model. Refuses what needs probabilities of a model without.
    pub fn limits(&self, model: &Model, path: &Path) -> Result<Thresholds, Failure> {
        if self.above.is_none() && self.abstain.is_none() {
            return Ok(Thresholds::default());
        }
        let Some(calibration) = model.calibration() else {
            let rule = "has scores, but no probabilities, which --above and --abstain need: train it again, on \
                        200 rows or more and without --no-calibration";
            return Err(Failure::in_file(path, rule));
        };
        Ok(Thresholds {
            above: self.above.map(|p| p.of(calibration)),
            abstain: self.abstain.map(|p| p.of(calibration)),
        })
    }
}

/// Takes away the answers that are not sure enough.
pub fn keep_sure(limits: Thresholds, answered: &mut Answered) {
    if limits == Thresholds::default() {
        return;
    }
    let (given, abstained) = limits.given(&answered.probabilities);
    answered.abstained = abstained;
    answered.best.truncate(given);
    answered.probabilities.truncate(answered.best.len());
}
