//! Mining: the rows which a label wrongly claims with its present weights.

use super::packed_rows::PackedRows;
use crate::train::state::{StateError, all_below, same};
use crate::{data::LabelLists, executor::Executor, search::MaxInnerProduct};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// For each label the rows in which it is wrong.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowsByLabel {
    offsets: Vec<usize>,
    rows: Vec<u32>,
}

impl RowsByLabel {
    /// From the labels of each row, in row order: the rows of each label, rising.
    pub(crate) fn new<'a>(lists: impl Iterator<Item = &'a [u32]> + Clone, labels: usize) -> Self {
        let mut offsets = vec![0usize; labels + 2];
        for &label in lists.clone().flatten() {
            offsets[label as usize + 2] += 1;
        }
        for at in 2..offsets.len() {
            offsets[at] += offsets[at - 1];
        }
        let mut rows = vec![0u32; offsets[labels + 1]];
        for (row, list) in lists.enumerate() {
            for &label in list {
                let place = &mut offsets[label as usize + 1];
                rows[*place] = row as u32;
                *place += 1;
            }
        }
        offsets.truncate(labels + 1);
        Self { offsets, rows }
    }

    /// Whether these are rows below `rows`, rising, of `labels` labels, or nothing at all.
    pub(crate) fn check(&self, rows: usize, labels: usize) -> Result<(), StateError> {
        if self.offsets.is_empty() {
            return same("mined rows", self.rows.len(), 0);
        }
        same("labels with mined rows", self.offsets.len(), labels + 1)?;
        let rising = self.offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = (self.offsets.first(), self.offsets.last());
        if !rising || ends != (Some(&0), Some(&self.rows.len())) {
            return Err(StateError::Disordered { what: "mined rows" });
        }
        all_below("row", &self.rows, rows)?;
        let sorted = |label| self.of(label).windows(2).all(|pair| pair[0] < pair[1]);
        if (0..labels).all(sorted) {
            Ok(())
        } else {
            Err(StateError::Disordered { what: "mined rows" })
        }
    }

    /// For each of `labels` labels the rows that are here or in `more`.
    #[must_use]
    pub(crate) fn merged(&self, more: &Self, labels: usize) -> Self {
        let mut offsets = Vec::with_capacity(labels + 1);
        offsets.push(0);
        let mut rows = Vec::with_capacity(self.rows.len() + more.rows.len());
        for label in 0..labels {
            let start = rows.len();
            rows.extend_from_slice(self.of(label));
            rows.extend_from_slice(more.of(label));
            rows[start..].sort_unstable();
            let mut kept = start;
            for at in start..rows.len() {
                if kept == start || rows[at] != rows[kept - 1] {
                    rows[kept] = rows[at];
                    kept += 1;
                }
            }
            rows.truncate(kept);
            offsets.push(kept);
        }
        Self { offsets, rows }
    }

    /// Bytes held.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        size_of::<usize>() * self.offsets.capacity() + 4 * self.rows.capacity()
    }

    /// The rows of a label, rising; none before anything was mined.
    #[must_use]
    pub(crate) fn of(&self, label: usize) -> &[u32] {
        match self.offsets.get(label..label + 2) {
            Some(&[start, end]) => &self.rows[start..end],
            _ => &[],
        }
    }
}

/// Which rows a round of mining looks at: all those `row` with `row % every == at`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// In so many rounds each row has its turn.
    pub every: usize,
    /// Which of these rounds it is.
    pub at: usize,
}

/// The wrong labels among the `mine` proposed for each row of `range` whose turn it is; none for
/// the others.
///
/// Cost: one query of the oracle for each row whose turn it is.
pub fn mine(
    rows: &PackedRows,
    labels: &LabelLists,
    (range, turn): (Range<usize>, Turn),
    mine: usize,
    oracle: &dyn MaxInnerProduct,
    executor: &Executor,
) -> Vec<Vec<u32>> {
    const BLOCK: usize = 64;
    let blocks = range.len().div_ceil(BLOCK);
    let found = executor.map(
        blocks,
        || (oracle.proposer(), Vec::new(), Vec::new()),
        |(proposer, terms, proposed), block| {
            let start = range.start + block * BLOCK;
            let wrong = |row: usize| {
                if row % turn.every != turn.at {
                    return Vec::new();
                }
                terms.clear();
                terms.extend(rows.row(row).terms());
                proposed.clear();
                if !terms.is_empty() {
                    proposer.propose(terms, mine, proposed);
                }
                let right = labels.row(row);
                proposed
                    .iter()
                    .copied()
                    .filter(|label| right.binary_search(label).is_err())
                    .collect()
            };
            (start..(start + BLOCK).min(range.end))
                .map(wrong)
                .collect::<Vec<Vec<u32>>>()
        },
    );
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::RowsByLabel;

    #[test]
    fn lists_are_turned_around() {
        let lists = [&[2u32, 0][..], &[], &[2]];
        let by_label = RowsByLabel::new(lists.into_iter(), 3);
        assert_eq!(by_label.of(0), [0]);
        assert!(by_label.of(1).is_empty());
        assert_eq!(by_label.of(2), [0, 2]);
        assert!(RowsByLabel::default().of(7).is_empty());
        let more = RowsByLabel::new([&[][..], &[2], &[1]].into_iter(), 3);
        let both = by_label.merged(&more, 3);
        assert_eq!(
            [0, 1, 2].map(|label| both.of(label)),
            [&[0][..], &[2], &[0, 1, 2]]
        );
        assert_eq!(RowsByLabel::default().merged(&more, 3).of(2), [1]);
    }
}
