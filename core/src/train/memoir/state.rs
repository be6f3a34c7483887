//! What all weights have in common: their scale, their length, and what stands beside each.

use super::list::{Beside, Moving, due, soft};
use crate::{
    float,
    train::state::{StateError, holds, same},
};
use alloc::borrow::Cow;
use serde::{Deserialize, Serialize};

/// Scales below this are multiplied into the weights: the larger the weights of `V` are against
/// those of `W`, the less of the sums' digits is left.
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

/// The same as a state of training holds it.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedState<'a> {
    pub scale: f64,
    pub square: f64,
    pub beside: Cow<'a, Beside>,
}

/// What has to be done with the weights when their scale has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shrunk {
    Nothing,
    Fold,
    Clear,
}

impl State {
    pub(crate) fn new(create: f32, beside: Beside) -> Self {
        Self {
            scale: 1.0,
            square: 0.0,
            create,
            beside,
            folds: 0,
        }
    }

    /// The squared length of all weights of `W`.
    pub(crate) fn square(&self) -> f64 {
        self.scale * self.scale * self.square
    }

    /// Multiplies the scale by `factor`, from 0 to 1.
    pub(crate) fn shrink(&mut self, factor: f64) -> Shrunk {
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
    pub(crate) fn fold<'a>(
        &self,
        values: impl Iterator<Item = &'a mut f32>,
        extra: &mut [f32],
    ) -> f64 {
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
    pub(crate) fn folded(&mut self, square: f64) {
        if let Beside::Sums { scales, .. } = &mut self.beside {
            *scales = 0.0;
        }
        self.folds += 1;
        (self.scale, self.square) = (1.0, square);
    }

    /// Whether weights are as they are stored: nothing is due of a penalty.
    pub(crate) fn unpenalized(&self) -> bool {
        matches!(self.beside, Beside::Nothing | Beside::Sums { .. })
    }

    /// What all weights are to be multiplied by to be no longer than `radius`, if they are.
    pub(crate) fn too_long(&self, radius: f64) -> Option<f64> {
        let length = float::sqrt(self.square());
        (length > radius).then(|| radius / length)
    }

    /// From here on the mean of the weights is kept, too.
    pub(crate) fn begin_averaging(&mut self) {
        self.beside = Beside::Sums {
            scales: 0.0,
            steps: 0,
        };
    }

    /// Ends a step: the weights as they are count once in the mean; of l1, the penalty of
    /// `touched` of so many classes (or of all) grows.
    pub(crate) fn end_step(&mut self, penalty: f64, touched: &[u32], classes: usize) {
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

    pub(crate) fn moving(&self) -> Moving {
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
    pub(crate) fn present(&self, class: u32, value: f32, extra: Option<&f32>) -> f32 {
        match (&self.beside, extra) {
            (Beside::Penalty { .. } | Beside::Penalties { .. }, Some(last)) => {
                soft(value, due(&self.beside, class) - last)
            }
            _ => value,
        }
    }

    /// The weight that training ends with.
    pub(crate) fn last(&self, class: u32, value: f32, extra: Option<&f32>) -> f32 {
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

    pub(crate) fn saved(&self) -> SavedState<'_> {
        SavedState {
            scale: self.scale,
            square: self.square,
            beside: Cow::Borrowed(&self.beside),
        }
    }

    /// Takes over what a state holds, whose weights have the squared length `square`.
    pub(crate) fn restore(&mut self, saved: SavedState<'_>, square: f64) -> Result<(), StateError> {
        // Of l1 it is not kept; otherwise the sum that steps have kept differs from a new one by
        // rounding.
        let kept = matches!(*saved.beside, Beside::Nothing | Beside::Sums { .. });
        let near = (saved.square - square).abs() <= 1e-3 * (1.0 + square);
        holds("the length of the weights", !kept || near)?;
        (self.scale, self.square) = (saved.scale, saved.square);
        self.beside = saved.beside.into_owned();
        Ok(())
    }
}

impl SavedState<'_> {
    /// Whether training that begins with `new` can have come to this; after `averaged` steps whose
    /// weights count in a mean, or none where no mean is kept.
    pub(crate) fn check(&self, new: &State, averaged: u64) -> Result<(), StateError> {
        let scale = self.scale >= LEAST_SCALE && self.scale <= 1.0;
        holds("the scale of the weights", scale)?;
        holds("the length of the weights", self.square.is_finite())?;
        let penalty = |now: &f64| now.is_finite() && *now >= 0.0;
        let right = match (&new.beside, &*self.beside) {
            (Beside::Nothing, Beside::Nothing) => averaged == 0,
            (Beside::Nothing, Beside::Sums { scales, steps }) => {
                averaged > 0 && *steps == averaged && *scales >= 0.0 && *scales <= averaged as f64
            }
            (Beside::Penalty { .. }, Beside::Penalty { now }) => penalty(now),
            (Beside::Penalties { now: new }, Beside::Penalties { now }) => {
                new.len() == now.len() && now.iter().all(penalty)
            }
            _ => false,
        };
        holds("what is kept beside the weights", right)
    }

    /// Whether the numbers of some weights, each with the class it is of, can stand in such a state
    /// beside what is beside them; the sum of their squares.
    pub(crate) fn check_weights(
        &self,
        weights: impl ExactSizeIterator<Item = (u32, f32)>,
        extra: &[f32],
    ) -> Result<f64, StateError> {
        let with_extra = *self.beside != Beside::Nothing;
        let beside = if with_extra { weights.len() } else { 0 };
        same("numbers beside weights", extra.len(), beside)?;
        let (mut square, mut extra) = (0.0, extra.iter());
        for (class, value) in weights {
            holds("a weight", value.is_finite())?;
            square += f64::from(value) * f64::from(value);
            let right = extra.next().is_none_or(|number| match &*self.beside {
                Beside::Penalty { .. } | Beside::Penalties { .. } => {
                    *number >= 0.0 && *number <= due(&self.beside, class)
                }
                _ => number.is_finite(),
            });
            holds("a number beside a weight", right)?;
        }
        Ok(square)
    }
}
