//! Other methods judged as the chosen setting was: trained on the same rows, asked the same
//! held-out ones.

use super::{Choice, Trial, candidates::DEPTH, folds::Fold, search::chance};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{Model, Scratch, standardization::Standardization},
    parameters::NearestParameters,
    train::{
        TrainError,
        precision::{Figures, Tally},
    },
};
use alloc::vec::Vec;

/// The rows of a trial.
pub(crate) struct Judge {
    folds: Vec<(Dataset, Dataset)>,
}

/// Rows answered in one job.
const BATCH: usize = 64;

impl Choice {
    /// The trial of the setting that was chosen, with all that is added to its scores; `None` if
    /// nothing was tried.
    #[must_use]
    pub fn best(&self) -> Option<&Trial> {
        let chosen = |trial: &&Trial| trial.fused == self.fused;
        self.tried.iter().rev().find(chosen)
    }
}

impl Judge {
    /// The rows on which the choice for `data` was judged at last, drawn by the same seed.
    pub(crate) fn again(choice: &Choice, data: &Dataset, seed: u64) -> Option<Self> {
        let best = choice.best()?;
        let folds = Fold::all(data, seed).into_iter().take(best.folds);
        let folds = folds.filter_map(|fold| Some((fold.sampled(best.share)?, fold.test)));
        Some(Self {
            folds: folds.collect(),
        })
    }

    /// Rows of `data` held out as for a choice, until `enough` are; none of too few.
    pub(crate) fn drawn(data: &Dataset, seed: u64, enough: usize) -> Self {
        let mut judged = 0;
        let mut folds: Vec<(Dataset, Dataset)> = Vec::new();
        for fold in Fold::all(data, seed) {
            if judged < enough {
                judged += fold.test.len();
                folds.push((fold.train, fold.test));
            }
        }
        Self { folds }
    }

    /// The same rows standardized, by means and deviations of those to train on; `None` of no
    /// rows, and where no feature of them varies.
    pub(crate) fn standardized(&self) -> Option<Self> {
        let mut folds = Vec::with_capacity(self.folds.len());
        for (train, test) in &self.folds {
            let by = Standardization::of(train.rows())?;
            folds.push((by.dataset(train), by.dataset(test)));
        }
        (!folds.is_empty()).then_some(Self { folds })
    }

    /// A difference that is chance.
    pub(crate) fn chance(&self) -> f64 {
        chance(self.folds.iter().map(|(_, test)| test.len()).sum())
    }

    /// Nearest neighbors with the exponent of votes that is best, and how they do.
    pub(crate) fn neighbors(
        &self,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<(f64, Figures), TrainError> {
        NearestParameters::best_alpha(&self.folds, executor, kernels)
    }

    /// Trains a method on the rows and counts its right answers.
    pub(crate) fn judge(
        &self,
        train: &dyn Fn(&Dataset) -> Result<Model, TrainError>,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<Figures, TrainError> {
        let mut all = Tally::default();
        let scratch = || Scratch::new(kernels);
        for (rows, test) in &self.folds {
            let mut model = train(rows)?;
            // Without memory to prepare it a model answers the same, more slowly.
            let _ = model.prepare();
            let model = &model;
            let parts = executor.map(test.len().div_ceil(BATCH), scratch, |scratch, job| {
                let mut found = Tally::of(rows.labels());
                for row in job * BATCH..((job + 1) * BATCH).min(test.len()) {
                    let answers = model.predict(test.rows().row(row), DEPTH, scratch);
                    found.count(answers.unwrap_or_default(), test.labels().row(row));
                }
                found
            });
            all = parts.iter().fold(all, Tally::and);
        }
        Ok(all.figures())
    }
}
