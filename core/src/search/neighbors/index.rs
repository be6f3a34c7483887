//! The index: rows, bits and group norms of the head, postings of the tail.

use super::{ForwardRows, RowBuffer, cut::GROUPS};
use crate::kernels::bounds::WORDS;
use crate::{array::Array, sparse::SparseView};

/// The place of a feature that no row stores.
pub(super) const ABSENT: u32 = u32::MAX;

/// An index of n sparse rows for exact search by [`NeighborIndex::search`].
///
/// Memory: see [`NeighborIndex::bytes`]; about 6 bytes a stored value where the rows have
/// hundreds of values, at most 65,536 features and 65,536 different values.
#[derive(Clone, Debug, PartialEq)]
pub struct NeighborIndex {
    pub(super) forward: ForwardRows,
    /// Euclidean norm of each row.
    pub(super) norms: Array<f64>,
    /// For each feature its head line, `heads` plus its tail number, or [`ABSENT`].
    pub(super) places: Array<u32>,
    /// 8 words a head feature, block after block.
    pub(super) lines: Array<u64>,
    /// 512 norms a group, block after block, in units of 1/255, rounded up.
    pub(super) groups: Array<u8>,
    /// For each tail feature the unit of its values.
    pub(super) steps: Array<f32>,
    /// Where the postings of each tail feature start, range after range of rows; one more at
    /// the end.
    pub(super) starts: Array<u32>,
    /// Row ids within their range.
    pub(super) posted_rows: Array<u16>,
    /// Values of rows of length 1, in steps, to the nearest; `zero` stands for 0.
    pub(super) posted_values: Array<u8>,
    pub(super) heads: u32,
    /// The most tail features of any row.
    pub(super) longest_tail: u32,
    /// Whether there are negative values.
    pub(super) signed: bool,
    /// Whether the bounds hold: false where a row's norm is so small that products vanish.
    pub(super) bounded: bool,
}

impl NeighborIndex {
    /// Number of rows.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.forward.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.forward.is_empty()
    }

    /// Number of features: every index is below it.
    #[must_use]
    pub(crate) fn features(&self) -> u32 {
        self.forward.features
    }

    /// Bytes of all arrays.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.forward.bytes()
            + self.norms.len() * 8
            + self.lines.len() * 8
            + self.groups.len()
            + (self.places.len() + self.steps.len() + self.starts.len()) * 4
            + self.posted_rows.len() * 2
            + self.posted_values.len()
    }

    /// At most how many bytes an index of these rows will have, before it is built.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn estimate(rows: &crate::sparse::SparseRows) -> usize {
        use crate::kernels::{bounds::BLOCK, postings::RANGE};
        let padded = rows.len().next_multiple_of(BLOCK);
        let ranges = rows.len().div_ceil(RANGE);
        let values = 8 + 3;
        // A line costs n/8 bytes and saves at least n/32 postings of 3 bytes.
        rows.nonzeros() * (values + 2)
            + padded * (4 + 8 + GROUPS)
            + rows.features() as usize * 4 * (2 + ranges)
            + BLOCK * 64
    }

    /// Row `row` exactly as it was given, unpacked into `buffer`; an empty row if there is no
    /// such row.
    pub(crate) fn row<'b>(&self, row: usize, buffer: &'b mut RowBuffer) -> SparseView<'b> {
        self.forward.row(row, buffer)
    }

    /// The similarity of `query` and one row, with the bits that [`NeighborIndex::search`] gives.
    #[cfg(test)]
    pub(crate) fn similarity(
        &self,
        query: SparseView<'_>,
        row: usize,
        similarity: super::Similarity,
        buffer: &mut RowBuffer,
    ) -> f32 {
        similarity.between(query, self.row(row, buffer))
    }

    pub(super) fn zero(&self) -> i32 {
        if self.signed { 128 } else { 0 }
    }

    pub(super) fn group_count(&self) -> usize {
        GROUPS.min(self.heads as usize)
    }

    /// Words of the lines of one block.
    pub(super) fn line_stride(&self) -> usize {
        self.heads as usize * WORDS
    }
}
