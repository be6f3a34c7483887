//! Training without a method named: the methods that are there are tried on held-out rows, and the
//! best is taken.
//!
//! One-vs-rest with the parameters that `choice` finds, and softmax regression, an embedding and
//! neighbors added to it where they gain enough, comes first: it is the most precise on most data.
//! Nearest neighbors on their own are tried on the same rows, and taken where they are better by
//! more than chance: where rows are dense and classes curved. Sums of heads beat each head alone on
//! nearly all data (`benches/record/heads.md`), so an embedding alone is not tried. Before all of
//! this rows are standardized or weighed (`train::standardizing`) if that serves better.
//!
//! Cost: trials as `choice` says, up to six times the final training where that is short; equal
//! data make equal models for any executor.

use super::{
    Calibrating, TrainError,
    embedding::given_vectors::Prototypes,
    going,
    softmax::dense_bytes,
    standardizing::{self, Standardized},
};
use crate::parameters::one_vs_rest::OneVsRest;
use crate::train::one_vs_rest::{
    Report,
    choice::{AnswerLimit, Beside, Choice, Given, Judge},
};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{Model, linear::LinearModel, standardization::Standardization},
    parameters::NearestParameters,
    sparse::SparseRows,
    text::Vectorizer,
};
use aim::Aim;
use alloc::{boxed::Box, vec::Vec};
use core::{ops::ControlFlow, time::Duration};

/// A method of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// One-vs-rest, perhaps with an embedding and neighbors beside it.
    OneVsRest,
    /// Nearest neighbors alone.
    Nearest,
}

impl Candidate {
    /// The name of the method, as the command and the model's record have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OneVsRest => "ovr",
            Self::Nearest => "nearest",
        }
    }
}

/// A method and how well it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The method.
    pub candidate: Candidate,
    /// The mean of P@1, P@3 and P@5 on the held-out rows, from 0 to 1.
    pub precision: f64,
    /// P@1 on them.
    pub at_1: f64,
}

/// The best model, and how it was found.
#[derive(Clone, Debug)]
pub struct Best {
    /// The model, trained on all rows.
    pub model: Model,
    /// The method.
    pub candidate: Candidate,
    /// The methods that were tried; empty where there were too few rows to try any.
    pub tried: Vec<Tried>,
    /// The parameters of one-vs-rest and how they were found.
    pub choice: Choice,
    /// P@1 of plain methods on held-out rows as they were and as the model sees them
    /// (`Model::rows_are`), where that differs and rows were held out.
    pub standardized: Option<[f64; 2]>,
}

/// How far it is: what begins, or what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many of so many settings of one-vs-rest were tried.
    Settings(usize, usize),
    /// This method is tried on held-out rows.
    Trying(Candidate),
    /// This method is trained on all rows.
    Training(Candidate),
    /// A part of that training is done.
    Part(Report),
}

mod aim {
    use super::{AnswerLimit, Box, Duration, Prototypes, SparseRows};

    /// What is to be made, beside of what.
    #[derive(Default)]
    pub struct Aim<'v> {
        pub(super) seed: u64,
        pub(super) max_bytes: Option<u64>,
        pub(super) vectors: Option<&'v dyn Prototypes>,
        pub(super) limit: Option<Box<dyn AnswerLimit>>,
    }

    impl From<(u64, Option<u64>)> for Aim<'_> {
        fn from((seed, max_bytes): (u64, Option<u64>)) -> Self {
            Self {
                seed,
                max_bytes,
                ..Self::default()
            }
        }
    }

    impl<'v> From<(u64, Option<u64>, &'v SparseRows)> for Aim<'v> {
        fn from((seed, max_bytes, vectors): (u64, Option<u64>, &'v SparseRows)) -> Self {
            Self {
                vectors: Some(vectors),
                ..Self::from((seed, max_bytes))
            }
        }
    }

    /// With the longest time of an answer.
    impl<'v, A: Into<Aim<'v>>> From<(A, Option<Duration>)> for Aim<'v> {
        fn from((aim, longest): (A, Option<Duration>)) -> Self {
            Self {
                limit: longest.map(|longest| Box::new(longest) as _),
                ..aim.into()
            }
        }
    }
}

/// What the record of a model calls the microseconds that an answer takes, as counted.
const ANSWER_TIME: &str = "microseconds of an answer";

/// How many times the chance of a difference another method must gain to be taken: files of
/// one-vs-rest are smaller than those of neighbors, and it says why.
const SURE: f64 = 2.0;

/// Trains the best method for `data`. The `aim` is a seed of everything random, and the most bytes
/// of the file if the caller makes the model as small afterwards: what cannot fit is not tried. It
/// may have vectors, too ([`SparseRows`]): row f is the vector of feature f, such as a word's, or
/// empty; prototypes of labels over them are added if they gain enough. An aim and a [`Duration`]
/// as a pair are an aim whose answers take at most so long, as counted: nearest neighbors alone are
/// not tried, nor what finds no time beside the weights, which are pruned until they keep it, and
/// the record of the model says what an answer takes. `progress` may stop it.
///
/// ```
/// use hapax_core::{executor::Sequential, kernels::Portable};
/// use hapax_core::{data::{Dataset, LabelLists}, sparse::{SparseRows, SparseVec}};
/// use hapax_core::train::auto::train_best;
/// use core::ops::ControlFlow;
/// let (mut rows, mut labels) = (SparseRows::new(8), LabelLists::new(2));
/// for row in 0..40 {
///     rows.push(SparseVec::from_pairs([(row % 8, 1.0)])?.view())?;
///     labels.push([row % 2]);
/// }
/// let data = Dataset::new(rows, labels, None)?;
/// let mut vectors = SparseRows::new(3);
/// for feature in 0..8 {
///     vectors.push(SparseVec::from_pairs([(feature % 2, 1.0), (2, 0.5)])?.view())?;
/// }
/// let machine = (&Sequential as _, &Portable as _);
/// let go_on = |_| ControlFlow::Continue(());
/// let best = train_best(&data, None, (42, None, &vectors), machine, go_on)?;
/// assert_eq!(best.model.labels(), 2);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// # Errors
/// Unusable data and a limit that no answer keeps, before any work; lack of memory;
/// [`TrainError::Stopped`] if `progress` said so.
pub fn train_best<'v>(
    data: &Dataset,
    vectorizer: Option<Vectorizer>,
    aim: impl Into<Aim<'v>>,
    machine: (&Executor, &'static dyn Kernels),
    progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Best, TrainError> {
    let mut aim = aim.into();
    let (executor, kernels) = machine;
    let base = OneVsRest {
        seed: aim.seed,
        ..OneVsRest::default()
    };
    let standardized = match vectorizer {
        None => standardizing::choose(data, &base, executor, kernels)?,
        Some(_) => None,
    };
    let by = standardized.as_ref().map(|found| &found.by);
    let seen = by.map(|by| by.dataset(data));
    let beside = by.map_or(0, Standardization::bytes);
    aim.max_bytes = aim.max_bytes.map(|most| most.saturating_sub(beside));
    let mut best = best_of(
        seen.as_ref().unwrap_or(data),
        vectorizer,
        (&base, &aim),
        (executor, kernels),
        progress,
    )?;
    if let Some(Standardized { by, at_1 }) = standardized {
        best.model.provenance = best.model.provenance.made_of(data);
        best.model.standardization = Some(by);
        best.standardized = at_1;
    }
    Ok(best)
}

/// The memory of [`train_best`] beside `data`, in bytes: of one-vs-rest, of softmax regression
/// where it holds all weights, and of rows once more, as they may be standardized or weighed.
#[must_use]
pub fn memory_estimate(data: &Dataset, are_texts: bool, threads: usize) -> u64 {
    let beside = OneVsRest::default().memory_estimate(data, threads) + dense_bytes(data);
    let values = match standardizing::is_dense(data) {
        true => data.len() as u64 * u64::from(data.rows().features()),
        false => data.rows().nonzeros() as u64,
    };
    beside + if are_texts { 0 } else { 8 * values }
}

/// [`train_best`] of rows as methods see them.
fn best_of(
    data: &Dataset,
    vectorizer: Option<Vectorizer>,
    (base, aim): (&OneVsRest, &Aim<'_>),
    (executor, kernels): (&Executor, &'static dyn Kernels),
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Best, TrainError> {
    // One form of the search for all who search.
    let tell: &mut dyn FnMut(usize, usize) -> ControlFlow<()> =
        &mut |done, of| progress(Progress::Settings(done, of));
    let given = Given {
        max_bytes: aim.max_bytes,
        ..Given::default()
    };
    let (are_texts, limit) = (vectorizer.is_some(), aim.limit.as_deref());
    let (machine, beside) = ((executor, kernels), (aim.vectors, limit));
    let (mut choice, weight) = base.choose_with(&given, data, beside, machine, are_texts, tell)?;
    let mut tried = Vec::new();
    let mut candidate = Candidate::OneVsRest;
    let mut neighbors = NearestParameters::default().within(data.len());
    if let Some(best) = choice.best() {
        tried.push(Tried {
            candidate,
            precision: best.precision,
            at_1: best.at_1,
        });
        let judge = match choice.ended || limit.is_some() {
            true => None,
            false => Judge::again(&choice, data, base.seed),
        };
        if let Some(judge) = judge {
            let other = Candidate::Nearest;
            going(progress(Progress::Trying(other)))?;
            let (alpha, found) = judge.neighbors(executor, kernels)?;
            neighbors.alpha = alpha;
            if found.worth() > best.worth + SURE * judge.chance() {
                candidate = other;
                choice.calibrating = Calibrating::default();
            }
            tried.push(Tried {
                candidate: other,
                precision: found.precision.mean(),
                at_1: found.precision.at_1,
            });
        }
    }
    going(progress(Progress::Training(candidate)))?;
    let model = match candidate {
        Candidate::OneVsRest => {
            let tell = |report| progress(Progress::Part(report));
            let linear = choice.parameters.train(data, executor, kernels, tell)?;
            let rows = (data, vectorizer);
            finished(linear, &mut choice, rows, (aim, weight), machine)?
        }
        Candidate::Nearest => Model::train_nearest(neighbors, data, vectorizer)?,
    };
    Ok(Best {
        model,
        candidate,
        tried,
        choice,
        standardized: None,
    })
}

/// The model of the weights and of what was chosen to answer beside them, given vectors with a
/// `weight` among it.
fn finished(
    mut linear: LinearModel,
    choice: &mut Choice,
    (data, vectorizer): (&Dataset, Option<Vectorizer>),
    (aim, weight): (&Aim<'_>, f32),
    (executor, kernels): (&Executor, &'static dyn Kernels),
) -> Result<Model, TrainError> {
    let vectors = aim.vectors.filter(|_| weight != 0.0);
    let (parameters, fused) = (&mut choice.parameters, choice.fused);
    let mut counted = None;
    if let Some(limit) = &aim.limit {
        let beside = Beside {
            embedding: fused.embedding != 0.0,
            vectors,
            neighbors: fused.neighbors != 0.0,
        };
        let of = (parameters.prune, parameters.bits, vectorizer.is_some());
        let fitted = limit.fit_last(linear, data, &beside, of)?;
        (linear, parameters.prune) = (fitted.model, fitted.prune);
        counted = Some((ANSWER_TIME.into(), fitted.microseconds));
    }
    let (vectors, machine) = (vectors.map(|of| (of, weight)), (executor, kernels as _));
    let rows = (data, vectorizer);
    let mut model = fused.model_with(linear, parameters, rows, vectors, machine)?;
    model.provenance.report.extend(counted);
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::{ANSWER_TIME, Progress, train_best};
    use crate::{
        executor::Sequential,
        kernels::Portable,
        train::{TrainError, multiclass::problem::tests::random_data},
    };
    use core::{ops::ControlFlow, time::Duration};

    #[test]
    fn it_stops_after_any_part_and_says_so() {
        let data = random_data(150, 12, 30, 1);
        let train = |most: usize| {
            let mut heard = 0;
            let made = train_best(&data, None, (1, None), (&Sequential, &Portable), |_| {
                heard += 1;
                match heard == most {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            (made.map(|best| best.tried.len()), heard)
        };
        let (made, all) = train(0);
        assert_eq!(made, Ok(2));
        assert!(all > 10, "{all} parts");
        for most in [1, 2, all - 2, all] {
            assert_eq!(train(most), (Err(TrainError::Stopped), most));
        }
    }

    #[test]
    fn answers_keep_the_limit_to_their_time() {
        let data = random_data(300, 12, 30, 1);
        let train = |nanoseconds| {
            let longest = Some(Duration::from_nanos(nanoseconds));
            let go_on = |_| ControlFlow::Continue(());
            let aim = ((1, None), longest);
            let made = train_best(&data, None, aim, (&Sequential, &Portable), go_on);
            made.map(|best| {
                let (name, counted) = best.model.provenance.report.last().unwrap();
                assert_eq!((name.as_str(), best.tried.len()), (ANSWER_TIME, 1));
                (best.model.to_bytes().unwrap(), *counted, best.choice.fused)
            })
        };
        let short = train(1_100).unwrap();
        assert!(short.1 > 1.0 && short.1 <= 1.1);
        assert_eq!(short.2, Default::default());
        assert_eq!(train(1_100).unwrap(), short);
        assert!(matches!(train(900), Err(TrainError::Parameter(_))));
    }

    #[test]
    fn what_begins_is_told_before_its_parts() {
        let data = random_data(150, 12, 30, 1);
        let mut order = alloc::vec![];
        let made = train_best(&data, None, (1, None), (&Sequential, &Portable), |doing| {
            let at = match doing {
                Progress::Settings(done, of) => {
                    assert!(0 < done && done <= of);
                    0
                }
                Progress::Trying(_) => 1,
                Progress::Training(_) => 2,
                Progress::Part(report) => {
                    assert!(report.done <= report.of);
                    3
                }
            };
            order.push(at);
            ControlFlow::Continue(())
        });
        assert!(made.is_ok() && order.is_sorted() && order.last() == Some(&3));
    }
}
