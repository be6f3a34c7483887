//! How the violators of a row are found by each oracle.

use super::{
    draws::Pair,
    trainer::MemoirTrainer,
    violators::{Asked, Violators},
    weights::Storage,
};
use crate::parameters::memoir::oracle::Oracle;
use crate::random::Stream;
use alloc::{vec, vec::Vec};

/// What one worker needs to find the violators of a row.
pub(super) struct Scratch {
    pub scores: Vec<f32>,
    pub terms: Vec<(u32, f32)>,
    /// The terms that are walked, and those left out.
    short: Vec<(u32, f32)>,
    long: Vec<(u32, f32)>,
    found: Vec<u32>,
    pub violators: Violators,
}

impl Scratch {
    pub(crate) fn new(classes: usize) -> Self {
        Self {
            scores: vec![0.0; classes],
            terms: Vec::new(),
            short: Vec::new(),
            long: Vec::new(),
            found: Vec::new(),
            violators: Violators::default(),
        }
    }
}

/// Streams with job numbers from here on choose silent classes.
const SILENT: u64 = 1 << 61;

/// Classes that are tried before the search for one that scores 0 ends without.
const TRIES: usize = 64;

/// How many classes are proposed by the rarer features, for each violator.
const PROPOSED: usize = 2;

impl MemoirTrainer<'_> {
    /// Chooses the violators of a row, whose number is that of the draw, and how far each class is
    /// moved; of those `proposed` where the oracle is a search. Whether there is anything to add.
    pub(super) fn choose(
        &self,
        pair: Pair,
        proposed: &[u32],
        number: u64,
        eta: f64,
        scratch: &mut Scratch,
    ) -> bool {
        scratch.terms.clear();
        self.rows.terms(pair.row, &mut scratch.terms);
        let asked = self.asked(pair);
        let stream = || Stream::new(self.parameters.seed, SILENT + number);
        let Scratch {
            scores,
            terms,
            violators,
            ..
        } = scratch;
        match (&self.weights.0, self.parameters.oracle) {
            (Storage::Features(_), Oracle::RareFeatures(share)) => {
                self.choose_by_rare(asked, share, eta, stream, scratch)
            }
            (Storage::Features(_), _) => {
                self.weights.score(terms, scores);
                violators.choose(scores, asked, &self.parameters, eta, stream)
            }
            (Storage::Classes(rows), _) => {
                let exact = |class: u32| rows.score(terms, class);
                let silent = || {
                    let mut stream = stream();
                    let seen = self.seen.len();
                    let start = stream.below(seen as u64) as usize;
                    let round = (0..seen.min(TRIES)).map(|at| self.seen[(start + at) % seen]);
                    round
                        .filter(|class| asked.labels.binary_search(class).is_err())
                        .find(|&class| exact(class) == 0.0)
                };
                violators.choose_among(proposed, asked, &self.parameters, eta, exact, silent)
            }
        }
    }

    /// Scores all classes by the features with short lists, and the best of them by the others,
    /// too.
    fn choose_by_rare(
        &self,
        asked: Asked<'_>,
        share: f32,
        eta: f64,
        stream: impl Fn() -> Stream,
        scratch: &mut Scratch,
    ) -> bool {
        self.propose_by_rare(asked, share, scratch);
        let Scratch {
            scores,
            long,
            found,
            violators,
            ..
        } = scratch;
        let Storage::Features(lists) = &self.weights.0 else {
            return false;
        };
        let exact = |class: u32| {
            let rest = long
                .iter()
                .map(|&(feature, x)| lists.weight(feature, class) * x);
            rest.fold(scores[class as usize], |sum, part| sum + part)
        };
        let silent = || {
            let start = stream().below(self.seen.len() as u64) as usize;
            let mut round = self.seen[start..]
                .iter()
                .chain(&self.seen[..start])
                .copied();
            round.find(|class| {
                let wrong = asked.labels.binary_search(class).is_err();
                wrong && scores[*class as usize] == 0.0 && exact(*class) == 0.0
            })
        };
        violators.choose_among(found, asked, &self.parameters, eta, exact, silent)
    }

    /// Scores all classes by the rarer features into `scratch.scores`, and puts the best into
    /// `scratch.found`.
    fn propose_by_rare(&self, asked: Asked<'_>, share: f32, scratch: &mut Scratch) {
        let Scratch {
            scores,
            terms,
            short,
            long,
            found,
            violators,
        } = scratch;
        let Storage::Features(lists) = &self.weights.0 else {
            return;
        };
        long.clear();
        long.extend(terms.iter().filter(|(feature, _)| lists.is_long(*feature)));
        long.sort_unstable_by(|a, b| a.1.abs().total_cmp(&b.1.abs()).then(a.0.cmp(&b.0)));
        let mut rest = share * terms.iter().map(|(_, x)| x * x).sum::<f32>();
        let left_out = long.iter().take_while(|(_, x)| {
            rest -= x * x;
            rest >= 0.0
        });
        let left_out = left_out.count();
        long.truncate(left_out);
        short.clear();
        short.extend(
            terms
                .iter()
                .filter(|(feature, _)| long.iter().all(|(other, _)| other != feature)),
        );
        self.weights.score(short, scores);
        found.clear();
        let count = PROPOSED * self.parameters.violators as usize;
        let best = violators.best(scores, asked, count, 0.0);
        found.extend(best.iter().map(|scored| scored.id));
    }

    /// What the oracle proposes for a row whose terms stand in `scratch`; `proposer` is its
    /// searcher, if it has one. Of the exhaustive oracle nothing.
    pub(super) fn proposals<'s>(
        &self,
        asked: Asked<'_>,
        proposer: Option<&mut (dyn crate::search::Proposer + '_)>,
        scratch: &'s mut Scratch,
    ) -> &'s [u32] {
        scratch.found.clear();
        if let Oracle::RareFeatures(share) = self.parameters.oracle {
            self.propose_by_rare(asked, share, scratch);
        } else if let Some(proposer) = proposer {
            let count = self.parameters.oracle.candidates();
            proposer.propose(&scratch.terms, count, &mut scratch.found);
        }
        &scratch.found
    }

    pub(super) fn asked(&self, pair: Pair) -> Asked<'_> {
        Asked {
            own: pair.class,
            labels: self.data.labels().row(pair.row as usize),
            seen: &self.seen,
            scale: self.weights.scale(),
        }
    }
}
