//! The best duals of a row, all at once.
//!
//! The others being fixed, the row's part of the dual objective is
//! `sum_c m_c g_c - k/2 (sum_c m_c² - S²/L)` with moves m_c, their sum S, gradients g_c at 0 and
//! the row's squared length k. At its maximum `a_c + m_c = clamp(a_c + g_c/k + S/L, 0, C)`, so that
//! only S is unknown: `sum_c (clamp(…) - a_c) - S` falls in S and is made of straight pieces,
//! whose root Newton's method finds in a few steps of O(L), kept between bounds. The first of them
//! is made on the way of what the proof adds up.

use super::seen::{Seen, SeenLanes};
use alloc::vec::Vec;
use core::array::from_fn;

/// Numbers side by side: sums have this order on every machine.
pub const LANES: usize = 8;

/// As many numbers.
pub type Lanes = [f64; LANES];

/// The score of what is no wrong class: the row's own, and what fills up the last lanes. Their
/// duals stay 0.
pub const BARRED: f64 = 1e300;

/// Most steps of Newton's method, or halvings of what is left.
const STEPS: usize = 100;

/// How exactly S is found, as a share of the sum of duals and C.
const EXACT: f64 = 1e-9;

/// What is to be solved.
#[derive(Debug)]
pub struct Row<'a> {
    /// `u_c.x` of each class; [`BARRED`] at its own and behind the last.
    pub scores: &'a [Lanes],
    /// a of each class, to be changed; 0 where barred.
    pub duals: &'a mut [Lanes],
    /// `1 + ubar.x`: less a score it is a gradient.
    pub level: f64,
    /// L.
    pub classes: f64,
    /// k.
    pub square: f64,
    /// C.
    pub cost: f64,
}

/// The targets `a_c + g_c/k` at a shift S/L: the sums of a, and of what the targets are when
/// clamped; how many of these are free of the bounds, and how many differ from a.
#[derive(Clone, Copy, Debug, Default)]
struct Clamped {
    before: f64,
    total: f64,
    free: f64,
    moved: bool,
}

impl Row<'_> {
    /// Adds to what a pass sees.
    #[inline(always)]
    pub(crate) fn look(&self, seen: &mut Seen) {
        let mut lanes = SeenLanes::default();
        for (scores, duals) in self.scores.iter().zip(&*self.duals) {
            lanes.add(from_fn(|lane| self.level - scores[lane]), *duals, self.cost);
        }
        seen.take(&lanes, self.cost);
    }

    /// The same, and brings the duals to their best. `amounts` gets the move of each class; returns
    /// S/L, or nothing if nothing moves. `targets` is memory.
    #[inline(always)]
    pub(crate) fn solve(
        &mut self,
        seen: &mut Seen,
        targets: &mut Vec<Lanes>,
        amounts: &mut [Lanes],
    ) -> Option<f64> {
        let first = self.aim(seen, targets);
        if !first.moved {
            return None;
        }
        let shift = self.best_sum(targets, first) / self.classes;
        let mut totals = [0.0; LANES];
        let duals = self.duals.iter_mut().zip(amounts);
        for ((duals, amounts), targets) in duals.zip(&*targets) {
            let next: Lanes = from_fn(|lane| clamp(targets[lane] + shift, self.cost));
            let moves: Lanes = from_fn(|lane| next[lane] - duals[lane]);
            totals = from_fn(|lane| totals[lane] + moves[lane]);
            (*amounts, *duals) = (moves, next);
        }
        Some(join(totals) / self.classes)
    }

    /// Finds the targets, and what they are at no shift.
    #[inline(always)]
    fn aim(&self, seen: &mut Seen, targets: &mut Vec<Lanes>) -> Clamped {
        let (level, cost, inverse) = (self.level, self.cost, 1.0 / self.square);
        let mut lanes = SeenLanes::default();
        let (mut totals, mut free, mut moved) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        targets.clear();
        targets.resize(self.duals.len(), [0.0; LANES]);
        let pairs = self.scores.iter().zip(&*self.duals);
        for ((scores, duals), targets) in pairs.zip(targets) {
            let gradients: Lanes = from_fn(|lane| level - scores[lane]);
            lanes.add(gradients, *duals, cost);
            let aims: Lanes = from_fn(|lane| duals[lane] + gradients[lane] * inverse);
            let next: Lanes = from_fn(|lane| clamp(aims[lane], cost));
            totals = from_fn(|lane| totals[lane] + next[lane]);
            free = from_fn(|lane| free[lane] + one_if(next[lane] == aims[lane]));
            moved = from_fn(|lane| moved[lane] + one_if(next[lane] != duals[lane]));
            *targets = aims;
        }
        Clamped {
            before: seen.take(&lanes, cost),
            total: join(totals),
            free: join(free),
            moved: join(moved) > 0.0,
        }
    }

    /// S, given what the targets are at no shift.
    #[inline(always)]
    fn best_sum(&self, targets: &[Lanes], first: Clamped) -> f64 {
        let (classes, before) = (self.classes, first.before);
        let (mut low, mut high) = (-before, (classes - 1.0) * self.cost - before);
        let (mut best, mut now) = (0.0, first);
        for _ in 0..STEPS {
            let over = now.total - before - best;
            if over > 0.0 {
                low = best;
            } else {
                high = best;
            }
            let mut next = best + over / (1.0 - now.free / classes);
            if !(low <= next && next <= high) {
                next = 0.5 * (low + high);
            }
            let near = (next - best).abs() <= EXACT * (now.total + self.cost);
            best = next;
            if near {
                break;
            }
            now = clamped(targets, best / classes, self.cost);
        }
        best
    }
}

#[inline(always)]
fn clamped(targets: &[Lanes], shift: f64, cost: f64) -> Clamped {
    let (mut totals, mut free) = ([0.0; LANES], [0.0; LANES]);
    for targets in targets {
        let aims: Lanes = from_fn(|lane| targets[lane] + shift);
        let next: Lanes = from_fn(|lane| clamp(aims[lane], cost));
        totals = from_fn(|lane| totals[lane] + next[lane]);
        free = from_fn(|lane| free[lane] + one_if(next[lane] == aims[lane]));
    }
    Clamped {
        total: join(totals),
        free: join(free),
        ..Clamped::default()
    }
}

#[inline(always)]
fn clamp(value: f64, cost: f64) -> f64 {
    // As comparisons, which vector units have.
    let value = if value > 0.0 { value } else { 0.0 };
    if value < cost { value } else { cost }
}

#[inline(always)]
fn one_if(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

/// The sum over lanes.
#[inline(always)]
pub fn join(lanes: Lanes) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

#[cfg(test)]
mod tests {
    use super::{BARRED, LANES, Row, Seen};
    use crate::random::Stream;
    use alloc::{vec, vec::Vec};

    /// Coordinate ascent until nothing moves: the slow twin.
    fn twin(gradients: &[f64], duals: &[f64], own: usize, square: f64, cost: f64) -> Vec<f64> {
        let classes = duals.len() as f64;
        let mut new = duals.to_vec();
        for _ in 0..20_000 {
            for class in (0..new.len()).filter(|&class| class != own) {
                let moved: f64 = new.iter().zip(duals).map(|(new, old)| new - old).sum();
                let gradient = gradients[class] - square * (new[class] - duals[class])
                    + square * moved / classes;
                let step = gradient / (square * (1.0 - 1.0 / classes));
                new[class] = (new[class] + step).clamp(0.0, cost);
            }
        }
        new
    }

    #[test]
    fn a_row_is_solved_as_coordinate_ascent_solves_it() {
        let mut stream = Stream::new(11, 1);
        for case in 0..200 {
            let classes = 2 + case % 19;
            let own = stream.below(classes as u64) as usize;
            let (cost, level) = ([0.1, 1.0, 7.0][case % 3], 0.3);
            let square = 0.2 + 2.0 * stream.unit();
            let mut duals = vec![[0.0; LANES]; classes.div_ceil(LANES)];
            let mut scores = vec![[BARRED; LANES]; duals.len()];
            for class in (0..classes).filter(|&class| class != own) {
                duals.as_flattened_mut()[class] =
                    cost * (2.0 * stream.unit() - 0.5).clamp(0.0, 1.0);
                scores.as_flattened_mut()[class] = level - (4.0 * stream.unit() - 2.0);
            }
            let before = duals.as_flattened()[..classes].to_vec();
            let gradients: Vec<f64> = scores.as_flattened()[..classes]
                .iter()
                .map(|score| level - score)
                .collect();
            let expected = twin(&gradients, &before, own, square, cost);
            let mut amounts = vec![[0.0; LANES]; duals.len()];
            let mut row = Row {
                scores: &scores,
                duals: &mut duals,
                level,
                classes: classes as f64,
                square,
                cost,
            };
            let (mut looked, mut seen) = (Seen::default(), Seen::default());
            row.look(&mut looked);
            let moved = row.solve(&mut seen, &mut Vec::new(), &mut amounts);
            assert_eq!(looked, seen);
            let (duals, amounts) = (duals.as_flattened(), amounts.as_flattened());
            assert_eq!(moved.is_some(), duals[..classes] != before);
            assert!(duals[own] == 0.0 && duals[classes..].iter().all(|&dual| dual == 0.0));
            for class in 0..classes {
                let off = (duals[class] - expected[class]).abs();
                assert!(off < 1e-6 * cost, "{case}: {duals:?} {expected:?}");
                assert!((duals[class] - before[class] - amounts[class]).abs() < 1e-12);
            }
            let total: f64 = amounts.iter().sum();
            assert!((moved.unwrap_or(0.0) - total / classes as f64).abs() < 1e-12);
            let plain = Seen::slow(&gradients, &before, own, cost);
            for (a, b) in [
                (plain.gap, seen.gap),
                (plain.loss, seen.loss),
                (plain.duals, seen.duals),
                (plain.violation, seen.violation),
            ] {
                assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{plain:?} {seen:?}");
            }
        }
    }
}
