//! The tournament, epoch by epoch.
//!
//! Cost of an epoch: the weights of each row's features, some three times over all processes (with
//! its own class, in meetings, in the check of the gap); and in every process what rows moved.
//! Sent, to each of the others, are about 20 bytes for each visit in which a row moved and 10 for
//! each class. Memory of each process: the rows, 16 to 32 bytes a weight, 40 M a feature, and its
//! share of the duals: 16 bytes a listed dual and 40 a row and bundle.

use super::{
    bundle::{Bundle, BundleLoss},
    meeting::{Duals, Round},
    pair::{FollowMeeting, HoldMeeting, Pair, PairDuals, PairMoved},
    plan::Plan,
};
use crate::train::exchange::{Exchange, ExchangeError, gather};
use crate::{
    executor::Executor,
    parameters::multiclass::MultiClassSvm,
    train::multiclass::{
        by_feature::ByFeature, certificate::Certificate, problem::Problem, row_step::Limits,
        trainer::Report,
    },
};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

mod saved;

/// The gap is computed after so many epochs.
const CHECK: u32 = 4;

/// What epochs aim at, as a share of the gap they begin with, and the share of it that rows may
/// keep if all keep as much.
const AIM: f64 = 0.2;
const LEFT: f64 = 0.3;

/// Training under way, in one of the processes that share it: call [`Tournament::epoch`] until it
/// returns `None`.
#[derive(Debug)]
pub struct Tournament {
    parameters: MultiClassSvm,
    problem: Problem,
    plan: Plan,
    rank: usize,
    pub(super) bundles: Vec<Bundle>,
    /// By first and second bundle; empty where the pair meets elsewhere.
    pub(super) duals: Vec<PairDuals>,
    time: u32,
    epochs: u32,
    tolerance: f64,
    gap: f64,
    certificate: Option<Certificate>,
}

impl ByFeature for Tournament {
    fn visit_feature(&self, feature: usize, mut each: impl FnMut(u32, f32)) {
        self.visit(feature, |class, weight| each(class, weight as f32));
    }
}

impl Tournament {
    /// Begins training with all duals 0, to end at the relative gap of `parameters`: violations are
    /// not looked for, and `epsilon` is not heeded. All processes must have the same problem and
    /// parameters.
    #[must_use]
    pub(crate) fn new(
        parameters: &MultiClassSvm,
        problem: Problem,
        exchange: &impl Exchange,
    ) -> Self {
        let plan = Plan::new(&problem, exchange.ranks());
        let bundles = Bundle::deal(&problem, plan.bundles());
        Self {
            duals: vec![PairDuals::default(); bundles.len() * bundles.len()],
            bundles,
            rank: exchange.rank(),
            parameters: parameters.clone(),
            tolerance: 1e-3 * parameters.cost,
            plan,
            problem,
            time: 0,
            epochs: 0,
            gap: 1.0,
            certificate: None,
        }
    }

    /// Does the next epoch, or returns `None` if training has ended.
    ///
    /// # Errors
    /// If processes do not reach each other.
    pub(crate) fn epoch<X: Exchange>(
        &mut self,
        executor: &Executor,
        processor: Processor,
        exchange: &mut X,
    ) -> Result<Option<Report>, ExchangeError> {
        if self.certificate.is_some() {
            return Ok(None);
        }
        self.epochs += 1;
        for round in 0..self.plan.rounds() {
            self.time += 1;
            let met = self.meetings(round, (executor, &*exchange), processor);
            self.follow(round, &met, (executor, &mut *exchange), processor)?;
        }
        let last = self.epochs >= self.parameters.max_epochs;
        let full = last || self.epochs.is_multiple_of(CHECK);
        if full {
            let found = self.look((executor, &mut *exchange), processor)?;
            self.gap = found.relative_gap();
            if last || self.gap <= self.parameters.gap {
                self.certificate = Some(found);
            }
            let wanted = 0.5 * self.parameters.gap * found.primal;
            let aim = wanted.max(AIM * (found.primal - found.dual));
            self.tolerance = LEFT * aim / self.problem.len() as f64;
        }
        Ok(Some(Report {
            epoch: self.epochs,
            full,
            rows: self.problem.len() as u64,
            gap: self.gap,
        }))
    }

    /// What all meetings of a round have in common.
    fn round(&self, told: bool) -> Round<'_> {
        Round {
            problem: &self.problem,
            limits: Limits::new(self.parameters.loss, self.parameters.cost),
            tolerance: self.tolerance,
            seed: self.parameters.seed,
            many: self.bundles.len(),
            time: self.time,
            told,
        }
    }

    /// Takes the pairs out that meet in a round at process `rank`.
    fn pairs(&mut self, round: usize, rank: usize) -> Vec<Pair> {
        let meetings = self.plan.meetings(round).into_iter();
        let there = meetings.filter(|meeting| meeting.2 == rank);
        let bundles = &mut self.bundles;
        there
            .map(|(first, second, _)| Pair::take(bundles, first, second))
            .collect()
    }

    /// The meetings of this round that happen here. Returned is what they moved, if there is
    /// another process to be told.
    fn meetings(
        &mut self,
        round: usize,
        (executor, exchange): (&Executor, &impl Exchange),
        processor: Processor,
    ) -> Vec<PairMoved> {
        let (many, pairs) = (self.bundles.len(), self.pairs(round, self.rank));
        let place = |pair: &Pair| pair.numbers().0 * many + pair.numbers().1;
        let take = |pair: Pair| {
            let duals = core::mem::take(&mut self.duals[place(&pair)]);
            (pair, duals)
        };
        let pairs: Vec<(Pair, PairDuals)> = pairs.into_iter().map(take).collect();
        let common = self.round(exchange.ranks() > 1);
        let met = executor.map_items(pairs, |_, (mut pair, mut duals)| {
            let moved = processor.run(HoldMeeting {
                pair: &mut pair,
                round: common,
                duals: &mut duals,
            });
            (pair, duals, moved)
        });
        let mut all = Vec::with_capacity(met.len());
        for (pair, duals, moved) in met {
            self.duals[place(&pair)] = duals;
            pair.put(&mut self.bundles);
            all.push(moved);
        }
        all
    }

    /// Tells the other processes what was moved here, and moves what was moved there.
    fn follow<X: Exchange>(
        &mut self,
        round: usize,
        met: &[PairMoved],
        (executor, exchange): (&Executor, &mut X),
        processor: Processor,
    ) -> Result<(), ExchangeError> {
        let rank = self.rank;
        if exchange.ranks() == 1 {
            return Ok(());
        }
        let parcel = postcard::to_allocvec(met).map_err(|_| ExchangeError::Parcel { rank })?;
        for (rank, parcel) in gather(exchange, parcel)?.iter().enumerate() {
            if rank == self.rank {
                continue;
            }
            let wrong = ExchangeError::Parcel { rank };
            let heard: Result<Vec<PairMoved>, _> = postcard::from_bytes(parcel);
            let Ok(heard) = heard else {
                return Err(wrong);
            };
            let pairs = self.pairs(round, rank);
            let fits = pairs.len() == heard.len();
            let common = self.round(false);
            let pairs = pairs.into_iter().zip(heard).collect();
            let followed = executor.map_items(pairs, |_, (mut pair, moved): (Pair, PairMoved)| {
                let fits = processor.run(FollowMeeting {
                    pair: &mut pair,
                    round: common,
                    moved: &moved,
                });
                (pair, fits)
            });
            let all = fits && followed.iter().all(|followed| followed.1);
            for (pair, _) in followed {
                pair.put(&mut self.bundles);
            }
            if !all {
                return Err(wrong);
            }
        }
        Ok(())
    }

    /// Both objectives, at the weights as they are at the end of a round.
    fn look<X: Exchange>(
        &self,
        (executor, exchange): (&Executor, &mut X),
        processor: Processor,
    ) -> Result<Certificate, ExchangeError> {
        let many = self.bundles.len();
        let is_here = |&number: &usize| self.plan.looker(number) == self.rank;
        let here: Vec<usize> = (0..many).filter(is_here).collect();
        let own = executor.map_items(here.clone(), |_, number| {
            let bundle = &self.bundles[number];
            let score = |&row: &u32| {
                let class = Bundle::local(self.problem.class(row as usize), many);
                bundle.score(self.problem.row(row as usize), class)
            };
            bundle.rows.iter().map(score).collect::<Vec<f64>>()
        });
        let mut scores = vec![f64::NEG_INFINITY; self.problem.len()];
        for (&number, own) in here.iter().zip(own) {
            for (&row, score) in self.bundles[number].rows.iter().zip(own) {
                scores[row as usize] = score;
            }
        }
        exchange.largest(&mut scores)?;
        let seen = executor.map_items(here.clone(), |_, number| {
            self.look_at(number, &scores, processor)
        });
        // Loss, squares, duals and non-zeros of each bundle.
        let mut sums = vec![f64::NEG_INFINITY; 4 * many];
        for (number, seen) in here.into_iter().zip(seen) {
            sums[4 * number..4 * (number + 1)].copy_from_slice(&seen);
        }
        exchange.largest(&mut sums)?;
        let sum = |what: usize| -> f64 { (0..many).map(|number| sums[4 * number + what]).sum() };
        let half = 0.5 * sum(1);
        Ok(Certificate {
            primal: half + self.parameters.cost * sum(0),
            dual: sum(2) - half,
            // Not looked for: duals are where their pairs meet.
            violation: f64::INFINITY,
            epochs: self.epochs,
            nonzeros: sum(3) as u64,
            duals: 0,
        })
    }

    /// What bundle `number` adds to both objectives, given the scores of rows for their own
    /// classes.
    fn look_at(&self, number: usize, own: &[f64], processor: Processor) -> [f64; 4] {
        let (bundle, of) = (&self.bundles[number], (number, self.bundles.len()));
        let loss = processor.run(BundleLoss {
            bundle,
            problem: &self.problem,
            own,
            of,
        });
        let (square, nonzeros) = bundle.square();
        let duals = bundle.totals.iter().sum();
        [loss, square, duals, nonzeros as f64]
    }

    /// The proof, once training has ended.
    #[must_use]
    pub(crate) fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// The problem.
    #[must_use]
    pub(crate) fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Hands each class and its weight for a feature to `visit`, less what the classes' weights
    /// have in common, which no ranking depends on.
    pub(crate) fn visit(&self, feature: usize, mut visit: impl FnMut(u32, f64)) {
        let classes = self.problem.classes() as f64;
        let parts = self
            .bundles
            .iter()
            .map(|b| b.classes.len() as f64 * b.shared(feature));
        let common = parts.sum::<f64>() / classes;
        for bundle in &self.bundles {
            let shared = bundle.shared(feature) - common;
            let mut next = bundle.classes.iter().copied().peekable();
            bundle.visit(feature, |class, weight| {
                while let Some(other) = next.next_if(|&other| other < class) {
                    visit(other, shared);
                }
                next.next();
                visit(class, shared + weight);
            });
            next.for_each(|class| visit(class, shared));
        }
    }
}
