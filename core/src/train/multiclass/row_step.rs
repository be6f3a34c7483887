//! The best duals of one row, all others fixed: exact, by a root in one dimension.
//!
//! For a row of squared length k let `b_c = 1 - s_y + s_c` at the present weights, `a_c` its
//! present duals, `A` their sum, and `t_c = b_c / k + A + a_c`. The best duals are
//!
//! ```text
//! a_c = clip(t_c - z, 0, U),   z the root of   sum_c a_c(z) = min(z, V)
//! ```
//!
//! with U = C and V infinite for Weston-Watkins, U infinite and V = C for Crammer-Singer: moving
//! `a_c` by d moves `w_y` by d x and `w_c` by -d x, so `b_c` falls by k (d + sum of all moves). The
//! left side falls with z and the right rises, both in straight pieces: Newton's steps, kept
//! between bounds that always enclose the root, end after a few.
//!
//! Classes that share one dual enter once, with their number as a weight and the mean of their `b`.

use crate::parameters::multiclass::MultiClassLoss;

/// The limits of a row's duals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// U: of each dual.
    pub each: f64,
    /// V: of their sum.
    pub sum: f64,
    /// C.
    pub cost: f64,
    /// What the steps of duals are usually multiplied by, within these limits.
    pub over: f64,
}

/// Which rows of a sweep move, and how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Rows whose share of the gap is at most this stay as they are.
    pub tolerance: f64,
    /// What the steps of duals are multiplied by, within their limits: to their best at 1.
    pub length: f64,
}

/// How much farther than to their best Weston-Watkins duals go: what rows that follow move would
/// mostly have made them go on (successive over-relaxation). The best of 1, 1.3, 1.4, 1.5 and 1.6,
/// by little.
const OVER: f64 = 1.4;

impl Limits {
    /// Of a loss at a cost.
    #[must_use]
    pub(crate) fn new(loss: MultiClassLoss, cost: f64) -> Self {
        let (each, sum) = match loss {
            MultiClassLoss::CrammerSinger => (f64::INFINITY, cost),
            _ => (cost, f64::INFINITY),
        };
        // Where the sum is limited too, a longer step could leave it.
        let over = match loss {
            MultiClassLoss::WestonWatkins => OVER,
            _ => 1.0,
        };
        Self {
            each,
            sum,
            cost,
            over,
        }
    }

    /// Whether only the largest shortfall of a row counts.
    #[must_use]
    #[inline]
    pub(crate) fn largest_only(&self) -> bool {
        self.sum.is_finite()
    }
}

/// Classes that share one dual.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shared {
    /// Their number.
    pub count: f64,
    /// t at the mean of their b.
    pub target: f64,
}

/// Steps after which the root is taken as it is: halving alone would be exact by then.
const MOST_STEPS: usize = 100;

/// The root z for targets `t`, sought from `start`.
///
/// Cost: O(targets) a step, some three steps.
#[inline(always)]
#[must_use]
pub fn root(targets: &[f64], shared: Shared, limits: Limits, start: f64) -> f64 {
    root_in(MOST_STEPS, targets, shared, limits, start)
}

/// What is known of the root after at most so many steps.
#[inline(always)]
fn root_in(steps: usize, targets: &[f64], shared: Shared, limits: Limits, start: f64) -> f64 {
    let mut low = 0.0;
    let mut high = targets.iter().copied().fold(0.0, f64::max);
    if shared.count > 0.0 {
        high = high.max(shared.target);
    }
    let exact = 1e-15 * high;
    let mut z = start.clamp(low, high);
    for _ in 0..steps {
        let (mut value, mut slope) = (0.0, 0.0);
        let mut add = |target: f64, count: f64| {
            let over = target - z;
            value += count * over.clamp(0.0, limits.each);
            if over > 0.0 && over < limits.each {
                slope += count;
            }
        };
        targets.iter().for_each(|&target| add(target, 1.0));
        if shared.count > 0.0 {
            add(shared.target, shared.count);
        }
        value -= z.min(limits.sum);
        if z < limits.sum {
            slope += 1.0;
        }
        // Rounding of a sum over many classes hides roots nearer than that.
        if value.abs() <= exact * slope.max(1.0) {
            return z;
        }
        if value > 0.0 {
            low = z;
        } else {
            high = z;
        }
        let next = z + value / slope;
        // Newton's steps between two pieces can take turns for ever: halving ends that.
        z = if next > low && next < high {
            next
        } else {
            0.5 * (low + high)
        };
    }
    z
}

#[cfg(test)]
mod tests {
    use super::{Limits, Shared, root, root_in};
    use crate::{parameters::multiclass::MultiClassLoss, random::Stream};
    use alloc::vec::Vec;

    #[test]
    fn the_largest_shortfall_alone_counts_for_crammer_singer() {
        let only = |loss| Limits::new(loss, 1.0).largest_only();
        assert!(only(MultiClassLoss::CrammerSinger));
        assert!(!only(MultiClassLoss::WestonWatkins));
    }

    const FEW: usize = 6;

    /// Bisection on the definition.
    fn slow(targets: &[f64], limits: Limits) -> f64 {
        let (mut low, mut high) = (0.0, 1e3);
        for _ in 0..200 {
            let z: f64 = 0.5 * (low + high);
            let sum: f64 = targets
                .iter()
                .map(|t| (t - z).clamp(0.0, limits.each))
                .sum();
            if sum > z.min(limits.sum) {
                low = z;
            } else {
                high = z;
            }
        }
        low
    }

    #[test]
    fn the_root_is_that_of_bisection_and_shared_classes_count_each() {
        let mut stream = Stream::new(8, 1);
        let mut late = 0;
        for round in 0..3000 {
            let loss = if round % 2 == 0 {
                MultiClassLoss::CrammerSinger
            } else {
                MultiClassLoss::WestonWatkins
            };
            let limits = Limits::new(loss, 0.02 + stream.unit());
            let count = 1 + stream.below(12) as usize;
            let targets: Vec<f64> = (0..count).map(|_| 3.0 * stream.unit() - 1.0).collect();
            let shared = Shared {
                count: stream.below(40) as f64,
                target: 2.0 * stream.unit() - 0.5,
            };
            let start = stream.unit();
            let mut all = targets.clone();
            all.extend((0..shared.count as usize).map(|_| shared.target));
            let expected = slow(&all, limits);
            let is_right = |found: f64| {
                let dual = |t: f64, z: f64| (t - z).clamp(0.0, limits.each);
                let near = |&t: &f64| (dual(t, found) - dual(t, expected)).abs() < 1e-9;
                all.iter().all(near)
            };
            let found = root(&targets, shared, limits, start);
            assert!(is_right(found), "{found} {expected} {limits:?}");
            // What is near enough has the scale of the targets: powers of two change no digit.
            for scale in [1024.0, 1.0 / 1024.0] {
                let limits = Limits {
                    each: scale * limits.each,
                    sum: scale * limits.sum,
                    ..limits
                };
                let shared = Shared {
                    target: scale * shared.target,
                    ..shared
                };
                let targets: Vec<f64> = targets.iter().map(|t| scale * t).collect();
                let scaled = root(&targets, shared, limits, scale * start);
                assert_eq!(scaled, scale * found, "{limits:?}");
            }
            // Newton's steps end soon: to halve as often would leave hundredths.
            late += usize::from(!is_right(root_in(FEW, &targets, shared, limits, start)));
        }
        assert!(late < 10, "{late} of 3,000");
    }
}
