//! Softmax regression over the weights that another linear model has stored, to be added to it.
//!
//! Problem: rows `x_i` of D features with label sets `Y_i`, i = 1..N, and a set S of pairs of label
//! and feature: those for which the model has a weight. Find V, zero outside of S, with a small
//!
//! ```text
//! f(V) = -sum_i 1/|Y_i| sum_{y in Y_i} ln( exp(v_y · x_i) / sum_l exp(v_l · x_i) ),
//! ```
//!
//! the sum of the denominator going over all L labels; those without a weight for any of the row's
//! features have a score of 0. One-vs-rest asks of each label alone whether it fits; this loss asks
//! which of them fits best, so a small share of it, added to the scores, mends the order at the
//! top. Over the same pairs the sum of both is one linear model of the size that it had.
//!
//! Method: stochastic gradient descent in batches of [`BATCH`] rows in random order, [`EPOCHS`]
//! times over the rows, with a rate that falls linearly to 0. Of each row every value is left out
//! with probability [`DROPOUT`] and the others are divided by what is left (Srivastava et al.,
//! JMLR 2014): where rows have a handful of values, that is what keeps a label from relying on one
//! of them. Gradients of a batch are those at its begin. Shares below [`LEAST_SHARE`] are no
//! gradient.
//!
//! Cost: an epoch visits each stored weight of each value of each row twice ([`work`]). Where that
//! is much of all N D L, those of all labels are visited, in order, which is faster, and those
//! outside of S are set to 0 after each batch. Memory: 8 bytes a weight in S, or 5 for each label
//! and feature; 4 a value of the rows, 12 a label and thread. Batches are scored in parallel by
//! rows and changed in parallel by features, each weight by the rows in their order: V is the same
//! for any number of threads.
//!
//! Adding up heads with weights found on held-out rows is stacking (Wolpert, Neural Networks 1992);
//! here the sum of two linear heads is one. `benches/record/heads.md` has what it gains.

mod batch;
mod rows;
mod support;
#[cfg(test)]
mod tests;

use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::linear::LinearModel,
    parameters::RowTransform,
    random::Stream,
    train::{
        TrainError,
        state::{StateError, same},
    },
};
use alloc::vec::Vec;
use batch::Batches;
use rows::Rows;
use support::{Support, visits};

/// Times over the rows.
pub(crate) const EPOCHS: u32 = 15;

/// The first rate, for rows of length 1.
const RATE: f32 = 10.0;

/// The same for points: a tenth.
const RATE_OF_POINTS: f32 = 1.0;

/// The probability of a value to be left out.
const DROPOUT: f64 = 0.2;

/// Rows whose gradients are taken with the same weights.
const BATCH: usize = 128;

/// The share of a label in its row below which it is left alone.
const LEAST_SHARE: f32 = 1e-3;

/// What an epoch's visit of a weight costs, in visits of a value by a label in solving one-vs-rest.
const VISIT: f64 = 4.0;

/// How many visits of all labels' weights, which are in order, cost what one of those does.
const VISITS_OF_ALL: f64 = 20.0;

/// Training under way.
pub(crate) struct SoftmaxTraining<'a> {
    data: &'a Dataset,
    rows: Rows,
    support: Support,
    batches: Batches,
    seed: u64,
    epoch: u32,
}

impl<'a> SoftmaxTraining<'a> {
    /// Begins with V = 0 over the weights of `model`, for rows that go through its transform.
    ///
    /// # Errors
    /// Lack of memory.
    pub(crate) fn new(
        model: &LinearModel,
        data: &'a Dataset,
        seed: u64,
    ) -> Result<Self, TrainError> {
        Self::with(takes_all_weights(model, data), model, data, seed)
    }

    /// The same over `all` pairs that there can be, or over those of the model.
    fn with(
        all: bool,
        model: &LinearModel,
        data: &'a Dataset,
        seed: u64,
    ) -> Result<Self, TrainError> {
        Ok(Self {
            data,
            rows: Rows::new(data, model.parts().transform)?,
            support: Support::of(model, all)?,
            batches: Batches::default(),
            seed,
            epoch: 0,
        })
    }

    /// Bytes held, without what threads hold.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.support.bytes() + 4 * self.data.rows().nonzeros() + 8 * self.data.len()
    }

    /// Epochs that are done.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The weights of the pairs, or of all that there can be, by feature.
    pub(crate) fn weights(&self) -> &[f32] {
        &self.support.weights
    }

    /// Goes on after `epoch` epochs that ended with these weights.
    ///
    /// # Errors
    /// If there are more epochs or other weights than there can be.
    pub(crate) fn resume(&mut self, epoch: u32, weights: Vec<f32>) -> Result<(), StateError> {
        same("softmax weights", weights.len(), self.support.weights.len())?;
        if epoch > EPOCHS || weights.iter().any(|weight| !weight.is_finite()) {
            return Err(StateError::Disordered {
                what: "softmax weights",
            });
        }
        (self.epoch, self.support.weights) = (epoch, weights);
        self.support.clear_unpaired();
        Ok(())
    }

    /// Does an epoch, if one is left.
    pub(crate) fn step(&mut self, executor: &Executor, kernels: &dyn Kernels) -> bool {
        if self.epoch == EPOCHS {
            return false;
        }
        self.batches
            .share_among(executor.threads(), &self.support, self.data);
        let rows = self.data.len();
        let mut order: Vec<u32> = (0..rows as u32).collect();
        Stream::new(self.seed, u64::from(self.epoch)).shuffle(&mut order);
        let mut done = self.epoch as usize * rows;
        let all = EPOCHS as usize * rows;
        let machine = (executor, kernels);
        for batch in order.chunks(BATCH) {
            let rate = RATE * (1.0 - done as f32 / all as f32) * self.rows.scale;
            let (of, asked) = ((&self.rows, self.data), (batch, (self.seed, self.epoch)));
            let support = &mut self.support;
            self.batches.gradients(support, of, asked, machine);
            self.batches.descend(support, rate, machine);
            done += batch.len();
        }
        self.epoch += 1;
        true
    }

    /// V times `weight`, added to `model`, which must be the one that training began with; its
    /// biases stay.
    ///
    /// # Errors
    /// If the sum needs more bytes than a model can have.
    pub(crate) fn added_to(
        &self,
        model: &LinearModel,
        weight: f32,
        bits: u32,
    ) -> Result<LinearModel, TrainError> {
        self.support.added_to(model, (1.0, weight), bits)
    }

    /// V alone, biases 0.
    ///
    /// # Errors
    /// As [`SoftmaxTraining::added_to`].
    pub(crate) fn alone(&self, model: &LinearModel, bits: u32) -> Result<LinearModel, TrainError> {
        self.support.added_to(model, (0.0, 1.0), bits)
    }
}

/// V over all pairs of the labels of `data` and the dimensions of its rows, which are points whose
/// mean is 0, by dimension: L numbers each. Rows meet in all dimensions, so that the steps of a
/// batch add up: the first rate is [`RATE_OF_POINTS`].
///
/// # Errors
/// Lack of memory.
pub(crate) fn of_points(
    data: &Dataset,
    seed: u64,
    executor: &Executor,
    kernels: &dyn Kernels,
) -> Result<Vec<f32>, TrainError> {
    let (labels, features) = (data.labels().labels(), data.rows().features());
    let as_they_are = RowTransform {
        exponent: 1.0,
        normalize: false,
    };
    let mut rows = Rows::new(data, as_they_are)?;
    rows.scale *= RATE_OF_POINTS / RATE;
    let mut training = SoftmaxTraining {
        data,
        rows,
        support: Support::whole(labels as usize, features as usize)?,
        batches: Batches::default(),
        seed,
        epoch: 0,
    };
    while training.step(executor, kernels) {}
    Ok(training.support.weights)
}

/// Whether to visit all labels' weights costs less than to visit those that there are.
fn takes_all_weights(model: &LinearModel, data: &Dataset) -> bool {
    visits_of_all(model, data) < visits(model, data)
}

/// What an epoch costs, one way, that visits all labels' weights, in visits of a weight.
fn visits_of_all(model: &LinearModel, data: &Dataset) -> f64 {
    let cells = data.len() as f64 * f64::from(model.features());
    cells * f64::from(model.labels()) / VISITS_OF_ALL
}

/// Work of training over the weights of `model`, in visits of a value by a label in solving
/// one-vs-rest.
pub(crate) fn work(model: &LinearModel, data: &Dataset) -> f64 {
    VISIT * f64::from(EPOCHS) * visits(model, data).min(visits_of_all(model, data))
}

/// The most bytes that training holds beside rows where it visits all labels' weights; none where
/// rows have too few values for that.
pub(crate) fn dense_bytes(data: &Dataset) -> u64 {
    let (rows, features) = (data.rows(), u64::from(data.rows().features()));
    let labels = u64::from(data.labels().labels());
    let cells = (data.len() as u64 * features) as f64;
    match cells < VISITS_OF_ALL * rows.nonzeros() as f64 {
        true => 5 * features * labels,
        false => 0,
    }
}
