//! The end of the search: how much is left out of the weights, and what neighbors add to them.

use super::{
    candidates::{Beside, Candidates, DEPTH, Mix},
    folds::Fold,
    heads::{Head, Heads},
    search::{Rung, Search, Setting, best_of},
};
use crate::{
    data::Dataset,
    executor::Executor,
    model::{
        linear::{LinearModel, fused::FusedNearest, scorer::LinearScorer},
        nearest::Nearest,
    },
    parameters::one_vs_rest::OneVsRest,
    search::Top,
    train::{
        TrainError,
        one_vs_rest::{
            centroids::centroids,
            precision::{Figures, Tally},
        },
    },
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;

/// Weights of neighbors' votes.
const NEIGHBORS: [f32; 7] = [0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5];

/// The prior that stands unless another is clearly better, and those that may be, beside the one
/// found before: labels of many rows held back a little cost next to no precision, and rare labels
/// gain (`benches/record/choice.md`).
const PRIOR: f64 = -0.025;
const PRIORS: [f64; 2] = [-0.05, -0.1];

/// Sizes of weights up to which they are left out, the largest first.
pub(super) const PRUNES: [f32; 6] = [0.2, 0.15, 0.11, 0.07, 0.04, 0.02];

/// So much precision pays for an index of neighbors, which makes the file two to three times as
/// large and an answer several times as slow.
const WORTH_NEIGHBORS: f64 = 0.003;

/// So much precision may be lost by pruning.
const PRUNED: f64 = 0.000_3;

/// Divisions on which neighbors are asked: an index takes longer to search than a model of a few
/// labels to train.
const NEIGHBOR_FOLDS: usize = 2;

/// Rows to train on, the division they come from, and what was trained on them.
pub(super) struct Sample<'a> {
    pub train: Dataset,
    pub fold: &'a Fold,
    /// The best model, as much pruned as was found to cost nothing.
    pub pruned: Option<LinearModel>,
    /// What was trained to add to it.
    pub heads: Heads,
}

/// How good the answers of a mix are on all divisions.
fn judge(candidates: &[(Candidates, &Fold)], mix: Mix, top: &mut Top) -> Figures {
    let mut all = Tally::default();
    for (candidates, fold) in candidates {
        all = all.and(&Tally::of(fold.train.labels()));
        candidates.judge(mix, fold.test.labels(), top, &mut all);
    }
    all.figures()
}

impl<E: Executor, P: FnMut(usize, usize) -> ControlFlow<()>> Search<'_, E, P> {
    /// The most pruning that costs next to nothing, the weights of an embedding, of softmax
    /// regression and of neighbors, and the prior.
    pub(crate) fn finish(&mut self, rung: Rung, allowed: f64) -> Result<(), TrainError> {
        let Rung { share, folds } = rung.within(self.folds.len());
        let all = self.folds;
        let sampled = all[..folds].iter().filter_map(|fold| {
            Some(Sample {
                train: fold.sampled(share)?,
                fold,
                pruned: None,
                heads: Heads::default(),
            })
        });
        let mut samples: Vec<Sample<'_>> = sampled.collect();
        self.prune(&mut samples, share)?;
        if self.given.embedding.is_none() {
            self.weigh(Head::Embedding, &mut samples, share, allowed)?;
        }
        if self.given.softmax.is_none() {
            self.weigh(Head::Softmax, &mut samples, share, allowed)?;
        }
        let mut candidates = Vec::new();
        let asked = self.given.neighbors != Some(false);
        if asked {
            let weighed = samples.iter().filter(|s| s.heads.serve(self.best.mix));
            for sample in weighed.take(NEIGHBOR_FOLDS) {
                let train = &sample.train;
                let near = FusedNearest::neighbors(train)?;
                let centroids = centroids(&self.best.parameters, train, self.executor)?;
                if let Some(found) = self.answers(sample, (Some(&centroids), Some(&near)))? {
                    candidates.push((found, sample.fold));
                }
            }
        }
        if !candidates.is_empty() {
            self.weigh_neighbors(&candidates, share)?;
        }
        if self.given.prior.is_none() {
            if self.best.mix.neighbors == 0.0 && candidates.len() < samples.len() {
                candidates = self.of_all(&samples)?;
            }
            self.weigh_priors(&candidates, share)?;
        }
        self.best.mix.softmax = self.given.softmax.unwrap_or(self.best.mix.softmax);
        let given = self.given.embedding.map(|given| given as f32);
        self.best.mix.embedding = given.unwrap_or(self.best.mix.embedding);
        Ok(())
    }

    fn weigh_neighbors(
        &mut self,
        candidates: &[(Candidates, &Fold)],
        share: f64,
    ) -> Result<(), TrainError> {
        let mut top = Top::default();
        let mut judge = |mix| judge(candidates, mix, &mut top);
        let alone = judge(self.best.mix);
        let mut found: Vec<(Mix, Figures)> = Vec::new();
        for mix in self.mixes() {
            for neighbors in NEIGHBORS {
                let mix = Mix {
                    neighbors,
                    softmax: self.best.mix.softmax,
                    embedding: self.best.mix.embedding,
                    ..mix
                };
                found.push((mix, judge(mix)));
            }
        }
        let figures: Vec<Figures> = found.iter().map(|(_, figures)| *figures).collect();
        let (mix, with) = found[best_of(&figures)];
        let wanted = self.given.neighbors == Some(true);
        if wanted || with.worth() >= alone.worth() + WORTH_NEIGHBORS {
            self.best.mix = mix;
        }
        let setting = Setting {
            mix,
            ..self.best.clone()
        };
        let folds = candidates.len();
        self.tell(&setting, with, Rung { share, folds })
    }

    /// The answers of the pruned model of a sample, its heads and what else is given.
    pub(super) fn answers(
        &self,
        sample: &Sample<'_>,
        (centroids, nearest): (Option<&LinearModel>, Option<&Nearest>),
    ) -> Result<Option<Candidates>, TrainError> {
        let Some(model) = &sample.pruned else {
            return Ok(None);
        };
        let beside = Beside {
            within: self.best.mix,
            centroids,
            softmax: sample.heads.softmax.as_ref(),
            embedding: sample.heads.embedding.as_ref(),
            nearest,
            frequencies: &sample.train.labels().frequencies(),
        };
        let test = &sample.fold.test;
        Candidates::new(model, &beside, test, self.executor, self.kernels).map(Some)
    }

    /// The answers of the pruned models of all samples, without neighbors.
    fn of_all<'f>(
        &self,
        samples: &[Sample<'f>],
    ) -> Result<Vec<(Candidates, &'f Fold)>, TrainError> {
        let mut candidates = Vec::new();
        for sample in samples.iter().filter(|s| s.heads.serve(self.best.mix)) {
            if let Some(found) = self.answers(sample, (None, None))? {
                candidates.push((found, sample.fold));
            }
        }
        Ok(candidates)
    }

    /// Chooses the prior, last, for all that answers together.
    fn weigh_priors(
        &mut self,
        candidates: &[(Candidates, &Fold)],
        share: f64,
    ) -> Result<(), TrainError> {
        if candidates.is_empty() {
            return Ok(());
        }
        let mut priors = vec![PRIOR, self.best.mix.prior];
        priors.extend(PRIORS);
        let mut top = Top::default();
        let judge = |&prior: &f64| {
            let mix = Mix {
                prior,
                ..self.best.mix
            };
            judge(candidates, mix, &mut top)
        };
        let found: Vec<Figures> = priors.iter().map(judge).collect();
        let at = best_of(&found);
        self.best.mix.prior = priors[at];
        let setting = self.best.clone();
        let folds = candidates.len();
        self.tell(&setting, found[at], Rung { share, folds })
    }

    /// Chooses how much is left out of the weights, centroids in them, if that is not given.
    fn prune(&mut self, samples: &mut [Sample<'_>], share: f64) -> Result<(), TrainError> {
        let given = self.given.prune.map(|given| [given]);
        let prunes = given.as_ref().map_or(&PRUNES[..], |given| &given[..]);
        let full = OneVsRest {
            centroid: self.best.mix.centroid,
            prior: self.best.mix.prior,
            prune: prunes[prunes.len() - 1],
            softmax: 0.0,
            ..self.best.parameters.clone()
        };
        let go_on = |_| ControlFlow::Continue(());
        let mut found = vec![Tally::default(); prunes.len()];
        for sample in samples.iter_mut() {
            let model = full.train(&sample.train, self.executor, self.kernels, go_on)?;
            let test = &sample.fold.test;
            for (found, &prune) in found.iter_mut().zip(prunes) {
                *found = core::mem::take(found).and(&Tally::of(sample.train.labels()));
                let pruned = model.pruned(prune, full.bits);
                let scorer = LinearScorer::new(&pruned).map_err(|_| TrainError::OutOfMemory {
                    bytes: pruned.bytes() as u64,
                })?;
                let k = DEPTH.min(pruned.labels() as usize);
                let answers = scorer.predict_rows(test.rows(), k, self.kernels, self.executor);
                for (row, best) in answers.chunks(k).enumerate() {
                    found.count(best, test.labels().row(row));
                }
            }
            sample.pruned = Some(model);
        }
        let found: Vec<Figures> = found.iter_mut().map(Tally::figures).collect();
        let highest = found.iter().map(Figures::worth).fold(0.0, f64::max);
        let fits = found
            .iter()
            .position(|found| found.worth() >= highest - PRUNED);
        let at = fits.unwrap_or(prunes.len() - 1);
        let prune = prunes[at];
        for model in samples.iter_mut().filter_map(|s| s.pruned.as_mut()) {
            *model = model.pruned(prune, full.bits);
        }
        self.best.parameters.prune = prune;
        let setting = self.best.clone();
        let folds = samples.len();
        self.tell(&setting, found[at], Rung { share, folds })
    }
}
