//! The linear model: a weight for each pair of feature and label that matters.
//!
//! The score of label l for a row x is
//!
//! ```text
//! s_l = sum_l * scale_l * unit(x) + bias_l,      sum_l = sum_f round(w_lf q_f / 128)
//! ```
//!
//! with the row's transformed values rounded to 16-bit numbers `q` ([`query`])
//! and signed bytes `w` ([`sums`]). The sum is one of whole numbers, so it has the
//! same bits whatever the order, the blocking and the machine.
//!
//! Weights are stored by feature, a record of bytes each ([`record`]), about 2.2
//! bytes a weight with 8 bits. [`LinearModel::predict`] walks the records as they are and needs
//! 2 bytes of memory a label; [`scorer::LinearScorer`] is faster and needs more.

pub mod build;
pub mod compact;
pub mod query;
pub mod record;
pub mod scorer;
pub mod sums;
mod trained;

use crate::{
    array::Array,
    search::{Scored, Top},
    sparse::SparseView,
};
use alloc::vec::Vec;
use core::fmt;
use query::{Query, RowTransform};
use record::RecordError;
use sums::{score, term};
pub use trained::{Linear, LinearParameters};

/// Linear scores for L labels over D features; see the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    parts: LinearParts,
}

/// What a linear model is made of, as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearParts {
    /// What happens to rows first.
    pub transform: RowTransform,
    /// Bits of a stored weight: 4, 5, 6 or 8.
    pub bits: u32,
    /// The bias of all labels, if `biases` is empty.
    pub bias: f32,
    /// For each label what a weight of 1 is worth; 0 for labels that were never seen in training,
    /// which score `f32::MIN`.
    pub scales: Array<f32>,
    /// The bias of each label, or empty.
    pub biases: Array<f32>,
    /// Where each feature's record starts in `records`, and where the last ends: D + 1 numbers.
    pub offsets: Array<u32>,
    /// The records.
    pub records: Array<u8>,
}

/// Why parts do not make a linear model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LinearError {
    /// The transform's exponent is not a finite number from 0 on.
    Exponent {
        /// Its value.
        exponent: f64,
    },
    /// Weights cannot have so many bits.
    Bits {
        /// Their number.
        bits: u32,
    },
    /// There are biases, but not one for each label.
    BiasesDiffer {
        /// Number of labels.
        labels: usize,
        /// Number of biases.
        biases: usize,
    },
    /// A scale is negative, above 1e15 or NaN, or a bias larger than 1e30 in size or NaN.
    NotFinite {
        /// The label.
        label: usize,
        /// The number.
        value: f32,
    },
    /// Offsets do not start at 0, do not rise, or do not end where the records end.
    Offsets {
        /// The feature.
        feature: usize,
    },
    /// More labels than 32-bit ids.
    TooManyLabels {
        /// Their number.
        labels: usize,
    },
    /// A record breaks its grammar.
    Record {
        /// The feature.
        feature: usize,
        /// The rule.
        error: RecordError,
    },
    /// A label that counts as never seen has a weight.
    UnseenLabel {
        /// The feature.
        feature: usize,
        /// The label.
        label: u32,
    },
}

impl fmt::Display for LinearError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exponent { exponent } => {
                write!(
                    f,
                    "the exponent of values is {exponent}: it must be finite and at least 0"
                )
            }
            Self::Bits { bits } => write!(f, "weights of {bits} bits: only 4, 5, 6 and 8 exist"),
            Self::BiasesDiffer { labels, biases } => {
                write!(f, "{biases} biases for {labels} labels")
            }
            Self::NotFinite { label, value } => {
                write!(f, "the scale or bias of label {label} is {value}")
            }
            Self::Offsets { feature } => {
                write!(
                    f,
                    "the record of feature {feature} starts or ends out of order"
                )
            }
            Self::TooManyLabels { labels } => {
                write!(f, "{labels} labels: at most {} have ids", u32::MAX)
            }
            Self::Record { feature, error } => {
                write!(
                    f,
                    "the record of feature {feature} breaks the rule {error:?}"
                )
            }
            Self::UnseenLabel { feature, label } => {
                write!(
                    f,
                    "feature {feature} has a weight for label {label}, whose scale is 0"
                )
            }
        }
    }
}

impl core::error::Error for LinearError {}

/// Memory for [`LinearModel::predict`], reused from row to row.
#[derive(Clone, Debug, Default)]
pub struct LinearScratch {
    query: Query,
    sums: Vec<i16>,
    top: Top,
}

impl LinearModel {
    /// Checks the parts, every byte of them, and makes them a model.
    ///
    /// Cost: one pass over all weights.
    ///
    /// # Errors
    /// If they break a rule of [`LinearError`].
    pub fn from_parts(parts: LinearParts) -> Result<Self, LinearError> {
        check(&parts)?;
        Ok(Self { parts })
    }

    /// For parts which keep the rules by the way they were made.
    pub(super) fn from_trusted(parts: LinearParts) -> Self {
        debug_assert_eq!(check(&parts), Ok(()));
        Self { parts }
    }

    /// The parts, for a file.
    #[must_use]
    pub fn parts(&self) -> &LinearParts {
        &self.parts
    }

    /// Number of labels L.
    #[must_use]
    pub fn labels(&self) -> u32 {
        self.parts.scales.len() as u32
    }

    /// Number of features D.
    #[must_use]
    pub fn features(&self) -> u32 {
        self.parts.offsets.len() as u32 - 1
    }

    /// The bias of label `label`: `f32::MIN` if it was never seen.
    ///
    /// # Panics
    /// If there is no such label.
    #[must_use]
    pub fn bias(&self, label: u32) -> f32 {
        let label = label as usize;
        if self.parts.scales[label] == 0.0 {
            f32::MIN
        } else {
            self.parts
                .biases
                .get(label)
                .copied()
                .unwrap_or(self.parts.bias)
        }
    }

    /// Hands every label with a weight for `feature`, and the weight, to `visit`.
    pub fn visit(&self, feature: u32, visit: impl FnMut(u32, i8)) {
        let ends = self
            .parts
            .offsets
            .get(feature as usize..feature as usize + 2);
        if let Some(&[start, end]) = ends {
            let record = &self.parts.records[start as usize..end as usize];
            // Checked when the model was made.
            let read = record::read(record, self.parts.bits, u32::MAX, visit);
            debug_assert_eq!(read, Ok(()));
        }
    }

    /// Number of stored weights.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        let records = self.parts.offsets.windows(2);
        records
            .map(|ends| &self.parts.records[ends[0] as usize..ends[1] as usize])
            .map(|record| record::count(record).unwrap_or(0) as usize)
            .sum()
    }

    /// Bytes of the model's arrays, in a file as in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * (self.parts.scales.len() + self.parts.biases.len() + self.parts.offsets.len())
            + self.parts.records.len()
    }

    /// The `k` best labels for `row`, best first: all labels are scored.
    ///
    /// Cost: O(weights of the row's features + L); allocates nothing once `scratch` has grown.
    pub fn predict<'a>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'a mut LinearScratch,
    ) -> &'a [Scored] {
        let LinearScratch { query, sums, top } = scratch;
        query.set(row, self.parts.transform, self.features());
        sums.clear();
        sums.resize(self.labels() as usize, 0);
        for (&feature, &value) in query.features.iter().zip(&query.values) {
            self.visit(feature, |label, weight| {
                if let Some(sum) = sums.get_mut(label as usize) {
                    *sum = sum.wrapping_add(term(weight, value));
                }
            });
        }
        top.reset(k);
        for (id, (&sum, &scale)) in sums.iter().zip(&*self.parts.scales).enumerate() {
            let id = id as u32;
            top.push(Scored {
                id,
                score: score(sum, scale, self.bias(id), query.unit),
            });
        }
        top.sorted()
    }
}

/// The largest scale: with the largest sum and unit, scores stay finite.
const MOST_SCALE: f32 = 1e15;
/// The largest size of a bias.
const MOST_BIAS: f32 = 1e30;
/// The largest unit of a query.
const MOST_UNIT: f64 = 1e18;

fn check(parts: &LinearParts) -> Result<(), LinearError> {
    let (labels, biases) = (parts.scales.len(), parts.biases.len());
    let exponent = parts.transform.exponent;
    if !(exponent.is_finite() && exponent >= 0.0) {
        return Err(LinearError::Exponent { exponent });
    }
    if !matches!(parts.bits, 4 | 5 | 6 | 8) {
        return Err(LinearError::Bits { bits: parts.bits });
    }
    if u32::try_from(labels).is_err() {
        return Err(LinearError::TooManyLabels { labels });
    }
    if biases != 0 && biases != labels {
        return Err(LinearError::BiasesDiffer { labels, biases });
    }
    let bad = |value: &f32| !(-MOST_BIAS..=MOST_BIAS).contains(value);
    if let Some(label) = parts
        .scales
        .iter()
        .position(|s| !(0.0..=MOST_SCALE).contains(s))
    {
        return Err(LinearError::NotFinite {
            label,
            value: parts.scales[label],
        });
    }
    if let Some(label) = parts.biases.iter().position(bad) {
        return Err(LinearError::NotFinite {
            label,
            value: parts.biases[label],
        });
    }
    if bad(&parts.bias) {
        return Err(LinearError::NotFinite {
            label: 0,
            value: parts.bias,
        });
    }
    check_records(parts)
}

fn check_records(parts: &LinearParts) -> Result<(), LinearError> {
    let offsets = &parts.offsets;
    if offsets.first() != Some(&0) {
        return Err(LinearError::Offsets { feature: 0 });
    }
    if offsets.last().map(|&end| end as usize) != Some(parts.records.len()) {
        return Err(LinearError::Offsets {
            feature: offsets.len() - 1,
        });
    }
    for (feature, ends) in offsets.windows(2).enumerate() {
        let record = parts.records.get(ends[0] as usize..ends[1] as usize);
        let record = record.ok_or(LinearError::Offsets { feature })?;
        let mut unseen = None;
        record::read(record, parts.bits, parts.scales.len() as u32, |label, _| {
            if parts.scales[label as usize] == 0.0 {
                unseen = Some(label);
            }
        })
        .map_err(|error| LinearError::Record { feature, error })?;
        if let Some(label) = unseen {
            return Err(LinearError::UnseenLabel { feature, label });
        }
    }
    Ok(())
}
