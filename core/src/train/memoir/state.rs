//! What all weights have in common: their scale, their length, and what stands beside each.

use super::list::{Beside, Moving, due, soft};
use crate::float;

/// Scales below this are multiplied into the weights: the larger the weights of `V` are against those of `W`,
/// the less of the sums' digits is left.
pub(crate) const LEAST_SCALE: f64 = 0.02;

/// `W = a V`, and what is to be known of `V`.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// `a`
    pub scale: f64,
    /// `||V||^2`; not kept for l1.
    pub square: f64,
    /// A weight below zero is made only by a step of at least this size.
    pub create: f32,
    pub beside: Beside,
    /// How often the scale was multiplied into the weights.
    pub folds: u32,
}

/// What has to be done with the weights when their scale has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shrunk {
    Nothing,
    Fold,
    Clear,
}

impl State {
    pub fn new(create: f32, beside: Beside) -> Self {
        Self {
            scale: 1.0,
            square: 0.0,
            create,
            beside,
            folds: 0,
        }
    }

    /// The squared length of all weights of `W`.
    pub fn square(&self) -> f64 {
        self.scale * self.scale * self.square
    }

    /// Multiplies the scale by `factor`, from 0 to 1.
    pub fn shrink(&mut self, factor: f64) -> Shrunk {
        self.scale *= factor;
        if self.scale == 0.0 {
            self.folded(0.0);
            Shrunk::Clear
        } else if self.scale < LEAST_SCALE {
            Shrunk::Fold
        } else {
            Shrunk::Nothing
        }
    }

    /// Multiplies the scale into some weights; the sum of their squares.
    pub fn fold<'a>(&self, values: impl Iterator<Item = &'a mut f32>, extra: &mut [f32]) -> f64 {
        let (scale, mut square) = (self.scale as f32, 0.0);
        let sums = match &self.beside {
            Beside::Sums { scales, .. } => Some(*scales),
            _ => None,
        };
        for (at, value) in values.enumerate() {
            if let (Some(scales), Some(u)) = (sums, extra.get_mut(at)) {
                *u -= (f64::from(*value) * scales) as f32;
            }
            *value *= scale;
            square += f64::from(*value) * f64::from(*value);
        }
        square
    }

    /// All weights were folded, and have this squared length.
    pub fn folded(&mut self, square: f64) {
        if let Beside::Sums { scales, .. } = &mut self.beside {
            *scales = 0.0;
        }
        self.folds += 1;
        (self.scale, self.square) = (1.0, square);
    }

    /// Whether weights are as they are stored: nothing is due of a penalty.
    pub fn unpenalized(&self) -> bool {
        matches!(self.beside, Beside::Nothing | Beside::Sums { .. })
    }

    /// What all weights are to be multiplied by to be no longer than `radius`, if they are.
    pub fn too_long(&self, radius: f64) -> Option<f64> {
        let length = float::sqrt(self.square());
        (length > radius).then(|| radius / length)
    }

    /// From here on the mean of the weights is kept, too.
    pub fn begin_averaging(&mut self) {
        self.beside = Beside::Sums {
            scales: 0.0,
            steps: 0,
        };
    }

    /// Ends a step: the weights as they are count once in the mean; of l1, the penalty of
    /// `touched` of so many classes (or of all) grows.
    pub fn end_step(&mut self, penalty: f64, touched: &[u32], classes: usize) {
        match &mut self.beside {
            Beside::Nothing => {}
            Beside::Sums { scales, steps } => {
                *scales += self.scale;
                *steps += 1;
            }
            Beside::Penalty { now } => *now += penalty,
            Beside::Penalties { now } => {
                let each = penalty * classes as f64 / touched.len().max(1) as f64;
                for &class in touched {
                    now[class as usize] += each;
                }
            }
        }
    }

    pub fn moving(&self) -> Moving {
        Moving {
            scale: self.scale,
            create: self.create,
            before: match &self.beside {
                Beside::Sums { scales, .. } => *scales as f32,
                _ => 0.0,
            },
        }
    }

    /// A weight of `V` as it counts in scores, with what is beside it.
    #[inline(always)]
    pub fn present(&self, class: u32, value: f32, extra: Option<&f32>) -> f32 {
        match (&self.beside, extra) {
            (Beside::Penalty { .. } | Beside::Penalties { .. }, Some(last)) => {
                soft(value, due(&self.beside, class) - last)
            }
            _ => value,
        }
    }

    /// The weight that training ends with.
    pub fn last(&self, class: u32, value: f32, extra: Option<&f32>) -> f32 {
        match (&self.beside, extra) {
            (Beside::Sums { scales, steps }, Some(u)) if *steps > 0 => {
                ((f64::from(value) * scales - f64::from(*u)) / *steps as f64) as f32
            }
            (Beside::Penalty { .. } | Beside::Penalties { .. }, _) => {
                self.present(class, value, extra)
            }
            _ => (f64::from(value) * self.scale) as f32,
        }
    }
}
