//! The size of a compact index, to the byte, before it is built.

use super::{
    CompactError, CompactIndex, CompactOptions,
    blocks::{PER_BLOCK, header_len},
    prune::Pruner,
    words::Lengths,
};
use crate::sparse::SparseRows;
use alloc::vec::Vec;

impl CompactIndex {
    /// The [`bytes`](CompactIndex::bytes) of the index that [`build`](CompactIndex::build) would
    /// make, found by pruning the rows without storing them.
    ///
    /// Cost: one selection for each row; memory: 32 bytes a feature.
    ///
    /// # Errors
    /// If an option is out of range, there are more rows than 32-bit ids, or memory is refused.
    pub(crate) fn estimate(
        rows: &SparseRows,
        options: &CompactOptions,
    ) -> Result<u64, CompactError> {
        let blocks = (rows.features() as usize).div_ceil(PER_BLOCK) as u64;
        let fixed = (4 << options.bits) + rows.len() as u64 + 4 * (blocks + 1);
        Ok(fixed + posting_bytes(rows, options)?)
    }
}

/// Bytes of all headers and lists.
pub(super) fn posting_bytes(
    rows: &SparseRows,
    options: &CompactOptions,
) -> Result<u64, CompactError> {
    options.check()?;
    if u32::try_from(rows.len()).is_err() {
        return Err(CompactError::TooManyRows { rows: rows.len() });
    }
    let features = rows.features() as usize;
    let mut lengths: Vec<Lengths> = Vec::new();
    lengths
        .try_reserve_exact(features)
        .map_err(|_| CompactError::OutOfMemory {
            bytes: features * size_of::<Lengths>(),
        })?;
    lengths.resize(features, Lengths::default());
    let mut pruner = Pruner::new(rows, options)?;
    for row in 0..rows.len() {
        for &(feature, _) in pruner.row(row) {
            lengths[feature as usize].add(row as u32, options.bits);
        }
    }
    Ok(lengths.chunks(PER_BLOCK).map(block_bytes).sum())
}

/// Bytes of one block: none if it has no postings.
fn block_bytes(lengths: &[Lengths]) -> u64 {
    let (mut headers, mut lists) = (0, 0);
    for (width, words) in lengths.iter().map(Lengths::best) {
        headers += header_len(words);
        lists += words * width as u64;
    }
    if lists == 0 { 0 } else { headers + lists }
}
