//! The end of the search: what neighbors add, and how much is left out of the weights.

use super::{
    candidates::{Candidates, DEPTH, Mix},
    folds::Fold,
    search::{Rung, Search, Setting, best_of},
};
use crate::{
    data::Dataset,
    executor::Executor,
    model::linear::{fused::FusedNearest, scorer::LinearScorer},
    parameters::one_vs_rest::OneVsRest,
    search::Top,
    train::{
        TrainError,
        one_vs_rest::precision::{Figures, Tally},
    },
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;

/// Weights of neighbors' votes.
const NEIGHBORS: [f32; 7] = [0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5];

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

impl<E: Executor, P: FnMut(usize, usize)> Search<'_, E, P> {
    /// The weight of neighbors, and the most pruning that costs next to nothing.
    pub(crate) fn finish(&mut self, rung: Rung) -> Result<(), TrainError> {
        let Rung { share, folds } = rung.within(self.folds.len());
        let all = self.folds;
        let sampled = all[..folds]
            .iter()
            .filter_map(|fold| Some((fold.sampled(share)?, fold)));
        let sampled: Vec<(Dataset, &Fold)> = sampled.collect();
        if self.given.neighbors != Some(false) {
            let mut candidates = Vec::new();
            for (train, fold) in &sampled[..sampled.len().min(NEIGHBOR_FOLDS)] {
                let model = self.train(&self.best.parameters, train)?;
                let near = FusedNearest::neighbors(train)?;
                let found = self.candidates(&model, train, &self.best, Some(&near), &fold.test)?;
                candidates.push((found, *fold));
            }
            self.weigh_neighbors(&candidates, share);
        }
        match self.given.prune {
            None => self.prune(&sampled, share),
            Some(_) => Ok(()),
        }
    }

    fn weigh_neighbors(&mut self, candidates: &[(Candidates, &Fold)], share: f64) {
        let mut top = Top::default();
        let mut judge = |mix| {
            let mut all = Tally::default();
            for (candidates, fold) in candidates {
                all = all.and(&Tally::of(fold.train.labels()));
                candidates.judge(mix, fold.test.labels(), &mut top, &mut all);
            }
            all.figures()
        };
        let alone = judge(self.best.mix);
        let mut found: Vec<(Mix, Figures)> = Vec::new();
        for mix in self.mixes() {
            for neighbors in NEIGHBORS {
                let mix = Mix { neighbors, ..mix };
                found.push((mix, judge(mix)));
            }
        }
        let figures: Vec<Figures> = found.iter().map(|(_, figures)| *figures).collect();
        let (mix, with) = found[best_of(&figures)];
        let wanted = self.given.neighbors == Some(true);
        if wanted || with.worth() >= alone.worth() + WORTH_NEIGHBORS {
            self.best.mix = mix;
            self.neighbors = mix.neighbors;
        }
        let setting = Setting {
            mix,
            ..self.best.clone()
        };
        let folds = candidates.len();
        self.tell(&setting, mix.neighbors, with, Rung { share, folds });
    }

    /// Chooses how much is left out of the weights, centroids in them. What neighbors add is left
    /// out of this.
    fn prune(&mut self, sampled: &[(Dataset, &Fold)], share: f64) -> Result<(), TrainError> {
        let full = OneVsRest {
            centroid: self.best.mix.centroid,
            prior: self.best.mix.prior,
            prune: PRUNES[PRUNES.len() - 1],
            ..self.best.parameters.clone()
        };
        let go_on = |_| ControlFlow::Continue(());
        let mut found = vec![Tally::default(); PRUNES.len()];
        for (train, fold) in sampled {
            let model = full.train(train, self.executor, self.kernels, go_on)?;
            for (found, prune) in found.iter_mut().zip(PRUNES) {
                *found = core::mem::take(found).and(&Tally::of(train.labels()));
                let pruned = model.pruned(prune, full.bits);
                let scorer = LinearScorer::new(&pruned).map_err(|_| TrainError::OutOfMemory {
                    bytes: pruned.bytes() as u64,
                })?;
                let (rows, k) = (fold.test.rows(), DEPTH.min(pruned.labels() as usize));
                let answers = scorer.predict_rows(rows, k, self.kernels, self.executor);
                for (row, best) in answers.chunks(k).enumerate() {
                    found.count(best, fold.test.labels().row(row));
                }
            }
        }
        let found: Vec<Figures> = found.iter_mut().map(Tally::figures).collect();
        let highest = found.iter().map(Figures::worth).fold(0.0, f64::max);
        let fits = found
            .iter()
            .position(|found| found.worth() >= highest - PRUNED);
        let at = fits.unwrap_or(PRUNES.len() - 1);
        self.best.parameters.prune = PRUNES[at];
        let setting = self.best.clone();
        let folds = sampled.len();
        self.tell(&setting, 0.0, found[at], Rung { share, folds });
        Ok(())
    }
}
