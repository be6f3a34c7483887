//! Further heads: how much of softmax regression over the stored weights, and of an embedding, is
//! added to the machines.

use super::{
    additions::{Judged, figures},
    candidates::Mix,
    folds::Fold,
    search::{Rung, Search, best_of, chance},
};
use crate::{
    model::{
        Embedding,
        linear::{
            LinearModel,
            fused_embedding::{ByEmbedding, GIVEN, LEARNED},
        },
    },
    search::Top,
    train::{
        TrainError,
        one_vs_rest::fused::{embedding, embedding_visits},
        precision::Figures,
        softmax::{self, SoftmaxTraining},
        standardizing::is_dense,
    },
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// What was trained on a division of the rows to add to the machines.
#[derive(Default)]
pub(super) struct Heads {
    pub softmax: Option<LinearModel>,
    pub embeddings: ByEmbedding<Option<Embedding>>,
}

/// Weights of softmax regression.
const SOFTMAX: [f64; 7] = [0.0, 0.03, 0.06, 0.1, 0.15, 0.2, 0.3];

/// Weights of an embedding.
const EMBEDDING: [f64; 7] = [0.0, 0.03, 0.06, 0.12, 0.2, 0.35, 0.6];

/// What trials of a head may take, as a share of the work allowed to all trials, and work that they
/// always may: about a second.
const SHARE: f64 = 1.0;
const ALWAYS: f64 = 1e9;

/// How many times the chance of a difference a head must gain to be taken: softmax regression takes
/// about as long to train as what it is added to, and an embedding makes the file larger.
pub(super) const SURE: f64 = 2.0;

/// The same of softmax regression where rows are dense: it is trained in less time than what it is
/// added to, and gains more often.
const SURE_OF_DENSE: f64 = 1.0;

/// Epochs of softmax regression after which, on the first division, it ends unless beside the
/// machines alone it would be taken as it is then; not where rows are dense, where that saves
/// little.
const LOOK: u32 = 5;

/// Which head is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// The embedding of this place.
    Embedding(usize),
    Softmax,
}

impl Head {
    /// `mix` without this head, and with each of its weights.
    fn mixes(self, mix: Mix) -> [Mix; 7] {
        let mut mixes = [mix; 7];
        for (mix, (embedding, softmax)) in mixes.iter_mut().zip(EMBEDDING.iter().zip(SOFTMAX)) {
            match self {
                Self::Embedding(at) => mix.embeddings[at] = *embedding as f32,
                Self::Softmax => mix.softmax = softmax,
            }
        }
        mixes
    }
}

impl<P: FnMut(usize, usize) -> ControlFlow<()>> Search<'_, P> {
    /// Trains the heads that are not given beside `model` on the rows of its division, each as
    /// long as what it `spent` stays within what is allowed; prototypes over given vectors always,
    /// as the user named them.
    pub(super) fn train_heads(
        &self,
        model: &LinearModel,
        fold: &Fold,
        spent: &mut [f64; 2],
        allowed: f64,
    ) -> Result<Heads, TrainError> {
        let most = f64::max(SHARE * allowed, ALWAYS);
        let first = *spent == [0.0; 2];
        let [embeddings, regression] = spent;
        let may = |spent: &mut f64, work: f64, given: bool| {
            *spent += work;
            !given && *spent <= most
        };
        let mut heads = Heads::default();
        let (seed, train) = (self.best.parameters.seed, &fold.train);
        let given = self.given.embedding.is_some();
        if may(embeddings, embedding_visits(train), given) {
            let made = embedding(train, seed, self.executor, self.kernels)?;
            heads.embeddings[LEARNED] = Some(made);
        }
        if let Some(vectors) = self.given_vectors {
            let made = vectors.train(train, seed, self.executor, self.kernels)?;
            heads.embeddings[GIVEN] = Some(made);
        }
        let given = self.given.softmax.is_some();
        if may(regression, softmax::work(model, train), given) {
            heads.softmax = self.softmax(model, fold, first)?;
            if heads.softmax.is_none() {
                *regression = f64::INFINITY;
            }
        }
        Ok(heads)
    }

    fn rows_are_dense(&self) -> bool {
        self.folds.iter().all(|fold| is_dense(&fold.train))
    }

    /// Softmax regression beside `model`; none if after [`LOOK`] epochs too little is seen of it.
    fn softmax(
        &self,
        model: &LinearModel,
        fold: &Fold,
        look: bool,
    ) -> Result<Option<LinearModel>, TrainError> {
        let parameters = &self.best.parameters;
        let look = look && !self.rows_are_dense();
        let mut training = SoftmaxTraining::new(model, &fold.train, parameters.seed)?;
        while training.step(self.executor, self.kernels) {
            if !look || training.epoch() != LOOK {
                continue;
            }
            let heads = Heads {
                softmax: Some(training.alone(model, parameters.bits)?),
                ..Heads::default()
            };
            let judged = self.judged(fold, model, &heads, false)?;
            if self.surely(Head::Softmax, &[&judged]).0 == self.best.mix {
                return Ok(None);
            }
        }
        training.alone(model, parameters.bits).map(Some)
    }

    /// Chooses how much of a head is added to the machines and the heads before it, on the
    /// divisions where it was trained; none of it where even one was too dear.
    pub(super) fn weigh(&mut self, head: Head, judged: &[Judged<'_>]) -> Result<(), TrainError> {
        let mixes = head.mixes(self.best.mix);
        let with: Vec<&Judged<'_>> = judged.iter().filter(|of| of.serves(mixes[1])).collect();
        if with.is_empty() {
            return Ok(());
        }
        let (mix, figures) = self.surely(head, &with);
        self.best.mix = mix;
        let setting = self.best.clone();
        self.tell(&setting, figures, Rung::all(with.len()))
    }

    /// The mix with the best weight of a head, if it gains enough, else the mix without it.
    fn surely(&self, head: Head, judged: &[&Judged<'_>]) -> (Mix, Figures) {
        let mixes = head.mixes(self.best.mix);
        let mut top = Top::default();
        let judge = |&mix: &Mix| figures(judged, mix, &mut top);
        let found: Vec<Figures> = mixes.iter().map(judge).collect();
        let times = match head == Head::Softmax && self.rows_are_dense() {
            true => SURE_OF_DENSE,
            false => SURE,
        };
        let sure = found[0].worth() + times * chance(found[0].rows);
        let best = best_of(&found);
        let at = if found[best].worth() >= sure { best } else { 0 };
        (mixes[at], found[at])
    }
}

#[cfg(test)]
mod tests {
    use super::{Fold, Search};
    use crate::{
        data::{Dataset, LabelLists},
        executor::{Executor, Sequential},
        kernels::Portable,
        parameters::OneVsRest,
        sparse::{SparseRows, SparseVec},
        train::one_vs_rest::choice::Given,
    };
    use core::ops::ControlFlow;

    /// Rows that tell their label, which is named `shift` further, with two of so many features.
    fn rows(shift: u32, features: u32) -> Dataset {
        let (mut rows, mut lists) = (SparseRows::new(features), LabelLists::new(4));
        for row in 0..400u32 {
            let pairs = [(row % 4, 1.0), (4 + row * row % (features - 4), 0.5)];
            rows.push(SparseVec::from_pairs(pairs).unwrap().view())
                .unwrap();
            lists.push([(row + shift) % 4]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    #[test]
    fn softmax_ends_early_where_it_gains_nothing() {
        let data = rows(0, 16);
        let folds = Fold::all(&data, 1);
        let parameters = OneVsRest {
            prune: 0.0,
            ..OneVsRest::default()
        };
        let go_on = |_| ControlFlow::Continue(());
        let model = |data: &Dataset| parameters.train(data, &Sequential, &Portable, go_on);
        let (right, wrong) = (model(&data).unwrap(), model(&rows(1, 16)).unwrap());
        let tell = |_: usize, _: usize| ControlFlow::Continue(());
        let of: (&Executor, _) = (&Sequential, &Portable as _);
        let search = Search::new(Given::default(), parameters.clone(), &folds, of, tell);
        for (model, look, taken) in [
            (&right, true, false),
            (&right, false, true),
            (&wrong, true, true),
        ] {
            let found = search.softmax(model, &folds[0], look).unwrap();
            assert_eq!(found.is_some(), taken, "looks: {look}");
        }
        // What ends on the first division is not begun on the next.
        let mut spent = [0.0; 2];
        for fold in &folds {
            let heads = search.train_heads(&right, fold, &mut spent, 1e12).unwrap();
            assert!(heads.softmax.is_none() && heads.embeddings[0].is_some());
        }
        assert!(folds.len() > 1);
        // Of dense rows it is trained to its end.
        let dense = rows(0, 8);
        let (right, folds) = (model(&dense).unwrap(), Fold::all(&dense, 1));
        let search = Search::new(Given::default(), parameters.clone(), &folds, of, tell);
        assert!(search.softmax(&right, &folds[0], true).unwrap().is_some());
    }
}
