//! When an epoch over all classes is due, and what rows may keep of the gap until then.

use super::{row_step::Limits, survey::Survey};
use crate::parameters::multiclass::MultiClassSvm;
use serde::{Deserialize, Serialize};

/// Most sweeps between two full epochs.
const SWEEPS: u32 = 7;

/// The share of the gap to end with that sweeps are to reach where so many of them are enough as
/// may come.
const NEAR: f64 = 0.9;

/// What sweeps aim at, as a share of the gap they begin with.
const AIM: f64 = 0.2;

/// The share of the aim at which sweeps end.
const ENOUGH: f64 = 0.5;

/// The share of the aim that rows may keep if all keep as much.
const LEFT: f64 = 0.3;

/// Shares that add up to at most this multiple of half the gap to end with give hope that the next
/// full epoch is the last, so that its weights are made to be proven.
const HOPE: f64 = 1.0;

/// Of their usual length, how far steps go in the last sweep before a full epoch, and in the one
/// before that.
///
/// Weights go back and forth around the best ones, and near the end the gap is that of the primal
/// objective, which feels it: 400 times that of the dual one, which hardly does. Shorter last steps
/// are a mean over sweeps. They save 4 to 7 percent of all epochs.
const SHORTER: [f64; 2] = [0.5, 0.75];

/// Rows from which epochs by parts come first.
const ROWS_FOR_PARTS: usize = 4000;

/// By how much shortfalls are lessened in the first full epoch that looks for a multiple of the
/// weights.
const LESS: f64 = 4e-3;

/// The least and most that is looked at next: at 1 there is no multiple.
const LEAST: f64 = 1e-9;
const MOST: f64 = 0.25;

/// What the sweeps until the next full epoch are to reach.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// Epochs by parts to come before the first full one.
    pub passes: u32,
    /// Sweeps to come before the next full epoch.
    pub sweeps: u32,
    /// Rows whose share of the gap is at most this stay as they are.
    pub tolerance: f64,
    /// Whether the next full epoch may well be the last.
    pub hopeful: bool,
    /// Whether the sweeps to come are as many as it should take.
    last: bool,
    /// The relative gap that the last full epoch found.
    found: f64,
    /// Sweeps since.
    since: u32,
    /// By how much shortfalls are lessened, about, at the multiple of the weights with the least
    /// gap.
    less: f64,
    /// The sum of shares at which sweeps end.
    enough: f64,
    /// The gap that training is to end with, by the objective last known.
    wanted: f64,
}

impl Schedule {
    /// One sweep, which leaves no row alone, and epochs by parts.
    #[must_use]
    pub(crate) fn new(limits: Limits, rows: usize) -> Self {
        let passes = if limits.largest_only() { 1 } else { 2 };
        Self {
            passes: if rows < ROWS_FOR_PARTS { 0 } else { passes },
            sweeps: 1,
            tolerance: 0.0,
            hopeful: false,
            last: false,
            found: 1.0,
            since: 0,
            less: LESS,
            enough: 0.0,
            wanted: 0.0,
        }
    }

    /// In how many parts epochs by parts visit the rows.
    #[must_use]
    pub(crate) fn parts(limits: Limits) -> usize {
        if limits.largest_only() { 8 } else { 4 }
    }

    /// A full epoch first.
    #[must_use]
    pub(crate) fn full(limits: Limits) -> Self {
        Self {
            sweeps: 0,
            ..Self::new(limits, 0)
        }
    }

    /// For rows that begin with likely classes: many sweeps come before the first pass over all
    /// classes.
    #[must_use]
    pub(crate) fn informed(
        parameters: &MultiClassSvm,
        limits: Limits,
        rows: usize,
        losses: f64,
    ) -> Self {
        let mut schedule = Self::new(limits, 0);
        schedule.aim_at(
            AIM * parameters.cost * rows as f64 * losses,
            parameters,
            rows,
        );
        schedule.sweeps = SWEEPS;
        schedule
    }

    /// Hears of the end of an epoch by parts: sweeps come after full ones.
    pub(crate) fn passed(&mut self) {
        self.passes -= 1;
        (self.sweeps, self.hopeful) = (0, false);
    }

    /// Decides what the sweeps after a full epoch must reach, `gap` being the relative one of the
    /// best multiple of the weights.
    pub(crate) fn plan(&mut self, parameters: &MultiClassSvm, found: &Survey, gap: f64) {
        self.wanted = 0.5 * parameters.gap * found.primal();
        let aim = self.wanted.max(AIM * found.gap);
        self.aim_at(aim, parameters, found.gaps.len());
        let enough = self.sweeps_to(NEAR * parameters.gap, gap);
        self.last = enough < SWEEPS;
        (self.sweeps, self.found, self.since) = (enough.min(SWEEPS), gap, 0);
    }

    /// How many sweeps should take a relative gap to `wanted`, if each divides it by as much as the
    /// last ones did.
    fn sweeps_to(&self, wanted: f64, gap: f64) -> u32 {
        let each = libm::log(self.found / gap) / f64::from(self.since);
        let sweeps = libm::ceil(libm::log(gap / wanted) / each);
        // The gap need not have fallen, and there need not have been sweeps.
        if each > 0.0 && each.is_finite() {
            sweeps.max(1.0) as u32
        } else {
            u32::MAX
        }
    }

    /// Sets what rows, and all of them together, may keep of the gap.
    fn aim_at(&mut self, aim: f64, parameters: &MultiClassSvm, rows: usize) {
        (self.tolerance, self.enough) = (0.0, 0.0);
        if parameters.gap > 0.0 {
            self.tolerance = LEFT * aim / rows as f64;
            self.enough = ENOUGH * aim;
        }
    }

    /// What the usual length of steps is multiplied by in the next sweep.
    #[must_use]
    pub(crate) fn length(&self) -> f64 {
        let later = self.sweeps.checked_sub(1);
        let shorter = later.and_then(|later| SHORTER.get(later as usize));
        shorter.copied().unwrap_or(1.0)
    }

    /// Hears the sum of shares that a sweep found.
    pub(crate) fn swept(&mut self, gap: f64) {
        self.sweeps = self.sweeps.saturating_sub(1);
        self.since = self.since.saturating_add(1);
        if gap <= self.enough {
            self.sweeps = 0;
        }
        self.hopeful = self.last || gap <= HOPE * self.wanted;
    }

    /// By how much shortfalls are lessened at the multiples to be looked at.
    #[must_use]
    pub(crate) fn lesser(&self) -> [f64; 3] {
        [0.5, 1.0, 2.0].map(|part| part * self.less)
    }

    /// Hears by how much they were lessened at the best of these multiples, or 0 at the weights
    /// themselves.
    pub(crate) fn lessen(&mut self, best: f64) {
        let next = if best > 0.0 { best } else { 0.5 * self.less };
        self.less = next.clamp(LEAST, MOST);
    }

    /// A row's share of the gap if all had had as much as they had at the last full epoch.
    #[must_use]
    pub(crate) fn usual(&self) -> f64 {
        self.tolerance / (LEFT * AIM)
    }

    /// Whether all numbers are finite, and there are multiples to look at.
    #[must_use]
    pub(crate) fn is_sound(&self) -> bool {
        let numbers = [self.tolerance, self.enough, self.wanted, self.found];
        let finite = numbers.iter().all(|number| number.is_finite());
        finite && (LEAST..=MOST).contains(&self.less)
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;
    use crate::{parameters::multiclass::MultiClassLoss, train::multiclass::row_step::Limits};
    use alloc::vec::Vec;

    #[test]
    fn the_last_two_sweeps_before_a_full_epoch_take_shorter_steps() {
        let limits = Limits::new(MultiClassLoss::WestonWatkins, 1.0);
        let mut schedule = Schedule::new(limits, 10);
        schedule.sweeps = 4;
        let lengths: Vec<f64> = core::iter::from_fn(|| {
            let length = schedule.length();
            schedule.swept(f64::INFINITY);
            Some(length)
        })
        .take(5)
        .collect();
        assert_eq!(lengths, [1.0, 1.0, 0.75, 0.5, 1.0]);
    }

    #[test]
    fn shortfalls_are_never_lessened_by_so_much_that_there_is_no_multiple() {
        let limits = Limits::new(MultiClassLoss::WestonWatkins, 1.0);
        let mut schedule = Schedule::new(limits, 10);
        for _ in 0..100 {
            let most = schedule.lesser()[2];
            assert!(most < 1.0, "{most}");
            schedule.lessen(most);
        }
        for _ in 0..100 {
            schedule.lessen(0.0);
            assert!(schedule.lesser()[0] > 0.0);
        }
    }
}
