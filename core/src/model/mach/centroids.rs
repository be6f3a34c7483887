//! A second opinion on the best labels: how much a row resembles the mean row of a label.
//!
//! The centroid of a label is the sum of its training rows, each of length 1, scaled to length 1
//! again; its largest entries above zero are kept. The labels that come first by their buckets get
//! `weight` times the cosine of row and centroid added to their score. Buckets are shared,
//! centroids are not: they tell apart labels that have few rows.
//!
//! A centroid is a record of bytes:
//!
//! ```text
//! count      varint                entries
//! scale      u8                    what the largest level is worth: 2^((scale - 160) / 8);
//!                                  absent if count is 0
//! entries    count varints         8 (feature less the one before, less 1) + level less 1,
//!                                  levels from 1 to 8
//! ```

use super::record;
use crate::{array::Array, varint::take_varint};
use alloc::boxed::Box;

/// Levels of an entry.
pub(crate) const LEVELS: f32 = 8.0;

/// The centroids of the labels seen in training.
#[derive(Clone, Debug)]
pub struct Centroids {
    offsets: Array<u32>,
    records: Array<u8>,
    scales: Box<[f32; 256]>,
}

impl Centroids {
    /// From arrays that keep the grammar.
    pub(crate) fn new(offsets: Array<u32>, records: Array<u8>) -> Self {
        Self {
            offsets,
            records,
            scales: Box::new(record::scales()),
        }
    }

    /// From a file's arrays, for `labels` labels seen and `features` features; none if they break
    /// the grammar.
    #[must_use]
    pub(crate) fn from_parts(
        offsets: Array<u32>,
        records: Array<u8>,
        labels: usize,
        features: u32,
    ) -> Option<Self> {
        let own = Self::new(offsets, records);
        let ends = (
            own.offsets.first(),
            own.offsets.last().map(|&end| end as usize),
        );
        if own.offsets.len() != labels + 1 || ends != (Some(&0), Some(own.records.len())) {
            return None;
        }
        for pair in own.offsets.windows(2) {
            let bytes = own.records.get(pair[0] as usize..pair[1] as usize)?;
            check(bytes, features)?;
        }
        Some(own)
    }

    /// The arrays, for a file.
    #[must_use]
    pub(crate) fn parts(&self) -> (&Array<u32>, &Array<u8>) {
        (&self.offsets, &self.records)
    }

    /// Bytes of the arrays.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        4 * self.offsets.len() + self.records.len()
    }

    /// The inner product of the centroid of the label at `place` with a row, given as an array by
    /// feature.
    #[must_use]
    pub(crate) fn product(&self, place: usize, row: &[f32]) -> f32 {
        let range = self.offsets.get(place..place + 2);
        let bytes = range.and_then(|r| self.records.get(r[0] as usize..r[1] as usize));
        let mut bytes = bytes.unwrap_or(&[]);
        let Ok(count @ 1..) = take_varint(&mut bytes) else {
            return 0.0;
        };
        let Some((&scale, mut bytes)) = bytes.split_first() else {
            return 0.0;
        };
        let (mut sum, mut next) = (0f32, 0usize);
        for _ in 0..count {
            let Ok(code) = take_varint(&mut bytes) else {
                break;
            };
            let feature = next + (code >> 3) as usize;
            sum += ((code & 7) + 1) as f32 * row.get(feature).copied().unwrap_or(0.0);
            next = feature + 1;
        }
        sum * (self.scales[usize::from(scale)] / LEVELS)
    }
}

/// Checks the grammar of a record; none if it breaks it.
fn check(mut bytes: &[u8], features: u32) -> Option<()> {
    let count = take_varint(&mut bytes).ok()?;
    if count > 0 {
        bytes = bytes.split_first()?.1;
    }
    let mut next = 0u64;
    for _ in 0..count {
        let feature = next + u64::from(take_varint(&mut bytes).ok()? >> 3);
        if feature >= u64::from(features) {
            return None;
        }
        next = feature + 1;
    }
    bytes.is_empty().then_some(())
}
