//! Choosing for answers that take at most so long: weights are pruned further, and what finds no
//! time beside them is not tried.
//!
//! # Problem
//! Time is counted, not measured, so that equal data make equal models: an answer of a prepared
//! model, on one thread, takes about
//!
//! ```text
//! 1000 + 0.2 L + 0.05 H + 1.5 T + 200 V + 0.11 M L + (15000 + 3 W)   nanoseconds
//! ```
//!
//! with L labels, H bytes of the heads and T weights of the tails of its features' weights
//! ([`LinearScorer`]), V features of a text, M dimensions of embeddings, and, where neighbors vote,
//! W words of posting lists that the search of them reads. The constants are those of a server of
//! 2024, on ten sets of rows and four of texts, within a factor of two
//! (`benches/record/choice.md`).
//!
//! Cost: for each step of pruning a pass over the weights, and the laying out of those that are
//! left.

use super::{Given, additions::PRUNES};
use crate::{
    data::Dataset,
    float,
    kernels::Portable,
    model::{
        linear::{LinearModel, fused::FusedNearest, scorer::LinearScorer},
        nearest::NearestScratch,
    },
    parameters::{ParamError, ParamRule, wsabie::Wsabie},
    sparse::SparseRows,
    train::{TrainError, embedding::given_vectors::Prototypes},
};
use core::time::Duration;

const ANSWER: f64 = 1_000.0;
const LABEL: f64 = 0.2;
const HEAD_BYTE: f64 = 0.05;
const TAIL_WEIGHT: f64 = 1.5;
const TEXT_FEATURE: f64 = 200.0;
const DIMENSION: f64 = 0.11;
const SEARCH: f64 = 15_000.0;
const WORD: f64 = 3.0;

/// Rows whose answers are counted, at most.
const ROWS: usize = 500;

/// How many times as large the weights are that the next step leaves out.
const STEP: f32 = 1.2;

/// What may answer beside the weights.
pub(crate) struct Beside<'a> {
    pub embedding: bool,
    pub vectors: Option<&'a dyn Prototypes>,
    pub neighbors: bool,
}

/// A model whose answers keep a limit.
pub(crate) struct Fitted {
    pub model: LinearModel,
    /// Weights up to this size were left out.
    pub prune: f32,
    /// What an answer takes with what answers beside the weights, as counted.
    pub microseconds: f64,
}

/// A limit to the time of an answer: a trait, so that a program that sets none holds no code for
/// it.
pub(crate) trait AnswerLimit {
    /// Refuses a limit that no model of such data keeps.
    fn check(&self, data: &Dataset, are_texts: bool) -> Result<(), TrainError>;

    /// Prunes the models of divisions, of which the first has these rows to train and to test on,
    /// until answers keep the limit, leaves open of `given` and `vectors` what finds time beside
    /// them, and returns up to which size weights are left out.
    fn fit(
        &self,
        models: &mut [LinearModel],
        division: (&Dataset, &Dataset),
        open: (&mut Given, &mut Option<&dyn Prototypes>),
        of: (f32, u32, bool),
    ) -> Result<f32, TrainError>;

    /// The model of all rows, pruned until answers keep the limit with what answers beside it.
    fn fit_last(
        &self,
        model: LinearModel,
        data: &Dataset,
        beside: &Beside<'_>,
        of: (f32, u32, bool),
    ) -> Result<Fitted, TrainError>;
}

impl AnswerLimit for Duration {
    fn check(&self, data: &Dataset, are_texts: bool) -> Result<(), TrainError> {
        let least = bare(data, are_texts) / 1_000.0;
        let rule = ParamRule::AtLeast(float::ceil(10.0 * least) / 10.0);
        let given = 1e6 * self.as_secs_f64();
        Ok(ParamError::check("max_microseconds", given, rule)?)
    }

    fn fit(
        &self,
        models: &mut [LinearModel],
        (train, test): (&Dataset, &Dataset),
        (given, vectors): (&mut Given, &mut Option<&dyn Prototypes>),
        (prune, bits, are_texts): (f32, u32, bool),
    ) -> Result<f32, TrainError> {
        let Some(first) = models.first() else {
            return Ok(prune);
        };
        let limit = nanoseconds(*self) - bare(test, are_texts);
        // One division says it for all.
        let (_, kept, taken) = pruned(first.clone(), test.rows(), limit, (prune, bits))?;
        if kept > prune {
            for model in models {
                *model = model.pruned(kept, bits);
            }
        }
        let mut left = limit - taken;
        let fits = |left: &mut f64, time: f64| {
            let fits = time <= *left;
            *left -= if fits { time } else { 0.0 };
            fits
        };
        if vectors.is_some_and(|vectors| !fits(&mut left, of_vectors(vectors, train))) {
            *vectors = None;
        }
        if given.embedding.is_none() && !fits(&mut left, of_embedding(train)) {
            given.embedding = Some(0.0);
        }
        // An index need not be built to see that there is no time for a search.
        let may = left >= SEARCH && fits(&mut left, of_neighbors(train, test.rows())?);
        if given.neighbors.is_none() && !may {
            given.neighbors = Some(false);
        }
        Ok(kept)
    }

    fn fit_last(
        &self,
        model: LinearModel,
        data: &Dataset,
        beside: &Beside<'_>,
        (prune, bits, are_texts): (f32, u32, bool),
    ) -> Result<Fitted, TrainError> {
        let mut others = bare(data, are_texts);
        if beside.embedding {
            others += of_embedding(data);
        }
        if let Some(vectors) = beside.vectors {
            others += of_vectors(vectors, data);
        }
        if beside.neighbors {
            others += of_neighbors(data, data.rows())?;
        }
        let left = nanoseconds(*self) - others;
        let (model, prune, taken) = pruned(model, data.rows(), left, (prune, bits))?;
        Ok(Fitted {
            model,
            prune,
            // To the tenth.
            microseconds: float::ceil((others + taken) / 100.0) / 10.0,
        })
    }
}

fn nanoseconds(limit: Duration) -> f64 {
    1e9 * limit.as_secs_f64()
}

/// What an answer takes without any weights.
fn bare(data: &Dataset, are_texts: bool) -> f64 {
    let values = data.rows().nonzeros() as f64 / data.len().max(1) as f64;
    let text = if are_texts {
        TEXT_FEATURE * values
    } else {
        0.0
    };
    ANSWER + LABEL * f64::from(data.labels().labels()) + text
}

fn of_embedding(data: &Dataset) -> f64 {
    let Wsabie {
        dimensions, models, ..
    } = Wsabie::distances();
    DIMENSION * f64::from(dimensions * models) * f64::from(data.labels().labels())
}

fn of_vectors(vectors: &dyn Prototypes, data: &Dataset) -> f64 {
    DIMENSION * f64::from(vectors.dimensions()) * f64::from(data.labels().labels())
}

/// Evenly drawn rows.
fn some(rows: &SparseRows) -> impl ExactSizeIterator<Item = usize> + use<> {
    let (all, count) = (rows.len(), rows.len().min(ROWS));
    (0..count).map(move |row| row * all / count)
}

/// What the votes of neighbors among the rows of `data` add for these rows.
fn of_neighbors(data: &Dataset, rows: &SparseRows) -> Result<f64, TrainError> {
    let nearest = FusedNearest::neighbors(data)?;
    let mut scratch = NearestScratch::new(&Portable);
    let (rows_of, mut words) = (some(rows), 0);
    let count = rows_of.len();
    for row in rows_of {
        nearest.shares(rows.row(row), &mut scratch)?;
        words += scratch.words_read();
    }
    Ok(SEARCH + WORD * words as f64 / count.max(1) as f64)
}

/// What the weights of a model add for these rows.
fn of_weights(model: &LinearModel, rows: &SparseRows) -> Result<f64, TrainError> {
    let scorer = LinearScorer::new(model).map_err(|_| TrainError::OutOfMemory {
        bytes: model.bytes() as u64,
    })?;
    let rows_of = some(rows);
    let count = rows_of.len();
    let time = |row| {
        let (heads, tails) = scorer.visits(rows.row(row));
        HEAD_BYTE * heads as f64 + TAIL_WEIGHT * tails as f64
    };
    let sum: f64 = rows_of.map(time).sum();
    Ok(sum / count.max(1) as f64)
}

/// The model with so few weights that they take at most `limit` nanoseconds for these rows, up to
/// which size they are left out, and what the others take.
fn pruned(
    mut model: LinearModel,
    rows: &SparseRows,
    limit: f64,
    (mut prune, bits): (f32, u32),
) -> Result<(LinearModel, f32, f64), TrainError> {
    loop {
        let taken = of_weights(&model, rows)?;
        if taken <= limit || model.nonzeros() == 0 {
            return Ok((model, prune, taken));
        }
        prune = STEP * prune.max(PRUNES[0]);
        model = model.pruned(prune, bits);
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerLimit, Beside, bare, of_embedding, of_neighbors, of_weights};
    use crate::{
        data::Dataset,
        executor::Sequential,
        kernels::Portable,
        model::linear::{LinearModel, scorer::LinearScorer},
        parameters::OneVsRest,
        sparse::SparseView,
        train::{TrainError, multiclass::problem::tests::random_data, one_vs_rest::choice::Given},
    };
    use core::{ops::ControlFlow, time::Duration};

    fn trained() -> (Dataset, LinearModel) {
        trained_on(random_data(300, 12, 30, 1))
    }

    fn trained_on(data: Dataset) -> (Dataset, LinearModel) {
        let parameters = OneVsRest {
            prune: 0.02,
            ..OneVsRest::default()
        };
        let go_on = |_| ControlFlow::Continue(());
        let model = parameters.train(&data, &Sequential, &Portable, go_on);
        (data, model.unwrap())
    }

    fn limit(nanoseconds: f64) -> Duration {
        // Half a nanosecond more, as whole ones are kept.
        Duration::from_nanos((nanoseconds + 0.5) as u64)
    }

    #[test]
    fn what_is_added_up_are_all_weights_of_the_features() {
        let (data, model) = trained_on(random_data(800, 150, 800, 1));
        let model = model.pruned(0.3, 8);
        let scorer = LinearScorer::new(&model).unwrap();
        let mut all = (0, 0);
        for row in data.rows().iter() {
            let (heads, tails) = scorer.visits(row);
            let weights: usize = row.indices().iter().map(|&f| model.count(f)).sum();
            assert!(tails <= weights && heads + tails >= weights);
            all = (all.0 + heads, all.1 + tails);
        }
        assert!(all.0 > 0 && all.1 > 0, "{all:?}");
        // All features at once add up all weights, those of tails as they are.
        let tails = |features: &[u32]| {
            let ones = alloc::vec![1.0; features.len()];
            let row = SparseView::new(features, &ones).unwrap();
            scorer.visits(row).1
        };
        let features: alloc::vec::Vec<u32> = (0..model.features()).collect();
        let each: usize = features.iter().map(|&feature| tails(&[feature])).sum();
        assert_eq!(tails(&features), each);
    }

    #[test]
    fn what_finds_no_time_beside_the_weights_is_left_out() {
        let (data, model) = trained();
        let (rest, weights) = (bare(&data, false), of_weights(&model, data.rows()).unwrap());
        let (embedding, neighbors) = (of_embedding(&data), of_neighbors(&data, data.rows()));
        let neighbors = neighbors.unwrap();
        assert!(neighbors > embedding && embedding > 2.0);
        let fitted = |nanoseconds: f64, mut given: Given| {
            let mut models = [model.clone(), model.clone()];
            let open = (&mut given, &mut None);
            let prune = limit(nanoseconds)
                .fit(&mut models, (&data, &data), open, (0.02, 8, false))
                .unwrap();
            let taken = of_weights(&models[0], data.rows()).unwrap();
            assert!(rest + taken <= nanoseconds + 1.0 && models[0] == models[1]);
            (given.embedding, given.neighbors, prune)
        };
        let (open, whole) = (Given::default(), rest + weights);
        let all = whole + embedding + neighbors;
        assert_eq!(fitted(all, open), (None, None, 0.02));
        assert_eq!(fitted(all - 2.0, open), (None, Some(false), 0.02));
        assert_eq!(fitted(whole + embedding, open).0, None);
        assert_eq!(fitted(whole + embedding - 2.0, open).0, Some(0.0));
        assert!(fitted(whole - 2.0, open).2 > 0.02);
        assert!(fitted(rest, open).2 > 0.2);
        let given = Given {
            embedding: Some(0.3),
            neighbors: Some(true),
            ..open
        };
        let kept = fitted(rest + 1.0, given);
        assert_eq!((kept.0, kept.1), (Some(0.3), Some(true)));
    }

    #[test]
    fn the_last_model_keeps_the_limit_with_what_answers_beside_it() {
        let (data, model) = trained();
        let of = |neighbors, nanoseconds: f64| {
            let beside = Beside {
                embedding: true,
                vectors: None,
                neighbors,
            };
            let limit = limit(nanoseconds);
            let made = limit.fit_last(model.clone(), &data, &beside, (0.02, 8, false));
            made.unwrap()
        };
        let mut whole = bare(&data, false) + of_weights(&model, data.rows()).unwrap();
        whole += of_embedding(&data);
        let made = of(false, whole);
        assert!(made.model == model && made.prune == 0.02);
        assert!((made.microseconds - whole / 1_000.0).abs() < 0.1);
        let made = of(false, whole - 2.0);
        assert!(made.model.nonzeros() < model.nonzeros() && made.prune > 0.02);
        let neighbors = of_neighbors(&data, data.rows()).unwrap();
        assert!(of(true, whole + neighbors).model == model);
        assert!(of(true, whole + neighbors - 2.0).model != model);
    }

    #[test]
    fn a_limit_that_no_model_keeps_is_refused() {
        let (data, _) = trained();
        let least = bare(&data, true);
        assert!(least > bare(&data, false));
        assert_eq!(limit(least + 100.0).check(&data, true), Ok(()));
        let refused = limit(least - 2.0).check(&data, true);
        assert!(
            matches!(refused, Err(TrainError::Parameter(_))),
            "{refused:?}"
        );
    }
}
