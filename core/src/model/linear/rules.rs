//! The rules that the parts of a linear model keep.

use super::{
    LinearParts,
    record::{self, RecordError},
};
use crate::kernels::wide::WIDE;

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
    /// A scale is negative, above 1e15 (1e12 where weights have 16 bits) or NaN, or a bias larger
    /// than 1e30 in size or NaN.
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

/// Bits that a stored weight may have.
pub(super) const BITS: [u32; 5] = [4, 5, 6, 8, WIDE];

/// The largest scale of weights of so many bits: with the largest sum and unit, scores stay finite.
pub(super) fn most_scale(bits: u32) -> f32 {
    if bits == WIDE { 1e12 } else { 1e15 }
}

/// The largest size of a bias.
const MOST_BIAS: f32 = 1e30;
/// The largest unit of a query.
pub(super) const MOST_UNIT: f64 = 1e18;

pub(super) fn check(parts: &LinearParts) -> Result<(), LinearError> {
    let (labels, biases) = (parts.scales.len(), parts.biases.len());
    let exponent = parts.transform.exponent;
    if !(exponent.is_finite() && exponent >= 0.0) {
        return Err(LinearError::Exponent { exponent });
    }
    if !BITS.contains(&parts.bits) {
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
        .position(|s| !(0.0..=most_scale(parts.bits)).contains(s))
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
        if parts.bits == 8 && record::is_right(record, &parts.scales) {
            continue;
        }
        let mut unseen = None;
        let mut each = |label, _| {
            if parts.scales[label as usize] == 0.0 {
                unseen = Some(label);
            }
        };
        record::read(record, parts.bits, parts.scales.len() as u32, &mut each)
            .map_err(|error| LinearError::Record { feature, error })?;
        if let Some(label) = unseen {
            return Err(LinearError::UnseenLabel { feature, label });
        }
    }
    Ok(())
}
