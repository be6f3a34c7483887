//! Weights of 16 bits, whose sums lose nothing.
//!
//! A weight is a whole number `w` of at most 32,767 in size, and the values `q` of a row add up to at most as much in size, so a sum of
//! products `w q` is below 2^30: 32 bits hold it exactly, whatever the order of its terms. Divided by 128 it takes the place
//! that the sum of terms has where weights are bytes ([`super::sums`]).
//!
//! A query takes one addition a weight; nothing is done for vectors of the machine. These weights are for models that are to
//! be near what was trained, not for speed.

use super::{
    LinearModel,
    query::Query,
    scorer::{ScorerScratch, least},
};
use crate::search::Scored;
use alloc::{collections::TryReserveError, vec::Vec};

/// Bits of such a weight.
pub const WIDE: u32 = 16;

/// What a weight adds to the sum of its label.
#[must_use]
#[inline(always)]
pub fn term(weight: i16, value: i16) -> i32 {
    i32::from(weight) * i32::from(value)
}

/// The score of a label: each operation rounded on its own, in this order.
#[must_use]
#[inline(always)]
pub fn score(sum: i32, scale: f32, bias: f32, unit: f32) -> f32 {
    sum as f32 / 128.0 * scale * unit + bias
}

/// All weights of a model by feature, ready to be added: 6 bytes a weight and 8 a feature.
#[derive(Clone, Debug)]
pub(super) struct WideWeights {
    offsets: Vec<usize>,
    labels: Vec<u32>,
    weights: Vec<i16>,
}

impl WideWeights {
    pub fn new(model: &LinearModel) -> Result<Self, TryReserveError> {
        let (features, nonzeros) = (model.features(), model.nonzeros());
        let mut made = Self {
            offsets: Vec::new(),
            labels: Vec::new(),
            weights: Vec::new(),
        };
        made.offsets.try_reserve_exact(features as usize + 1)?;
        made.labels.try_reserve_exact(nonzeros)?;
        made.weights.try_reserve_exact(nonzeros)?;
        made.offsets.push(0);
        for feature in 0..features {
            let each: &mut dyn FnMut(u32, i16) = &mut |label, weight| {
                made.labels.push(label);
                made.weights.push(weight);
            };
            model.visit(feature, each);
            made.offsets.push(made.labels.len());
        }
        Ok(made)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * self.offsets.len() + 6 * self.labels.len()
    }

    /// Adds what a query's features have to the sums of all labels.
    fn add_up(&self, query: &Query, sums: &mut [i32]) {
        for (&feature, &value) in query.features.iter().zip(&query.values) {
            let feature = feature as usize;
            let range = self.offsets[feature]..self.offsets[feature + 1];
            let weights = self.labels[range.clone()].iter().zip(&self.weights[range]);
            for (&label, &weight) in weights {
                if let Some(sum) = sums.get_mut(label as usize) {
                    *sum += term(weight, value);
                }
            }
        }
    }

    /// Offers the scores of all labels, which have these scales and biases, for the scratch's query to its best, and looks up
    /// those that are wanted.
    pub fn best(&self, scales: &[f32], biases: &[f32], scratch: &mut ScorerScratch) {
        let ScorerScratch {
            query,
            wide: sums,
            top,
            wanted,
            scores,
            ..
        } = scratch;
        sums.clear();
        sums.resize(scales.len(), 0);
        self.add_up(query, sums);
        let of = |label: usize| score(sums[label], scales[label], biases[label], query.unit);
        for &(label, place) in &*wanted {
            if (label as usize) < scales.len() {
                scores[place as usize] = of(label as usize);
            }
        }
        let mut needed = least(top);
        for label in 0..scales.len() {
            let score = of(label);
            if score >= needed {
                let id = label as u32;
                top.push(Scored { id, score });
                needed = least(top);
            }
        }
    }
}
