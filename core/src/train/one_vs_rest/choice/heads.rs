//! Further heads: how much of softmax regression over the stored weights, and of an embedding, is
//! added to the machines.

use super::{
    additions::{Judged, figures},
    candidates::Mix,
    search::{Rung, Search, best_of, chance},
};
use crate::{
    data::Dataset,
    executor::Executor,
    model::{Embedding, linear::LinearModel},
    search::Top,
    train::{
        TrainError,
        one_vs_rest::{
            fused::{embedding, embedding_visits},
            precision::Figures,
        },
        softmax::{EPOCHS, SoftmaxTraining, VISIT, visits},
    },
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// What was trained on a division of the rows to add to the machines.
#[derive(Default)]
pub(super) struct Heads {
    pub softmax: Option<LinearModel>,
    pub embedding: Option<Embedding>,
}

/// Weights of softmax regression.
const SOFTMAX: [f64; 6] = [0.03, 0.06, 0.1, 0.15, 0.2, 0.3];

/// Weights of an embedding.
const EMBEDDING: [f32; 6] = [0.03, 0.06, 0.12, 0.2, 0.35, 0.6];

/// What trials of a head may take, as a share of the work allowed to all trials, and work that they
/// always may: about a second.
const SHARE: f64 = 1.0;
const ALWAYS: f64 = 1e9;

/// How many times the chance of a difference a head must gain to be taken: softmax regression takes
/// about as long to train as what it is added to, and an embedding makes the file larger.
const SURE: f64 = 2.0;

/// Which head is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Embedding,
    Softmax,
}

impl Head {
    /// Work of training it, in visits of a stored value by a label.
    fn work(self, model: &LinearModel, train: &Dataset) -> f64 {
        match self {
            Self::Embedding => embedding_visits(train),
            Self::Softmax => VISIT * f64::from(EPOCHS) * visits(model, train),
        }
    }

    /// `mix` without this head, and with each of its weights.
    fn mixes(self, mix: Mix) -> Vec<Mix> {
        let with_embedding = |&embedding: &f32| Mix { embedding, ..mix };
        let with_softmax = |&softmax: &f64| Mix { softmax, ..mix };
        match self {
            Self::Embedding => [0.0].iter().chain(&EMBEDDING).map(with_embedding).collect(),
            Self::Softmax => [0.0].iter().chain(&SOFTMAX).map(with_softmax).collect(),
        }
    }
}

impl<E: Executor, P: FnMut(usize, usize) -> ControlFlow<()>> Search<'_, E, P> {
    /// Trains the heads that are not given beside `model` on its rows, each as long as what it
    /// `spent` stays within what is allowed.
    pub(super) fn train_heads(
        &self,
        model: &LinearModel,
        train: &Dataset,
        spent: &mut [f64; 2],
        allowed: f64,
    ) -> Result<Heads, TrainError> {
        let most = f64::max(SHARE * allowed, ALWAYS);
        let mut may = |head: Head, given: bool| {
            let spent = &mut spent[head as usize];
            *spent += head.work(model, train);
            !given && *spent <= most
        };
        let seed = self.best.parameters.seed;
        let mut heads = Heads::default();
        if may(Head::Embedding, self.given.embedding.is_some()) {
            let made = embedding(train, seed, self.executor, self.kernels)?;
            heads.embedding = Some(made);
        }
        if may(Head::Softmax, self.given.softmax.is_some()) {
            let mut training = SoftmaxTraining::new(model, train, seed)?;
            while training.step(self.executor, self.kernels) {}
            heads.softmax = Some(training.alone(model, self.best.parameters.bits)?);
        }
        Ok(heads)
    }

    /// Chooses how much of a head is added to the machines and the heads before it, on the
    /// divisions where it was trained; none of it where even one was too dear.
    pub(super) fn weigh(&mut self, head: Head, judged: &[Judged<'_>]) -> Result<(), TrainError> {
        let mixes = head.mixes(self.best.mix);
        let with: Vec<&Judged<'_>> = judged.iter().filter(|of| of.serves(mixes[1])).collect();
        if with.is_empty() {
            return Ok(());
        }
        let mut top = Top::default();
        let found: Vec<Figures> = mixes
            .iter()
            .map(|&mix| figures(&with, mix, &mut top))
            .collect();
        let sure = found[0].worth() + SURE * chance(found[0].rows);
        let best = best_of(&found);
        let at = if found[best].worth() >= sure { best } else { 0 };
        self.best.mix = mixes[at];
        let setting = self.best.clone();
        self.tell(&setting, found[at], Rung::all(with.len()))
    }
}
