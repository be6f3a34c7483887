//! The sums of all labels for one query, of weights as a file holds them.

use super::{
    LinearModel,
    query::Query,
    sums,
    wide::{self, WIDE},
};
use alloc::vec::Vec;
use core::ops::AddAssign;

/// A sum for each label: of bytes, or of weights of 16 bits.
pub(super) enum LabelSums {
    Narrow(Vec<i16>),
    Wide(Vec<i32>),
}

impl Default for LabelSums {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl LabelSums {
    /// The sums of a model's labels for a query, in place of those that are there.
    pub fn add_up(&mut self, model: &LinearModel, query: &Query) {
        let (narrow, wide) = match core::mem::take(self) {
            Self::Narrow(sums) => (sums, Vec::new()),
            Self::Wide(sums) => (Vec::new(), sums),
        };
        *self = if model.parts().bits == WIDE {
            Self::Wide(added(model, query, wide, wide::term))
        } else {
            Self::Narrow(added(model, query, narrow, sums::term))
        };
    }

    /// The score of a label by its sum.
    #[inline]
    pub fn score(&self, label: usize, scale: f32, bias: f32, unit: f32) -> f32 {
        match self {
            Self::Narrow(sums) => sums::score(sums[label], scale, bias, unit),
            Self::Wide(sums) => wide::score(sums[label], scale, bias, unit),
        }
    }
}

/// Sums of what `term` makes of weights and values, in place of `sums`.
#[inline(always)]
fn added<S: Copy + Default + AddAssign>(
    model: &LinearModel,
    query: &Query,
    mut sums: Vec<S>,
    term: impl Fn(i16, i16) -> S,
) -> Vec<S> {
    sums.clear();
    sums.resize(model.labels() as usize, S::default());
    for (&feature, &value) in query.features.iter().zip(&query.values) {
        model.visit(feature, |label, weight| {
            if let Some(sum) = sums.get_mut(label as usize) {
                *sum += term(weight, value);
            }
        });
    }
    sums
}
