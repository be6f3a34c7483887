//! Further heads: how much of softmax regression over the stored weights, and of an embedding, is
//! added to the machines.

use super::{
    additions::Sample,
    candidates::{Beside, Candidates, Mix},
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

impl<E: Executor, P: FnMut(usize, usize)> Search<'_, E, P> {
    /// Chooses how much of each head is added that is not given, on as many divisions as are
    /// allowed; none of a head where even one is too dear. Returns how many divisions it took.
    pub(super) fn weigh_heads(
        &mut self,
        samples: &mut [Sample<'_>],
        share: f64,
        allowed: f64,
    ) -> Result<usize, TrainError> {
        let most = f64::max(SHARE * allowed, ALWAYS);
        let mut left = [most; 2];
        let mut mixes = Vec::new();
        let mut found = Vec::new();
        let mut folds = 0;
        for sample in samples {
            let Some(model) = &sample.pruned else {
                continue;
            };
            let heads = self.heads(model, &sample.train, &mut left)?;
            let (softmax, embedding) = (heads.softmax.is_some(), heads.embedding.is_some());
            if folds == 0 {
                mixes = self.head_mixes(softmax, embedding);
                found = vec![Tally::default(); mixes.len()];
            }
            // Every mix is judged on the same rows: a head that is too dear now ends it.
            if mixes.len() < 2 || mixes.len() > self.head_mixes(softmax, embedding).len() {
                break;
            }
            folds += 1;
            let beside = Beside {
                centroids: None,
                softmax: heads.softmax.as_ref(),
                embedding: heads.embedding.as_ref(),
                nearest: None,
                frequencies: &sample.train.labels().frequencies(),
            };
            let test = &sample.fold.test;
            let candidates = Candidates::new(model, &beside, test, self.executor, self.kernels)?;
            let mut top = Top::default();
            for (found, &mix) in found.iter_mut().zip(&mixes) {
                *found = core::mem::take(found).and(&Tally::of(sample.train.labels()));
                candidates.judge(mix, test.labels(), &mut top, found);
            }
            sample.heads = heads;
        }
        if folds > 0 {
            let found: Vec<Figures> = found.iter_mut().map(Tally::figures).collect();
            let at = surest(&mixes, &found);
            self.best.mix.softmax = mixes[at].softmax;
            self.best.mix.embedding = mixes[at].embedding;
            let setting = self.best.clone();
            self.tell(&setting, found[at], Rung { share, folds });
        }
        Ok(folds)
    }

    /// The heads that are wanted and allowed, trained on `train`; `left` is the work that each may
    /// still take.
    fn heads(
        &self,
        model: &LinearModel,
        train: &Dataset,
        left: &mut [f64; 2],
    ) -> Result<Heads, TrainError> {
        let (parameters, mix) = (&self.best.parameters, &self.best.mix);
        let mut heads = Heads::default();
        left[0] -= VISIT * f64::from(EPOCHS) * visits(model, train);
        if left[0] > 0.0 && (self.given.softmax.is_none() || mix.softmax != 0.0) {
            let mut training = SoftmaxTraining::new(model, train, parameters.seed)?;
            while training.step(self.executor, self.kernels) {}
            heads.softmax = Some(training.alone(model, parameters.bits)?);
        }
        left[1] -= embedding_visits(train);
        if left[1] > 0.0 && (self.given.embedding.is_none() || mix.embedding != 0.0) {
            let made = embedding(train, parameters.seed, self.executor, self.kernels)?;
            heads.embedding = Some(made);
        }
        Ok(heads)
    }

    /// The weights that are tried of the heads that there are, each given one alone; the machines
    /// alone come first.
    fn head_mixes(&self, softmax: bool, embedding: bool) -> Vec<Mix> {
        let weights = match (self.given.softmax, softmax) {
            (Some(given), _) => vec![given],
            (None, true) => [0.0].iter().chain(&SOFTMAX).copied().collect(),
            (None, false) => vec![0.0],
        };
        let others = match (self.given.embedding, embedding) {
            (Some(given), _) => vec![given as f32],
            (None, true) => [0.0].iter().chain(&EMBEDDING).copied().collect(),
            (None, false) => vec![0.0],
        };
        let with = |embedding: f32| {
            let of = move |&softmax: &f64| Mix {
                softmax,
                embedding,
                ..Mix::default()
            };
            weights.iter().map(of).collect::<Vec<Mix>>()
        };
        others.into_iter().flat_map(with).collect()
    }
}

/// The place of the mix to take: the best of those with more heads, if it gains enough over the
/// best of those with fewer.
fn surest(mixes: &[Mix], found: &[Figures]) -> usize {
    let heads = |mix: &Mix| usize::from(mix.softmax != 0.0) + usize::from(mix.embedding != 0.0);
    let sure = SURE * chance(found[0].rows);
    let mut taken: Option<usize> = None;
    for wanted in 0..=2 {
        let places: Vec<usize> = (0..mixes.len())
            .filter(|&at| heads(&mixes[at]) == wanted)
            .collect();
        if places.is_empty() {
            continue;
        }
        let figures: Vec<Figures> = places.iter().map(|&at| found[at]).collect();
        let best = places[best_of(&figures)];
        let gains = |at: usize| found[best].worth() >= found[at].worth() + sure;
        if taken.is_none_or(gains) {
            taken = Some(best);
        }
    }
    taken.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Figures, Mix, surest};

    #[test]
    fn a_head_is_taken_for_what_it_gains_beyond_chance() {
        let mix = |softmax, embedding| Mix {
            softmax,
            embedding,
            ..Mix::default()
        };
        let mixes = [mix(0.0, 0.0), mix(0.1, 0.0), mix(0.0, 0.2), mix(0.1, 0.2)];
        let taken = |precision: [f64; 4]| {
            let figures = precision.map(|precision| Figures {
                precision,
                rows: 1600,
                ..Figures::default()
            });
            surest(&mixes, &figures)
        };
        // Chance is 0.001 for so many rows.
        assert_eq!(taken([0.5, 0.501, 0.5, 0.5]), 0);
        assert_eq!(taken([0.5, 0.503, 0.502, 0.504]), 1);
        assert_eq!(taken([0.5, 0.503, 0.505, 0.506]), 2);
        assert_eq!(taken([0.5, 0.503, 0.505, 0.508]), 3);
        assert_eq!(taken([0.5, 0.5, 0.5, 0.5021]), 3);
    }
}
