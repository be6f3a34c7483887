//! Choosing the parameters that were not given, by the precision on training rows held out.
//!
//! Problem: cost, positive weight, exponent, bias, pruning and the weight of centroids have best values that differ from data set to data
//! set, mostly with how noisy the labels are, which no count tells. A few settings are tried, one parameter after
//! the other: each is trained on nine tenths of the rows and judged by the mean of P@1, P@3 and P@5 on the
//! others. Of less than 5,000 rows a fifth is held out, and several times, until about 1,000
//! rows have been judged; less than 100 rows are too few to hold any out, and the counts decide; a setting that is a point behind on the first of these is dropped. Test rows have no part
//! in it.
//!
//! Cost: at most thirteen trainings, with few epochs and rounds, on so many rows that labels times
//! stored values stay below 120 million: a few seconds. Where less than half of the rows would remain, trying
//! would take longer than training: then the counts decide ([`super::automatic`]).

use super::{
    parameters::{Bias, Negatives, OneVsRest},
    precision::Precision,
};
use crate::{
    data::{Dataset, Split},
    executor::Executor,
    kernels::OneVsRestKernels,
    model::linear::LinearModel,
    train::{TrainError, check_data},
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;

/// What the user decided: these are not tried.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Given {
    /// C.
    pub cost: Option<f64>,
    /// How many times dearer the loss of rows with the label is.
    pub positive_weight: Option<f64>,
    /// The exponent of values.
    pub exponent: Option<f64>,
    /// The bias.
    pub bias: Option<Bias>,
    /// Weights up to this size are left out.
    pub prune: Option<f32>,
    /// How many times the direction of the mean row is added.
    pub centroid: Option<f64>,
    /// The weight of priors. Like those below never tried: the counts decide where it is not given.
    pub prior: Option<f64>,
    /// Random rows in the pool.
    pub pool: Option<u32>,
    /// Labels proposed for each row when mining.
    pub mine: Option<u32>,
    /// How exactly labels are solved.
    pub epsilon: Option<f64>,
}

/// A setting and how well it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub parameters: OneVsRest,
    /// The mean of P@1, P@3 and P@5 on the held-out rows, from 0 to 1.
    pub precision: f64,
    /// Number of rows judged: less than [`Choice::held_out`] for a setting that fell far behind on the first of them.
    pub judged: usize,
}

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The parameters.
    pub parameters: OneVsRest,
    /// Every trial in its order; empty if the counts decided.
    pub tried: Vec<Trial>,
    /// Number of rows held out.
    pub held_out: usize,
}

/// Labels times stored values of the rows that are tried on, at most.
const MOST_WORK: u64 = 120_000_000;

/// Rows below which what is held out says nothing: then the counts decide.
const TOO_FEW_ROWS: usize = 100;

/// Rows below which a fifth is held out, not a tenth, and more than once.
const FEW_ROWS: usize = 5_000;

/// Held-out rows that are enough.
const ENOUGH: usize = 1_000;

/// Held-out rows that are more than enough.
const MOST_HELD_OUT: f64 = 5_000.0;

/// Costs and positive weights that are tried beside those of the counts.
const COSTS: [(f64, f64); 5] = [(0.1, 2.0), (0.1, 10.0), (0.3, 3.0), (0.4, 8.0), (1.0, 1.0)];

/// Exponents that are tried where values differ.
const EXPONENTS: [f64; 3] = [0.5, 0.7, 1.0];

/// Weights of centroids that are tried.
const CENTROIDS: [f64; 3] = [0.0, 0.2, 0.5];

/// Sizes of weights up to which they are left out, the largest first.
const PRUNES: [f32; 4] = [0.15, 0.11, 0.07, 0.04];

/// The share of stored values from which rows count as dense.
const DENSE: f64 = 0.2;

/// A setting so much behind the best on the first held-out rows is not tried on others.
const HOPELESS: f64 = 0.01;

/// So much precision is chance: it pays for no larger model, and for no way off the counts.
const FREE: f64 = 0.000_5;

impl Choice {
    /// No choice takes more trials.
    pub const MOST_TRIALS: usize =
        1 + COSTS.len() + EXPONENTS.len() + 1 + CENTROIDS.len() + PRUNES.len();
}

impl Given {
    /// The given values in place of those of `base`.
    #[must_use]
    pub fn over(&self, base: &OneVsRest) -> OneVsRest {
        OneVsRest {
            cost: self.cost.unwrap_or(base.cost),
            positive_weight: self.positive_weight.unwrap_or(base.positive_weight),
            exponent: self.exponent.unwrap_or(base.exponent),
            bias: self.bias.unwrap_or(base.bias),
            prune: self.prune.unwrap_or(base.prune),
            centroid: self.centroid.unwrap_or(base.centroid),
            prior: self.prior.unwrap_or(base.prior),
            pool: self.pool.unwrap_or(base.pool),
            mine: self.mine.unwrap_or(base.mine),
            epsilon: self.epsilon.unwrap_or(base.epsilon),
            ..base.clone()
        }
    }

    fn all(&self) -> bool {
        self.cost.is_some()
            && self.positive_weight.is_some()
            && self.exponent.is_some()
            && self.bias.is_some()
            && self.prune.is_some()
            && self.centroid.is_some()
    }
}

impl OneVsRest {
    /// Chooses the parameters of [`Given`] for `data` where they are not given; all other parameters are those of `self`. `progress` hears how many trials are done.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; lack of memory.
    pub fn choose<E: Executor>(
        &self,
        given: &Given,
        data: &Dataset,
        executor: &E,
        kernels: &dyn OneVsRestKernels,
        mut progress: impl FnMut(usize),
    ) -> Result<Choice, TrainError> {
        let counted = Self::by_counts(data);
        let start = given.over(&Self {
            cost: counted.cost,
            positive_weight: counted.positive_weight,
            exponent: counted.exponent,
            centroid: counted.centroid,
            prune: counted.prune,
            prior: counted.prior,
            pool: counted.pool,
            mine: counted.mine,
            epsilon: self.default_epsilon(data),
            ..self.clone()
        });
        start.check()?;
        check_data(data)?;
        let parts = match given.all() {
            true => Vec::new(),
            false => folds(data, self.seed),
        };
        if parts.is_empty() {
            return Ok(Choice {
                parameters: start,
                tried: Vec::new(),
                held_out: 0,
            });
        }
        let cells = data.len() as f64 * f64::from(data.rows().features());
        let mut search = Search {
            parts: &parts,
            best: start,
            precision: 0.0,
            first: 0.0,
            tried: Vec::new(),
            dense: data.rows().nonzeros() as f64 >= DENSE * cells,
            all: self.takes_all(data),
            executor,
            kernels,
            progress: &mut progress,
        };
        search.run(given, values_differ(data))?;
        Ok(Choice {
            parameters: search.best,
            tried: search.tried,
            held_out: parts.iter().map(|(_, test)| test.len()).sum(),
        })
    }
}

/// Training rows and held-out rows, once or more; none if data are too large or too small to try.
fn folds(data: &Dataset, seed: u64) -> Vec<(Dataset, Dataset)> {
    let work = u64::from(data.labels().labels()) * data.rows().nonzeros() as u64;
    let most = (MOST_WORK as f64 / work.max(1) as f64).min(1.0);
    if most < 0.5 || data.len() < TOO_FEW_ROWS {
        return Vec::new();
    }
    let few = data.len() < FEW_ROWS;
    let share = if few { 0.2 } else { 0.1 };
    let share = f64::min(share, MOST_HELD_OUT / data.len() as f64);
    let times = if few {
        ENOUGH.div_ceil((data.len() / 5).max(1)).min(5)
    } else {
        1
    };
    let one = |fold: usize| {
        let split = Split::new(data.len(), share, seed.wrapping_add(fold as u64)).ok()?;
        let kept = (split.train().len() as f64 * most) as usize;
        // Rows are held out at random: to leave some out, too, any will do.
        let step = split.train().len() as f64 / kept.max(1) as f64;
        let rows: Vec<usize> = (0..kept)
            .filter_map(|at| split.train().get((at as f64 * step) as usize).copied())
            .collect();
        let parts = (data.select(&rows), data.select(split.held_out()));
        check_data(&parts.0).is_ok().then_some(parts)
    };
    (0..times).filter_map(one).collect()
}

/// Whether any row has values of different size, which an exponent would change.
fn values_differ(data: &Dataset) -> bool {
    data.rows().iter().any(|row| {
        let values = row.values();
        values.iter().any(|v| v.abs() != values[0].abs())
    })
}

struct Search<'a, E, P> {
    parts: &'a [(Dataset, Dataset)],
    best: OneVsRest,
    /// Of the best.
    precision: f64,
    /// The highest precision on the first held-out rows.
    first: f64,
    tried: Vec<Trial>,
    /// Whether rows hold a good part of all features, so that a fixed bias may not do.
    dense: bool,
    /// Whether training will take all negatives: then trials on fewer rows do, too.
    all: bool,
    executor: &'a E,
    kernels: &'a dyn OneVsRestKernels,
    progress: &'a mut P,
}

impl<E: Executor, P: FnMut(usize)> Search<'_, E, P> {
    fn run(&mut self, given: &Given, values_differ: bool) -> Result<(), TrainError> {
        let mut best = self.best.clone();
        self.attempt(best.clone())?;
        for (cost, positive_weight) in COSTS {
            let base = OneVsRest {
                cost,
                positive_weight,
                ..best.clone()
            };
            self.attempt(given.over(&base))?;
        }
        best = self.best.clone();
        if values_differ {
            for exponent in EXPONENTS {
                let base = OneVsRest {
                    exponent,
                    ..best.clone()
                };
                self.attempt(given.over(&base))?;
            }
        }
        if self.dense {
            let base = OneVsRest {
                bias: Bias::Learned(1.0),
                ..self.best.clone()
            };
            self.attempt(given.over(&base))?;
        }
        best = self.best.clone();
        for centroid in CENTROIDS {
            let base = OneVsRest {
                centroid,
                ..best.clone()
            };
            self.attempt(given.over(&base))?;
        }
        if given.prune.is_none() {
            self.prune()?;
        }
        Ok(())
    }

    /// Tries a setting, unless it was tried before.
    fn attempt(&mut self, parameters: OneVsRest) -> Result<(), TrainError> {
        if self
            .tried
            .iter()
            .any(|trial| trial.parameters == parameters)
        {
            return Ok(());
        }
        let (mut hits, mut hopeless) = (Precision::default(), false);
        for (fold, (train, test)) in self.parts.iter().enumerate() {
            let model = self.train(&parameters, train)?;
            hits.add(&model, test, self.executor, self.kernels)?;
            if fold == 0 {
                self.first = self.first.max(hits.mean());
                hopeless = hits.mean() < self.first - HOPELESS;
            }
            if hopeless {
                break;
            }
        }
        let precision = hits.mean();
        if self.tried.is_empty() || (!hopeless && precision > self.precision + FREE) {
            (self.best, self.precision) = (parameters.clone(), precision);
        }
        self.tried.push(Trial {
            parameters,
            precision,
            judged: hits.rows(),
        });
        (self.progress)(self.tried.len());
        Ok(())
    }

    fn train(&self, parameters: &OneVsRest, data: &Dataset) -> Result<LinearModel, TrainError> {
        let quick = OneVsRest {
            rounds: parameters.rounds.min(2),
            max_epochs: parameters.max_epochs.min(8),
            negatives: match self.all {
                true => Negatives::All,
                false => Negatives::Mined,
            },
            ..parameters.clone()
        };
        quick.train(data, self.executor, self.kernels, |_| {
            ControlFlow::Continue(())
        })
    }

    /// The most pruning that costs next to nothing.
    fn prune(&mut self) -> Result<(), TrainError> {
        let full = OneVsRest {
            prune: 0.02,
            ..self.best.clone()
        };
        let mut hits = vec![Precision::default(); PRUNES.len()];
        for (train, test) in self.parts {
            let model = self.train(&full, train)?;
            for (hits, &prune) in hits.iter_mut().zip(&PRUNES) {
                let pruned = model.pruned(prune, full.bits);
                hits.add(&pruned, test, self.executor, self.kernels)?;
            }
        }
        let highest = hits.iter().map(Precision::mean).fold(0.0, f64::max);
        let trials = PRUNES.iter().zip(&hits).map(|(&prune, hits)| Trial {
            parameters: OneVsRest {
                prune,
                ..full.clone()
            },
            precision: hits.mean(),
            judged: hits.rows(),
        });
        self.tried.extend(trials);
        let fits = hits.iter().position(|hits| hits.mean() >= highest - FREE);
        self.best.prune = PRUNES[fits.unwrap_or(PRUNES.len() - 1)];
        Ok(())
    }
}
