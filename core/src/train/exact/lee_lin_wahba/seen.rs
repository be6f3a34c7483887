//! What a pass over rows and classes adds up for the proof.

/// What a pass saw.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    pub(super) gap: f64,
    pub(super) loss: f64,
    pub(super) duals: f64,
    pub(super) violation: f64,
}

impl Seen {
    pub(super) fn add(&mut self, gradient: f64, dual: f64, cost: f64) {
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
