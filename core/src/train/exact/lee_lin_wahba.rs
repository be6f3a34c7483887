//! The Lee-Lin-Wahba machine, by exact elimination of the mean.
//!
//! Dual: `max sum_ic a_ic - 1/2 sum_c |w_c|²` under `0 <= a_ic <= C`, `a_iy = 0`, with
//! `w_c = ubar - u_c`, `u_c = sum_i a_ic x_i` and `ubar` their mean over the L classes, so that weights always
//! add up to 0 and the gap can always be computed. Moving `a_ic` by d moves `u_c` by d x and `ubar` by
//! d x / L, so its gradient `1 + w_c.x_i` falls by `d k (1 - 1/L)` with k the row's squared length: every
//! dual goes to its best one after the other, a row's scores being computed once.
//!
//! The papers alternate between duals and mean instead, which is badly conditioned: it needs two to five times
//! the epochs.
//!
//! While C is so small that `1 + w_c.x_i` stays above 0, all duals are C, and the weights are C times the
//! difference between the sum of the class's rows and the mean of such sums: then no epoch is needed.
//!
//! Several processes keep the weights of a range of classes each. They make up the scores of a row together and then
//! all do the same with them, so that bits do not depend on their number. That is one exchange a row.
//!
//! Cost: O(L times values) an epoch; memory: 8 bytes for each feature and class, and for each row and
//! class: this machine is for few classes.

mod saved;
mod seen;
mod shares;
#[cfg(test)]
mod tests;

use super::{
    bundles::exchange::{Alone, Exchange, ExchangeError},
    certificate::Certificate,
    parameters::MultiClassSvm,
    problem::Problem,
    trainer::Report,
};
use crate::{random::Stream, train::TrainError};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use seen::Seen;
use shares::{range, share, shares};

/// Most bytes of weights and duals.
const MOST_BYTES: u64 = 16 << 30;

/// Training under way: call [`LeeLinWahba::epoch`] until it returns `None`.
#[derive(Debug)]
pub struct LeeLinWahba {
    parameters: MultiClassSvm,
    problem: Problem,
    /// The classes whose weights this process keeps.
    kept: Range<usize>,
    /// u of each feature and kept class.
    sums: Vec<f64>,
    /// Their means.
    means: Vec<f64>,
    duals: Vec<f64>,
    order: Vec<u32>,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
}

impl LeeLinWahba {
    /// Begins with the duals of the small-cost solution, all of them C, if it is one; with 0 otherwise.
    ///
    /// # Errors
    /// If there are too many features, rows and classes for dense arrays.
    pub fn new(parameters: &MultiClassSvm, problem: Problem) -> Result<Self, TrainError> {
        Self::among(parameters, problem, &mut Alone)
    }

    /// Begins as [`LeeLinWahba::new`] does, as one of several processes, which must have the same problem and
    /// parameters.
    ///
    /// # Errors
    /// As [`LeeLinWahba::new`], and if processes do not reach each other.
    pub fn among<X: Exchange>(
        parameters: &MultiClassSvm,
        problem: Problem,
        exchange: &mut X,
    ) -> Result<Self, TrainError> {
        let (rows, classes) = (problem.len(), problem.classes());
        let kept = range(classes, exchange.rank(), exchange.ranks());
        let bytes = 8 * rows as u64 * classes as u64
            + 8 * (problem.features() as u64 + 1) * kept.len() as u64;
        let lacking = TrainError::OutOfMemory { bytes };
        if bytes > MOST_BYTES {
            return Err(TrainError::TooLarge {
                what: "bytes for the dense weights and duals of llw",
                value: bytes,
                limit: MOST_BYTES,
            });
        }
        let zeros = |count: usize| -> Result<Vec<f64>, TrainError> {
            let mut all = Vec::new();
            all.try_reserve_exact(count).map_err(|_| lacking.clone())?;
            all.resize(count, 0.0);
            Ok(all)
        };
        let mut solver = Self {
            parameters: parameters.clone(),
            sums: zeros(problem.features() * kept.len())?,
            kept,
            means: zeros(problem.features())?,
            duals: zeros(rows * classes)?,
            order: (0..rows as u32).collect(),
            problem,
            epochs: 0,
            gap: 1.0,
            certificate: None,
        };
        solver.set_all(parameters.cost);
        if !solver.all_at_cost(exchange)? {
            solver.set_all(0.0);
        }
        Ok(solver)
    }

    /// Sets every dual to `value`, and the weights with them.
    fn set_all(&mut self, value: f64) {
        let classes = self.problem.classes();
        self.sums.fill(0.0);
        self.means.fill(0.0);
        for row in 0..self.problem.len() {
            let own = self.problem.class(row) as usize;
            self.duals[row * classes..(row + 1) * classes].fill(value);
            self.duals[row * classes + own] = 0.0;
            let moves = vec![value; classes];
            self.add(row, own, &moves);
        }
    }

    /// Moves u of every class but `own`, whose move is 0, by its part of the row.
    fn add(&mut self, row: usize, own: usize, moves: &[f64]) {
        let (classes, width) = (self.problem.classes(), self.kept.len());
        let total: f64 = moves.iter().sum::<f64>() - moves[own];
        let row = self.problem.row(row);
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (feature, value) = (feature as usize, f64::from(value));
            let sums = &mut self.sums[feature * width..(feature + 1) * width];
            let before = self
                .kept
                .contains(&own)
                .then(|| sums[own - self.kept.start]);
            for (sum, amount) in sums.iter_mut().zip(&moves[self.kept.clone()]) {
                *sum += amount * value;
            }
            if let Some(before) = before {
                sums[own - self.kept.start] = before;
            }
            self.means[feature] += total / classes as f64 * value;
        }
    }

    /// Scores `ubar.x` and, into `out`, `u_c.x`.
    fn scores<X: Exchange>(
        &self,
        row: usize,
        out: &mut Vec<f64>,
        exchange: &mut X,
    ) -> Result<f64, ExchangeError> {
        let width = self.kept.len();
        out.clear();
        out.resize(self.problem.classes(), f64::NEG_INFINITY);
        let scores = &mut out[self.kept.clone()];
        scores.fill(0.0);
        let row = self.problem.row(row);
        let mut mean = 0.0;
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (feature, value) = (feature as usize, f64::from(value));
            mean += self.means[feature] * value;
            let sums = &self.sums[feature * width..(feature + 1) * width];
            for (score, sum) in scores.iter_mut().zip(sums) {
                *score += sum * value;
            }
        }
        exchange.largest(out)?;
        Ok(mean)
    }

    fn all_at_cost<X: Exchange>(&self, exchange: &mut X) -> Result<bool, ExchangeError> {
        let mut scores = Vec::new();
        for row in 0..self.problem.len() {
            let mean = self.scores(row, &mut scores, exchange)?;
            let own = self.problem.class(row) as usize;
            let mut wrong = scores.iter().enumerate().filter(|&(class, _)| class != own);
            if !wrong.all(|(_, score)| 1.0 + mean - score >= 0.0) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does the next epoch, or returns `None` if training has ended.
    pub fn epoch(&mut self) -> Option<Report> {
        // A process on its own always reaches itself.
        self.epoch_among(&mut Alone).unwrap_or(None)
    }

    /// Does the next epoch together with other processes.
    ///
    /// # Errors
    /// If processes do not reach each other.
    pub fn epoch_among<X: Exchange>(
        &mut self,
        exchange: &mut X,
    ) -> Result<Option<Report>, ExchangeError> {
        if self.certificate.is_some() {
            return Ok(None);
        }
        self.epochs += 1;
        // The first epoch only looks: the small-cost solution may be one.
        let seen = if self.epochs == 1 {
            self.look(exchange)?
        } else {
            self.pass(exchange)?
        };
        let enough = |seen: &Seen, gap: f64| {
            gap <= self.parameters.gap || seen.violation <= self.parameters.epsilon
        };
        let (square, _) = self.square(exchange)?;
        self.gap = seen.gap / (0.5 * square + seen.loss).max(1e-12);
        let last = self.epochs >= self.parameters.max_epochs;
        if last || enough(&seen, self.gap) {
            let now = self.look(exchange)?;
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
            duals: self.duals.iter().filter(|&&dual| dual != 0.0).count() as u64,
        })
    }

    /// The sum of squares of all weights, and how many of the u are not 0: by class first, so that it does not
    /// matter which process keeps which.
    fn square<X: Exchange>(&self, exchange: &mut X) -> Result<(f64, u64), ExchangeError> {
        let classes = self.problem.classes();
        let mut found = vec![f64::NEG_INFINITY; 2 * classes];
        let (squares, counts) = found.split_at_mut(classes);
        let (squares, counts) = (
            &mut squares[self.kept.clone()],
            &mut counts[self.kept.clone()],
        );
        squares.fill(0.0);
        counts.fill(0.0);
        for (sums, &mean) in self
            .sums
            .chunks_exact(self.kept.len().max(1))
            .zip(&self.means)
        {
            for ((sum, square), count) in sums.iter().zip(&mut *squares).zip(&mut *counts) {
                *square += (mean - sum) * (mean - sum);
                *count += f64::from(u8::from(*sum != 0.0));
            }
        }
        exchange.largest(&mut found)?;
        let (squares, counts) = found.split_at(classes);
        Ok((squares.iter().sum(), counts.iter().sum::<f64>() as u64))
    }

    /// Sends all weights to the first process.
    fn collect<X: Exchange>(&mut self, exchange: &mut X) -> Result<(), ExchangeError> {
        let classes = self.problem.classes();
        let ranks = exchange.ranks();
        if exchange.rank() > 0 {
            let parcel = self.sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
            exchange.send(vec![(0, parcel)], &[])?;
            return Ok(());
        }
        let from: Vec<usize> = (1..ranks).collect();
        let mut all = vec![0f64; self.problem.features() * classes];
        let mut place = |kept: Range<usize>, sums: &mut dyn Iterator<Item = f64>| {
            for feature in all.chunks_exact_mut(classes) {
                feature[kept.clone()]
                    .iter_mut()
                    .zip(&mut *sums)
                    .for_each(|(to, sum)| *to = sum);
            }
        };
        place(self.kept.clone(), &mut self.sums.iter().copied());
        for (&rank, parcel) in from.iter().zip(exchange.send(Vec::new(), &from)?) {
            let kept = range(classes, rank, ranks);
            if parcel.len() != 8 * kept.len() * self.problem.features() {
                return Err(ExchangeError::Parcel { rank });
            }
            let (numbers, _) = parcel.as_chunks::<8>();
            place(
                kept,
                &mut numbers.iter().map(|&bytes| f64::from_le_bytes(bytes)),
            );
        }
        (self.sums, self.kept) = (all, 0..classes);
        Ok(())
    }

    /// Looks at all rows without changing anything.
    fn look<X: Exchange>(&self, exchange: &mut X) -> Result<Seen, ExchangeError> {
        let classes = self.problem.classes();
        let (mut seen, mut scores) = (Seen::default(), Vec::new());
        for row in 0..self.problem.len() {
            let mean = self.scores(row, &mut scores, exchange)?;
            let own = self.problem.class(row) as usize;
            let duals = &self.duals[row * classes..(row + 1) * classes];
            for (class, (score, &dual)) in scores.iter().zip(duals).enumerate() {
                if class != own {
                    seen.add(1.0 + mean - score, dual, self.parameters.cost);
                }
            }
        }
        Ok(seen)
    }

    /// Moves every dual to its best, rows in random order.
    fn pass<X: Exchange>(&mut self, exchange: &mut X) -> Result<Seen, ExchangeError> {
        let classes = self.problem.classes();
        let cost = self.parameters.cost;
        let mut stream = Stream::new(self.parameters.seed, u64::from(self.epochs));
        let mut order = core::mem::take(&mut self.order);
        stream.shuffle(&mut order);
        let (mut seen, mut scores, mut moves) = (Seen::default(), Vec::new(), vec![0.0; classes]);
        for &row in &order {
            let row = row as usize;
            let mut mean = self.scores(row, &mut scores, exchange)?;
            let own = self.problem.class(row) as usize;
            let square = self.problem.square(row);
            let curvature = square * (1.0 - 1.0 / classes as f64);
            let duals = &mut self.duals[row * classes..(row + 1) * classes];
            let mut moved = false;
            for (class, dual) in duals.iter_mut().enumerate() {
                moves[class] = 0.0;
                if class == own {
                    continue;
                }
                let gradient = 1.0 + mean - scores[class];
                seen.add(gradient, *dual, cost);
                let next = (*dual + gradient / curvature).clamp(0.0, cost);
                moves[class] = next - *dual;
                moved |= next != *dual;
                mean += moves[class] * square / classes as f64;
                *dual = next;
            }
            if moved {
                self.add(row, own, &moves);
            }
        }
        self.order = order;
        Ok(seen)
    }

    /// Runs all epochs.
    pub fn run(&mut self) -> Certificate {
        while self.epoch().is_some() {}
        self.certificate.unwrap_or_default()
    }

    /// The proof, once training has ended.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// The problem.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The weights of a feature, by class: of all classes if this process is alone, or the first one and training
    /// has ended.
    pub fn weights(&self, feature: usize) -> impl Iterator<Item = f64> + '_ {
        let width = self.kept.len();
        let sums = &self.sums[feature * width..(feature + 1) * width];
        sums.iter().map(move |sum| self.means[feature] - sum)
    }
}
