//! From the weights of each label, or of each feature, to a linear model.

use super::{LinearModel, LinearParts, levels::Levels, record};
use crate::array::Array;
use crate::parameters::RowTransform;
use crate::top::{Scored, nth, place};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// The weights of one label, rounded to whole numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LabelWeights {
    /// Features, each once.
    pub features: Vec<u32>,
    /// Their weights, not 0: between -127 and 127, or, where they have 16 bits, -32,767 and 32,767.
    pub weights: Vec<i16>,
    /// What a weight of 1 is worth; 0 for a label never seen.
    pub scale: f32,
    /// The label's bias.
    pub bias: f32,
}

impl LabelWeights {
    /// Rounds weights to `bits` bits with one scale; those that round to zero are left out. A
    /// label without any weight still counts as seen.
    #[must_use]
    pub(crate) fn round(weights: &[(u32, f32)], bias: f32, bits: u32) -> Self {
        let largest = weights.iter().map(|(_, w)| w.abs()).fold(0f32, f32::max);
        let mut rounded = Self {
            scale: Levels::NO_WEIGHT,
            bias,
            ..Self::default()
        };
        let Some(levels) = Levels::new(largest, bits) else {
            return rounded;
        };
        rounded.scale = levels.scale();
        for &(feature, weight) in weights {
            let level = levels.of(weight);
            if level != 0 {
                rounded.features.push(feature);
                rounded.weights.push(level);
            }
        }
        rounded.features.shrink_to_fit();
        rounded.weights.shrink_to_fit();
        rounded
    }

    /// The same weights with another number of bits.
    #[must_use]
    pub(crate) fn rounded_again(&self, bits: u32) -> Self {
        let values = self.weights.iter().map(|&w| f32::from(w) * self.scale);
        let weights: Vec<(u32, f32)> = self.features.iter().copied().zip(values).collect();
        Self::round(&weights, self.bias, bits)
    }

    /// A label never seen in training.
    #[must_use]
    pub(crate) fn unseen() -> Self {
        Self::default()
    }
}

/// Weights of some features, by feature.
#[derive(Clone, Debug, Default)]
pub struct Postings {
    /// Where each of these features' weights start, and where the last ends.
    pub offsets: Vec<usize>,
    /// Labels, as numbered by the order of the call.
    pub labels: Vec<u32>,
    /// Weights.
    pub weights: Vec<i16>,
}

impl Postings {
    /// Turns the weights by label of a range of features into weights by feature. Label `order[i]`
    /// becomes number i, and the numbers of each feature rise.
    ///
    /// Cost: one pass over all weights. Memory: 6 bytes a weight of these features and 16 a
    /// feature.
    ///
    /// # Panics
    /// If a label is not among `labels`.
    #[must_use]
    pub(crate) fn transpose(
        labels: &[LabelWeights],
        order: &[u32],
        features: Range<usize>,
    ) -> Self {
        let mut offsets = vec![0usize; features.len() + 2];
        let counts = &mut offsets[2..];
        for label in labels {
            for &feature in &label.features {
                if let Some(count) = counts.get_mut((feature as usize).wrapping_sub(features.start))
                {
                    *count += 1;
                }
            }
        }
        for at in 2..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        let total = offsets[features.len() + 1];
        let mut postings = Self {
            offsets: Vec::new(),
            labels: vec![0; total],
            weights: vec![0; total],
        };
        for (number, &label) in order.iter().enumerate() {
            let label = &labels[label as usize];
            let places = &mut offsets[1..=features.len()];
            for (&feature, &weight) in label.features.iter().zip(&label.weights) {
                let at = (feature as usize).wrapping_sub(features.start);
                if let Some(place) = places.get_mut(at) {
                    postings.labels[*place] = number as u32;
                    postings.weights[*place] = weight;
                    *place += 1;
                }
            }
        }
        offsets.truncate(features.len() + 1);
        postings.offsets = offsets;
        postings
    }

    /// Leaves each feature at most `most` weights, those largest in size when multiplied with the
    /// scale of their label's number; of equal ones the lower number.
    ///
    /// Cost: linear in the weights.
    pub(crate) fn keep_largest(&mut self, most: usize, scales: &[f32]) {
        let mut kept = 0;
        let mut places: Vec<u64> = Vec::new();
        for feature in 0..self.offsets.len().saturating_sub(1) {
            let range = self.offsets[feature]..self.offsets[feature + 1];
            // The start of the next feature is read before it is overwritten.
            self.offsets[feature] = kept;
            if range.len() <= most {
                self.labels.copy_within(range.clone(), kept);
                self.weights.copy_within(range.clone(), kept);
                kept += range.len();
                continue;
            }
            let place = |id: u32, weight: i16| {
                let score = f32::from(weight).abs() * scales[id as usize];
                place(Scored { id, score })
            };
            let (labels, weights) = (&self.labels[range.clone()], &self.weights[range.clone()]);
            places.clear();
            places.extend(
                labels
                    .iter()
                    .zip(weights)
                    .map(|(&id, &weight)| place(id, weight)),
            );
            let end = nth(&mut places, most);
            for at in range {
                let (number, weight) = (self.labels[at], self.weights[at]);
                if place(number, weight) < end {
                    (self.labels[kept], self.weights[kept]) = (number, weight);
                    kept += 1;
                }
            }
        }
        if let Some(end) = self.offsets.last_mut() {
            *end = kept;
        }
        self.labels.truncate(kept);
        self.weights.truncate(kept);
    }

    /// Labels and weights of a feature, by its place among these features.
    ///
    /// # Panics
    /// If there is no such feature.
    #[must_use]
    pub(crate) fn feature(&self, feature: usize) -> (&[u32], &[i16]) {
        let range = self.offsets[feature]..self.offsets[feature + 1];
        (&self.labels[range.clone()], &self.weights[range])
    }
}

/// A model's weights need more bytes than a 32-bit offset can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyWeights {
    /// Bytes needed so far.
    pub bytes: usize,
}

/// In how many parts weights are turned by feature: each takes a pass over all of them, and holds
/// its own twice.
const PARTS: usize = 4;

/// Encodes weights of `bits` bits by label as a model over `features` features. Biases are
/// stored for each label if those of seen labels differ.
///
/// # Errors
/// If the weights need 4 GiB or more.
pub fn build(
    labels: &[LabelWeights],
    features: usize,
    transform: RowTransform,
    bits: u32,
) -> Result<LinearModel, TooManyWeights> {
    let known = |label: &LabelWeights| label.features.iter().all(|&f| (f as usize) < features);
    debug_assert!(labels.iter().all(known), "a feature beyond {features}");
    let order: Vec<u32> = (0..labels.len() as u32).collect();
    let mut written = Records::new(features, bits);
    written.reserve(labels.iter().map(|label| label.weights.len()).sum());
    for part in 0..PARTS {
        let range = features * part / PARTS..features * (part + 1) / PARTS;
        let postings = Postings::transpose(labels, &order, range.clone());
        for feature in 0..range.len() {
            let (ids, weights) = postings.feature(feature);
            written.push(ids.iter().copied().zip(weights.iter().copied()))?;
        }
    }
    let scales = labels.iter().map(|label| label.scale).collect();
    let biases = labels.iter().map(|label| label.bias).collect();
    Ok(written.model(scales, biases, transform))
}

/// The weights of a model under way, encoded feature by feature.
#[derive(Clone, Debug)]
pub struct Records {
    bits: u32,
    offsets: Vec<u32>,
    records: Vec<u8>,
}

impl Records {
    /// None yet, of `features` features to come, their weights of `bits` bits.
    #[must_use]
    pub(crate) fn new(features: usize, bits: u32) -> Self {
        let mut offsets = Vec::with_capacity(features + 1);
        offsets.push(0);
        Self {
            bits,
            offsets,
            records: Vec::new(),
        }
    }

    /// Makes room for so many weights if most gaps take a byte: bytes that grow as they come are
    /// held twice for a moment.
    fn reserve(&mut self, weights: usize) {
        let bytes = weights as u64 * u64::from(8 + self.bits) / 8;
        self.records.reserve_exact(bytes as usize);
    }

    /// Encodes the next feature's weights: labels, rising, and what [`record::write`] takes.
    ///
    /// # Errors
    /// If all weights together need 4 GiB or more.
    pub(crate) fn push(
        &mut self,
        weights: impl ExactSizeIterator<Item = (u32, i16)> + Clone,
    ) -> Result<(), TooManyWeights> {
        record::write(weights, self.bits, &mut self.records);
        let bytes = self.records.len();
        let end = u32::try_from(bytes).map_err(|_| TooManyWeights { bytes })?;
        self.offsets.push(end);
        Ok(())
    }

    /// Appends the features of `more`, whose weights have as many bits.
    ///
    /// # Errors
    /// As [`Records::push`].
    pub(crate) fn append(&mut self, more: Self) -> Result<(), TooManyWeights> {
        let before = self.records.len();
        let bytes = before + more.records.len();
        u32::try_from(bytes).map_err(|_| TooManyWeights { bytes })?;
        let ends = more.offsets[1..].iter();
        self.offsets.extend(ends.map(|end| before as u32 + end));
        self.records.extend(more.records);
        Ok(())
    }

    /// The model of these weights, with the scale and the bias of each label. Biases are stored for
    /// each label if those of seen labels, whose scale is not 0, differ.
    #[must_use]
    pub(crate) fn model(
        mut self,
        scales: Vec<f32>,
        mut biases: Vec<f32>,
        transform: RowTransform,
    ) -> LinearModel {
        let mut seen = scales
            .iter()
            .zip(&biases)
            .filter(|(scale, _)| **scale != 0.0);
        let bias = seen.next().map_or(0.0, |(_, bias)| *bias);
        if seen.all(|(_, other)| *other == bias) {
            biases = Vec::new();
        }
        self.records.shrink_to_fit();
        LinearModel::from_trusted(LinearParts {
            transform,
            bits: self.bits,
            bias,
            scales: Array::from(scales),
            biases: Array::from(biases),
            offsets: Array::from(self.offsets),
            records: Array::from(self.records),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LabelWeights, Postings};
    use crate::random::Stream;
    use alloc::vec::Vec;

    #[test]
    fn the_largest_weights_of_each_feature_stay() {
        let mut stream = Stream::new(8, 8);
        let labels: Vec<LabelWeights> = (0..40)
            .map(|_| {
                let features: Vec<u32> = (0..9).filter(|_| stream.unit() < 0.4).collect();
                let weights = features
                    .iter()
                    .map(|_| (stream.below(200) as i16 - 100) | 1);
                LabelWeights {
                    weights: weights.collect(),
                    features,
                    scale: 0.1 + stream.unit() as f32,
                    bias: 0.0,
                }
            })
            .collect();
        let order: Vec<u32> = (0..40).collect();
        let scales: Vec<f32> = labels.iter().map(|label| label.scale).collect();
        let all = Postings::transpose(&labels, &order, 0..9);
        for most in [0, 1, 5, 12, 40] {
            let mut kept = all.clone();
            kept.keep_largest(most, &scales);
            for feature in 0..9 {
                // The twin: all of them sorted.
                let (ids, weights) = all.feature(feature);
                let pairs = ids.iter().copied().zip(weights.iter().copied());
                let mut sorted: Vec<(u32, i16)> = pairs.collect();
                let size = |pair: &(u32, i16)| f32::from(pair.1).abs() * scales[pair.0 as usize];
                sorted.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.0.cmp(&b.0)));
                sorted.truncate(most);
                sorted.sort_unstable();
                let (ids, weights) = kept.feature(feature);
                let left = ids.iter().copied().zip(weights.iter().copied());
                assert_eq!(
                    left.collect::<Vec<_>>(),
                    sorted,
                    "{most} of feature {feature}"
                );
            }
        }
    }
}
