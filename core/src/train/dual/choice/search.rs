//! The search itself.

use super::{
    Choice, Given, Trial,
    candidates::{Beside, Candidates, Mix},
    folds::Fold,
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::OneVsRestKernels,
    model::{
        linear::{LinearModel, fused::FusedNearest},
        nearest::Nearest,
    },
    search::Top,
    train::{
        TrainError,
        dual::{centroids::centroids, parameters::OneVsRest, precision::Precision},
    },
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;

/// The work of all trials, as a share of that of the final training.
pub const SHARE: f64 = 1.0;

/// Work that is small whatever the final training takes: visits of a stored value by a label, about a second's.
pub const SMALL: f64 = 8e8;

/// Costs and positive weights. On held-out rows of 24 sets each but the last two was the best of at least two sets.
const COSTS: [(f64, f64); 7] = [
    (1.0, 1.0),
    (0.3, 3.0),
    (0.3, 1.0),
    (0.1, 10.0),
    (1.0, 3.0),
    (3.0, 1.0),
    (0.05, 40.0),
];

/// Exponents that are tried beside 1 where values differ.
const EXPONENTS: [f64; 2] = [0.5, 0.7];

/// Weights of centroids.
const CENTROIDS: [f64; 6] = [0.2, 0.0, 0.1, 0.35, 0.5, 0.8];

/// Weights of priors.
const PRIORS: [f64; 2] = [0.0, 0.3];

/// Weights of neighbors' votes.
const NEIGHBORS: [f32; 7] = [0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5];

/// Sizes of weights up to which they are left out, the largest first.
const PRUNES: [f32; 6] = [0.2, 0.15, 0.11, 0.07, 0.04, 0.02];

/// Settings that are tried on more rows.
const FINALISTS: usize = 3;

/// So much precision is chance: it pays for no other setting, and for no larger model.
const FREE: f64 = 0.000_5;

/// So much precision pays for an index of neighbors, which makes the file two to three times as large and an answer several times as slow.
const WORTH_NEIGHBORS: f64 = 0.003;

/// The share of the rows below which trials on them say too little.
const LEAST_SHARE: f64 = 0.05;

/// A way to train, before anything is added to its scores.
#[derive(Clone, Debug)]
struct Setting {
    parameters: OneVsRest,
    mix: Mix,
    precision: f64,
}

/// A search under way.
pub(super) struct Search<'a, E, P> {
    given: Given,
    folds: &'a [Fold],
    best: Setting,
    neighbors: f32,
    tried: Vec<Trial>,
    executor: &'a E,
    kernels: &'static dyn OneVsRestKernels,
    progress: P,
    trials: usize,
}

impl<'a, E: Executor, P: FnMut(usize, usize)> Search<'a, E, P> {
    pub fn new(
        given: Given,
        start: OneVsRest,
        folds: &'a [Fold],
        (executor, kernels): (&'a E, &'static dyn OneVsRestKernels),
        progress: P,
    ) -> Self {
        let mix = Mix {
            centroid: start.centroid,
            prior: start.prior,
            neighbors: 0.0,
        };
        Self {
            given,
            folds,
            best: Setting {
                parameters: start,
                mix,
                precision: 0.0,
            },
            neighbors: 0.0,
            tried: Vec::new(),
            executor,
            kernels,
            progress,
            trials: 0,
        }
    }

    /// What was chosen.
    pub fn choice(self) -> Choice {
        Choice {
            parameters: OneVsRest {
                centroid: self.best.mix.centroid,
                prior: self.best.mix.prior,
                ..self.best.parameters
            },
            neighbors: self.neighbors,
            tried: self.tried,
            held_out: self.folds.iter().map(|fold| fold.test.len()).sum(),
        }
    }

    pub fn run(&mut self, data: &Dataset) -> Result<(), TrainError> {
        let whole = self.best.parameters.work(data, 1.0);
        let allowed = f64::max(SHARE * whole, SMALL);
        let mut settings = self.settings();
        let exponents = self.exponents(data);
        self.trials = settings.len() + exponents.len() + 2 * FINALISTS + 1;
        let first = share(
            0.4 * allowed,
            (settings.len() + exponents.len()) as f64 * whole,
        );
        for setting in &mut settings {
            self.attempt(setting, 1, first)?;
        }
        sort(&mut settings);
        // The exponent is tried with the best cost.
        for exponent in exponents {
            let mut setting = settings[0].clone();
            setting.parameters.exponent = exponent;
            self.attempt(&mut setting, 1, first)?;
            settings.push(setting);
        }
        sort(&mut settings);
        settings.truncate(FINALISTS);
        let second = share(0.4 * allowed, FINALISTS as f64 * whole);
        let folds =
            ((0.4 * allowed / (FINALISTS as f64 * whole)) as usize).clamp(1, self.folds.len());
        if settings.len() > 1 && (second > first || folds > 1) {
            for setting in &mut settings {
                self.attempt(setting, folds, second)?;
            }
            sort(&mut settings);
        }
        self.best = settings.swap_remove(0);
        self.trials = self.tried.len() + 1;
        self.finish(share(0.2 * allowed, whole))
    }

    /// The settings of costs that are not given; the plain one first.
    fn settings(&self) -> Vec<Setting> {
        let mut settings: Vec<Setting> = Vec::new();
        for (cost, positive_weight) in COSTS {
            let base = OneVsRest {
                cost,
                positive_weight,
                ..self.best.parameters.clone()
            };
            let parameters = self.given.over(&base);
            if settings.iter().all(|other| other.parameters != parameters) {
                settings.push(Setting {
                    parameters,
                    ..self.best.clone()
                });
            }
        }
        settings
    }

    fn exponents(&self, data: &Dataset) -> Vec<f64> {
        let differ = data.rows().iter().any(|row| {
            let values = row.values();
            values.iter().any(|v| v.abs() != values[0].abs())
        });
        match self.given.exponent.is_none() && differ {
            true => EXPONENTS.to_vec(),
            false => Vec::new(),
        }
    }

    /// Judges a setting on the first `folds` folds, trained on `share` of their rows, with the best of what can be added.
    fn attempt(
        &mut self,
        setting: &mut Setting,
        folds: usize,
        share: f64,
    ) -> Result<(), TrainError> {
        let mixes = self.mixes();
        let mut found = vec![Precision::default(); mixes.len()];
        for fold in &self.folds[..folds] {
            let Some(train) = fold.sampled(share) else {
                continue;
            };
            let model = self.train(&setting.parameters, &train)?;
            let candidates = self.candidates(&model, &train, setting, None, &fold.test)?;
            let mut top = Top::default();
            for (found, &mix) in found.iter_mut().zip(&mixes) {
                *found = found.and(candidates.judge(mix, fold.test.labels(), &mut top));
            }
        }
        let at = best_of(&found);
        setting.mix = mixes[at];
        setting.precision = found[at].mean();
        self.tell(setting, 0.0, found[at], share);
        Ok(())
    }

    /// The centroids and priors that are not given; the plain ones first.
    fn mixes(&self) -> Vec<Mix> {
        let centroids = self
            .given
            .centroid
            .map_or(CENTROIDS.to_vec(), |given| vec![given]);
        let priors = self
            .given
            .prior
            .map_or(PRIORS.to_vec(), |given| vec![given]);
        let with = |prior: f64| {
            let of = move |&centroid: &f64| Mix {
                centroid,
                prior,
                neighbors: 0.0,
            };
            centroids.iter().map(of).collect::<Vec<Mix>>()
        };
        priors.into_iter().flat_map(with).collect()
    }

    fn train(&self, parameters: &OneVsRest, data: &Dataset) -> Result<LinearModel, TrainError> {
        let bare = OneVsRest {
            centroid: 0.0,
            prior: 0.0,
            prune: parameters.prune.min(PRUNES[PRUNES.len() - 1]),
            ..parameters.clone()
        };
        bare.train(data, self.executor, self.kernels, |_| {
            ControlFlow::Continue(())
        })
    }

    fn candidates(
        &self,
        linear: &LinearModel,
        train: &Dataset,
        setting: &Setting,
        nearest: Option<&Nearest>,
        test: &Dataset,
    ) -> Result<Candidates, TrainError> {
        let centroids = centroids(&setting.parameters, train, self.executor)?;
        let beside = Beside {
            centroids: &centroids,
            nearest,
            frequencies: &train.labels().frequencies(),
        };
        Candidates::new(linear, &beside, test, self.executor, self.kernels)
    }

    fn tell(&mut self, setting: &Setting, neighbors: f32, found: Precision, share: f64) {
        self.tried.push(Trial {
            parameters: OneVsRest {
                centroid: setting.mix.centroid,
                prior: setting.mix.prior,
                ..setting.parameters.clone()
            },
            neighbors,
            precision: found.mean(),
            at_1: found.at_1(),
            judged: found.rows(),
            share,
        });
        (self.progress)(self.tried.len(), self.trials.max(self.tried.len()));
    }

    /// The weight of neighbors, and the most pruning that costs next to nothing.
    fn finish(&mut self, share: f64) -> Result<(), TrainError> {
        let asked = self.given.neighbors.unwrap_or(true);
        if !asked && self.given.prune.is_some() {
            return Ok(());
        }
        let fold = &self.folds[0];
        let Some(train) = fold.sampled(share) else {
            return Ok(());
        };
        let model = self.train(&self.best.parameters, &train)?;
        let setting = self.best.clone();
        if asked {
            let near = FusedNearest::neighbors(&train)?;
            let candidates = self.candidates(&model, &train, &setting, Some(&near), &fold.test)?;
            self.weigh_neighbors(&candidates, fold, share);
        }
        if self.given.prune.is_none() {
            self.prune(&train, fold, share)?;
        }
        Ok(())
    }

    fn weigh_neighbors(&mut self, candidates: &Candidates, fold: &Fold, share: f64) {
        let mut top = Top::default();
        let mut judge = |mix| candidates.judge(mix, fold.test.labels(), &mut top);
        let alone = judge(self.best.mix);
        let mut found: Vec<(Mix, Precision)> = Vec::new();
        for mix in self.mixes() {
            for neighbors in NEIGHBORS {
                let mix = Mix { neighbors, ..mix };
                found.push((mix, judge(mix)));
            }
        }
        let precisions: Vec<Precision> = found.iter().map(|(_, precision)| *precision).collect();
        let (mix, with) = found[best_of(&precisions)];
        let wanted = self.given.neighbors == Some(true);
        if wanted || with.mean() >= alone.mean() + WORTH_NEIGHBORS {
            self.best.mix = mix;
            self.neighbors = mix.neighbors;
        }
        let setting = Setting {
            mix,
            ..self.best.clone()
        };
        self.tell(&setting, mix.neighbors, with, share);
    }

    /// Chooses how much is left out of the weights, centroids in them. What neighbors add is left out of this.
    fn prune(&mut self, train: &Dataset, fold: &Fold, share: f64) -> Result<(), TrainError> {
        let full = OneVsRest {
            centroid: self.best.mix.centroid,
            prior: self.best.mix.prior,
            prune: PRUNES[PRUNES.len() - 1],
            ..self.best.parameters.clone()
        };
        let go_on = |_| ControlFlow::Continue(());
        let model = full.train(train, self.executor, self.kernels, go_on)?;
        let none = Mix {
            centroid: 0.0,
            prior: 0.0,
            neighbors: 0.0,
        };
        let mut found = Vec::new();
        for prune in PRUNES {
            let pruned = model.pruned(prune, full.bits);
            let candidates =
                self.candidates(&pruned, train, &self.best.clone(), None, &fold.test)?;
            found.push(candidates.judge(none, fold.test.labels(), &mut Top::default()));
        }
        let highest = found.iter().map(Precision::mean).fold(0.0, f64::max);
        let fits = found
            .iter()
            .position(|found| found.mean() >= highest - FREE);
        let at = fits.unwrap_or(PRUNES.len() - 1);
        self.best.parameters.prune = PRUNES[at];
        let setting = self.best.clone();
        self.tell(&setting, 0.0, found[at], share);
        Ok(())
    }
}

/// The share of rows on which work that is `whole` on all of them is what is allowed.
fn share(allowed: f64, whole: f64) -> f64 {
    (allowed / whole.max(1.0)).clamp(LEAST_SHARE, 1.0)
}

/// The first that is not clearly worse than any other.
fn best_of(found: &[Precision]) -> usize {
    let highest = found.iter().map(Precision::mean).fold(0.0, f64::max);
    let first = found
        .iter()
        .position(|found| found.mean() >= highest - FREE);
    first.unwrap_or(0)
}

/// The most precise first; of those that are equal but for chance the one that was tried first.
fn sort(settings: &mut [Setting]) {
    let highest = settings.iter().map(|s| s.precision).fold(0.0, f64::max);
    settings.sort_by(|a, b| {
        let [a, b] = [a, b].map(|s| f64::min(s.precision, highest - FREE));
        b.total_cmp(&a)
    });
}
