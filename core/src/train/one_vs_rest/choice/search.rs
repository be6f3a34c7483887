//! The search itself.

use super::{
    AnswerLimit, Budget, Choice, Given, Trial,
    additions::PRUNES,
    candidates::{Beside, Candidates, Mix},
    clock::Clock,
    folds::Fold,
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::linear::LinearModel,
    parameters::one_vs_rest::OneVsRest,
    search::Top,
    train::{
        Calibrating, TrainError, calibration,
        embedding::given_vectors::Prototypes,
        going,
        one_vs_rest::{centroids::centroids, fused::embedding_visits},
        precision::{Figures, Tally},
    },
};
use alloc::{vec, vec::Vec};
use core::{ops::ControlFlow, slice};

/// Costs and positive weights. On held-out rows of 20 sets each is the best of some, by up to two
/// points.
const COSTS: [(f64, f64); 6] = [
    (1.0, 1.0),
    (0.3, 3.0),
    (0.3, 1.0),
    (3.0, 1.0),
    (0.1, 10.0),
    (0.05, 40.0),
];

/// Exponents that are tried beside 1 where values differ.
const EXPONENTS: [f64; 2] = [0.5, 0.7];

/// Weights of centroids.
const CENTROIDS: [f64; 6] = [0.2, 0.0, 0.1, 0.35, 0.5, 0.8];

/// Priors that are tried with each setting.
const PRIORS: [f64; 2] = [0.0, 0.3];

/// Settings that are tried on more rows.
const FINALISTS: usize = 3;

/// Half of what a row's mean of P@1, P@3 and P@5 is taken to differ by, in the quadratic mean, from
/// one setting to the next: an assumption, not measured.
const CHANCE: f64 = 0.04;

/// The share of the rows below which trials on them say too little.
const LEAST_SHARE: f64 = 0.1;

/// A way to train, before anything is added to its scores.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub parameters: OneVsRest,
    pub mix: Mix,
    pub worth: f64,
    /// How much of it may be chance.
    pub chance: f64,
}

/// A search under way.
pub(super) struct Search<'a, P> {
    pub given: Given,
    pub folds: &'a [Fold],
    pub best: Setting,
    /// Prototypes over given vectors that may be added.
    pub given_vectors: Option<&'a dyn Prototypes>,
    /// Bytes of the file for what answers, if they are limited.
    pub room: Option<u64>,
    /// The limit to the time of an answer, and whether rows are of texts.
    pub limit: Option<(&'a dyn AnswerLimit, bool)>,
    tried: Vec<Trial>,
    /// What the chosen setting answered to held-out rows.
    pub calibrating: Calibrating,
    pub executor: &'a Executor,
    pub kernels: &'static dyn Kernels,
    progress: P,
    trials: usize,
    clock: Clock,
}

impl<'a, P: FnMut(usize, usize) -> ControlFlow<()>> Search<'a, P> {
    pub(crate) fn new(
        given: Given,
        start: OneVsRest,
        folds: &'a [Fold],
        (executor, kernels): (&'a Executor, &'static dyn Kernels),
        progress: P,
    ) -> Self {
        let mix = Mix {
            centroid: start.centroid,
            prior: start.prior,
            ..Mix::default()
        };
        Self {
            given,
            folds,
            best: Setting {
                parameters: start,
                mix,
                worth: 0.0,
                chance: 0.0,
            },
            given_vectors: None,
            room: None,
            limit: None,
            tried: Vec::new(),
            calibrating: Calibrating::default(),
            executor,
            kernels,
            progress,
            trials: 0,
            clock: Clock::start(executor),
        }
    }

    /// What was chosen.
    pub(crate) fn choice(self) -> Choice {
        Choice {
            ended: self.ended(),
            parameters: OneVsRest {
                centroid: self.best.mix.centroid,
                prior: self.best.mix.prior,
                softmax: self.best.mix.softmax,
                ..self.best.parameters
            },
            fused: self.best.mix.fused(),
            tried: self.tried,
            calibrating: self.calibrating,
            held_out: self.folds.iter().map(|fold| fold.test.len()).sum(),
        }
    }

    pub(crate) fn run(&mut self, data: &Dataset, budget: Budget) -> Result<(), TrainError> {
        let whole = self.best.parameters.work(data, 1.0);
        let allowed = budget.of(whole);
        // What comes after: a training on a division and the last one, with an embedding each.
        let vectors = self
            .given_vectors
            .map_or(0.0, |vectors| vectors.visits(data));
        let rest = 2.0 * (whole + embedding_visits(data) + vectors);
        let mut settings = self.settings();
        let exponents = self.exponents(data);
        self.trials = settings.len() + exponents.len() + 2 * FINALISTS;
        let trials = settings.len() + exponents.len();
        let first = Rung::new(0.35 * allowed, trials as f64 * whole);
        self.attempt_all((&mut settings, 0), first, (whole, rest))?;
        sort(&mut settings);
        // The exponent is tried with the best cost.
        let tried = settings.len();
        for exponent in exponents {
            let mut setting = settings[0].clone();
            setting.parameters.exponent = exponent;
            settings.push(setting);
        }
        self.attempt_all((&mut settings, tried), first, (whole, rest))?;
        sort(&mut settings);
        settings.truncate(FINALISTS);
        let second = Rung::new(0.35 * allowed, FINALISTS as f64 * whole);
        // Where trials on the least share took nearly all of it, finalists would see little more.
        let spent = first.share * (first.folds * trials) as f64 * whole;
        let is_left = 0.7 * allowed - spent >= LEAST_SHARE * FINALISTS as f64 * whole;
        let differs = second.within(self.folds.len()) != first.within(self.folds.len());
        if settings.len() > 1 && is_left && differs {
            self.attempt_all((&mut settings, 0), second, (whole, rest))?;
            sort(&mut settings);
        }
        self.best = settings.swap_remove(0);
        self.trials = self.tried.len() + 5;
        let judged = Rung::new(0.3 * allowed, whole).folds;
        match self.ended() {
            true => self.finish(1, 0.0),
            false => self.finish(judged.max(self.folds_to_calibrate(data)), allowed),
        }
    }

    /// Divisions that calibration needs, where no other model can be trained for it.
    fn folds_to_calibrate(&self, data: &Dataset) -> usize {
        match self.given_vectors {
            Some(_) => calibration::folds(data.labels().measured()) as usize,
            None => 0,
        }
    }

    /// Judges settings from one on as long as there is time for `rest` afterwards; those that were
    /// not judged go, but the first stays. A training on all rows is `whole`.
    fn attempt_all(
        &mut self,
        (settings, from): (&mut Vec<Setting>, usize),
        rung: Rung,
        (whole, rest): (f64, f64),
    ) -> Result<(), TrainError> {
        let Rung { share, folds } = rung.within(self.folds.len());
        let work = share * folds as f64 * whole;
        for at in from..settings.len() {
            if self.clock.ends(self.executor, work + rest) {
                settings.truncate(at.max(1));
                break;
            }
            self.attempt(&mut settings[at], rung)?;
            self.clock.add(self.executor, work);
        }
        Ok(())
    }

    /// Whether time ended the trials.
    pub(super) fn ended(&self) -> bool {
        self.clock.ended(self.executor)
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

    /// Judges a setting with the best of what can be added.
    fn attempt(&mut self, setting: &mut Setting, rung: Rung) -> Result<(), TrainError> {
        let Rung { share, folds } = rung.within(self.folds.len());
        let mixes = self.mixes();
        let mut found = vec![Tally::default(); mixes.len()];
        for fold in &self.folds[..folds] {
            let Some(train) = fold.sampled(share) else {
                continue;
            };
            let model = self.train(&setting.parameters, &train)?;
            let centroids = centroids(&setting.parameters, &train, self.executor)?;
            let beside = Beside {
                within: Mix::default(),
                centroids: Some(&centroids),
                softmax: None,
                embeddings: &[],
                nearest: None,
                frequencies: &train.labels().frequencies(),
            };
            let test = &fold.test;
            let candidates = Candidates::new(&model, &beside, test, self.executor, self.kernels)?;
            let mut top = Top::default();
            for (found, &mix) in found.iter_mut().zip(&mixes) {
                *found = core::mem::take(found).and(&Tally::of(train.labels()));
                candidates.judge(mix, fold.test.labels(), &mut top, found);
            }
        }
        let found: Vec<Figures> = found.iter_mut().map(Tally::figures).collect();
        let at = best_of(&found);
        setting.mix = mixes[at];
        setting.worth = found[at].worth();
        setting.chance = chance(found[at].rows);
        self.tell(setting, found[at], Rung { share, folds })
    }

    /// The centroids and priors that are not given; the plain ones first.
    pub(crate) fn mixes(&self) -> Vec<Mix> {
        let Given {
            centroid, prior, ..
        } = &self.given;
        let centroids = centroid.as_ref().map_or(&CENTROIDS[..], slice::from_ref);
        let mut mixes = Vec::new();
        for &prior in prior.as_ref().map_or(&PRIORS[..], slice::from_ref) {
            mixes.extend(centroids.iter().map(|&centroid| Mix {
                centroid,
                prior,
                ..Mix::default()
            }));
        }
        mixes
    }

    pub(crate) fn train(
        &self,
        parameters: &OneVsRest,
        data: &Dataset,
    ) -> Result<LinearModel, TrainError> {
        let bare = OneVsRest {
            centroid: 0.0,
            prior: 0.0,
            softmax: 0.0,
            prune: parameters.prune.min(PRUNES[0]),
            ..parameters.clone()
        };
        bare.train(data, self.executor, self.kernels, |_| {
            ControlFlow::Continue(())
        })
    }

    pub(crate) fn tell(
        &mut self,
        setting: &Setting,
        found: Figures,
        rung: Rung,
    ) -> Result<(), TrainError> {
        self.tried.push(Trial {
            parameters: OneVsRest {
                centroid: setting.mix.centroid,
                prior: setting.mix.prior,
                softmax: setting.mix.softmax,
                ..setting.parameters.clone()
            },
            fused: setting.mix.fused(),
            worth: found.worth(),
            precision: found.precision.mean(),
            at_1: found.precision.at_1,
            judged: found.rows,
            folds: rung.folds,
            share: rung.share,
        });
        let done = self.tried.len();
        going((self.progress)(done, self.trials.max(done)))
    }
}

/// What a trial looks at: so many divisions of the rows, and a share of those to train on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rung {
    pub share: f64,
    pub folds: usize,
}

impl Rung {
    /// As much as is allowed of work that is `whole` for all rows once.
    fn new(allowed: f64, whole: f64) -> Self {
        let times = allowed / whole.max(1.0);
        Self {
            share: times.clamp(LEAST_SHARE, 1.0),
            folds: times.max(1.0) as usize,
        }
    }

    /// All rows but those held out, on so many divisions.
    pub(super) fn all(folds: usize) -> Self {
        Self { share: 1.0, folds }
    }

    /// No more divisions than there are.
    pub(crate) fn within(self, folds: usize) -> Self {
        Self {
            folds: self.folds.min(folds),
            ..self
        }
    }
}

/// A difference in precision on so many rows that is chance: half its standard error. It pays for
/// no other setting than an earlier one, and for no larger model.
pub(super) fn chance(rows: usize) -> f64 {
    CHANCE / crate::float::sqrt(rows.max(1) as f64)
}

/// The first that is not clearly worse than any other.
pub(super) fn best_of(found: &[Figures]) -> usize {
    let highest = found.iter().map(Figures::worth).fold(0.0, f64::max);
    let least = highest - found.first().map_or(0.0, |first| chance(first.rows));
    let first = found.iter().position(|found| found.worth() >= least);
    first.unwrap_or(0)
}

/// The most precise first; of those that are equal but for chance the one that was tried first.
fn sort(settings: &mut [Setting]) {
    let best = settings.iter().map(|s| s.worth - s.chance);
    let least = best.fold(f64::NEG_INFINITY, f64::max);
    settings.sort_by(|a, b| {
        let [a, b] = [a, b].map(|s| f64::min(s.worth, least));
        b.total_cmp(&a)
    });
}
