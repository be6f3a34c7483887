//! What a compact index remembers of its rows.

use super::{CompactError, CompactIndex, prune};
use crate::{
    search::Scored,
    sparse::{SparseRows, SparseView},
};
use alloc::{vec, vec::Vec};

impl CompactIndex {
    /// The rows as stored: pruned, of norm about 1, rounded. For appending rows and building
    /// anew; memory: 9 bytes a weight.
    ///
    /// # Errors
    /// If memory is refused.
    pub(crate) fn to_rows(&self) -> Result<SparseRows, CompactError> {
        let total = self.postings();
        let refused = |_| CompactError::OutOfMemory { bytes: 8 * total };
        let mut next = Vec::with_capacity(self.rows() + 1);
        let mut end = 0usize;
        for &count in self.counts.iter() {
            next.push(end);
            end += usize::from(count);
        }
        let mut offsets = next.clone();
        offsets.push(end);
        let mut indices = Vec::new();
        indices.try_reserve_exact(total).map_err(refused)?;
        indices.resize(total, 0u32);
        let mut values = Vec::new();
        values.try_reserve_exact(total).map_err(refused)?;
        values.resize(total, 0f32);
        for feature in 0..self.features() {
            for (row, code) in self.list(feature).postings(self.bits) {
                let at = &mut next[row as usize];
                indices[*at] = feature;
                values[*at] = self.codebook.value(code);
                *at += 1;
            }
        }
        SparseRows::from_parts(offsets, indices, values, self.features())
            .map_err(|_| CompactError::BadBlock { block: 0 })
    }

    /// One row as stored, empty if there is no such row. Looks through all postings: for more than
    /// a few rows, [`to_rows`](Self::to_rows) is the way.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn row(&self, row: u32) -> crate::sparse::SparseVec {
        let held =
            (0..self.features()).filter_map(|feature| Some((feature, self.weight(row, feature)?)));
        crate::sparse::SparseVec::from_pairs(held).unwrap_or_default()
    }

    /// The stored weight of a feature in a row.
    fn weight(&self, row: u32, feature: u32) -> Option<f32> {
        self.list(feature)
            .postings(self.bits)
            .take_while(|&(found, _)| found <= row)
            .find(|&(found, _)| found == row)
            .map(|(_, code)| self.codebook.value(code))
    }

    /// The evidence for a neighbor: the features it shares with what is used of `query`, each with
    /// its part of the cosine. The parts add up to the cosine.
    #[must_use]
    pub(crate) fn shared(&self, query: SparseView<'_>, row: u32) -> Vec<Scored> {
        let mut used = vec![];
        self.used(query, &mut used);
        let norm = prune::norm(&used);
        let part = |&(id, value): &(u32, f32)| {
            let part = f64::from(value) / norm * f64::from(self.weight(row, id)?);
            let score = part as f32;
            Some(Scored { id, score })
        };
        used.iter().filter_map(part).collect()
    }
}
