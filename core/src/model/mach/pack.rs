//! Weights of fewer bytes: pruned around the median of each block, and rounded.
//!
//! A block is what one feature weighs in one head: B numbers. Adding a constant to all of them adds
//! the same to all logits of the head, which softmax does not see, nor does a sum of logits over heads, of
//! which every label takes one from each. So the median of the block is subtracted first, which
//! leaves most numbers near zero: a feature that speaks for one bucket speaks against all others alike.
//! Pruning around zero loses far more. (Estimators of sigmoids other than the sum of logits do see the
//! constant: their blocks are left as they are.)
//!
//! Weights up to a threshold are then left out, and the others rounded to 4 or 8 bits with one scale
//! for each feature (each feature and head, if features are hashed).

use super::{
    record,
    weights::{Form, HeadWeights, Packed, RECORDS},
};
use crate::{
    array::Array,
    data::Dataset,
    float,
    train::{TrainError, mach::FeatureRows},
};
use alloc::vec::Vec;

/// Where rows of weights come from: record by record, R B or B weights each.
pub trait WeightSource: Sync {
    /// The weights of a record take the place of what is in `out`.
    fn record(&self, record: usize, out: &mut Vec<f32>);
}

impl WeightSource for HeadWeights {
    fn record(&self, record: usize, out: &mut Vec<f32>) {
        self.row_into(record, out);
    }
}

/// What the weights belong to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// How features name rows.
    pub rows: FeatureRows,
    /// Heads R.
    pub repetitions: usize,
    /// Buckets B.
    pub buckets: usize,
    /// Whether the median of each block is subtracted.
    pub centered: bool,
}

impl Shape {
    /// Number of records.
    #[must_use]
    pub fn records(&self) -> usize {
        let units = if self.rows.hashed == 0 {
            1
        } else {
            self.repetitions
        };
        units * (self.rows.rows() - 1)
    }
}

/// How small to make weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packing<'a> {
    /// Bits of a weight: 4 or 8.
    pub bits: u32,
    /// Weights up to this size, times the importance of their record, are left out.
    pub prune: f32,
    /// How important each record is, or empty: all the same.
    pub importance: &'a [f32],
}

/// How much each record counts in the squared change of the logits of `data`: the root of the sum of its
/// features' squares, as far as rows of length 1 tell. A feature of one row may have large weights, which
/// hardly any answer sees.
#[must_use]
pub fn importance(data: &Dataset, shape: Shape) -> Vec<f32> {
    let own = shape.rows.rows() - 1;
    let mut sums = alloc::vec![0f32; shape.records()];
    for (feature, count) in data.rows().document_frequencies().into_iter().enumerate() {
        for unit in 0..shape.records().checked_div(own).unwrap_or(0) {
            let record = unit * own + shape.rows.row(unit, feature as u32) as usize;
            if let Some(sum) = sums.get_mut(record) {
                *sum += count as f32;
            }
        }
    }
    sums.iter_mut().for_each(|sum| *sum = float::sqrt_f32(*sum));
    sums
}

/// The importance of a record.
fn importance_of(all: &[f32], record: usize) -> f32 {
    all.get(record).copied().unwrap_or(1.0)
}

/// The first heads of weights alone.
pub struct FirstHeads<'a> {
    /// All heads.
    pub weights: &'a HeadWeights,
    /// Positions of a record that are kept.
    pub width: usize,
}

impl WeightSource for FirstHeads<'_> {
    fn record(&self, record: usize, out: &mut Vec<f32>) {
        self.weights.row_into(record, out);
        out.truncate(self.width);
    }
}

/// Subtracts the median of each block of `buckets` numbers.
pub fn center(weights: &mut [f32], buckets: usize, sorted: &mut Vec<f32>) {
    for block in weights.chunks_exact_mut(buckets.max(1)) {
        if block.iter().all(|w| *w == 0.0) {
            continue;
        }
        sorted.clear();
        sorted.extend_from_slice(block);
        let (_, median, _) = sorted.select_nth_unstable_by(buckets / 2, f32::total_cmp);
        let median = *median;
        block.iter_mut().for_each(|w| *w -= median);
    }
}

/// Counts of the sizes of weights on a logarithmic scale, to choose thresholds by.
#[derive(Clone, Debug)]
pub struct SizeCounts(Vec<u64>);

/// Bits of a size that are told apart: sign and the lowest 17 are not.
const SIZE_SHIFT: u32 = 17;

impl SizeCounts {
    /// Counts all weights but zeros.
    ///
    /// Cost: one pass over all weights.
    #[must_use]
    pub fn of(source: &impl WeightSource, shape: Shape, importance: &[f32]) -> Self {
        let mut counts = alloc::vec![0u64; 1 << (31 - SIZE_SHIFT)];
        each_record(source, shape, |record, row| {
            let factor = importance_of(importance, record);
            for weight in row {
                let size = weight.abs() * factor;
                if size > 0.0 {
                    counts[(size.to_bits() >> SIZE_SHIFT) as usize] += 1;
                }
            }
        });
        Self(counts)
    }

    /// How many weights there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The smallest threshold that leaves at most `kept` weights, within a part in 64.
    #[must_use]
    pub fn threshold(&self, kept: u64) -> f32 {
        let mut left = self.total();
        for (size, count) in self.0.iter().enumerate() {
            if left <= kept {
                return f32::from_bits((size as u32) << SIZE_SHIFT);
            }
            left -= count;
        }
        f32::MAX
    }
}

fn each_record(source: &impl WeightSource, shape: Shape, mut visit: impl FnMut(usize, &[f32])) {
    let (mut row, mut sorted) = (Vec::new(), Vec::new());
    for record in 0..shape.records() {
        source.record(record, &mut row);
        if shape.centered {
            center(&mut row, shape.buckets, &mut sorted);
        }
        visit(record, &row);
    }
}

/// Packs weights; biases are taken as they are.
///
/// Cost: one pass over all weights.
///
/// # Errors
/// If the records need 4 GiB or more.
pub fn pack(
    source: &impl WeightSource,
    shape: Shape,
    packing: Packing<'_>,
    biases: Array<f32>,
) -> Result<HeadWeights, TrainError> {
    let scales = record::scales();
    let most = if packing.bits == 4 { 7.0 } else { 127.0 };
    let (mut records, mut offsets) = (Vec::new(), Vec::new());
    let (mut levels, mut body) = (Vec::new(), Vec::new());
    each_record(source, shape, |record, row| {
        if record.is_multiple_of(RECORDS) {
            offsets.push(records.len());
        }
        let largest = row.iter().fold(0f32, |a, w| a.max(w.abs()));
        let code = record::scale_code(largest, &scales);
        let factor = most / scales[usize::from(code)];
        let size = importance_of(packing.importance, record);
        levels.clear();
        levels.extend(row.iter().map(|&weight| {
            let level = (weight * factor + 0.5f32.copysign(weight)).clamp(-most, most);
            if weight.abs() * size > packing.prune {
                level as i8
            } else {
                0
            }
        }));
        record::write(&levels, code, packing.bits, &mut body, &mut records);
    });
    offsets.push(records.len());
    let bytes = records.len() as u64;
    let offsets: Option<Vec<u32>> = offsets.iter().map(|&at| u32::try_from(at).ok()).collect();
    let offsets = offsets.ok_or(TrainError::TooLarge {
        what: "bytes of weights (prune more)",
        value: bytes,
        limit: u64::from(u32::MAX),
    })?;
    let packed = Packed {
        bits: packing.bits,
        offsets: offsets.into(),
        records: records.into(),
    };
    HeadWeights::from_parts(
        shape.rows,
        shape.repetitions,
        shape.buckets,
        biases,
        Form::Packed(packed),
    )
    .map_err(|_| TrainError::NoFeatures)
}
