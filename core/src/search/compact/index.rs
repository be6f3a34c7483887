//! The compact index itself.

use super::{Codebook, CompactOptions, blocks::Blocks, words::List};
use crate::array::Array;

/// An approximate nearest-neighbor index over n rows and D features: pruned rows, rounded values.
///
/// The similarity of a query q and a row x is `J^beta * cos` as in the exact search, with
/// the Jaccard index J of the supports and the cosine taken over what is kept of both: of the row
/// as [`CompactOptions`](super::CompactOptions) say, of the query the largest weights among the
/// features the index holds.
///
/// Memory: about 2 bytes a kept weight, 1 byte a row and 1.25 bytes a feature.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactIndex {
    pub(super) bits: u8,
    pub(super) query_features: u16,
    pub(super) codebook: Codebook,
    pub(super) counts: Array<u8>,
    pub(super) blocks: Blocks,
}

impl CompactIndex {
    /// Number of rows n.
    #[must_use]
    pub(crate) fn rows(&self) -> usize {
        self.counts.len()
    }

    /// Number of features D.
    #[must_use]
    pub(crate) fn features(&self) -> u32 {
        self.blocks.features()
    }

    /// Number of stored weights.
    #[must_use]
    pub(crate) fn postings(&self) -> usize {
        self.counts.iter().map(|&count| usize::from(count)).sum()
    }

    /// Options under which the rows of this index, built anew, keep all that is left of them.
    #[must_use]
    pub(crate) fn options(&self) -> CompactOptions {
        CompactOptions {
            max_share: 1.0,
            row_weights: self.counts.iter().copied().max().unwrap_or(1).max(1),
            query_features: self.query_features,
            bits: self.bits,
        }
    }

    /// How many features of a query are used.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn query_features(&self) -> u16 {
        self.query_features
    }

    /// The levels of stored values.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn codebook(&self) -> &Codebook {
        &self.codebook
    }

    /// Bytes of everything stored, the same in memory and in a file.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        4 * self.codebook.levels().len()
            + self.counts.len()
            + 4 * self.blocks.offsets().len()
            + self.blocks.bytes().len()
    }

    /// The posting list of a feature: empty if the index does not hold it.
    #[must_use]
    pub(crate) fn list(&self, feature: u32) -> List<'_> {
        self.blocks.list(feature)
    }
}
