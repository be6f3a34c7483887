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
//! Cost: a label with new rows takes a few passes over all new rows, and three times that for the
//! choice of σ. Memory: the rows once more, and for each thread an array of D doubles.
//!
//! The proximal term is that of domain adaptation with a regularizer around an earlier machine:
//! J. Yang, R. Yan, A. G. Hauptmann, *Cross-domain video concept detection using adaptive SVMs*,
//! 2007; the coordinate steps are LIBLINEAR's.

mod solve;
#[cfg(test)]
mod tests;

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::{
        ModelError,
        linear::{
            LinearModel, LinearScratch,
            build::{LabelWeights, build},
            scorer::decode,
        },
    },
    parameters::one_vs_rest::OneVsRest,
    train::{TrainError, check_data},
};
use alloc::vec::Vec;
use solve::{Rows, Scratch};

/// How far old labels may move: tried on held-out rows from the first on; of equal ones the first.
const STRENGTHS: [f64; 4] = [0.0, 0.1, 0.3, 1.0];
/// Every so many rows one is held out for the choice.
const HELD_OUT: usize = 4;
/// With fewer rows nothing can be chosen, and this strength is taken.
const FEW: (usize, f64) = (40, 0.3);

/// The weights of a model of one-vs-rest with the rows of `data` learned, and the strength σ.
/// `places` has the number of each feature of the model in `data`, whose labels are those of the
/// model and others behind them.
///
/// # Errors
/// If there is nothing to learn from or memory is lacking.
pub(in crate::train) fn learn_on<E: Executor>(
    (model, parameters): (&LinearModel, &OneVsRest),
    data: &Dataset,
    places: &[u32],
    executor: &E,
    kernels: &'static dyn Kernels,
) -> Result<(LinearModel, f64), TrainError> {
    check_data(data)?;
    let mut weights = decode(model);
    for feature in weights.iter_mut().flat_map(|label| &mut label.features) {
        *feature = places[*feature as usize];
    }
    weights.resize(data.labels().labels() as usize, LabelWeights::unseen());
    let update = Update {
        parameters,
        weights,
        kernels,
    };
    let strength = update.choose(data, executor)?;
    let model = update.model(data, strength, executor)?;
    Ok((model, strength))
}

/// What changes start from.
struct Update<'a> {
    parameters: &'a OneVsRest,
    /// The weights of the earlier model, over the features and labels of the data.
    weights: Vec<LabelWeights>,
    kernels: &'static dyn Kernels,
}

impl Update<'_> {
    /// The strength that is best on held-out rows.
    fn choose<E: Executor>(&self, data: &Dataset, executor: &E) -> Result<f64, TrainError> {
        if data.len() < FEW.0 {
            return Ok(FEW.1);
        }
        let (held, kept): (Vec<usize>, Vec<usize>) =
            (0..data.len()).partition(|row| row % HELD_OUT == HELD_OUT - 1);
        let (held, kept) = (data.select(&held), data.select(&kept));
        let (mut best, mut most) = (0.0, None);
        for strength in STRENGTHS {
            let model = self.model(&kept, strength, executor)?;
            let hits = self.hits(model, &held, executor)?;
            if most.is_none_or(|most| hits > most) {
                (best, most) = (strength, Some(hits));
            }
        }
        Ok(best)
    }

    /// How many labels of `data` are among the first answers to their row, of which there are as
    /// many as it has labels.
    fn hits<E: Executor>(
        &self,
        mut model: LinearModel,
        data: &Dataset,
        executor: &E,
    ) -> Result<usize, TrainError> {
        const JOB: usize = 64;
        let lacking = |_| ModelError::OutOfMemory {
            bytes: model_bytes(data),
        };
        model.prepare().map_err(lacking)?;
        let jobs = data.len().div_ceil(JOB);
        let scratch = || LinearScratch::new(self.kernels);
        let hits = executor.map(jobs, scratch, |scratch, job| {
            let rows = job * JOB..((job + 1) * JOB).min(data.len());
            rows.map(|row| {
                let truth = data.labels().row(row);
                let best = model.predict(data.rows().row(row), truth.len().max(1), scratch);
                best.iter().filter(|s| truth.contains(&s.id)).count()
            })
            .sum::<usize>()
        });
        Ok(hits.iter().sum())
    }

    /// The model with the rows of `data` learned.
    fn model<E: Executor>(
        &self,
        data: &Dataset,
        strength: f64,
        executor: &E,
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

/// About what a prepared model takes.
fn model_bytes(data: &Dataset) -> u64 {
    4 * u64::from(data.rows().features())
}
