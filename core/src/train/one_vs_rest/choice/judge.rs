//! Other methods judged as the chosen setting was: trained on the same rows, asked the same
//! held-out ones.

use super::{
    Choice, Trial,
    candidates::DEPTH,
    folds::Fold,
    search::{best_of, chance},
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{Method, Model, Scratch, standardization::Standardization},
    parameters::NearestParameters,
    search::Scored,
    sparse::{SparseRows, SparseView},
    train::{
        TrainError,
        precision::{Figures, Tally},
    },
};
use alloc::{vec, vec::Vec};

/// The rows of a trial.
pub(crate) struct Judge {
    folds: Vec<Fold>,
}

/// Rows answered in one job.
const BATCH: usize = 64;

/// Exponents of votes that are tried: where rows are dense all are alike, and only a high power
/// lets the nearest outvote the others.
const ALPHAS: [f64; 3] = [2.0, 8.0, 32.0];

/// Asks a model for the answers to a row; tells of those to each way of asking.
type Ask<'a> =
    dyn Fn(&Model, SparseView<'_>, &mut Scratch, &mut dyn FnMut(usize, &[Scored])) + Sync + 'a;

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
        let mut folds = Fold::all(data, seed);
        folds.truncate(best.folds);
        folds.retain_mut(|fold| match fold.sampled(best.share) {
            Some(rows) => {
                fold.train = rows;
                true
            }
            None => false,
        });
        Some(Self { folds })
    }

    /// Rows of `data` held out as for a choice, until `enough` are; none of too few.
    pub(crate) fn drawn(data: &Dataset, seed: u64, enough: usize) -> Self {
        let (mut judged, mut folds) = (0, Fold::all(data, seed));
        folds.retain(|fold| {
            let is_needed = judged < enough;
            judged += fold.test.len();
            is_needed
        });
        Self { folds }
    }

    /// Whether no rows are held out.
    pub(crate) fn is_empty(&self) -> bool {
        self.folds.is_empty()
    }

    /// The same rows standardized or weighed, by what `by` finds in those to train on; `None` where
    /// that is nothing.
    pub(crate) fn seen_by(
        &self,
        by: &dyn Fn(&SparseRows) -> Option<Standardization>,
    ) -> Option<Self> {
        let mut folds = Vec::with_capacity(self.folds.len());
        for Fold { train, test } in &self.folds {
            let by = by(train.rows())?;
            let [train, test] = [train, test].map(|rows| by.dataset(rows));
            folds.push(Fold { train, test });
        }
        Some(Self { folds })
    }

    /// A difference that is chance.
    pub(crate) fn chance(&self) -> f64 {
        chance(self.folds.iter().map(|fold| fold.test.len()).sum())
    }

    /// Trains a method on the rows and counts its right answers.
    pub(crate) fn judge(
        &self,
        train: &dyn Fn(&Dataset) -> Result<Model, TrainError>,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<Figures, TrainError> {
        let ask: &Ask = &|model, row, scratch, answered| {
            let answers = model.predict(row, DEPTH, scratch);
            answered(0, answers.unwrap_or_default());
        };
        let found = self.judge_ways(train, (1, ask), executor, kernels)?;
        Ok(found[0])
    }

    /// The best of [`ALPHAS`] for nearest neighbors, with their other defaults, and how well they
    /// answer with it. Each row is searched for once.
    pub(crate) fn neighbors(
        &self,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<(f64, Figures), TrainError> {
        let train = |rows: &Dataset| {
            let parameters = NearestParameters::default().within(rows.len());
            Model::train_nearest(parameters, rows, None)
        };
        let ask: &Ask = &|model, row, scratch, answered| {
            if let Method::Nearest(nearest) = model.method() {
                let scratch = &mut scratch.nearest;
                // Without memory for a search the row counts as answered wrongly.
                let _ = nearest.predict_by(&ALPHAS, row, DEPTH, scratch, answered);
            }
        };
        let found = self.judge_ways(&train, (ALPHAS.len(), ask), executor, kernels)?;
        let best = best_of(&found);
        Ok((ALPHAS[best], found[best]))
    }

    /// Trains a method on the rows and counts its right answers to each way of asking.
    fn judge_ways(
        &self,
        train: &dyn Fn(&Dataset) -> Result<Model, TrainError>,
        (ways, ask): (usize, &Ask<'_>),
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<Vec<Figures>, TrainError> {
        let mut all = vec![Tally::default(); ways];
        let scratch = || Scratch::new(kernels);
        for Fold { train: rows, test } in &self.folds {
            let mut model = train(rows)?;
            // Without memory to prepare it a model answers the same, more slowly.
            let _ = model.prepare();
            let model = &model;
            let parts = executor.map(test.len().div_ceil(BATCH), scratch, |scratch, job| {
                let mut found = vec![Tally::of(rows.labels()); ways];
                for row in job * BATCH..((job + 1) * BATCH).min(test.len()) {
                    let truth = test.labels().row(row);
                    let mut count = |at: usize, best: &[Scored]| found[at].count(best, truth);
                    ask(model, test.rows().row(row), scratch, &mut count);
                }
                found
            });
            for found in parts {
                for (sum, found) in all.iter_mut().zip(&found) {
                    *sum = core::mem::take(sum).and(found);
                }
            }
        }
        Ok(all.iter_mut().map(Tally::figures).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{ALPHAS, Fold, Judge};
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::Model,
        parameters::NearestParameters,
        sparse::{SparseRows, SparseVec},
    };
    use alloc::vec::Vec;

    #[test]
    fn the_best_alpha_is_that_of_models_trained_with_each() {
        // Sixty directions all around; six in turn have the one label, then six the other.
        let (mut rows, mut labels) = (SparseRows::new(2), LabelLists::new(2));
        for row in 0..60u32 {
            let (sine, cosine) = libm::sincos(f64::from(row) * core::f64::consts::PI / 30.0);
            let row_of = [(0, cosine as f32), (1, sine as f32)];
            rows.push(SparseVec::from_pairs(row_of).unwrap().view())
                .unwrap();
            labels.push([row / 6 % 2]);
        }
        let data = Dataset::new(rows, labels, None).unwrap();
        let folds = [0, 1].map(|fold| {
            let (test, train): (Vec<usize>, Vec<usize>) = (0..60).partition(|row| row % 3 == fold);
            let [train, test] = [train, test].map(|rows| data.select(&rows));
            Fold { train, test }
        });
        let judge = Judge {
            folds: folds.into(),
        };
        let best = judge.neighbors(&Sequential, &Portable).unwrap();
        let found = ALPHAS.map(|alpha| {
            let train = |rows: &Dataset| {
                let parameters = NearestParameters {
                    alpha,
                    ..NearestParameters::default().within(rows.len())
                };
                Model::train_nearest(parameters, rows, None)
            };
            let figures = judge.judge(&train, &Sequential, &Portable).unwrap();
            (alpha, figures)
        });
        assert!(found.contains(&best), "{best:?} {found:?}");
        let most = found
            .iter()
            .map(|(_, figures)| figures.worth())
            .fold(0.0, f64::max);
        assert_eq!(best.1.worth(), most);
        assert!(
            found.iter().any(|(_, figures)| figures.worth() < most),
            "{found:?}"
        );
    }
}
