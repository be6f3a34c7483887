//! Making a linear model smaller: fewer weights, fewer bits.

use super::{
    LinearModel,
    build::{LabelWeights, Records},
    levels::Levels,
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
        pruned(self, prune, bits)
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
        let least = pruned(self, f32::INFINITY, self.parts().bits).bytes();
        if least > max_bytes {
            return Err(least);
        }
        let labels = decode(self);
        let tried = self.fewer_bits().map(|bits| {
            let (model, prune) = fit(self, max_bytes, bits);
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
        let of = |feature| {
            let mut sum = 0.0;
            let each: &mut dyn FnMut(u32, i16) = &mut |label, weight| {
                let real = f64::from(weight) * f64::from(self.parts().scales[label as usize]);
                sum += real * real;
            };
            self.visit(feature, each);
            sum
        };
        (0..self.features()).map(of).collect()
    }

    /// The model with these features alone, which rise, numbered anew.
    #[must_use]
    pub(crate) fn with_features(&self, features: &[u32]) -> Self {
        let scales = self.parts().scales.to_vec();
        rewritten(self, features, self.parts().bits, scales, &|_, weight| {
            weight
        })
    }

    /// The bits that its weights can have without getting more, most first.
    fn fewer_bits(&self) -> impl Iterator<Item = u32> {
        let most = self.parts().bits;
        BITS.into_iter().rev().filter(move |&bits| bits <= most)
    }
}

/// The model without weights up to size `prune`, those that are left rounded to `bits` bits.
///
/// Cost: two passes over the weights as they are stored, by feature; the first finds the largest
/// that each label keeps.
fn pruned(model: &LinearModel, prune: f32, bits: u32) -> LinearModel {
    let parts = model.parts();
    // Labels of stored weights have scales: that was checked when the model was made.
    let real = |label: u32, weight: i16| f32::from(weight) * parts.scales[label as usize];
    let mut largest = vec![0f32; parts.scales.len()];
    for feature in 0..model.features() {
        let each: &mut dyn FnMut(u32, i16) = &mut |label, weight| {
            let size = real(label, weight).abs();
            if size > prune {
                largest[label as usize] = largest[label as usize].max(size);
            }
        };
        model.visit(feature, each);
    }
    let levels = |label: usize| Levels::new(largest[label], bits);
    let mut scales = parts.scales.to_vec();
    for (label, scale) in scales.iter_mut().enumerate() {
        if *scale != 0.0 {
            *scale = levels(label).map_or(Levels::NO_WEIGHT, Levels::scale);
        }
    }
    let features: Vec<u32> = (0..model.features()).collect();
    rewritten(model, &features, bits, scales, &|label, weight| {
        let weight = real(label, weight);
        match levels(label as usize) {
            Some(levels) if weight.abs() > prune => levels.of(weight),
            _ => 0,
        }
    })
}

/// The model with these features alone, which rise, and with weights of `bits` bits, as `weight`
/// says of label and stored weight, and `scales` what they are worth; the biases stay.
fn rewritten(
    model: &LinearModel,
    features: &[u32],
    bits: u32,
    scales: Vec<f32>,
    weight: &dyn Fn(u32, i16) -> i16,
) -> LinearModel {
    let mut written = Records::new(features.len(), bits);
    let (mut labels, mut weights): (Vec<u32>, Vec<i16>) = Default::default();
    for &feature in features {
        labels.clear();
        weights.clear();
        let each: &mut dyn FnMut(u32, i16) = &mut |label, stored| {
            let weight = weight(label, stored);
            if weight != 0 {
                labels.push(label);
                weights.push(weight);
            }
        };
        model.visit(feature, each);
        let kept = labels.iter().copied().zip(weights.iter().copied());
        if written.push(kept).is_err() {
            // With fewer weights a model keeps the form's limits.
            return model.clone();
        }
    }
    // The bias that labels never seen answer with is not one that a file may hold.
    let bias = |(label, &scale): (u32, &f32)| match scale {
        0.0 => 0.0,
        _ => model.bias(label),
    };
    let biases = (0..).zip(&scales).map(bias).collect();
    written.model(scales, biases, model.parts().transform)
}

/// The least pruning, to one part in 1,000 of the largest weight, with which `bits` bits fit.
fn fit(model: &LinearModel, max_bytes: usize, bits: u32) -> (LinearModel, f32) {
    let last = if model.parts().bits == WIDE {
        f32::from(i16::MAX)
    } else {
        f32::from(i8::MAX)
    };
    let scales = model.parts().scales.iter();
    let largest = scales.map(|&scale| last * scale).fold(0f32, f32::max);
    let plain = pruned(model, 0.0, bits);
    if plain.bytes() <= max_bytes {
        return (plain, 0.0);
    }
    let (mut low, mut high) = (0f32, largest);
    let mut fitting = pruned(model, high, bits);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        let candidate = pruned(model, middle, bits);
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
