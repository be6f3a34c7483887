//! Choosing the parameters that were not given, by the precision on training rows held out.
//!
//! Problem: cost, positive weight, exponent, pruning and what is added to the scores (centroids,
//! priors, softmax regression, an embedding, neighbors) have best values that differ from data set
//! to data set, mostly with how noisy the labels are, which no count tells. Settings are trained on
//! nine tenths of the rows and judged on the others by the mean of P@1, P@3 and P@5 and a tenth of
//! macro-F1. Of less than 5,000 rows a fifth is held out, and several times; with less than 100
//! rows nothing is held out, and [`OneVsRest::default`] stands. Test rows have no part in it.
//!
//! All settings start equal, in a row of rounds (successive halving; Jamieson and Talwalkar,
//! AISTATS 2016): each is tried on a share of the rows, the three best on more of them. What is
//! added to the scores needs no training of its own: it is judged on the [`candidates`](self) of
//! each held-out row. Then come pruning, an embedding, softmax regression over the weights that are
//! left (which ends early where it gains nothing), neighbors, and the prior for all of these
//! together.
//!
//! Cost: counted in visits of a stored value by a label, not in time, so that equal data make equal
//! choices: for rows one and a half times the final training, up to six times where that is a few
//! seconds; for texts, whose features have taken trials before, three quarters, up to twice where
//! that is a second. Only where somebody limits the time
//! (`Workers::trial_seconds`) does a [clock] end the rounds between two trials; pruning and the
//! heads then see one division.

mod additions;
mod answer_time;
mod candidates;
mod clock;
mod features;
mod fitting;
mod folds;
mod heads;
mod judge;
mod search;

use super::{fused::FusedWeights, trainer::VERY_MANY_LABELS};
use crate::parameters::one_vs_rest::{Bias, OneVsRest};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::linear::fused_embedding::GIVEN,
    train::{Calibrating, TrainError, check_data, embedding::given_vectors::Prototypes},
};
use alloc::vec::Vec;
pub(crate) use answer_time::{AnswerLimit, Beside};
use core::ops::ControlFlow;
pub use features::{FeatureChoice, FeatureTrial, GivenFeatures, choose_features};
use fitting::room;
use folds::Fold;
pub(crate) use judge::Judge;
use search::Search;

/// Random rows in the pool where labels are very many, each of which then counts as several: for
/// the precision of the default two thirds of the time (`benches/record/one-vs-rest.md`).
const POOL_OF_VERY_MANY: u32 = 2_000;

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
    /// The weight of priors.
    pub prior: Option<f64>,
    /// The weight of softmax regression over the stored weights.
    pub softmax: Option<f64>,
    /// Random rows in the pool.
    pub pool: Option<u32>,
    /// Labels proposed for each row when mining.
    pub mine: Option<u32>,
    /// How exactly labels are solved.
    pub epsilon: Option<f64>,
    /// The weight of an embedding beside the machines.
    pub embedding: Option<f64>,
    /// Whether neighbors vote, too: if so, their weight is always fitted.
    pub neighbors: Option<bool>,
    /// The most bytes of the model's file, if the model is made as small afterwards: an embedding
    /// and neighbors that find no room beside the weights are not tried.
    pub max_bytes: Option<u64>,
}

/// How much work trials may take together: visits of a stored value by a label, each less than a
/// nanosecond.
#[derive(Clone, Copy)]
struct Budget {
    /// As a share of the final training's, however long that takes.
    share: f64,
    /// The same where that stays below `most`.
    generous: f64,
    /// Work up to which trials take the generous share.
    most: f64,
    /// Work that is always allowed.
    small: f64,
}

impl Budget {
    const ROWS: Self = Self {
        share: 1.5,
        generous: 6.0,
        most: 6e9,
        small: 4e8,
    };

    const TEXTS: Self = Self {
        share: 0.75,
        generous: 2.0,
        most: 2e9,
        small: 3e8,
    };

    /// What is allowed beside a final training of this work.
    fn of(self, whole: f64) -> f64 {
        let generous = f64::min(self.generous * whole, self.most);
        generous.max(self.share * whole).max(self.small)
    }
}

/// A setting and how well it did.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What was tried.
    pub parameters: OneVsRest,
    /// What answers beside the machines.
    pub fused: FusedWeights,
    /// What settings are compared by: the mean of P@1, P@3 and P@5 and a tenth of macro-F1.
    pub worth: f64,
    /// The mean of P@1, P@3 and P@5 on the held-out rows, from 0 to 1.
    pub precision: f64,
    /// P@1 on them.
    pub at_1: f64,
    /// Number of rows judged.
    pub judged: usize,
    /// How many times rows were held out.
    pub folds: usize,
    /// The share of the other rows that the setting was trained on.
    pub share: f64,
}

/// What was chosen, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The parameters.
    pub parameters: OneVsRest,
    /// What answers beside the machines.
    pub fused: FusedWeights,
    /// Every trial in its order; empty if nothing was tried.
    pub tried: Vec<Trial>,
    /// What the chosen setting answered to held-out rows: the start of calibrating the model.
    pub calibrating: Calibrating,
    /// Number of rows held out.
    pub held_out: usize,
    /// Whether time ended the trials before all were made (`Workers::trial_seconds`).
    pub ended: bool,
}

/// The weight of neighbors that vote because the user wants them to, where nothing can be held out.
const NEIGHBORS: f32 = 0.35;

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
            softmax: self.softmax.unwrap_or(base.softmax),
            pool: self.pool.unwrap_or(base.pool),
            mine: self.mine.unwrap_or(base.mine),
            epsilon: self.epsilon.unwrap_or(base.epsilon),
            ..base.clone()
        }
    }

    /// What answers beside the machines where nothing can be held out.
    fn fused(&self) -> FusedWeights {
        FusedWeights {
            neighbors: match self.neighbors {
                Some(true) => NEIGHBORS,
                _ => 0.0,
            },
            embedding: self.embedding.unwrap_or(0.0) as f32,
        }
    }

    /// Whether nothing is left to try.
    fn all(&self) -> bool {
        self.cost.is_some()
            && self.positive_weight.is_some()
            && self.exponent.is_some()
            && self.prune.is_some()
            && self.centroid.is_some()
            && self.prior.is_some()
            && self.softmax.is_some()
            && self.embedding.is_some()
            && self.neighbors == Some(false)
    }
}

impl OneVsRest {
    /// Chooses the parameters of [`Given`] for `data` where they are not given; all other
    /// parameters are those of `self`. Where the features `are_texts`, trials have less work, as
    /// choosing features took some. `progress` hears how many of how many trials are done, and
    /// may stop the search.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; lack of memory;
    /// [`TrainError::Stopped`] if `progress` said so.
    pub fn choose(
        &self,
        given: &Given,
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn Kernels,
        are_texts: bool,
        progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<Choice, TrainError> {
        let machine = (executor, kernels);
        let chosen = self.choose_with(given, data, (None, None), machine, are_texts, progress)?;
        Ok(chosen.0)
    }

    /// The same with prototypes over given vectors that may be added, and their weight; and with a
    /// limit to the time of an answer.
    pub(crate) fn choose_with(
        &self,
        given: &Given,
        data: &Dataset,
        (vectors, limit): (Option<&dyn Prototypes>, Option<&dyn AnswerLimit>),
        (executor, kernels): (&Executor, &'static dyn Kernels),
        are_texts: bool,
        progress: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<(Choice, f32), TrainError> {
        let mut start = given.over(self);
        if given.pool.is_none() && data.labels().labels() as usize >= VERY_MANY_LABELS {
            start.pool = start.pool.min(POOL_OF_VERY_MANY);
        }
        start.check()?;
        check_data(data)?;
        if let Some(limit) = limit {
            limit.check(data, are_texts)?;
        }
        let folds = match given.all() {
            true => Vec::new(),
            false => Fold::all(data, self.seed),
        };
        if folds.is_empty() {
            let choice = Choice {
                parameters: start,
                fused: given.fused(),
                tried: Vec::new(),
                calibrating: Calibrating::default(),
                held_out: 0,
                ended: false,
            };
            return Ok((choice, 0.0));
        }
        let mut search = Search::new(*given, start, &folds, (executor, kernels), progress);
        search.given_vectors = vectors;
        search.limit = limit.map(|limit| (limit, are_texts));
        search.room = given.max_bytes.map(|most| room(most, data, are_texts));
        let budget = if are_texts {
            Budget::TEXTS
        } else {
            Budget::ROWS
        };
        search.run(data, budget)?;
        let weight = search.best.mix.embeddings[GIVEN];
        let mut choice = search.choice();
        // Models that learn from texts of labels, which are in no division, answer otherwise.
        if data.labels().measured() < data.len() {
            choice.calibrating = Calibrating::default();
        }
        Ok((choice, weight))
    }
}

#[cfg(test)]
mod tests {
    use super::{Given, OneVsRest, POOL_OF_VERY_MANY, VERY_MANY_LABELS};
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        sparse::{SparseRows, SparseVec},
    };
    use core::ops::ControlFlow;

    #[test]
    fn the_pool_is_smaller_where_labels_are_very_many_unless_it_is_given() {
        let (rows, own) = (20, OneVsRest::default());
        let chosen = |labels: usize, pool| {
            let (mut sparse, mut lists) = (SparseRows::new(2), LabelLists::new(labels as u32));
            for row in 0..rows {
                let row_of = SparseVec::from_pairs([(row % 2, 1.0)]).unwrap();
                sparse.push(row_of.view()).unwrap();
                lists.push([row]);
            }
            let data = Dataset::new(sparse, lists, None).unwrap();
            let given = Given {
                pool,
                ..Given::default()
            };
            let go_on = |_, _| ControlFlow::Continue(());
            let chosen = own.choose(&given, &data, &Sequential, &Portable, false, go_on);
            chosen.unwrap().parameters.pool
        };
        assert_eq!(chosen(VERY_MANY_LABELS, None), POOL_OF_VERY_MANY);
        assert_eq!(chosen(VERY_MANY_LABELS, Some(7_000)), 7_000);
        assert_eq!(chosen(VERY_MANY_LABELS - 1, None), own.pool);
    }
}
