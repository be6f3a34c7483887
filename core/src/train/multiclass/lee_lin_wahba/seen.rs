//! What a pass over rows and classes adds up for the proof.

use super::row_step::{LANES, Lanes, join};
use core::array::from_fn;

/// What a pass saw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// P - D.
    pub gap: f64,
    /// C times the losses.
    pub loss: f64,
    /// The sum of the duals.
    pub duals: f64,
    /// The largest gradient of a dual that can follow it.
    pub violation: f64,
}

/// The same of one row, lane by lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct SeenLanes {
    losses: Lanes,
    /// Of duals and gradients.
    products: Lanes,
    duals: Lanes,
    violations: Lanes,
}

impl SeenLanes {
    /// Adds the gradients of some duals.
    #[inline(always)]
    pub(crate) fn add(&mut self, gradients: Lanes, duals: Lanes, cost: f64) {
        // Each sum as a whole vector: a loop over lanes would not become vector instructions.
        let up: Lanes = from_fn(|lane| {
            if duals[lane] < cost {
                gradients[lane]
            } else {
                0.0
            }
        });
        let down: Lanes = from_fn(|lane| {
            if duals[lane] > 0.0 {
                -gradients[lane]
            } else {
                0.0
            }
        });
        self.losses = from_fn(|lane| self.losses[lane] + largest(gradients[lane], 0.0));
        self.products = from_fn(|lane| self.products[lane] + duals[lane] * gradients[lane]);
        self.duals = from_fn(|lane| self.duals[lane] + duals[lane]);
        self.violations =
            from_fn(|lane| largest(self.violations[lane], largest(up[lane], down[lane])));
    }
}

impl Seen {
    /// Adds a row; returns the sum of its duals.
    #[inline(always)]
    pub(crate) fn take(&mut self, row: &SeenLanes, cost: f64) -> f64 {
        let (loss, duals) = (cost * join(row.losses), join(row.duals));
        self.loss += loss;
        self.gap += loss - join(row.products);
        self.duals += duals;
        for lane in 0..LANES {
            self.violation = largest(self.violation, row.violations[lane]);
        }
        duals
    }

    /// The slow twin: of one row.
    #[cfg(test)]
    pub(crate) fn slow(gradients: &[f64], duals: &[f64], own: usize, cost: f64) -> Self {
        let mut seen = Self::default();
        for (class, (&gradient, &dual)) in gradients.iter().zip(duals).enumerate() {
            if class == own {
                continue;
            }
            let loss = cost * gradient.max(0.0);
            seen.loss += loss;
            seen.gap += loss - dual * gradient;
            seen.duals += dual;
            let projected = if dual <= 0.0 {
                gradient.max(0.0)
            } else if dual >= cost {
                (-gradient).max(0.0)
            } else {
                gradient.abs()
            };
            seen.violation = seen.violation.max(projected);
        }
        seen
    }
}

#[inline(always)]
fn largest(a: f64, b: f64) -> f64 {
    // As a comparison, which vector units have.
    if a > b { a } else { b }
}
