//! Learning on: new rows and labels for a model whose old rows are gone.
//!
//! # Problem
//! An earlier model scores a label by s(x) = w·x + b; its weights stand for the rows that it was
//! trained on. Of the new rows x_1 … x_n with y_i = ±1 the change (v, c) is to minimize
//!
//! ```text
//! ½ (|v|² + (c/β)²) + σ Σ C_i max(0, 1 - y_i (s(x_i) + v·x_i + c))²
//! ```
//!
//! with the costs C_i and the constant feature β of the earlier training (c = 0 where the bias
//! is fixed; without the square for the hinge loss). So weights move no further than new rows
//! need. The strength σ, from 0 (old labels stay as they are) to 1, is the one of [`STRENGTHS`]
//! whose answers to held-out new rows are best. A label without new rows keeps its weights to the
//! bit. A new label is trained on the new rows with σ = 1, w = 0, and gets its centroid and prior
//! as in training.
//!
//! Neighbors beside the weights get the new rows. An embedding beside them learns new features and
//! labels, and old labels with new rows move by a pull ([`Embedding::learn_on`]). The pull is the
//! one of [`PULLS`] whose answers to held-out new rows are best once σ is chosen. What answers to
//! held-out rows is all of these together.
//!
//! [`Embedding::learn_on`]: crate::model::Embedding::learn_on
//!
//! Cost: a label with new rows takes a few passes over all new rows, and an embedding a training on
//! them. The choice takes up to 15 times the first and 9 times the second, and a quarter of that
//! where rows are many. Memory: few rows six times more, many rows twice more, and for each thread
//! an array of D doubles.
//!
//! The proximal term is that of domain adaptation with a regularizer around an earlier machine:
//! J. Yang, R. Yan, A. G. Hauptmann, *Cross-domain video concept detection using adaptive SVMs*,
//! 2007; the coordinate steps are LIBLINEAR's.

mod beside;
mod solve;
#[cfg(test)]
mod tests;

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{
        Linear, ModelError,
        embedding::EmbeddingScratch,
        linear::{
            LinearModel, LinearScratch,
            build::{LabelWeights, build},
            scorer::decode,
        },
        nearest::NearestScratch,
    },
    parameters::{linear::LinearTraining, one_vs_rest::OneVsRest},
    train::{TrainError, check_data},
};
use alloc::vec::Vec;
use beside::Beside;
use solve::{Rows, Scratch};

/// How far old labels may move: tried on held-out rows from the first on; of equal ones the first.
const STRENGTHS: [f64; 4] = [0.0, 0.1, 0.3, 1.0];
/// The pulls on old labels of an embedding that are tried after the strength, in this order.
const PULLS: [f64; 3] = [0.0, 0.1, 1.0];
/// Every so many rows one is held out for the choice, and as often, each time another, while the
/// rows held out are not [`ENOUGH`].
const HELD_OUT: usize = 4;
/// Rows held out that are enough.
const ENOUGH: usize = 4_000;
/// With fewer rows nothing can be chosen, and these are taken.
const FEW: (usize, Moves) = (
    40,
    Moves {
        strength: 0.3,
        pull: 0.0,
    },
);

/// Answers that are looked at, and what a right one is worth: a number that all up to 5 divide.
const DEPTH: usize = 5;
const WHOLE: u64 = 60;

/// How far old labels move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::train) struct Moves {
    /// σ, of their weights.
    pub strength: f64,
    /// Of their vectors in an embedding.
    pub pull: f64,
}

/// A model of one-vs-rest with the rows of `data` learned, and how far old labels moved. `places`
/// has the number of each feature of the model in `data`, whose labels are those of the model and
/// others behind them.
///
/// # Errors
/// [`TrainError::CannotLearn`] if the model is another, or its embedding cannot go on; if there is
/// nothing to learn from or memory is lacking.
pub(in crate::train) fn learn_on(
    linear: &Linear,
    data: &Dataset,
    places: &[u32],
    executor: &Executor,
    kernels: &'static dyn Kernels,
) -> Result<(Linear, Moves), TrainError> {
    let LinearTraining::OneVsRest(parameters) = linear.parameters() else {
        return Err(TrainError::CannotLearn);
    };
    check_data(data)?;
    let mut weights = decode(linear.model());
    for feature in weights.iter_mut().flat_map(|label| &mut label.features) {
        *feature = places[*feature as usize];
    }
    weights.resize(data.labels().labels() as usize, LabelWeights::unseen());
    let update = Update {
        linear,
        parameters,
        places,
        weights,
        kernels,
    };
    let moves = update.choose(data, executor)?;
    let model = update.model(data, moves.strength, executor)?;
    let beside = beside::learned(linear, data, (places, moves.pull), executor, kernels)?;
    Ok((linear.went_on(model, data, beside), moves))
}

/// What changes start from.
struct Update<'a> {
    linear: &'a Linear,
    parameters: &'a OneVsRest,
    places: &'a [u32],
    /// The weights of the earlier model, over the features and labels of the data.
    weights: Vec<LabelWeights>,
    kernels: &'static dyn Kernels,
}

impl Update<'_> {
    /// The strength that is best on held-out rows, and the pull that is best with it.
    fn choose(&self, data: &Dataset, executor: &Executor) -> Result<Moves, TrainError> {
        if data.len() < FEW.0 {
            return Ok(FEW.1);
        }
        let times = ENOUGH.div_ceil(data.len().div_ceil(HELD_OUT)).min(HELD_OUT);
        let fold = |at: usize| {
            let held = |row: &usize| row % HELD_OUT == at;
            let (held, kept): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(held);
            (data.select(&held), data.select(&kept))
        };
        let folds = (HELD_OUT - times..HELD_OUT).map(fold);
        let folds: Vec<(Dataset, Dataset)> = folds.filter(|(_, kept)| teaches(kept)).collect();
        if folds.is_empty() {
            return Ok(FEW.1);
        }
        let beside = |kept: &Dataset, pull| {
            beside::learned(
                self.linear,
                kept,
                (self.places, pull),
                executor,
                self.kernels,
            )
        };
        let still = folds.iter().map(|(_, kept)| beside(kept, 0.0));
        let still: Vec<Beside> = still.collect::<Result<_, TrainError>>()?;
        let worth = |moves: Moves| {
            let mut worth = 0;
            for ((held, kept), still) in folds.iter().zip(&still) {
                let mut weights = self.model(kept, moves.strength, executor)?;
                weights.prepare().map_err(|_| ModelError::OutOfMemory {
                    bytes: model_bytes(data),
                })?;
                let beside = match moves.pull {
                    0.0 => still.clone(),
                    pull => beside(kept, pull)?,
                };
                let model = self.linear.went_on(weights, kept, beside);
                worth += self.worth(&model, held, executor)?;
            }
            Ok::<u64, TrainError>(worth)
        };
        let (mut best, mut most) = (FEW.1, None);
        let mut try_out = |moves| {
            let worth = worth(moves)?;
            if most.is_none_or(|most| worth > most) {
                (best, most) = (moves, Some(worth));
            }
            Ok::<f64, TrainError>(best.strength)
        };
        let mut chosen = 0.0;
        for strength in STRENGTHS {
            chosen = try_out(Moves {
                strength,
                pull: 0.0,
            })?;
        }
        if self.linear.embedding().is_some() {
            for &pull in &PULLS[1..] {
                try_out(Moves {
                    strength: chosen,
                    pull,
                })?;
            }
        }
        Ok(best)
    }

    /// What the answers to the rows of `data` are worth: of each label of a row [`WHOLE`] if it is
    /// among the first answers, of which there are as many as labels, and less the further it is
    /// behind them, up to [`DEPTH`] answers; so a half, a third, ….
    fn worth(
        &self,
        model: &Linear,
        data: &Dataset,
        executor: &Executor,
    ) -> Result<u64, TrainError> {
        const JOB: usize = 64;
        let jobs = data.len().div_ceil(JOB);
        let scratch = || {
            let nearest = NearestScratch::default();
            let embedding = EmbeddingScratch::new(self.kernels);
            (LinearScratch::new(self.kernels), nearest, embedding)
        };
        let worth = executor.map(jobs, scratch, |(linear, nearest, embedding), job| {
            let rows = job * JOB..((job + 1) * JOB).min(data.len());
            let mut worth = 0;
            for row in rows {
                let truth = data.labels().row(row);
                let beside = (&mut *nearest, &mut *embedding);
                let k = truth.len().max(DEPTH);
                let best = model.predict(data.rows().row(row), k, linear, beside)?;
                for (place, _) in best
                    .iter()
                    .enumerate()
                    .filter(|(_, s)| truth.contains(&s.id))
                {
                    worth += WHOLE / (place + 2).saturating_sub(truth.len()).max(1) as u64;
                }
            }
            Ok(worth)
        });
        let worth: Result<Vec<u64>, ModelError> = worth.into_iter().collect();
        Ok(worth?.iter().sum())
    }

    /// The model with the rows of `data` learned.
    fn model(
        &self,
        data: &Dataset,
        strength: f64,
        executor: &Executor,
    ) -> Result<LinearModel, TrainError> {
        let rows = Rows::new(data, self.parameters);
        let features = data.rows().features() as usize;
        let labels = self.weights.len();
        let scratch = || Scratch::new(features, data.len());
        let weights = executor.map(labels, scratch, |scratch, label| {
            let before = &self.weights[label];
            let new = before.scale == 0.0;
            match rows.of(label) {
                own if !own.is_empty() && (new || strength > 0.0) => {
                    let strength = if new { 1.0 } else { strength };
                    scratch.solve(&rows, own, (before, strength), self.parameters)
                }
                _ => before.clone(),
            }
        });
        let (transform, bits) = (self.parameters.transform(), self.parameters.bits);
        Ok(build(&weights, features, transform, bits)?)
    }
}

/// Whether a row has features, and some labels but not all.
fn teaches(data: &Dataset) -> bool {
    let all = data.labels().labels() as usize;
    let mut rows = data.rows().iter().zip(data.labels().iter());
    rows.any(|(row, labels)| !row.is_empty() && !labels.is_empty() && labels.len() < all)
}

/// About what a prepared model takes.
fn model_bytes(data: &Dataset) -> u64 {
    4 * u64::from(data.rows().features())
}
