//! Further heads: how much of softmax regression over the stored weights, and of an embedding, is
//! added to the machines.

use super::{
    additions::Sample,
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
            precision::{Figures, Tally},
        },
        softmax::{EPOCHS, SoftmaxTraining, VISIT, visits},
    },
};
use alloc::{vec, vec::Vec};
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

/// The share of all work that trials of a head may take beside it, and work that they always may:
/// about a second.
const SHARE: f64 = 0.5;
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

impl Heads {
    /// Whether all that `mix` asks for is there.
    pub(super) fn serve(&self, mix: Mix) -> bool {
        (mix.softmax == 0.0 || self.softmax.is_some())
            && (mix.embedding == 0.0 || self.embedding.is_some())
    }
}

impl<E: Executor, P: FnMut(usize, usize) -> ControlFlow<()>> Search<'_, E, P> {
    /// Chooses how much of a head is added to the machines and the heads before it, on as many
    /// divisions as are allowed; none of it where even one is too dear.
    pub(super) fn weigh(
        &mut self,
        head: Head,
        samples: &mut [Sample<'_>],
        share: f64,
        allowed: f64,
    ) -> Result<(), TrainError> {
        let mixes = head.mixes(self.best.mix);
        let mut found = vec![Tally::default(); mixes.len()];
        let (mut spent, mut folds) = (0.0, 0);
        for sample in samples {
            let Some(model) = &sample.pruned else {
                continue;
            };
            spent += head.work(model, &sample.train);
            if spent > f64::max(SHARE * allowed, ALWAYS) || !sample.heads.serve(mixes[0]) {
                break;
            }
            folds += 1;
            self.train_head(head, model, &sample.train, &mut sample.heads)?;
            let test = &sample.fold.test;
            let Some(candidates) = self.answers(sample, (None, None))? else {
                continue;
            };
            let mut top = Top::default();
            for (found, &mix) in found.iter_mut().zip(&mixes) {
                *found = core::mem::take(found).and(&Tally::of(sample.train.labels()));
                candidates.judge(mix, test.labels(), &mut top, found);
            }
        }
        if folds > 0 {
            let found: Vec<Figures> = found.iter_mut().map(Tally::figures).collect();
            let sure = found[0].worth() + SURE * chance(found[0].rows);
            let best = best_of(&found);
            let at = if found[best].worth() >= sure { best } else { 0 };
            self.best.mix.softmax = mixes[at].softmax;
            self.best.mix.embedding = mixes[at].embedding;
            let setting = self.best.clone();
            self.tell(&setting, found[at], Rung { share, folds })?;
        }
        Ok(())
    }

    /// Trains a head on `train`.
    fn train_head(
        &self,
        head: Head,
        model: &LinearModel,
        train: &Dataset,
        heads: &mut Heads,
    ) -> Result<(), TrainError> {
        let parameters = &self.best.parameters;
        match head {
            Head::Softmax => {
                let mut training = SoftmaxTraining::new(model, train, parameters.seed)?;
                while training.step(self.executor, self.kernels) {}
                heads.softmax = Some(training.alone(model, parameters.bits)?);
            }
            Head::Embedding => {
                let made = embedding(train, parameters.seed, self.executor, self.kernels)?;
                heads.embedding = Some(made);
            }
        }
        Ok(())
    }
}
