//! Calibration: what turns a model's scores into probabilities is fitted on held-out rows.
//!
//! # Problem
//! Scores of rows that a model was trained on are too good: rows are held out, a model of the same
//! parameters is trained on the others, and its answers to the held-out rows fit the curves of
//! [`crate::model::Calibration`]. They serve the model of all rows. On 12 sets, the calibration
//! error of the first answer on rows that neither saw is the same for both models to within 0.002
//! in the mean.
//!
//! A tenth of the rows is held out, at most 5,000; of less than 5,000 rows a fifth. Where that
//! makes less than 1,000 held-out rows it is done up to five times with different rows. With less
//! than [`LEAST_ROWS`] held-out rows nothing is fitted.
//!
//! Cost: one training more on nine tenths of the rows; five on four fifths of less than 1,000; none
//! where answers to held-out rows have judged a choice of parameters, which then fit its curves,
//! unless the model will be made smaller: then the other model is, too.
//! Then 155,000 answers times 66 products times about 8 Newton steps at most. Equal data and
//! parameters give equal calibrations for any executor.

mod fit;
mod held_out;
mod thresholds;

use super::{TrainError, check_data, mach::MachKernels};
use crate::{
    data::{Dataset, LabelLists, Split},
    executor::Executor,
    model::{Method, Model, Scratch, calibration::Scale},
    search::Scored,
};
pub(super) use held_out::ANSWERS;
use held_out::HeldOut;
use serde::{Deserialize, Serialize};

/// Held-out rows below which nothing is fitted: on 200, the calibration error of the first answer
/// was 0.035 in the mean of 12 sets, on 100 it was 0.044, on 1,600 0.023.
pub(crate) const LEAST_ROWS: usize = 200;

/// Held-out rows that are enough: twice as many gain 0.002.
const ENOUGH: usize = 1_000;

/// Held-out rows that are more than enough.
const MOST_ROWS: f64 = 5_000.0;

/// How often rows are held out at most.
const MOST_FOLDS: usize = 5;

/// Rows below which a fifth is held out, not a tenth.
const FEW_ROWS: usize = 5_000;

/// Bytes for what is said of a model after it was calibrated: the columns of its data.
const LATER: u64 = 128;

/// What held-out rows said of a model that was calibrated by them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated {
    /// How many rows were held out.
    pub rows: usize,
    /// Micro-F1 of the answers from the threshold for it on, from 0 to 1.
    pub micro_f1: f64,
    /// Macro-F1 of the answers from the threshold for it on.
    pub macro_f1: f64,
    /// The share of rows whose first answer has at least the confidence for answering.
    pub answered: f64,
    /// How many of those are answered rightly, as a share of them.
    pub accuracy: f64,
}

impl Model {
    /// Fits what turns scores into probabilities ([`Model::calibration`]) on held-out rows of
    /// `data`, which the model was trained on: another model of its parameters is trained on the
    /// other rows. `None`, and the model stays as it is, if there are too few rows, the model is
    /// more than its parameters make of `data`, or its heads leave no room in the budget.
    ///
    /// It goes on from where it has `begun`: from nothing, or for a model whose parameters were
    /// chosen from [`Choice::calibrating`](super::one_vs_rest::Choice::calibrating), with which
    /// mostly no other model is trained. The seed then is that of the choice.
    ///
    /// # Errors
    /// As the training of the other model.
    pub fn calibrate(
        &mut self,
        begun: Calibrating,
        (data, seed): (&Dataset, u64),
        executor: &Executor,
        kernels: &'static dyn MachKernels,
    ) -> Result<Option<Calibrated>, TrainError> {
        let whole = self.file_bytes().unwrap_or(0);
        let budget = begun.max_bytes.filter(|&most| most < whole);
        let mut calibrating = match budget {
            // Models that are made smaller answer otherwise.
            Some(_) => Calibrating::default(),
            None => begun,
        };
        let mut trained = None;
        let scratch = || Scratch::new(kernels);
        while let Some(rows) =
            self.calibrate_part(&mut calibrating, (data, seed), trained, executor, scratch)
        {
            let Some(mut other) = self.again(&rows, executor, kernels)? else {
                // The answers that there are must do.
                calibrating.fold = u64::MAX;
                trained = None;
                continue;
            };
            if let Some(most) = budget {
                other = self.compacted_alike((other, whole), most, seed, executor, kernels);
            }
            // Without memory to prepare it a model answers the same, more slowly.
            let _ = other.prepare();
            let fewer = other.vectorizer().zip(self.vectorizer());
            if let Some((few, all)) = fewer.filter(|(few, all)| few.features() < all.features()) {
                // Models of fewer features need rows of their own.
                let test = calibrating.test(data);
                if let (Some(held_out), Some(test)) = (&mut calibrating.held_out, test) {
                    let rows = few.rows_of(all, test.rows());
                    held_out.ask(&other, (&rows, test.labels()), executor, scratch);
                }
                trained = None;
            } else {
                trained = Some(other);
            }
        }
        // Heads that were packed into a budget cannot always be packed tighter.
        let packed = matches!(self.method(), Method::Mach(_));
        let most = calibrating
            .max_bytes
            .filter(|&most| packed && whole <= most);
        if most.is_some_and(|most| self.file_bytes().unwrap_or(0) + LATER > most) {
            self.calibration = None;
            return Ok(None);
        }
        Ok(calibrating.told)
    }

    /// The other model made smaller as this one of `whole` bytes will be, to `max_bytes`.
    fn compacted_alike(
        &self,
        (mut other, whole): (Self, u64),
        max_bytes: u64,
        seed: u64,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
    ) -> Self {
        other.vectorizer.clone_from(&self.vectorizer);
        let own = other.file_bytes().unwrap_or(whole);
        let most = (max_bytes as f64 * own as f64 / whole as f64) as u64;
        // What does not fit fails later, when this model is to.
        match other.compacted(most, seed, executor, kernels) {
            Ok(made) => made.model,
            Err(_) => other,
        }
    }

    /// A part of [`Model::calibrate`] for those who train the other models themselves: to show how
    /// far that is, to stop it, or because their program holds one method only. Returns the rows to
    /// train the next one on (standardized or weighed where this model's are), and takes the model
    /// of the last ones; `None` at the end, when this model is calibrated, or stays as it is
    /// because there are too few rows.
    ///
    /// ```
    /// # use hapax_core::{data::Dataset, executor::Sequential, model::{Model, Scratch}};
    /// # use hapax_core::{parameters::NearestParameters, train::{Calibrating, TrainError}};
    /// # type Done = Result<(), TrainError>;
    /// # fn calibrate(model: &mut Model, data: &Dataset, own: NearestParameters) -> Done {
    /// let (mut calibrating, mut other) = (Calibrating::default(), None);
    /// while let Some(rows) =
    ///     model.calibrate_part(&mut calibrating, (data, 42), other, &Sequential, Scratch::default)
    /// {
    ///     other = Some(Model::train_nearest(own, &rows, None)?);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn calibrate_part(
        &mut self,
        calibrating: &mut Calibrating,
        (data, seed): (&Dataset, u64),
        trained: Option<Self>,
        executor: &Executor,
        scratch: impl Fn() -> Scratch + Sync,
    ) -> Option<Dataset> {
        let seen = |data: Dataset| match &self.standardization {
            Some(standardization) => standardization.dataset(&data),
            None => data,
        };
        let test = calibrating.test(data).map(seen);
        let held_out = &mut calibrating.held_out;
        let held_out = held_out.get_or_insert_with(|| HeldOut::of(data.labels().labels()));
        if let (Some(other), Some(test)) = (trained, test) {
            held_out.ask(&other, (test.rows(), test.labels()), executor, scratch);
        }
        let measured = data.labels().measured();
        while calibrating.fold < folds(measured) {
            let seed = seed.wrapping_add(calibrating.fold);
            calibrating.fold += 1;
            let Ok(split) = data.labels().split(share(measured), seed) else {
                continue;
            };
            let rows = seen(data.select(&split.train));
            if check_data(&rows).is_ok() {
                calibrating.split = Some(split);
                return Some(rows);
            }
        }
        let scale = match self.method() {
            Method::Nearest(_) => Scale::Logarithmic,
            Method::Linear(_) | Method::Mach(_) | Method::Embedding(_) => Scale::Linear,
        };
        let (calibration, told) = held_out.fit(scale)?;
        self.calibration = Some(calibration.into());
        calibrating.told = Some(told);
        None
    }
}

/// A calibration under way: [`Model::calibrate_part`]. What is written of it is the answers it has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Calibrating {
    /// The bytes to which the model will be made smaller ([`Model::compacted`]): so are the other
    /// models, as far, before they answer.
    #[serde(skip)]
    pub max_bytes: Option<u64>,
    held_out: Option<HeldOut>,
    /// How often rows were held out.
    fold: u64,
    /// The rows that are held out from the model that is trained meanwhile.
    #[serde(skip)]
    split: Option<Split>,
    #[serde(skip)]
    told: Option<Calibrated>,
}

impl Calibrating {
    /// The rows that are held out from the model that is trained meanwhile, once.
    fn test(&mut self, data: &Dataset) -> Option<Dataset> {
        let split = self.split.take()?;
        Some(data.select(&split.held_out))
    }

    /// Begins with the answers to the next rows to hold out, of which these are the labels.
    pub(super) fn begin(&mut self, truth: &LabelLists) {
        let labels = truth.labels();
        self.held_out.get_or_insert_with(|| HeldOut::of(labels));
        self.fold += 1;
    }

    /// Adds the answers to a row, best first, and its labels.
    pub(super) fn push(&mut self, best: &[Scored], labels: &[u32]) {
        if let Some(held_out) = &mut self.held_out {
            held_out.push(best, labels);
        }
    }
}

/// The share of so many rows that is held out.
pub(super) fn share(rows: usize) -> f64 {
    let share = if rows < FEW_ROWS { 0.2 } else { 0.1 };
    f64::min(share, MOST_ROWS / rows as f64)
}

/// How often; 0 if too few rows would be held out in all.
pub(super) fn folds(rows: usize) -> u64 {
    let held_out = (share(rows) * rows as f64) as usize;
    let times = ENOUGH.div_ceil(held_out.max(1)).min(MOST_FOLDS);
    if times * held_out < LEAST_ROWS {
        return 0;
    }
    times as u64
}

#[cfg(test)]
mod tests;
