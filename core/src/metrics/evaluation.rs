//! Rows in, figures out.

use super::{
    Propensities, Report,
    discount::Discounts,
    label_counts::LabelCounts,
    sum::Sum,
    tally::{Gains, Tally},
};
use crate::{data::LabelLists, executor::Executor, top::Scored};
use alloc::{collections::TryReserveError, vec::Vec};
use core::fmt;

/// What an evaluation needs to know beside the rows.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The inverse propensities of the labels, for PSP@k and PSnDCG@k; without them these two are
    /// not computed.
    pub propensities: Option<&'a Propensities>,
    /// How many of a row's first answers make its predicted set, for F1: at least 1. The mean
    /// number of labels of a training row, rounded, is known as RCut (Yang: A Study of
    /// Thresholding Strategies for Text Categorization, SIGIR 2001).
    pub cut: usize,
}

impl Default for Options<'_> {
    /// No propensities, and the first answer alone as predicted set: right for single-label data.
    fn default() -> Self {
        Self {
            propensities: None,
            cut: 1,
        }
    }
}

/// Why there are no figures.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EvaluationError {
    /// No k was given.
    NoK,
    /// A k is 0.
    ZeroK,
    /// The cut is 0.
    ZeroCut,
    /// No row was added.
    NoRows,
    /// A is negative or not finite.
    BadExponent {
        /// The refused A.
        a: f64,
    },
    /// B is not positive or not finite.
    BadShift {
        /// The refused B.
        b: f64,
    },
    /// A and B give a label without training rows too large a weight.
    WeightTooLarge {
        /// The weight.
        weight: f64,
        /// The largest allowed.
        limit: f64,
    },
    /// There is no memory for one weight a label.
    Memory(TryReserveError),
}

impl fmt::Display for EvaluationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoK => f.write_str("no k to evaluate at: give at least one, such as 1,3,5"),
            Self::ZeroK => f.write_str(
                "k is 0: the figures look at the first k answers, so k must be 1 or more",
            ),
            Self::ZeroCut => {
                f.write_str("the cut for F1 is 0: the predicted set needs 1 answer or more")
            }
            Self::NoRows => f.write_str("nothing to evaluate: there are no rows"),
            Self::BadExponent { a } => write!(
                f,
                "the propensity parameter A is {a}: give a finite number, 0 or more, such as 0.55"
            ),
            Self::BadShift { b } => write!(
                f,
                "the propensity parameter B is {b}: give a finite number above 0, such as 1.5"
            ),
            Self::WeightTooLarge { weight, limit } => write!(
                f,
                "the propensity parameters give unseen labels the weight {weight}, above {limit}: \
                 choose a smaller A"
            ),
            Self::Memory(error) => write!(f, "no memory for the propensities: {error}"),
        }
    }
}

impl core::error::Error for EvaluationError {}

/// Collects what the metrics need, one row at a time.
///
/// Parts of the rows can be evaluated apart and merged: the [`Report`] has the same bits for
/// any division into parts and any order of rows.
///
/// Cost of a row with p answers up to [`Evaluation::depth`], h hits among them, y labels, and
/// L different labels met: O(p (h + log y) + y log y + (y + cut) log L + cut^2).
/// Memory: in proportion to the number of different labels met.
///
/// ```
/// use hapax_core::metrics::{Evaluation, Options};
/// let mut evaluation = Evaluation::new(&[1, 3], Options::default())?;
/// evaluation.add_ids(&[7, 2, 9], &[2, 9]);
/// evaluation.add_ids(&[4, 1, 0], &[4]);
/// let report = evaluation.finish()?;
/// assert_eq!(report.precision, [0.5, 0.5]);
/// assert_eq!(report.recall, [0.5, 1.0]);
/// # Ok::<(), hapax_core::metrics::EvaluationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Evaluation<'a> {
    pub(super) options: Options<'a>,
    /// Rising, without repetition.
    pub(super) ks: Vec<usize>,
    /// One for each k.
    pub(super) tallies: Vec<Tally>,
    pub(super) label_counts: LabelCounts,
    /// The rows' F1.
    pub(super) example_f1: Sum,
    pub(super) rows: u64,
    pub(super) rows_without_labels: u64,
    pub(super) labels: u64,
    pub(super) first_hits: u64,
    discounts: Discounts,
    /// Scratch: the ids of a row's answers, the weights of its labels.
    ids: Vec<u32>,
    weights: Vec<f64>,
}

impl<'a> Evaluation<'a> {
    /// Nothing evaluated yet; figures will be computed at each of `ks`, in rising order.
    ///
    /// # Errors
    /// If there is no k, a k is 0 or the cut is 0.
    pub fn new(ks: &[usize], options: Options<'a>) -> Result<Self, EvaluationError> {
        if ks.is_empty() {
            return Err(EvaluationError::NoK);
        }
        if ks.contains(&0) {
            return Err(EvaluationError::ZeroK);
        }
        if options.cut == 0 {
            return Err(EvaluationError::ZeroCut);
        }
        let mut ks = ks.to_vec();
        ks.sort_unstable();
        ks.dedup();
        Ok(Self::empty(ks, options))
    }

    /// An evaluation of the same figures that has seen no rows.
    fn part(&self) -> Self {
        Self::empty(self.ks.clone(), self.options)
    }

    fn empty(ks: Vec<usize>, options: Options<'a>) -> Self {
        Self {
            options,
            tallies: ks.iter().map(|_| Tally::default()).collect(),
            ks,
            label_counts: LabelCounts::default(),
            example_f1: Sum::default(),
            rows: 0,
            rows_without_labels: 0,
            labels: 0,
            first_hits: 0,
            discounts: Discounts::default(),
            ids: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// How many answers a row needs for all figures: the largest k, or the cut if larger.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.largest_k().max(self.options.cut)
    }

    fn largest_k(&self) -> usize {
        self.ks.last().copied().unwrap_or(0)
    }

    /// Adds a row with the answers `predicted`, best first, and the labels `truth`;
    /// see [`Evaluation::add_ids`].
    pub(crate) fn add(&mut self, predicted: &[Scored], truth: &[u32]) {
        let mut ids = core::mem::take(&mut self.ids);
        ids.clear();
        ids.extend(predicted.iter().take(self.depth()).map(|answer| answer.id));
        self.add_ids(&ids, truth);
        self.ids = ids;
    }

    /// Adds a row with the answers `predicted`, best first, and the labels `truth`, rising
    /// as [`LabelLists::row`] gives them.
    ///
    /// Missing answers are misses, and so is an answer that repeats an earlier one.
    pub fn add_ids(&mut self, predicted: &[u32], truth: &[u32]) {
        self.rows += 1;
        self.rows_without_labels += u64::from(truth.is_empty());
        self.labels += truth.len() as u64;
        self.first_hits += u64::from(is_hit(predicted, 0, truth));
        for &label in truth {
            self.label_counts.add_truth(label);
        }
        self.add_predicted_set(predicted, truth);
        let ranks = self.largest_k().min(predicted.len().max(truth.len()));
        self.discounts.reach(ranks);
        self.weigh(truth);
        self.add_gains(predicted, truth);
    }

    fn add_predicted_set(&mut self, predicted: &[u32], truth: &[u32]) {
        let set = &predicted[..predicted.len().min(self.options.cut)];
        let (mut size, mut both) = (0, 0);
        for (position, &label) in set.iter().enumerate() {
            if !set[..position].contains(&label) {
                let right = truth.binary_search(&label).is_ok();
                self.label_counts.add_predicted(label, right);
                size += 1;
                both += usize::from(right);
            }
        }
        if both > 0 {
            let sizes = size + truth.len();
            self.example_f1.add((2 * both) as f64 / sizes as f64);
        }
    }

    /// Puts the weights of the row's labels into scratch, largest first.
    fn weigh(&mut self, truth: &[u32]) {
        let weight = |label: &u32| weight_of(self.options, *label);
        self.weights.clear();
        self.weights.extend(truth.iter().map(weight));
        self.weights.sort_unstable_by(|a, b| b.total_cmp(a));
    }

    fn add_gains(&mut self, predicted: &[u32], truth: &[u32]) {
        let (mut gains, mut best) = (Gains::default(), Gains::default());
        let mut seen = 0;
        for (&k, tally) in self.ks.iter().zip(&mut self.tallies) {
            let end = k.min(predicted.len());
            for position in seen..end {
                if is_hit(predicted, position, truth) {
                    let label = predicted[position];
                    let weight = weight_of(self.options, label);
                    gains.add(self.discounts.at(position), weight);
                    self.label_counts.add_hit(label, position);
                }
            }
            seen = end;
            for position in best.hits..k.min(truth.len()) {
                best.add(self.discounts.at(position), self.weights[position]);
            }
            tally.add(truth.len(), &gains, &best, &self.discounts);
        }
    }

    /// Adds the rows of an evaluation of the same figures.
    fn absorb(&mut self, other: &Self) {
        for (own, theirs) in self.tallies.iter_mut().zip(&other.tallies) {
            own.merge(theirs);
        }
        self.label_counts.merge(&other.label_counts);
        self.example_f1.merge(other.example_f1);
        self.rows += other.rows;
        self.rows_without_labels += other.rows_without_labels;
        self.labels += other.labels;
        self.first_hits += other.first_hits;
    }

    /// The figures over all rows added so far.
    ///
    /// # Errors
    /// If there were none.
    pub fn finish(&self) -> Result<Report, EvaluationError> {
        if self.rows == 0 {
            return Err(EvaluationError::NoRows);
        }
        Ok(Report::of(self))
    }
}

/// Whether the answer at `position`, if there is one, is a label of the row and no repetition.
fn is_hit(predicted: &[u32], position: usize, truth: &[u32]) -> bool {
    predicted.get(position).is_some_and(|label| {
        truth.binary_search(label).is_ok() && !predicted[..position].contains(label)
    })
}

/// The inverse propensity of `label`; 1 where propensities are not asked for.
fn weight_of(options: Options<'_>, label: u32) -> f64 {
    options
        .propensities
        .map_or(1.0, |propensities| propensities.weight(label))
}

/// Parts a thread: enough that all threads finish at nearly the same time.
const PARTS: usize = 8;

impl Evaluation<'_> {
    /// Predicts and adds all rows of `truth`: `predict(scratch, row, answers)` replaces `answers`
    /// by the answers to the numbered row, best first, [`Evaluation::depth`] of them if there are
    /// so many. The report has the same bits for every executor.
    pub fn add_all<S, I, P>(
        &mut self,
        truth: &LabelLists,
        executor: &Executor,
        scratch: I,
        predict: P,
    ) where
        I: Fn() -> S + Sync,
        P: Fn(&mut S, usize, &mut Vec<Scored>) + Sync,
    {
        let parts = executor.threads().max(1).saturating_mul(PARTS);
        let length = truth.len().div_ceil(parts).max(1);
        let own = || (scratch(), Vec::new());
        let this = &*self;
        let evaluated = executor.map(
            truth.len().div_ceil(length),
            own,
            |(scratch, answers), job| {
                let mut part = this.part();
                let end = (job + 1).saturating_mul(length).min(truth.len());
                for row in job * length..end {
                    predict(scratch, row, answers);
                    part.add(answers, truth.row(row));
                }
                part
            },
        );
        for part in &evaluated {
            self.absorb(part);
        }
    }
}
