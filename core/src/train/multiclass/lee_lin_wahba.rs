//! The Lee-Lin-Wahba machine, by exact elimination of the mean.
//!
//! Dual: `max sum_ic a_ic - 1/2 sum_c |w_c|²` under `0 <= a_ic <= C`, `a_iy = 0`, with
//! `w_c = ubar - u_c`, `u_c = sum_i a_ic x_i` and `ubar` their mean over the L classes, so that
//! weights always add up to 0 and the gap can always be computed. Moving `a_ic` by d moves `u_c` by
//! d x and `ubar` by d x / L, so its gradient `1 + w_c.x_i` falls by `d k (1 - 1/L)` with k the
//! row's squared length. All duals of a row are brought to their best at once ([`row_step`]), rows
//! one after the other in random order.
//!
//! The papers alternate between duals and mean instead, which is badly conditioned: it needs two to
//! five times the epochs.
//!
//! Training begins with all duals alike, at the value that makes the dual objective largest. While
//! C is so small that `1 + w_c.x_i` stays above 0 that is C and the optimum: the weights are C
//! times the difference between the sum of the class's rows and the mean of such sums.
//!
//! Threads and processes have the weights of a range of classes each ([`part`]): they score the
//! rows of a block together, all processes then solve these rows alike ([`block`]), and weights are
//! changed where they are. Each class's numbers are added up in the same order wherever that is
//! done, so that bits do not depend on the number of threads or processes. There is one exchange a
//! block, of 8 bytes for each row and class.
//!
//! Cost: O(L times values) an epoch, and O(L B) a row for a block of B rows; memory: 8 bytes for
//! each feature and class, and for each row and class: this machine is for few classes.

pub mod block;
mod dense_state;
pub mod part;
pub mod row_step;
pub mod seen;
mod shares;
#[cfg(test)]
mod tests;

use super::{certificate::Certificate, problem::Problem, trainer::Report};
use crate::{executor::Executor, random::Stream, train::TrainError};
use crate::{
    parameters::multiclass::MultiClassSvm,
    train::exchange::{Alone, Exchange, ExchangeError},
};
use alloc::{vec, vec::Vec};
use block::{Block, Visit, rows_of_a_block};
use core::ops::Range;
use hapax_processor::Processor;
use part::{FollowMoves, Moves, Part, divide};
use row_step::{LANES, Lanes};
use seen::Seen;
use shares::{range, share, share_scores, shares};

/// Most bytes of weights and duals.
const MOST_BYTES: u64 = 16 << 30;

/// Fewest classes of a thread: what threads tell each other is 8 bytes a row and class, which takes
/// as long as all work on that class does where rows have few values.
const CLASSES_OF_A_THREAD: usize = 512;

/// Training under way: call [`LeeLinWahba::epoch`] until it returns `None`.
#[derive(Debug)]
pub struct LeeLinWahba {
    parameters: MultiClassSvm,
    problem: Problem,
    /// The classes whose weights this process keeps.
    kept: Range<usize>,
    /// These weights, of some classes for each thread.
    parts: Vec<Part>,
    block: Block,
    /// By row and class, each row's filled up to whole lanes.
    duals: Vec<Lanes>,
    order: Vec<u32>,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
}

impl LeeLinWahba {
    /// Begins with all duals alike.
    ///
    /// # Errors
    /// If there are too many features, rows and classes for dense arrays.
    pub(crate) fn new(
        parameters: &MultiClassSvm,
        problem: Problem,
        executor: &Executor,
        processor: Processor,
    ) -> Result<Self, TrainError> {
        Self::among(parameters, problem, (executor, &mut Alone), processor)
    }

    /// Begins as [`LeeLinWahba::new`] does, as one of several processes, which must have the same
    /// problem and parameters.
    ///
    /// # Errors
    /// As [`LeeLinWahba::new`], and if processes do not reach each other.
    pub(crate) fn among<X: Exchange>(
        parameters: &MultiClassSvm,
        problem: Problem,
        among: (&Executor, &mut X),
        processor: Processor,
    ) -> Result<Self, TrainError> {
        let kept = range(problem.classes(), among.1.rank(), among.1.ranks());
        let parts = among.0.threads().min(kept.len() / CLASSES_OF_A_THREAD);
        Self::divided(parameters, problem, parts, among, processor)
    }

    /// Begins with the classes kept here in so many parts.
    fn divided<X: Exchange>(
        parameters: &MultiClassSvm,
        problem: Problem,
        parts: usize,
        (executor, exchange): (&Executor, &mut X),
        processor: Processor,
    ) -> Result<Self, TrainError> {
        let (rows, classes) = (problem.len(), problem.classes());
        let kept = range(classes, exchange.rank(), exchange.ranks());
        let lanes = classes.div_ceil(LANES);
        let bytes = 8 * rows as u64 * (lanes * LANES) as u64
            + 8 * problem.features() as u64 * (kept.len() as u64 + 1);
        if bytes > MOST_BYTES {
            return Err(TrainError::TooLarge {
                what: "bytes for the dense weights and duals of llw",
                value: bytes,
                limit: MOST_BYTES,
            });
        }
        let lacking = TrainError::OutOfMemory { bytes };
        let mut duals = Vec::new();
        let reserved = duals.try_reserve_exact(rows * lanes);
        reserved.map_err(|_| lacking.clone())?;
        duals.resize(rows * lanes, [0.0; LANES]);
        let parts = divide(&kept, problem.features(), parts).ok_or(lacking)?;
        let mut solver = Self {
            parameters: parameters.clone(),
            kept,
            parts,
            block: Block::new(&problem),
            duals,
            order: (0..rows as u32).collect(),
            problem,
            epochs: 0,
            gap: 1.0,
            certificate: None,
        };
        solver.begin((executor, exchange), processor)?;
        Ok(solver)
    }

    /// Sets all duals to that value at which the dual objective is largest: at `t C` it is
    /// `t N (L - 1) C - t²/2 sum_c |w_c|²` with the weights of C.
    fn begin<X: Exchange>(
        &mut self,
        (executor, exchange): (&Executor, &mut X),
        processor: Processor,
    ) -> Result<(), ExchangeError> {
        let (rows, classes) = (self.problem.len(), self.problem.classes());
        let cost = self.parameters.cost;
        let problem = &self.problem;
        executor.map_items(self.parts.iter_mut().collect(), |_, part: &mut Part| {
            let mut moves = Moves::new(classes);
            for row in 0..rows {
                moves.clear();
                set_wrong(moves.push(row as u32), problem, row, cost);
                moves.set_mean(cost * (classes - 1) as f64 / classes as f64);
                processor.run(FollowMoves {
                    part,
                    problem,
                    moves: &moves,
                    rows: &[],
                });
            }
        });
        let (square, _) = self.square(exchange)?;
        let most = rows as f64 * (classes - 1) as f64 * cost;
        let share = if square > most { most / square } else { 1.0 };
        self.parts.iter_mut().for_each(|part| part.multiply(share));
        let duals = self.duals.chunks_exact_mut(classes.div_ceil(LANES));
        for (row, duals) in duals.enumerate() {
            set_wrong(duals, problem, row, share * cost);
        }
        Ok(())
    }

    /// Does the next epoch, or returns `None` if training has ended.
    pub(crate) fn epoch(&mut self, executor: &Executor, processor: Processor) -> Option<Report> {
        // A process on its own always reaches itself.
        let done = self.epoch_among((executor, &mut Alone), processor);
        done.unwrap_or(None)
    }

    /// Does the next epoch together with other processes.
    ///
    /// # Errors
    /// If processes do not reach each other.
    pub(crate) fn epoch_among<X: Exchange>(
        &mut self,
        (executor, exchange): (&Executor, &mut X),
        processor: Processor,
    ) -> Result<Option<Report>, ExchangeError> {
        if self.certificate.is_some() {
            return Ok(None);
        }
        self.epochs += 1;
        // The first epoch only looks: training may have begun at the optimum.
        let moving = self.epochs > 1;
        let seen = self.pass((executor, &mut *exchange), processor, moving)?;
        let (wanted, epsilon) = (self.parameters.gap, self.parameters.epsilon);
        let enough = |seen: &Seen, gap: f64| gap <= wanted || seen.violation <= epsilon;
        let (square, _) = self.square(exchange)?;
        self.gap = seen.gap / (0.5 * square + seen.loss).max(1e-12);
        let last = self.epochs >= self.parameters.max_epochs;
        if last || enough(&seen, self.gap) {
            let now = match moving {
                true => self.pass((executor, &mut *exchange), processor, false)?,
                false => seen,
            };
            let certificate = self.proof(&now, exchange)?;
            if last || enough(&now, certificate.relative_gap()) {
                self.gap = certificate.relative_gap();
                self.certificate = Some(certificate);
                self.collect(exchange)?;
            }
        }
        Ok(Some(Report {
            epoch: self.epochs,
            full: true,
            rows: self.problem.len() as u64,
            gap: self.gap,
        }))
    }

    fn proof<X: Exchange>(
        &self,
        seen: &Seen,
        exchange: &mut X,
    ) -> Result<Certificate, ExchangeError> {
        let (square, nonzeros) = self.square(exchange)?;
        let half = 0.5 * square;
        Ok(Certificate {
            primal: half + seen.loss,
            dual: seen.duals - half,
            violation: seen.violation,
            epochs: self.epochs,
            nonzeros,
            duals: self
                .duals
                .as_flattened()
                .iter()
                .filter(|&&dual| dual != 0.0)
                .count() as u64,
        })
    }

    /// The sum of squares of all weights, and how many of the u are not 0: by class first, so that
    /// it does not matter which process keeps which.
    fn square<X: Exchange>(&self, exchange: &mut X) -> Result<(f64, u64), ExchangeError> {
        let classes = self.problem.classes();
        let mut found = vec![f64::NEG_INFINITY; 2 * classes];
        let (squares, counts) = found.split_at_mut(classes);
        for part in &self.parts {
            let (squares, counts) = (&mut squares[part.classes()], &mut counts[part.classes()]);
            squares.fill(0.0);
            counts.fill(0.0);
            for (sums, mean) in part.features() {
                for ((sum, square), count) in sums.iter().zip(&mut *squares).zip(&mut *counts) {
                    *square += (mean - sum) * (mean - sum);
                    *count += f64::from(u8::from(*sum != 0.0));
                }
            }
        }
        exchange.largest(&mut found)?;
        let (squares, counts) = found.split_at(classes);
        Ok((squares.iter().sum(), counts.iter().sum::<f64>() as u64))
    }

    /// Sends all weights to the first process.
    fn collect<X: Exchange>(&mut self, exchange: &mut X) -> Result<(), ExchangeError> {
        let (classes, features) = (self.problem.classes(), self.problem.features());
        let ranks = exchange.ranks();
        if exchange.rank() > 0 {
            let all = (0..features).flat_map(|feature| self.sums(feature));
            let parcel: Vec<u8> = all.flat_map(f64::to_le_bytes).collect();
            exchange.send(&[(0, &parcel)], &[])?;
            return Ok(());
        }
        let from: Vec<usize> = (1..ranks).collect();
        for (&rank, parcel) in from.iter().zip(exchange.send(&[], &from)?) {
            let wrong = ExchangeError::Parcel { rank };
            let theirs = range(classes, rank, ranks);
            let mut part = Part::new(theirs.clone(), features).ok_or(wrong.clone())?;
            let (numbers, rest) = parcel.as_chunks::<8>();
            if numbers.len() != theirs.len() * features || !rest.is_empty() {
                return Err(wrong);
            }
            let mut numbers = numbers.iter().map(|&bytes| f64::from_le_bytes(bytes));
            for feature in 0..features {
                let (_, mean) = self.parts[0].feature(feature);
                let (to, last) = part.feature_mut(feature);
                to.iter_mut()
                    .zip(&mut numbers)
                    .for_each(|(to, sum)| *to = sum);
                *last = mean;
            }
            self.parts.push(part);
        }
        self.kept = 0..classes;
        Ok(())
    }

    /// Goes over all rows, block by block: moves every row's duals to their best, rows in random
    /// order, or only looks.
    fn pass<X: Exchange>(
        &mut self,
        (executor, exchange): (&Executor, &mut X),
        processor: Processor,
        moving: bool,
    ) -> Result<Seen, ExchangeError> {
        if moving {
            Stream::new(self.parameters.seed, u64::from(self.epochs)).shuffle(&mut self.order);
        }
        let mut seen = Seen::default();
        self.block.begin(0);
        let (problem, block) = (&self.problem, &mut self.block);
        for rows in self.order.chunks(rows_of_a_block(problem.classes())) {
            follow(&mut self.parts, problem, block, rows, (executor, processor));
            share_scores(&self.parts, block, rows.len(), exchange)?;
            processor.run(Visit {
                block: &mut *block,
                problem,
                rows,
                duals: &mut self.duals,
                cost: self.parameters.cost,
                moving,
                seen: &mut seen,
            });
        }
        follow(&mut self.parts, problem, block, &[], (executor, processor));
        Ok(seen)
    }

    /// Runs all epochs.
    #[cfg(test)]
    pub fn run(&mut self, executor: &Executor, processor: Processor) -> Certificate {
        while self.epoch(executor, processor).is_some() {}
        self.certificate.unwrap_or_default()
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

    /// The weights of a feature, by class: of all classes if this process is alone, or the first
    /// one and training has ended.
    pub(crate) fn weights(&self, feature: usize) -> impl Iterator<Item = f64> + '_ {
        let (_, mean) = self.parts[0].feature(feature);
        self.sums(feature).map(move |sum| mean - sum)
    }

    /// u of a feature and the classes kept here.
    fn sums(&self, feature: usize) -> impl Iterator<Item = f64> + '_ {
        let parts = self.parts.iter();
        parts.flat_map(move |part| part.feature(feature).0.iter().copied())
    }
}

/// Sets a row's numbers of all classes but its own.
fn set_wrong(numbers: &mut [Lanes], problem: &Problem, row: usize, value: f64) {
    let numbers = &mut numbers.as_flattened_mut()[..problem.classes()];
    numbers.fill(value);
    numbers[problem.class(row) as usize] = 0.0;
}

/// Brings the weights up to what the block before moved, and scores the rows of the next.
fn follow(
    parts: &mut [Part],
    problem: &Problem,
    block: &Block,
    rows: &[u32],
    (executor, processor): (&Executor, Processor),
) {
    executor.map_items(parts.iter_mut().collect(), |_, part: &mut Part| {
        processor.run(FollowMoves {
            part,
            problem,
            moves: &block.moves,
            rows,
        });
    });
}
