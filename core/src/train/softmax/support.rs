//! The pairs of label and feature that have a weight.

use crate::{
    data::Dataset,
    model::linear::{
        LinearModel,
        build::{LabelWeights, build},
    },
    train::{TrainError, error::array},
};
use alloc::{vec, vec::Vec};

/// Pairs by feature, labels rising, and a weight for each.
pub(crate) struct Support {
    /// Where the pairs of each feature start, and where those of the last end.
    pub offsets: Vec<usize>,
    /// The labels of the pairs; none where `all` is said.
    pub labels: Vec<u32>,
    pub weights: Vec<f32>,
    /// Whether there is a weight for each label and feature.
    pub all: bool,
    /// Which of those then are a pair of the model: the weights of others stay 0.
    paired: Vec<bool>,
    /// Number of labels, those without a weight among them.
    pub all_labels: usize,
}

impl Support {
    /// The pairs of `model`, or `all` that there can be, with weights of 0.
    ///
    /// # Errors
    /// Lack of memory.
    pub(crate) fn of(model: &LinearModel, all: bool) -> Result<Self, TrainError> {
        let (pairs, all_labels) = (model.nonzeros(), model.labels() as usize);
        let places = match all {
            true => all_labels.saturating_mul(model.features() as usize),
            false => pairs,
        };
        let weights = array(places, 0.0)?;
        let mut paired = array(if all { places } else { 0 }, false)?;
        let mut labels = array(if all { 0 } else { pairs }, 0)?;
        let (mut offsets, mut at) = (vec![0], 0);
        for feature in 0..model.features() {
            let first = feature as usize * all_labels;
            let each: &mut dyn FnMut(u32, i16) = &mut |label, _| match all {
                true => paired[first + label as usize] = true,
                false => {
                    labels[at] = label;
                    at += 1;
                }
            };
            model.visit(feature, each);
            offsets.push(if all { first + all_labels } else { at });
        }
        Ok(Self {
            offsets,
            labels,
            weights,
            all,
            paired,
            all_labels,
        })
    }

    /// All pairs that so many labels and features can make, each of them one of the model's.
    ///
    /// # Errors
    /// Lack of memory.
    pub(crate) fn whole(all_labels: usize, features: usize) -> Result<Self, TrainError> {
        Ok(Self {
            offsets: (0..=features).map(|feature| feature * all_labels).collect(),
            labels: Vec::new(),
            weights: array(all_labels.saturating_mul(features), 0.0)?,
            all: true,
            paired: Vec::new(),
            all_labels,
        })
    }

    /// Sets weights to 0 that are no pair's.
    pub(crate) fn clear_unpaired(&mut self) {
        for (weight, paired) in self.weights.iter_mut().zip(&self.paired) {
            if !paired {
                *weight = 0.0;
            }
        }
    }

    /// Bytes held.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let pairs = self.labels.len() + self.weights.len();
        8 * self.offsets.len() + 4 * pairs + self.paired.len()
    }

    /// `own` times the weights of `model`, whose pairs these are, plus `weight` times these; biases
    /// are its own, times `own`.
    pub(crate) fn added_to(
        &self,
        model: &LinearModel,
        (own, weight): (f32, f32),
        bits: u32,
    ) -> Result<LinearModel, TrainError> {
        let mut sums: Vec<Vec<(u32, f32)>> = vec![Vec::new(); self.all_labels];
        for feature in 0..self.offsets.len() - 1 {
            let first = self.offsets[feature];
            let mut at = first;
            let scales = &model.parts().scales;
            let each: &mut dyn FnMut(u32, i16) = &mut |label, level| {
                let scale = scales[label as usize];
                if self.all {
                    at = first + label as usize;
                }
                let sum = own * f32::from(level) * scale + weight * self.weights[at];
                sums[label as usize].push((feature as u32, sum));
                at += 1;
            };
            model.visit(feature as u32, each);
        }
        let round = |(label, weights): (usize, &Vec<(u32, f32)>)| {
            if model.parts().scales[label] == 0.0 {
                return LabelWeights::unseen();
            }
            LabelWeights::round(weights, own * model.bias(label as u32), bits)
        };
        let labels: Vec<LabelWeights> = sums.iter().enumerate().map(round).collect();
        let transform = model.parts().transform;
        Ok(build(&labels, self.offsets.len() - 1, transform, bits)?)
    }
}

/// Weights of `model` that an epoch over `data` visits, one way.
pub(super) fn visits(model: &LinearModel, data: &Dataset) -> f64 {
    let counts: Vec<u64> = (0..model.features())
        .map(|feature| model.count(feature) as u64)
        .collect();
    let rows = data.rows().iter();
    let visits = rows.map(|row| {
        let of = row
            .indices()
            .iter()
            .map(|&feature| counts[feature as usize]);
        of.sum::<u64>()
    });
    visits.sum::<u64>() as f64
}
