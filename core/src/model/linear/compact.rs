//! Making a linear model smaller: fewer weights, fewer bits.

use super::{
    LinearModel,
    build::{LabelWeights, build},
    rules::BITS,
    scorer::decode,
};
use crate::kernels::wide::WIDE;
use alloc::{vec, vec::Vec};

/// A model made smaller without rows to judge by.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The smaller model.
    pub model: LinearModel,
    /// Bits of a weight.
    pub bits: u32,
    /// Weights up to this size were left out.
    pub prune: f32,
    /// The sum of squared differences of weights, as a share of that of the weights.
    pub lost: f64,
}

impl LinearModel {
    /// Leaves out weights up to size `prune` and stores the others with `bits` bits.
    ///
    /// Returns the model as it is if `bits` is not 4, 5, 6, 8 or 16.
    #[must_use]
    pub(crate) fn pruned(&self, prune: f32, bits: u32) -> Self {
        if !BITS.contains(&bits) {
            return self.clone();
        }
        pruned(&decode(self), self, prune, bits)
    }

    /// Fits the model into `max_bytes` where there are no rows to judge by: of the least pruning
    /// that fits with 16 (if it has as many), 8, 6, 5 and 4 bits, the one whose weights differ
    /// least from the model's, by the sum of squares.
    ///
    /// Cost: some forty encodings of the model.
    ///
    /// # Errors
    /// The bytes of the model without any weight, if they are more than `max_bytes`.
    pub(crate) fn fitted(&self, max_bytes: usize) -> Result<Fitted, usize> {
        let labels = decode(self);
        let least = pruned(&labels, self, f32::INFINITY, self.parts().bits).bytes();
        if least > max_bytes {
            return Err(least);
        }
        let tried = self.fewer_bits().map(|bits| {
            let (model, prune) = fit(&labels, self, max_bytes, bits);
            let lost = distance(&labels, &decode(&model));
            Fitted {
                model,
                bits,
                prune,
                lost,
            }
        });
        tried.min_by(|a, b| a.lost.total_cmp(&b.lost)).ok_or(least)
    }

    /// The sum of the squared weights of each feature.
    #[must_use]
    pub(crate) fn squares(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.features() as usize];
        for label in decode(self) {
            for (&feature, &weight) in label.features.iter().zip(&label.weights) {
                let real = f64::from(weight) * f64::from(label.scale);
                squares[feature as usize] += real * real;
            }
        }
        squares
    }

    /// The model with these features alone, which rise, numbered anew.
    #[must_use]
    pub(crate) fn with_features(&self, features: &[u32]) -> Self {
        let mut places = vec![None; self.features() as usize];
        for (place, &feature) in (0..).zip(features) {
            places[feature as usize] = Some(place);
        }
        let mut labels = decode(self);
        for label in &mut labels {
            let weights = label.features.iter().zip(&label.weights);
            let kept = weights.filter_map(|(&feature, &weight)| {
                places[feature as usize].map(|place: u32| (place, weight))
            });
            (label.features, label.weights) = kept.unzip();
        }
        let parts = self.parts();
        // A model never grows by leaving features out, so it keeps the form's limits.
        build(&labels, features.len(), parts.transform, parts.bits).unwrap_or_else(|_| self.clone())
    }

    /// The bits that its weights can have without getting more, most first.
    fn fewer_bits(&self) -> impl Iterator<Item = u32> {
        let most = self.parts().bits;
        BITS.into_iter().rev().filter(move |&bits| bits <= most)
    }
}

fn pruned(labels: &[LabelWeights], model: &LinearModel, prune: f32, bits: u32) -> LinearModel {
    let smaller: Vec<LabelWeights> = labels
        .iter()
        .map(|label| {
            if label.scale == 0.0 {
                return LabelWeights::unseen();
            }
            let weights = label.features.iter().zip(&label.weights);
            let real =
                weights.map(|(&feature, &weight)| (feature, f32::from(weight) * label.scale));
            let kept: Vec<(u32, f32)> = real.filter(|(_, weight)| weight.abs() > prune).collect();
            LabelWeights::round(&kept, label.bias, bits)
        })
        .collect();
    // A model never grows by pruning, so it keeps the form's limits.
    build(
        &smaller,
        model.features() as usize,
        model.parts().transform,
        bits,
    )
    .unwrap_or_else(|_| model.clone())
}

/// The least pruning, to one part in 1,000 of the largest weight, with which `bits` bits fit.
fn fit(
    labels: &[LabelWeights],
    model: &LinearModel,
    max_bytes: usize,
    bits: u32,
) -> (LinearModel, f32) {
    let last = if model.parts().bits == WIDE {
        f32::from(i16::MAX)
    } else {
        f32::from(i8::MAX)
    };
    let largest = labels
        .iter()
        .map(|label| last * label.scale)
        .fold(0f32, f32::max);
    let plain = pruned(labels, model, 0.0, bits);
    if plain.bytes() <= max_bytes {
        return (plain, 0.0);
    }
    let (mut low, mut high) = (0f32, largest);
    let mut fitting = pruned(labels, model, high, bits);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        let candidate = pruned(labels, model, middle, bits);
        if candidate.bytes() <= max_bytes {
            (high, fitting) = (middle, candidate);
        } else {
            low = middle;
        }
    }
    (fitting, high)
}

/// How far `after` is from `before`: squared differences over squares.
fn distance(before: &[LabelWeights], after: &[LabelWeights]) -> f64 {
    let real =
        |label: &LabelWeights, at: usize| f64::from(label.weights[at]) * f64::from(label.scale);
    let (mut lost, mut all) = (0.0, 0.0);
    for (old, new) in before.iter().zip(after) {
        // Features of both rise, and those of the smaller model are among the others.
        let mut next = 0;
        for (at, feature) in old.features.iter().enumerate() {
            let weight = real(old, at);
            let kept = new.features.get(next) == Some(feature);
            let rounded = if kept { real(new, next) } else { 0.0 };
            next += usize::from(kept);
            lost += (weight - rounded) * (weight - rounded);
            all += weight * weight;
        }
    }
    lost / f64::max(all, f64::MIN_POSITIVE)
}
