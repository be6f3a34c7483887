//! A compact index as the arrays that a model file stores.

use super::{Codebook, CompactError, CompactIndex, blocks::Blocks, options};
use crate::array::Array;
use alloc::vec::Vec;

/// The numbers and arrays of a [`CompactIndex`].
#[derive(Clone, Debug, PartialEq)]
pub struct CompactParts {
    /// Number of features D.
    pub features: u32,
    /// Bits of a stored value: 4, 6 or 8.
    pub bits: u8,
    /// How many features of a query are used, 1 to 1023.
    pub query_features: u16,
    /// The value of each of the `1 << bits` codes.
    pub levels: Array<f32>,
    /// Number of postings of each of the n rows.
    pub counts: Array<u8>,
    /// Where each block of 16 features starts in `postings`, and the end.
    pub offsets: Array<u32>,
    /// Headers and posting lists, block by block.
    pub postings: Array<u8>,
}

impl CompactIndex {
    /// The arrays to store; cheap, nothing large is copied where the index is borrowed.
    #[must_use]
    pub(crate) fn parts(&self) -> CompactParts {
        CompactParts {
            features: self.features(),
            bits: self.bits,
            query_features: self.query_features,
            levels: self.codebook.levels().clone(),
            counts: self.counts.clone(),
            offsets: self.blocks.offsets().clone(),
            postings: self.blocks.bytes().clone(),
        }
    }

    /// Takes over stored arrays after checking every rule of the format.
    ///
    /// Cost: one pass over the postings, and one byte a row while it lasts.
    ///
    /// # Errors
    /// If a part breaks a rule of [`CompactError`].
    pub(crate) fn from_parts(parts: CompactParts) -> Result<Self, CompactError> {
        options::check_stored(parts.query_features, parts.bits)?;
        let rows = u32::try_from(parts.counts.len()).map_err(|_| CompactError::TooManyRows {
            rows: parts.counts.len(),
        })?;
        let codebook = Codebook::from_levels(parts.levels, parts.bits)?;
        let blocks = Blocks::from_parts(parts.features, parts.offsets, parts.postings)?;
        check_lists(&blocks, parts.bits, rows, &parts.counts)?;
        Ok(Self {
            bits: parts.bits,
            query_features: parts.query_features,
            codebook,
            counts: parts.counts,
            blocks,
        })
    }
}

/// Checks that rows rise in every list and are as many as each row's count says.
fn check_lists(blocks: &Blocks, bits: u8, rows: u32, counts: &[u8]) -> Result<(), CompactError> {
    let mut left = Vec::new();
    left.try_reserve_exact(counts.len())
        .map_err(|_| CompactError::OutOfMemory {
            bytes: counts.len(),
        })?;
    left.extend_from_slice(counts);
    let mut too_many = None;
    for feature in 0..blocks.features() {
        let rising =
            blocks
                .list(feature)
                .check(bits, rows, |row| match left.get_mut(row as usize) {
                    Some(left) if *left > 0 => *left -= 1,
                    _ => too_many = Some(row as usize),
                });
        if !rising {
            return Err(CompactError::BadList { feature });
        }
    }
    let stored = |row: usize| counts.get(row).copied().unwrap_or(0);
    if let Some(row) = too_many {
        return Err(CompactError::BadCount {
            row,
            stored: stored(row),
            postings: stored(row).saturating_add(1),
        });
    }
    match left.iter().position(|&left| left > 0) {
        Some(row) => Err(CompactError::BadCount {
            row,
            stored: stored(row),
            postings: stored(row) - left[row],
        }),
        None => Ok(()),
    }
}
