//! The weights while training: by feature where all classes are scored, by class where a search
//! proposes some.

use super::{
    class_rows::ClassRows,
    feature_lists::FeatureLists,
    step::{Slots, Steps},
};
use crate::executor::Executor;
use alloc::vec::Vec;

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Weights(pub(super) Storage);

#[derive(Clone, Debug)]
pub(super) enum Storage {
    Features(FeatureLists),
    Classes(ClassRows),
}

macro_rules! either {
    ($self:ident, $weights:ident => $call:expr) => {
        match $self {
            Weights(Storage::Features($weights)) => $call,
            Weights(Storage::Classes($weights)) => $call,
        }
    };
}

impl Weights {
    /// Number of classes.
    #[must_use]
    pub(crate) fn classes(&self) -> usize {
        either!(self, weights => weights.classes())
    }

    /// The common factor of all weights: what scores are to be multiplied with.
    #[must_use]
    pub(crate) fn scale(&self) -> f64 {
        either!(self, weights => weights.scale())
    }

    /// The squared Euclidean length of all weights together. Not kept for l1.
    #[must_use]
    pub(crate) fn square(&self) -> f64 {
        either!(self, weights => weights.square())
    }

    /// The weights that training ends with: feature, class and weight, the features of each class
    /// rising.
    pub fn visit(&self, visit: impl FnMut(u32, u32, f32)) {
        either!(self, weights => weights.visit(visit));
    }

    /// The sum of the sizes of all weights: those of the last step, for l1.
    #[must_use]
    pub(crate) fn sizes(&self) -> f64 {
        let mut sum = 0.0;
        self.visit(|_, _, weight| sum += f64::from(weight.abs()));
        sum
    }

    /// Number of stored weights.
    #[must_use]
    pub(crate) fn nonzeros(&self) -> usize {
        either!(self, weights => weights.nonzeros())
    }

    /// Bytes held.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        either!(self, weights => weights.bytes())
    }

    /// The products of all classes with a row in place of `scores`, without the factor
    /// [`Weights::scale`]. Features beyond the last are left out.
    pub(super) fn score(&self, row: &[(u32, f32)], scores: &mut [f32]) {
        match &self.0 {
            Storage::Features(lists) => {
                scores.fill(0.0);
                lists.score(row, scores);
            }
            Storage::Classes(rows) => {
                for (class, score) in scores.iter_mut().enumerate() {
                    *score = rows.score(row, class as u32);
                }
            }
        }
    }

    pub(super) fn shrink(&mut self, factor: f64) {
        either!(self, weights => weights.shrink(factor));
    }

    pub(super) fn project(&mut self, radius: f64) {
        either!(self, weights => weights.project(radius));
    }

    pub(super) fn begin_averaging(&mut self) {
        either!(self, weights => weights.begin_averaging());
    }

    pub(super) fn end_step(&mut self, penalty: f64, touched: &[u32]) {
        either!(self, weights => weights.end_step(penalty, touched));
    }

    pub(super) fn settle(&mut self) {
        either!(self, weights => weights.settle());
    }

    pub(super) fn add(&mut self, row: &[(u32, f32)], steps: &Steps<'_>, slots: &mut Slots) {
        match &mut self.0 {
            Storage::Features(lists) => lists.add(row, steps, slots),
            Storage::Classes(rows) => rows.add(row, steps),
        }
    }

    pub(super) fn add_all<'s>(
        &mut self,
        count: usize,
        draw: impl Fn(usize, &mut Vec<(u32, f32)>) -> Steps<'s> + Sync,
        executor: &Executor,
    ) {
        either!(self, weights => weights.add_all(count, draw, executor));
    }
}
