//! The orders that ids and terms are brought into: once for all who want them, since a sort is much
//! code in a small program.

use super::SparseRows;
use alloc::{collections::TryReserveError, vec::Vec};
use core::cmp::Reverse;

/// Sorts ids by falling count, those of equal count by rising id.
///
/// # Panics
/// If an id has no count.
pub fn by_falling_count(ids: &mut [u32], counts: &[u32]) {
    ids.sort_unstable_by_key(|&id| (Reverse(counts[id as usize]), id));
}

/// Sorts terms by rising id; ids are there once each.
pub fn by_id(terms: &mut [(u32, f32)]) {
    terms.sort_unstable_by_key(|term| term.0);
}

/// Sorts terms by falling absolute value, those of equal ones by rising id.
pub(crate) fn by_size(terms: &mut [(u32, f32)]) {
    terms.sort_unstable_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
}

/// The order of features by falling document frequency, equal ones by rising id.
#[derive(Clone, Debug)]
pub(crate) struct FeatureOrder {
    /// New number of each feature.
    pub rank: Vec<u32>,
    /// Feature of each new number.
    pub feature: Vec<u32>,
}

impl FeatureOrder {
    /// The order for `rows`.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn new(rows: &SparseRows) -> Result<Self, TryReserveError> {
        let counts = rows.document_frequencies()?;
        let (mut feature, mut rank): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        feature.try_reserve_exact(counts.len())?;
        rank.try_reserve_exact(counts.len())?;
        feature.extend(0..rows.features());
        by_falling_count(&mut feature, &counts);
        rank.resize(feature.len(), 0);
        for (new, &old) in feature.iter().enumerate() {
            rank[old as usize] = new as u32;
        }
        Ok(Self { rank, feature })
    }

    /// Bytes that making the order of `rows` takes.
    pub(crate) fn bytes(rows: &SparseRows) -> u64 {
        3 * rows.frequency_bytes() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::{by_falling_count, by_id};

    #[test]
    fn frequent_ids_come_first_and_terms_by_id() {
        let mut ids = [0, 1, 2, 3];
        by_falling_count(&mut ids, &[1, 5, 1, 7]);
        assert_eq!(ids, [3, 1, 0, 2]);
        let mut terms = [(4, 1.0), (0, 2.0), (2, 3.0)];
        by_id(&mut terms);
        assert_eq!(terms, [(0, 2.0), (2, 3.0), (4, 1.0)]);
    }
}
