//! The sums of all labels for one query, of weights as a file holds them.

use super::{LinearModel, query::Query};
use crate::kernels::{
    sums,
    wide::{self, WIDE},
};
use alloc::vec::Vec;

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
    pub(crate) fn add_up(&mut self, model: &LinearModel, query: &Query) {
        self.clear(model);
        for (&feature, &value) in query.features.iter().zip(&query.values) {
            // Which sums they are is asked for each weight: two loops would be twice the code.
            model.visit(feature, |label, weight| {
                self.add(label as usize, weight, value);
            });
        }
    }

    /// A sum of nothing for each label of a model.
    fn clear(&mut self, model: &LinearModel) {
        let wide = model.parts().bits == WIDE;
        if wide != matches!(self, Self::Wide(_)) {
            *self = if wide {
                Self::Wide(Vec::new())
            } else {
                Self::default()
            };
        }
        let labels = model.labels() as usize;
        match self {
            Self::Narrow(sums) => {
                sums.clear();
                sums.resize(labels, 0);
            }
            Self::Wide(sums) => {
                sums.clear();
                sums.resize(labels, 0);
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, label: usize, weight: i16, value: i16) {
        match self {
            Self::Narrow(sums) => {
                if let Some(sum) = sums.get_mut(label) {
                    *sum += sums::term(weight, value);
                }
            }
            Self::Wide(sums) => {
                if let Some(sum) = sums.get_mut(label) {
                    *sum += wide::term(weight, value);
                }
            }
        }
    }

    /// The score of a label by its sum.
    #[inline]
    pub(crate) fn score(&self, label: usize, scale: f32, bias: f32, unit: f32) -> f32 {
        match self {
            Self::Narrow(sums) => sums::score(sums[label], scale, bias, unit),
            Self::Wide(sums) => wide::score(sums[label], scale, bias, unit),
        }
    }
}
