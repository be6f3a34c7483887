//! Making a linear model smaller: fewer weights, fewer bits.

use super::{
    LinearModel,
    build::{LabelWeights, build},
    rules::BITS,
    scorer::{LinearScorer, decode},
};
use crate::kernels::wide::WIDE;
use crate::{data::Dataset, executor::Executor, float, kernels::Kernels};
use alloc::{alloc::handle_alloc_error, vec::Vec};
use core::{alloc::Layout, fmt};

/// A model made smaller, and what that cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// The smaller model.
    pub model: LinearModel,
    /// Bits of a weight.
    pub bits: u32,
    /// Weights up to this size were left out.
    pub prune: f32,
    /// nDCG@5 of the model as it was, on the held-out rows, from 0 to 1.
    pub before: f64,
    /// nDCG@5 of the smaller model there.
    pub after: f64,
}

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

/// Why a model cannot be made as small as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompactError {
    /// Even a model without any weight is larger than the budget.
    Budget {
        /// The budget in bytes.
        max_bytes: usize,
        /// The smallest size there is.
        least: usize,
    },
    /// There are no held-out rows to choose by.
    NoRows,
}

impl fmt::Display for CompactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Budget { max_bytes, least } => write!(
                f,
                "{max_bytes} bytes are too few: this model takes {least} without any weight"
            ),
            Self::NoRows => write!(f, "no held-out rows: without them no choice can be judged"),
        }
    }
}

impl core::error::Error for CompactError {}

impl LinearModel {
    /// Leaves out weights up to size `prune` and stores the others with `bits` bits.
    ///
    /// Returns the model as it is if `bits` is not 4, 5, 6, 8 or 16.
    #[must_use]
    pub fn pruned(&self, prune: f32, bits: u32) -> Self {
        if !BITS.contains(&bits) {
            return self.clone();
        }
        pruned(&decode(self), self, prune, bits)
    }

    /// Fits the model into `max_bytes`: for 16 (if it has as many), 8, 6, 5 and 4 bits in turn the
    /// least pruning that fits, and of these the one that ranks the rows of `held_out` best
    /// (nDCG@5).
    ///
    /// Cost: some twenty encodings of the model and at most five predictions of the rows.
    ///
    /// # Errors
    /// If the budget cannot be met or there are no held-out rows.
    pub fn compact<E: Executor>(
        &self,
        max_bytes: usize,
        held_out: &Dataset,
        executor: &E,
        kernels: &dyn Kernels,
    ) -> Result<Compacted, CompactError> {
        if held_out.is_empty() {
            return Err(CompactError::NoRows);
        }
        let before = ndcg(self, held_out, executor, kernels);
        if self.bytes() <= max_bytes {
            let (model, bits) = (self.clone(), self.parts().bits);
            return Ok(Compacted {
                model,
                bits,
                prune: 0.0,
                before,
                after: before,
            });
        }
        let labels = decode(self);
        let least = pruned(&labels, self, f32::INFINITY, 8).bytes();
        if least > max_bytes {
            return Err(CompactError::Budget { max_bytes, least });
        }
        let mut best: Option<Compacted> = None;
        for bits in self.fewer_bits() {
            let (model, prune) = fit(&labels, self, max_bytes, bits);
            let after = ndcg(&model, held_out, executor, kernels);
            if best.as_ref().is_none_or(|best| after > best.after) {
                best = Some(Compacted {
                    model,
                    bits,
                    prune,
                    before,
                    after,
                });
            }
        }
        best.ok_or(CompactError::Budget { max_bytes, least })
    }

    /// Fits the model into `max_bytes` where there are no rows to judge by: of the least pruning
    /// that fits with 16 (if it has as many), 8, 6, 5 and 4 bits, the one whose weights differ
    /// least from the model's, by the sum of squares.
    ///
    /// Cost: some forty encodings of the model.
    ///
    /// # Errors
    /// If the budget cannot be met.
    pub(crate) fn fitted(&self, max_bytes: usize) -> Result<Fitted, CompactError> {
        let labels = decode(self);
        let least = pruned(&labels, self, f32::INFINITY, self.parts().bits).bytes();
        if least > max_bytes {
            return Err(CompactError::Budget { max_bytes, least });
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
        tried
            .min_by(|a, b| a.lost.total_cmp(&b.lost))
            .ok_or(CompactError::Budget { max_bytes, least })
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

/// Mean nDCG@5 over the rows that have labels.
fn ndcg<E: Executor>(
    model: &LinearModel,
    data: &Dataset,
    executor: &E,
    kernels: &dyn Kernels,
) -> f64 {
    let scorer = LinearScorer::new(model)
        .unwrap_or_else(|_| handle_alloc_error(Layout::new::<LinearScorer>()));
    let k = 5.min(model.labels() as usize).max(1);
    let found = scorer.predict_rows(data.rows(), k, kernels, executor);
    let gain = |rank: usize| 1.0 / float::ln(rank as f64 + 2.0);
    let (mut sum, mut count) = (0.0, 0u32);
    for (row, best) in found.chunks(k).enumerate() {
        let truth = data.labels().row(row);
        if truth.is_empty() {
            continue;
        }
        let hits = best
            .iter()
            .enumerate()
            .filter(|(_, s)| truth.binary_search(&s.id).is_ok());
        let ideal: f64 = (0..truth.len().min(k)).map(gain).sum();
        sum += hits.map(|(rank, _)| gain(rank)).sum::<f64>() / ideal;
        count += 1;
    }
    sum / f64::from(count.max(1))
}
