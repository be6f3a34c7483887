//! Weights of fewer bytes: pruned around the median of each block, and rounded.
//!
//! A block is what one feature weighs in one head: B numbers. Adding a constant to all of them adds
//! the same to all logits of the head, which softmax does not see, nor does a sum of logits over
//! heads, of which every label takes one from each. So the median of the block is subtracted first,
//! which leaves most numbers near zero: a feature that speaks for one bucket speaks against all
//! others alike. Pruning around zero loses far more. (Estimators of sigmoids other than the sum of
//! logits do see the constant: their blocks are left as they are.)
//!
//! Weights up to a threshold are then left out, and the others rounded to 4 or 8 bits with one
//! scale for each feature.

use crate::{
    array::Array,
    data::Dataset,
    executor::Executor,
    float,
    model::mach::{
        head_weights::{Form, HeadWeights, Packed, RECORDS},
        record,
    },
    top::nth,
    train::TrainError,
};
use alloc::vec::Vec;
use core::ops::Range;

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
    /// Features D.
    pub features: u32,
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
    pub(crate) fn records(&self) -> usize {
        self.features as usize
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

/// How much each record counts in the squared change of the logits of `data`: the root of the sum
/// of its features' squares, as far as rows of length 1 tell. A feature of one row may have large
/// weights, which hardly any answer sees.
#[must_use]
pub fn importance(data: &Dataset, shape: Shape) -> Vec<f32> {
    let mut counts = alloc::vec![0u32; shape.records()];
    for row in data.rows().iter() {
        for &feature in row.indices() {
            if let Some(count) = counts.get_mut(feature as usize) {
                *count += 1;
            }
        }
    }
    let roots = counts
        .into_iter()
        .map(|count| float::sqrt_f32(count as f32));
    roots.collect()
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

/// The sign of a number.
const SIGN: u32 = 1 << 31;

/// A number that rises with `weight` in its total order.
fn rising(weight: f32) -> u64 {
    let bits = weight.to_bits();
    u64::from(if bits & SIGN == 0 { bits | SIGN } else { !bits })
}

/// The weight of [`rising`].
fn risen(key: u64) -> f32 {
    let bits = key as u32;
    f32::from_bits(if bits & SIGN == 0 { !bits } else { bits ^ SIGN })
}

/// Subtracts the median of each block of `buckets` numbers.
pub fn center(weights: &mut [f32], buckets: usize, keys: &mut Vec<u64>) {
    for block in weights.chunks_exact_mut(buckets.max(1)) {
        if block.iter().all(|w| *w == 0.0) {
            continue;
        }
        keys.clear();
        keys.extend(block.iter().map(|&weight| rising(weight)));
        let median = risen(nth(keys, buckets / 2));
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
    pub(crate) fn of(
        source: &impl WeightSource,
        shape: Shape,
        importance: &[f32],
        executor: &Executor,
    ) -> Self {
        let none = || alloc::vec![0u64; 1 << (31 - SIZE_SHIFT)];
        let parts = executor.map(
            JOBS,
            || (),
            |(), job| {
                let mut counts = none();
                each_record(source, shape, part(shape, job), |record, row| {
                    let factor = importance_of(importance, record);
                    for weight in row {
                        let size = weight.abs() * factor;
                        if size > 0.0 {
                            counts[(size.to_bits() >> SIZE_SHIFT) as usize] += 1;
                        }
                    }
                });
                counts
            },
        );
        let sums = parts.into_iter().reduce(|mut sums, counts| {
            sums.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
            sums
        });
        Self(sums.unwrap_or_else(none))
    }

    /// How many weights there are.
    #[must_use]
    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The smallest threshold that leaves at most `kept` weights, within a part in 64.
    #[must_use]
    pub(crate) fn threshold(&self, kept: u64) -> f32 {
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

/// Runs of records that threads share out. Their number does not show in what is made.
const JOBS: usize = 32;

/// The records of a job; each job but the last has whole runs of [`RECORDS`].
fn part(shape: Shape, job: usize) -> Range<usize> {
    let runs = shape.records().div_ceil(RECORDS);
    let cut = |job: usize| (RECORDS * (job * runs / JOBS)).min(shape.records());
    cut(job)..cut(job + 1)
}

fn each_record(
    source: &impl WeightSource,
    shape: Shape,
    records: Range<usize>,
    mut visit: impl FnMut(usize, &[f32]),
) {
    let (mut row, mut sorted) = (Vec::new(), Vec::new());
    for record in records {
        source.record(record, &mut row);
        if shape.centered {
            center(&mut row, shape.buckets, &mut sorted);
        }
        visit(record, &row);
    }
}

/// Records one after the other, and where each run of [`RECORDS`] begins.
#[derive(Default)]
struct Run {
    records: Vec<u8>,
    offsets: Vec<usize>,
}

/// Packs a range of records.
fn pack_part(
    source: &impl WeightSource,
    shape: Shape,
    packing: Packing<'_>,
    part: Range<usize>,
) -> Run {
    let scales = record::scales();
    let most = if packing.bits == 4 { 7.0 } else { 127.0 };
    let mut run = Run::default();
    let (mut levels, mut body) = (Vec::new(), Vec::new());
    each_record(source, shape, part, |record, row| {
        if record.is_multiple_of(RECORDS) {
            run.offsets.push(run.records.len());
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
        record::write(&levels, code, packing.bits, &mut body, &mut run.records);
    });
    run
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
    executor: &Executor,
) -> Result<HeadWeights, TrainError> {
    let runs = executor.map(
        JOBS,
        || (),
        |(), job| pack_part(source, shape, packing, part(shape, job)),
    );
    let bytes: usize = runs.iter().map(|run| run.records.len()).sum();
    let (mut records, mut offsets) = (Vec::with_capacity(bytes), Vec::new());
    for run in runs {
        offsets.extend(run.offsets.iter().map(|offset| records.len() + offset));
        records.extend_from_slice(&run.records);
    }
    offsets.push(bytes);
    let offsets: Option<Vec<u32>> = offsets.iter().map(|&at| u32::try_from(at).ok()).collect();
    let offsets = offsets.ok_or(TrainError::TooLarge {
        what: "bytes of weights (prune more)",
        value: bytes as u64,
        limit: u64::from(u32::MAX),
    })?;
    let packed = Packed {
        bits: packing.bits,
        offsets: offsets.into(),
        records: records.into(),
    };
    HeadWeights::from_parts(
        shape.features,
        shape.repetitions,
        shape.buckets,
        biases,
        Form::Packed(packed),
    )
    .map_err(|_| TrainError::NoFeatures)
}
