//! A scorer that proposes labels.

use super::{LinearScorer, ScorerScratch};
use crate::{
    kernels::Kernels,
    search::{MaxInnerProduct, Proposer},
};
use alloc::{boxed::Box, vec::Vec};

/// A scorer as an oracle for rows that are transformed already: complete, since it
/// scores all labels.
#[derive(Clone, Copy)]
pub struct ScoreAll<'a> {
    /// The weights.
    pub scorer: &'a LinearScorer,
    /// The inner loops.
    pub kernels: &'a dyn Kernels,
}

impl MaxInnerProduct for ScoreAll<'_> {
    fn proposer(&self) -> Box<dyn Proposer + '_> {
        Box::new(Scoring {
            all: *self,
            scratch: ScorerScratch::default(),
        })
    }
}

struct Scoring<'a> {
    all: ScoreAll<'a>,
    scratch: ScorerScratch,
}

impl Proposer for Scoring<'_> {
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool {
        self.scratch.ranking.query.set_terms(row.iter().copied());
        self.all.scorer.best(k, self.all.kernels, &mut self.scratch);
        let best = self.scratch.ranking.top.sorted().iter();
        out.extend(best.map(|scored| scored.id));
        true
    }
}
