//! The end of the search: how much is left out of the weights, and what neighbors add to them.

use super::{
    candidates::{Beside, Candidates, DEPTH, Mix},
    folds::Fold,
    heads::{Head, Heads},
    search::{Rung, Search, Setting, best_of},
};
use crate::{
    model::linear::{
        LinearModel,
        fused::FusedNearest,
        fused_embedding::{GIVEN, LEARNED},
        scorer::LinearScorer,
    },
    parameters::one_vs_rest::OneVsRest,
    search::Top,
    train::{
        TrainError,
        calibration::ANSWERS,
        one_vs_rest::centroids::centroids,
        precision::{Figures, Tally},
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

/// Sizes of weights up to which they are left out.
pub(super) const PRUNES: [f32; 8] = [0.02, 0.03, 0.04, 0.055, 0.075, 0.11, 0.15, 0.2];

/// So much precision pays for an index of neighbors, which makes the file two to three times as
/// large and an answer several times as slow.
const WORTH_NEIGHBORS: f64 = 0.003;

/// So much precision may be lost by pruning.
const PRUNED: f64 = 0.001;

/// Divisions on which neighbors are asked: an index takes longer to search than a model of a few
/// labels to train.
const NEIGHBOR_FOLDS: usize = 2;

/// The answers to the held-out rows of a division: of the pruned model and all that was trained to
/// be added to it.
pub(super) struct Judged<'a> {
    pub fold: &'a Fold,
    pub candidates: Candidates,
    /// A mix with a weight for each part that is there.
    pub there: Mix,
}

impl Judged<'_> {
    /// Whether all that `mix` asks for is there.
    pub(super) fn serves(&self, mix: Mix) -> bool {
        (mix.softmax == 0.0 || self.there.softmax > 0.0)
            && (mix.embeddings.iter().zip(&self.there.embeddings))
                .all(|(&asked, &there)| asked == 0.0 || there > 0.0)
            && (mix.neighbors == 0.0 || self.there.neighbors > 0.0)
    }
}

/// How good the answers of a mix are on all these divisions.
pub(super) fn figures(judged: &[&Judged<'_>], mix: Mix, top: &mut Top) -> Figures {
    let mut all = Tally::default();
    for of in judged {
        all = all.and(&Tally::of(of.fold.train.labels()));
        let truth = of.fold.test.labels();
        of.candidates.judge(mix, truth, top, &mut all);
    }
    all.figures()
}

impl<P: FnMut(usize, usize) -> ControlFlow<()>> Search<'_, P> {
    /// The most pruning that costs next to nothing, the weights of embeddings, of softmax
    /// regression and of neighbors, and the prior: all on `folds` divisions.
    pub(crate) fn finish(&mut self, folds: usize, allowed: f64) -> Result<(), TrainError> {
        let folds = &self.folds[..folds.min(self.folds.len())];
        let mut models = self.prune(folds)?;
        self.leave_out_what_cannot_fit(&models[0], &folds[0].train);
        if let Some((limit, are_texts)) = self.limit {
            let parameters = &mut self.best.parameters;
            let open = (&mut self.given, &mut self.given_vectors);
            let of = (parameters.prune, parameters.bits, are_texts);
            let Fold { train, test } = &folds[0];
            parameters.prune = limit.fit(&mut models, (train, test), open, of)?;
        }
        let (mut judged, mut spent) = (Vec::new(), [0.0; 2]);
        for (fold, model) in folds.iter().zip(models) {
            let heads = self.train_heads(&model, fold, &mut spent, allowed)?;
            // An index of neighbors takes long to search.
            let wanted = self.given.neighbors.unwrap_or(!self.ended());
            let asked = wanted && (judged.len() < NEIGHBOR_FOLDS || self.given_vectors.is_some());
            judged.push(self.judged(fold, &model, &heads, asked)?);
        }
        for at in [LEARNED, GIVEN] {
            self.weigh(Head::Embedding(at), &judged)?;
        }
        self.weigh(Head::Softmax, &judged)?;
        self.weigh_neighbors(&judged)?;
        if self.given.prior.is_none() {
            self.weigh_priors(&judged)?;
        }
        self.best.mix.softmax = self.given.softmax.unwrap_or(self.best.mix.softmax);
        let given = self.given.embedding.map(|given| given as f32);
        let weight = &mut self.best.mix.embeddings[LEARNED];
        *weight = given.unwrap_or(*weight);
        self.answer(&judged);
        Ok(())
    }

    /// What a pruned model and its heads answer to the held-out rows, neighbors among them if they
    /// are asked.
    pub(super) fn judged<'f>(
        &self,
        fold: &'f Fold,
        model: &LinearModel,
        heads: &Heads,
        neighbors: bool,
    ) -> Result<Judged<'f>, TrainError> {
        let train = &fold.train;
        let near = neighbors.then(|| FusedNearest::neighbors(train));
        let near = near.transpose()?;
        // With neighbors the weights of centroids are chosen once more.
        let centroids = neighbors.then(|| centroids(&self.best.parameters, train, self.executor));
        let centroids = centroids.transpose()?;
        let beside = Beside {
            within: self.best.mix,
            centroids: centroids.as_ref(),
            softmax: heads.softmax.as_ref(),
            embeddings: &heads.embeddings,
            nearest: near.as_ref(),
            frequencies: &train.labels().frequencies(),
        };
        let (executor, kernels) = (self.executor, self.kernels);
        Ok(Judged {
            fold,
            candidates: Candidates::new(model, &beside, &fold.test, executor, kernels)?,
            there: Mix {
                softmax: f64::from(u8::from(heads.softmax.is_some())),
                embeddings: (heads.embeddings.each_ref())
                    .map(|embedding| f32::from(u8::from(embedding.is_some()))),
                neighbors: f32::from(u8::from(neighbors)),
                ..self.best.mix
            },
        })
    }

    /// Keeps what the chosen mix answers, to calibrate by, of the first divisions that have all of
    /// it.
    fn answer(&mut self, judged: &[Judged<'_>]) {
        let mut top = Top::default();
        for of in judged {
            if !of.serves(self.best.mix) {
                break;
            }
            let truth = of.fold.test.labels();
            self.calibrating.begin(truth);
            let mix = self.best.mix;
            of.candidates.answers(mix, ANSWERS, &mut top, |row, best| {
                self.calibrating.push(best, truth.row(row));
            });
        }
    }

    fn weigh_neighbors(&mut self, judged: &[Judged<'_>]) -> Result<(), TrainError> {
        let asked = Mix {
            neighbors: 1.0,
            ..self.best.mix
        };
        let with: Vec<&Judged<'_>> = judged.iter().filter(|of| of.serves(asked)).collect();
        if with.is_empty() {
            return Ok(());
        }
        let mut top = Top::default();
        let mut judge = |mix| figures(&with, mix, &mut top);
        let alone = judge(self.best.mix);
        let mut found: Vec<(Mix, Figures)> = Vec::new();
        for mix in self.mixes() {
            for neighbors in NEIGHBORS {
                let mix = Mix {
                    neighbors,
                    softmax: self.best.mix.softmax,
                    embeddings: self.best.mix.embeddings,
                    ..mix
                };
                found.push((mix, judge(mix)));
            }
        }
        let figures: Vec<Figures> = found.iter().map(|(_, figures)| *figures).collect();
        let (mix, best) = found[best_of(&figures)];
        let wanted = self.given.neighbors == Some(true);
        if wanted || best.worth() >= alone.worth() + WORTH_NEIGHBORS {
            self.best.mix = mix;
        }
        let setting = Setting {
            mix,
            ..self.best.clone()
        };
        self.tell(&setting, best, Rung::all(with.len()))
    }

    /// Chooses the prior, last, for all that answers together.
    fn weigh_priors(&mut self, judged: &[Judged<'_>]) -> Result<(), TrainError> {
        let mix = self.best.mix;
        let with: Vec<&Judged<'_>> = judged.iter().filter(|of| of.serves(mix)).collect();
        if with.is_empty() {
            return Ok(());
        }
        let mut priors = vec![PRIOR, mix.prior];
        priors.extend(PRIORS);
        let mut top = Top::default();
        let judge = |&prior: &f64| figures(&with, Mix { prior, ..mix }, &mut top);
        let found: Vec<Figures> = priors.iter().map(judge).collect();
        let at = best_of(&found);
        self.best.mix.prior = priors[at];
        let setting = self.best.clone();
        self.tell(&setting, found[at], Rung::all(with.len()))
    }

    /// Chooses how much is left out of the weights, centroids in them, if that is not given, and
    /// returns the models that are left.
    fn prune(&mut self, folds: &[Fold]) -> Result<Vec<LinearModel>, TrainError> {
        let given = self.given.prune.map(|given| [given]);
        let prunes = given.as_ref().map_or(&PRUNES[..], |given| &given[..]);
        let full = OneVsRest {
            centroid: self.best.mix.centroid,
            prior: self.best.mix.prior,
            prune: prunes[0],
            softmax: 0.0,
            ..self.best.parameters.clone()
        };
        let go_on = |_| ControlFlow::Continue(());
        let train = |fold: &Fold| full.train(&fold.train, self.executor, self.kernels, go_on);
        let mut models = folds.iter().map(train).collect::<Result<Vec<_>, _>>()?;
        let mut best = self.judge_pruned(folds, &models)?;
        let mut highest = best.worth();
        self.best.parameters.prune = prunes[0];
        for &prune in &prunes[1..] {
            let smaller: Vec<LinearModel> = models
                .iter()
                .map(|model| model.pruned(prune, full.bits))
                .collect();
            let found = self.judge_pruned(folds, &smaller)?;
            if found.worth() < highest - PRUNED {
                break;
            }
            highest = highest.max(found.worth());
            (models, best) = (smaller, found);
            self.best.parameters.prune = prune;
        }
        let setting = self.best.clone();
        self.tell(&setting, best, Rung::all(folds.len()))?;
        Ok(models)
    }

    fn judge_pruned(&self, folds: &[Fold], models: &[LinearModel]) -> Result<Figures, TrainError> {
        let mut found = Tally::default();
        for (fold, model) in folds.iter().zip(models) {
            found = found.and(&Tally::of(fold.train.labels()));
            let scorer = LinearScorer::new(model).map_err(|_| TrainError::OutOfMemory {
                bytes: model.bytes() as u64,
            })?;
            let k = DEPTH.min(model.labels() as usize);
            let rows = fold.test.rows();
            let answers = scorer.predict_rows(rows, k, self.kernels, self.executor);
            for (row, best) in answers.chunks(k).enumerate() {
                found.count(best, fold.test.labels().row(row));
            }
        }
        Ok(found.figures())
    }
}
