//! The pairs of label and feature that have a weight.

use crate::{
    data::Dataset,
    model::linear::{
        LinearModel,
        build::{LabelWeights, build},
    },
    train::TrainError,
};
use alloc::{vec, vec::Vec};

/// Pairs by feature, labels rising, and a weight for each.
pub(crate) struct Support {
    /// Where the pairs of each feature start, and where those of the last end.
    pub offsets: Vec<usize>,
    pub labels: Vec<u32>,
    pub weights: Vec<f32>,
    /// Number of labels, those without a weight among them.
    pub all_labels: usize,
}

impl Support {
    /// The pairs of `model`, with weights of 0.
    ///
    /// # Errors
    /// Lack of memory.
    pub(crate) fn of(model: &LinearModel) -> Result<Self, TrainError> {
        let pairs = model.nonzeros();
        let lacking = |_| TrainError::OutOfMemory {
            bytes: 8 * pairs as u64,
        };
        let (mut labels, mut weights) = (Vec::new(), Vec::new());
        labels.try_reserve_exact(pairs).map_err(lacking)?;
        weights.try_reserve_exact(pairs).map_err(lacking)?;
        weights.resize(pairs, 0.0);
        let mut offsets = vec![0];
        for feature in 0..model.features() {
            let each: &mut dyn FnMut(u32, i16) = &mut |label, _| labels.push(label);
            model.visit(feature, each);
            offsets.push(labels.len());
        }
        Ok(Self {
            offsets,
            labels,
            weights,
            all_labels: model.labels() as usize,
        })
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
            let mut at = self.offsets[feature];
            let scales = &model.parts().scales;
            let each: &mut dyn FnMut(u32, i16) = &mut |label, level| {
                let scale = scales[label as usize];
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
