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
//! Cost: O(L times values) an epoch; memory: 8 bytes for each feature and class, and for each row and
//! class: this machine is for few classes.

use super::{
    certificate::Certificate, parameters::MultiClassSvm, problem::Problem, trainer::Report,
};
use crate::{random::Stream, train::TrainError};
use alloc::{vec, vec::Vec};

/// Most bytes of weights and duals.
const MOST_BYTES: u64 = 16 << 30;

/// Training under way: call [`LeeLinWahba::epoch`] until it returns `None`.
#[derive(Debug)]
pub struct LeeLinWahba {
    parameters: MultiClassSvm,
    problem: Problem,
    /// u of each feature and class.
    sums: Vec<f64>,
    /// Their means.
    means: Vec<f64>,
    duals: Vec<f64>,
    order: Vec<u32>,
    epochs: u32,
    gap: f64,
    certificate: Option<Certificate>,
}

/// What a pass saw.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    gap: f64,
    loss: f64,
    duals: f64,
    violation: f64,
}

impl LeeLinWahba {
    /// Begins with the duals of the small-cost solution, all of them C, if it is one; with 0 otherwise.
    ///
    /// # Errors
    /// If there are too many features, rows and classes for dense arrays.
    pub fn new(parameters: &MultiClassSvm, problem: Problem) -> Result<Self, TrainError> {
        let (rows, classes) = (problem.len(), problem.classes());
        let bytes = 8 * (rows as u64 + problem.features() as u64 + 1) * classes as u64;
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
            sums: zeros(problem.features() * classes)?,
            means: zeros(problem.features())?,
            duals: zeros(rows * classes)?,
            order: (0..rows as u32).collect(),
            problem,
            epochs: 0,
            gap: 1.0,
            certificate: None,
        };
        solver.set_all(parameters.cost);
        if !solver.all_at_cost() {
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

    /// Moves u of every class but `own` by its part of the row.
    fn add(&mut self, row: usize, own: usize, moves: &[f64]) {
        let classes = self.problem.classes();
        let total: f64 = moves.iter().sum::<f64>() - moves[own];
        let row = self.problem.row(row);
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (feature, value) = (feature as usize, f64::from(value));
            let sums = &mut self.sums[feature * classes..(feature + 1) * classes];
            let kept = sums[own];
            for (sum, amount) in sums.iter_mut().zip(moves) {
                *sum += amount * value;
            }
            sums[own] = kept;
            self.means[feature] += total / classes as f64 * value;
        }
    }

    /// Scores `ubar.x` and, into `out`, `u_c.x`.
    fn scores(&self, row: usize, out: &mut Vec<f64>) -> f64 {
        let classes = self.problem.classes();
        out.clear();
        out.resize(classes, 0.0);
        let row = self.problem.row(row);
        let mut mean = 0.0;
        for (&feature, &value) in row.features.iter().zip(row.values) {
            let (feature, value) = (feature as usize, f64::from(value));
            mean += self.means[feature] * value;
            let sums = &self.sums[feature * classes..(feature + 1) * classes];
            for (score, sum) in out.iter_mut().zip(sums) {
                *score += sum * value;
            }
        }
        mean
    }

    fn all_at_cost(&self) -> bool {
        let mut scores = Vec::new();
        (0..self.problem.len()).all(|row| {
            let mean = self.scores(row, &mut scores);
            let own = self.problem.class(row) as usize;
            let mut wrong = scores.iter().enumerate().filter(|&(class, _)| class != own);
            wrong.all(|(_, score)| 1.0 + mean - score >= 0.0)
        })
    }

    /// Does the next epoch, or returns `None` if training has ended.
    pub fn epoch(&mut self) -> Option<Report> {
        if self.certificate.is_some() {
            return None;
        }
        self.epochs += 1;
        // The first epoch only looks: the small-cost solution may be one.
        let seen = if self.epochs == 1 {
            self.look()
        } else {
            self.pass()
        };
        let primal = |seen: &Seen| 0.5 * self.square() + seen.loss;
        let enough = |seen: &Seen, gap: f64| {
            gap <= self.parameters.gap || seen.violation <= self.parameters.epsilon
        };
        self.gap = seen.gap / primal(&seen).max(1e-12);
        let last = self.epochs >= self.parameters.max_epochs;
        if last || enough(&seen, self.gap) {
            let now = self.look();
            let certificate = self.proof(&now);
            if last || enough(&now, certificate.relative_gap()) {
                self.gap = certificate.relative_gap();
                self.certificate = Some(certificate);
            }
        }
        Some(Report {
            epoch: self.epochs,
            full: true,
            rows: self.problem.len() as u64,
            gap: self.gap,
        })
    }

    fn proof(&self, seen: &Seen) -> Certificate {
        let half = 0.5 * self.square();
        Certificate {
            primal: half + seen.loss,
            dual: seen.duals - half,
            violation: seen.violation,
            epochs: self.epochs,
            nonzeros: self.sums.iter().filter(|&&sum| sum != 0.0).count() as u64,
            duals: self.duals.iter().filter(|&&dual| dual != 0.0).count() as u64,
        }
    }

    /// The sum of squares of all weights.
    fn square(&self) -> f64 {
        let classes = self.problem.classes();
        let features = self.sums.chunks_exact(classes).zip(&self.means);
        let of = |(sums, &mean): (&[f64], &f64)| -> f64 {
            sums.iter().map(|sum| (mean - sum) * (mean - sum)).sum()
        };
        features.map(of).sum()
    }

    /// Looks at all rows without changing anything.
    fn look(&self) -> Seen {
        let classes = self.problem.classes();
        let (mut seen, mut scores) = (Seen::default(), Vec::new());
        for row in 0..self.problem.len() {
            let mean = self.scores(row, &mut scores);
            let own = self.problem.class(row) as usize;
            let duals = &self.duals[row * classes..(row + 1) * classes];
            for (class, (score, &dual)) in scores.iter().zip(duals).enumerate() {
                if class != own {
                    seen.add(1.0 + mean - score, dual, self.parameters.cost);
                }
            }
        }
        seen
    }

    /// Moves every dual to its best, rows in random order.
    fn pass(&mut self) -> Seen {
        let classes = self.problem.classes();
        let cost = self.parameters.cost;
        let mut stream = Stream::new(self.parameters.seed, u64::from(self.epochs));
        let mut order = core::mem::take(&mut self.order);
        stream.shuffle(&mut order);
        let (mut seen, mut scores, mut moves) = (Seen::default(), Vec::new(), vec![0.0; classes]);
        for &row in &order {
            let row = row as usize;
            let mut mean = self.scores(row, &mut scores);
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
        seen
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

    /// The weights of a feature, by class.
    pub fn weights(&self, feature: usize) -> impl Iterator<Item = f64> + '_ {
        let classes = self.problem.classes();
        let sums = &self.sums[feature * classes..(feature + 1) * classes];
        sums.iter().map(move |sum| self.means[feature] - sum)
    }
}

impl Seen {
    fn add(&mut self, gradient: f64, dual: f64, cost: f64) {
        let loss = cost * gradient.max(0.0);
        self.loss += loss;
        self.gap += loss - dual * gradient;
        self.duals += dual;
        let projected = if dual <= 0.0 {
            gradient.max(0.0)
        } else if dual >= cost {
            (-gradient).max(0.0)
        } else {
            gradient.abs()
        };
        self.violation = self.violation.max(projected);
    }
}

mod saved;
#[cfg(test)]
mod tests;
