//! Probabilities for what `hapax train` made, fitted on held-out rows.

use super::{
    super::{
        failure::Failure,
        progress::Progress,
        resources::Stopwatch,
        table::{count, percent},
    },
    Common,
    finish::{Made, Told},
};
use clap::Args;
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        train::{Calibrated, Calibrating},
    },
    kernels,
};

/// From so many rows on a calibration holds some out.
const FEWEST_ROWS: usize = 200;

/// Whether scores become probabilities.
#[derive(Args, Debug)]
pub struct CalibrationOptions {
    /// Leave scores as they are: skip what turns them into probabilities and says from which on
    /// answers are worth giving. It takes a second training, unless held-out rows chose parameters
    #[arg(long)]
    no_calibration: bool,
}

impl Common {
    /// Calibrates and finishes.
    pub fn finish_calibrated(
        &self,
        mut made: Made,
        data: &Dataset,
        watch: &Stopwatch,
        threads: &Executor,
    ) -> Result<(), Failure> {
        self.calibrate(&mut made.model, data, &mut made.told, threads)?;
        self.finish(made, watch, threads)
    }

    /// Calibrates a model of `data`, unless that was not wanted, and tells what it is worth.
    pub fn calibrate(
        &self,
        model: &mut Model,
        data: &Dataset,
        told: &mut Told,
        threads: &Executor,
    ) -> Result<(), Failure> {
        self.calibrate_from(model, (Calibrating::default(), data), told, threads)
    }

    /// As [`Common::calibrate`], from where it has `begun`.
    pub fn calibrate_from(
        &self,
        model: &mut Model,
        (mut begun, data): (Calibrating, &Dataset),
        told: &mut Told,
        threads: &Executor,
    ) -> Result<(), Failure> {
        if self.calibration.no_calibration {
            return Ok(());
        }
        begun.max_bytes = self.max_bytes;
        let progress = Progress::new("calibrating", 0);
        let calibrated = model.calibrate(begun, (data, self.seed), threads, kernels::best())?;
        drop(progress);
        told.lines.push(match calibrated {
            Some(calibrated) => worth(&calibrated, model),
            None => format!("no probabilities: {}", self.why_none(data)),
        });
        told.calibrated = calibrated;
        Ok(())
    }

    /// Why a model of `data` has no probabilities.
    fn why_none(&self, data: &Dataset) -> String {
        let rows = data.labels().measured();
        match self.max_bytes {
            _ if rows < FEWEST_ROWS => format!(
                "{} rows are too few to hold some out ({FEWEST_ROWS} are enough)",
                count(rows as u64)
            ),
            Some(_) => "--max-bytes leaves no room for them".into(),
            None => "these options cannot be repeated on part of the rows".into(),
        }
    }
}

fn worth(calibrated: &Calibrated, model: &Model) -> String {
    let Some(thresholds) = model.calibration() else {
        return String::new();
    };
    format!(
        "calibrated on {} held-out rows: micro-F1 {} for answers of probability {} or more, macro-F1 {} for {}; \
         {} percent of first answers have {} or more, of which {} percent are right",
        count(calibrated.rows as u64),
        percent(calibrated.micro_f1),
        thresholds.micro_f1,
        percent(calibrated.macro_f1),
        thresholds.macro_f1,
        percent(calibrated.answered),
        thresholds.abstain,
        percent(calibrated.accuracy),
    )
}
