//! Crammer-Singer and Weston-Watkins machines, epoch by epoch.
//!
//! The two share their dual `D(a) = sum_ic a_ic - 1/2 sum_c |w_c|²` with `w_y += a_ic x_i` and
//! `w_c -= a_ic x_i` for every row i and class c ≠ y_i, under `a_ic >= 0` and a cap: `a_ic <= C` for
//! Weston-Watkins, `sum_c a_ic <= C` for Crammer-Singer. All duals of a row are solved for at once
//! ([`super::row_step`]); rows follow each other in random order.
//!
//! Of a row's L - 1 duals only those of its listed classes are kept one by one; the others share one.
//! Epochs are of two kinds. A full one ([`super::survey`]) scores all classes for all rows at fixed
//! weights, which gives the gap exactly and finds the classes that rows must list: those that add
//! more to the gap than what is still wanted allows. The others ([`super::sweep`]) solve for the listed duals
//! and the shared one, at a cost that does not depend on L. As rows' shares of the gap shrink, rows are
//! left alone until the next full epoch.
//!
//! Cost: a full epoch O(weights of the rows' features); another O(values, times listed classes).
//! Memory: 8 bytes a value; 4 a value and listed class of its row; 8 a weight: neither N x L nor L x D
//! is ever dense.

use super::{
    bundles::exchange::{Alone, Exchange, ExchangeError},
    certificate::{Certificate, certify, rebuild},
    duals::{Places, RowDuals},
    forgetting::forget_if_many,
    listing::{list, unlist},
    parameters::{MultiClassSvm, Shrinking},
    problem::Problem,
    row_step::Limits,
    schedule::Schedule,
    start::WarmStart,
    state::State,
    survey::{Search, Survey, survey_among},
    sweep::Sweeper,
    weights::ClassWeights,
};
use crate::{executor::Executor, kernels::ExactKernels, random::Stream};
use alloc::{vec, vec::Vec};

/// What an epoch did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Its number, from 1.
    pub epoch: u32,
    /// Whether it was over all rows and all classes.
    pub full: bool,
    /// Rows visited.
    pub rows: u64,
    /// The relative gap found by the last full epoch.
    pub gap: f64,
}

/// Training under way: call [`Trainer::epoch`] until it returns `None`.
#[derive(Debug)]
pub struct Trainer {
    parameters: MultiClassSvm,
    state: State,
    sweeper: Option<Sweeper>,
    /// Rows that the next sweep visits.
    active: Vec<u32>,
    schedule: Schedule,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
    /// By what the weights were multiplied in the end.
    multiple: f64,
    /// Rows whose duals were given at the start and have no places yet.
    relist: Vec<u32>,
    /// What the sweeper of the training that this one goes on from had learned.
    remembered: Option<(u32, f64, f64)>,
    /// Classes that rows list from the beginning; no rows if they begin with their own only.
    likely: Vec<Vec<u32>>,
}

/// Most classes that a row lists at once.
pub const MOST: usize = 8;

/// Listed classes without a dual leave the list if they fall this far short of one.
const IDLE: f64 = 0.01;

impl Trainer {
    /// Begins training with all duals 0.
    #[must_use]
    pub fn new(parameters: &MultiClassSvm, problem: Problem) -> Self {
        let rows = problem.len();
        Self {
            parameters: parameters.clone(),
            state: State {
                duals: vec![RowDuals::default(); rows],
                weights: ClassWeights::new(problem.features(), problem.classes()),
                limits: Limits::new(parameters.loss, parameters.cost),
                problem,
            },
            sweeper: None,
            active: (0..rows as u32).collect(),
            schedule: Schedule::new(),
            epochs: 0,
            gap: 1.0,
            certificate: None,
            multiple: 1.0,
            relist: Vec::new(),
            remembered: None,
            likely: Vec::new(),
        }
    }

    /// Begins training with the duals of another cost, each multiplied by the ratio of costs, and then all
    /// by what is best for the new problem. Starts from 0 if the duals are of other rows.
    #[must_use]
    pub fn warm(parameters: &MultiClassSvm, problem: Problem, start: &WarmStart) -> Self {
        let mut trainer = Self::new(parameters, problem);
        let same = start.duals.len() == trainer.state.problem.len();
        if same {
            trainer.state.duals.clone_from(&start.duals);
            let ratio = parameters.cost / start.cost;
            let limits = trainer.state.limits;
            for (at, duals) in trainer.state.duals.iter_mut().enumerate() {
                scale(duals, ratio, limits);
                // Places are those of other weights: listing makes new ones.
                duals.places = Places::default();
                trainer.relist.push(at as u32);
            }
            (trainer.schedule.sweeps, trainer.active) = (0, Vec::new());
        }
        trainer
    }

    /// Begins training with all duals 0 and with the classes that each row should list. Sweeps then come
    /// before the first pass over all classes.
    #[must_use]
    pub fn informed(parameters: &MultiClassSvm, problem: Problem, likely: Vec<Vec<u32>>) -> Self {
        let mut trainer = Self::new(parameters, problem);
        let problem = &trainer.state.problem;
        let losses = if trainer.state.limits.largest_only() {
            1.0
        } else {
            problem.classes() as f64 - 1.0
        };
        trainer.schedule = Schedule::informed(parameters, problem.len(), losses);
        trainer.likely = likely;
        trainer
    }

    /// Does the next epoch, or returns `None` if training has ended.
    pub fn epoch<E: Executor>(
        &mut self,
        executor: &E,
        kernels: &dyn ExactKernels,
    ) -> Option<Report> {
        // A process on its own always reaches itself.
        let done = self.epoch_among(executor, kernels, &mut Alone);
        done.unwrap_or(None)
    }

    /// Does the next epoch together with other processes, which have the same problem, parameters and start
    /// ([`super::together`]). The bits are those of one process.
    ///
    /// # Errors
    /// If processes do not reach each other.
    pub fn epoch_among<E: Executor, X: Exchange>(
        &mut self,
        executor: &E,
        kernels: &dyn ExactKernels,
        exchange: &mut X,
    ) -> Result<Option<Report>, ExchangeError> {
        if self.certificate.is_some() {
            return Ok(None);
        }
        let mut sweeper = match self.sweeper.take() {
            Some(sweeper) => sweeper,
            None => self.start(executor),
        };
        self.epochs += 1;
        let full = self.schedule.sweeps == 0 || self.active.is_empty();
        let rows = if full {
            self.full_epoch(&mut sweeper, (executor, exchange), kernels)?;
            self.state.problem.len()
        } else {
            self.sweep(&mut sweeper, (executor, exchange), kernels)?
        };
        self.sweeper = Some(sweeper);
        Ok(Some(Report {
            epoch: self.epochs,
            full,
            rows: rows as u64,
            gap: self.gap,
        }))
    }

    /// Gives every row the places of its own class.
    fn start<E: Executor>(&mut self, executor: &E) -> Sweeper {
        let mut sweeper = Sweeper::new(&self.state, executor.threads());
        if let Some(memory) = self.remembered.take() {
            sweeper.remember(memory);
        }
        if !self.relist.is_empty() {
            self.restart(&sweeper, executor);
        } else if self.state.duals.iter().all(|duals| duals.places.is_empty()) {
            let count = self.state.problem.len();
            let mut likely = core::mem::take(&mut self.likely);
            likely.resize(count, Vec::new());
            let (mut rows, mut classes) = (Vec::with_capacity(count), Vec::new());
            for (row, likely) in likely.iter().enumerate() {
                rows.push((row as u32, 1 + likely.len() as u32));
                classes.push(self.state.problem.class(row));
                classes.extend_from_slice(likely);
            }
            list(&mut self.state, &rows, &classes, sweeper.cuts(), executor);
        }
        sweeper
    }

    /// Finds places for the duals given at the start, and the multiple of them that is best.
    fn restart<E: Executor>(&mut self, sweeper: &Sweeper, executor: &E) {
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        let mut alphas = Vec::new();
        for row in core::mem::take(&mut self.relist) {
            let duals = &mut self.state.duals[row as usize];
            classes.push(self.state.problem.class(row as usize));
            rows.push((row, 1 + duals.classes.len() as u32));
            classes.append(&mut duals.classes);
            alphas.push(core::mem::take(&mut duals.alphas));
        }
        list(&mut self.state, &rows, &classes, sweeper.cuts(), executor);
        for (duals, alphas) in self.state.duals.iter_mut().zip(alphas) {
            let sharing = (self.state.problem.classes() - 1 - alphas.len()) as f64;
            duals.total = alphas.iter().sum::<f64>() + sharing * duals.shared;
            duals.alphas = alphas;
        }
        let dual = rebuild(&mut self.state, sweeper.cuts(), executor);
        let sum: f64 = self.state.duals.iter().map(|duals| duals.total).sum();
        let square = 2.0 * (sum - dual);
        if square > sum {
            let limits = self.state.limits;
            for duals in &mut self.state.duals {
                scale(duals, sum / square, limits);
            }
            rebuild(&mut self.state, sweeper.cuts(), executor);
        }
    }

    fn sweep<E: Executor, X: Exchange>(
        &mut self,
        sweeper: &mut Sweeper,
        among: (&E, &mut X),
        kernels: &dyn ExactKernels,
    ) -> Result<usize, ExchangeError> {
        let mut stream = Stream::new(self.parameters.seed, u64::from(self.epochs));
        let mut rows = core::mem::take(&mut self.active);
        stream.shuffle(&mut rows);
        let shrinking = self.parameters.shrinking;
        let tolerance = self.schedule.tolerance;
        let mut still = Vec::new();
        let mut keep = Vec::with_capacity(rows.len());
        let swept = sweeper.sweep(
            &mut self.state,
            &rows,
            tolerance,
            among,
            kernels,
            |row, gap, moved| match shrinking {
                Shrinking::Bounds if gap <= tolerance => {}
                Shrinking::Counter(_) => still.push((row, moved)),
                _ => keep.push(row),
            },
        )?;
        if let Shrinking::Counter(most) = shrinking {
            for (row, moved) in still {
                let duals = &mut self.state.duals[row as usize];
                duals.still = if moved { 0 } else { duals.still + 1 };
                if duals.still < most {
                    keep.push(row);
                }
            }
        }
        self.active = keep;
        self.schedule.swept(swept.gap);
        Ok(swept.visited)
    }

    fn search(&self) -> Search {
        let less = self.schedule.less;
        Search {
            tolerance: self.schedule.tolerance,
            epsilon: if self.parameters.epsilon > 0.0 {
                0.5 * self.parameters.epsilon
            } else {
                f64::INFINITY
            },
            most: MOST,
            usual: self.schedule.usual(),
            idle: IDLE,
            less: [0.5 * less, less, 2.0 * less],
        }
    }

    fn full_epoch<E: Executor, X: Exchange>(
        &mut self,
        sweeper: &mut Sweeper,
        (executor, exchange): (&E, &mut X),
        kernels: &dyn ExactKernels,
    ) -> Result<(), ExchangeError> {
        let last = self.epochs >= self.parameters.max_epochs;
        let (search, hopeful) = (self.search(), self.schedule.hopeful);
        let mut found = Survey::default();
        if !last && !hopeful {
            found = survey_among(&self.state, search, executor, kernels, exchange)?;
        }
        if last || hopeful || self.is_enough(found.best(search).gap, found.violation) {
            let proof;
            let among = (executor, &mut *exchange);
            (proof, found) = certify(&mut self.state, search, sweeper.cuts(), among, kernels)?;
            let (best, multiple) = self.multiply(proof, &found, search);
            if last || self.is_enough(best.relative_gap(), proof.violation) {
                self.gap = best.relative_gap();
                (self.certificate, self.multiple) = (Some(best), multiple);
                self.state.weights.multiply(multiple as f32);
                return Ok(());
            }
        }
        let best = found.best(search);
        self.gap = best.gap;
        self.schedule.less = if best.less > 0.0 {
            best.less
        } else {
            search.less[0]
        }
        .max(1e-9);
        self.plan(&found);
        sweeper.judge(found.dual());
        unlist(&mut self.state, &found.idle);
        forget_if_many(&mut self.state, &found.idle);
        let (rows, fresh) = (&found.rows, &found.fresh);
        list(&mut self.state, rows, fresh, sweeper.cuts(), executor);
        Ok(())
    }

    /// By what weights are to be multiplied, if their gap is not small enough, and the proof then.
    fn multiply(&self, proof: Certificate, found: &Survey, search: Search) -> (Certificate, f64) {
        let proof = Certificate {
            epochs: self.epochs,
            ..proof
        };
        if self.is_enough(proof.relative_gap(), proof.violation) {
            return (proof, 1.0);
        }
        let square = 2.0 * (proof.primal - found.loss);
        let best = found.best_of(search, square, proof.dual);
        let primal = best.primal;
        (Certificate { primal, ..proof }, best.factor)
    }

    fn is_enough(&self, gap: f64, violation: f64) -> bool {
        gap <= self.parameters.gap || violation <= self.parameters.epsilon
    }

    /// Decides what the sweeps until the next full epoch must reach, and which rows they visit.
    fn plan(&mut self, found: &Survey) {
        self.schedule.plan(&self.parameters, found);
        let off = self.parameters.shrinking == Shrinking::Off;
        self.active.clear();
        let gaps = found.gaps.iter().enumerate();
        let busy = gaps.filter(|&(_, &gap)| off || gap > self.schedule.tolerance);
        self.active.extend(busy.map(|(row, _)| row as u32));
        for duals in &mut self.state.duals {
            duals.still = 0;
        }
    }

    /// Runs all epochs.
    pub fn run<E: Executor>(&mut self, executor: &E, kernels: &dyn ExactKernels) -> Certificate {
        while self.epoch(executor, kernels).is_some() {}
        self.certificate.unwrap_or_default()
    }

    /// The proof, once training has ended.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// By what the weights that belong to the duals were multiplied in the end: 1 or slightly more.
    #[must_use]
    pub fn multiple(&self) -> f64 {
        self.multiple
    }

    /// The solution as it stands.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes the solution out.
    #[must_use]
    pub fn into_state(self) -> State {
        self.state
    }
}

/// Multiplies the duals of a row, within their limits.
fn scale(duals: &mut RowDuals, factor: f64, limits: Limits) {
    duals.shared = (duals.shared * factor).min(limits.each);
    duals.total *= factor;
    for alpha in &mut duals.alphas {
        *alpha = (*alpha * factor).min(limits.each);
    }
}

mod saved;
#[cfg(test)]
mod tests;
