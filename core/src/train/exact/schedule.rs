//! When an epoch over all classes is due, and what rows may keep of the gap until then.

use super::{parameters::MultiClassSvm, survey::Survey};
use serde::{Deserialize, Serialize};

/// Most sweeps between two full epochs.
const SWEEPS: u32 = 7;

/// What sweeps aim at, as a share of the gap they begin with.
const AIM: f64 = 0.2;

/// The share of the aim at which sweeps end.
const ENOUGH: f64 = 0.5;

/// The share of the aim that rows may keep if all keep as much.
const LEFT: f64 = 0.3;

/// Shares that add up to at most this multiple of half the gap to end with give hope that the next full
/// epoch is the last, so that its weights are made to be proven.
const HOPE: f64 = 1.0;

/// By how much shortfalls are lessened in the first full epoch that looks for a multiple of the weights.
const LESS: f64 = 4e-3;

/// What the sweeps until the next full epoch are to reach.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// Sweeps to come before the next full epoch.
    pub sweeps: u32,
    /// Rows whose share of the gap is at most this stay as they are.
    pub tolerance: f64,
    /// Whether the next full epoch may well be the last.
    pub hopeful: bool,
    /// By how much shortfalls are lessened, about, at the multiple of the weights with the least gap.
    pub less: f64,
    /// The sum of shares at which sweeps end.
    enough: f64,
    /// The gap that training is to end with, by the objective last known.
    wanted: f64,
}

impl Schedule {
    /// One sweep, which leaves no row alone.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sweeps: 1,
            tolerance: 0.0,
            hopeful: false,
            less: LESS,
            enough: 0.0,
            wanted: 0.0,
        }
    }

    /// For rows that begin with likely classes: many sweeps come before the first pass over all classes.
    #[must_use]
    pub fn informed(parameters: &MultiClassSvm, rows: usize, losses: f64) -> Self {
        let mut schedule = Self::new();
        schedule.aim_at(
            AIM * parameters.cost * rows as f64 * losses,
            parameters,
            rows,
        );
        schedule.sweeps = SWEEPS;
        schedule
    }

    /// Decides what the sweeps after a full epoch must reach.
    pub fn plan(&mut self, parameters: &MultiClassSvm, found: &Survey) {
        self.wanted = 0.5 * parameters.gap * found.primal();
        let aim = self.wanted.max(AIM * found.gap);
        self.aim_at(aim, parameters, found.gaps.len());
        self.sweeps = SWEEPS;
    }

    /// Sets what rows, and all of them together, may keep of the gap.
    fn aim_at(&mut self, aim: f64, parameters: &MultiClassSvm, rows: usize) {
        (self.tolerance, self.enough) = (0.0, 0.0);
        if parameters.gap > 0.0 {
            self.tolerance = LEFT * aim / rows as f64;
            self.enough = ENOUGH * aim;
        }
    }

    /// Hears the sum of shares that a sweep found.
    pub fn swept(&mut self, gap: f64) {
        self.sweeps -= 1;
        if gap <= self.enough {
            self.sweeps = 0;
        }
        self.hopeful = gap <= HOPE * self.wanted;
    }

    /// A row's share of the gap if all had had as much as they had at the last full epoch.
    #[must_use]
    pub fn usual(&self) -> f64 {
        self.tolerance / (LEFT * AIM)
    }

    /// Whether all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let numbers = [self.tolerance, self.enough, self.wanted, self.less];
        numbers.iter().all(|number| number.is_finite())
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self::new()
    }
}
