//! The labels of each row.

use alloc::{vec, vec::Vec};

/// For each of N rows the ids of its labels: rising, without repetition, possibly none.
///
/// Memory: 4 bytes a label of a row and one word a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelLists {
    offsets: Vec<usize>,
    ids: Vec<u32>,
    labels: u32,
}

impl LabelLists {
    /// No rows yet; ids will be below `labels` (raised by [`LabelLists::push`] where needed).
    #[must_use]
    pub fn new(labels: u32) -> Self {
        Self {
            offsets: vec![0],
            ids: Vec::new(),
            labels,
        }
    }

    /// Appends the labels of one row, in any order; repetitions count once. The number of labels
    /// grows to cover the largest id.
    pub fn push(&mut self, ids: impl IntoIterator<Item = u32>) {
        let start = self.ids.len();
        self.ids.extend(ids);
        self.ids[start..].sort_unstable();
        let mut kept = start;
        for at in start..self.ids.len() {
            if at == start || self.ids[at] != self.ids[kept - 1] {
                self.ids[kept] = self.ids[at];
                kept += 1;
            }
        }
        self.ids.truncate(kept);
        if let Some(&largest) = self.ids[start..].last() {
            self.labels = self.labels.max(largest.saturating_add(1));
        }
        self.offsets.push(kept);
    }

    /// The labels of row `row`, rising.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.ids[self.offsets[row]..self.offsets[row + 1]]
    }

    /// The label lists of all rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of labels L: every id is below it.
    #[must_use]
    pub fn labels(&self) -> u32 {
        self.labels
    }

    /// Number of labels of all rows together.
    #[must_use]
    pub fn total(&self) -> usize {
        self.ids.len()
    }

    /// How many rows carry each label, for all L labels.
    #[must_use]
    pub fn frequencies(&self) -> Vec<u32> {
        let mut counts = vec![0u32; self.labels as usize];
        for &id in &self.ids {
            counts[id as usize] += 1;
        }
        counts
    }

    /// The lists of the rows named by `rows`, in that order, over the same labels.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut chosen = Self::new(self.labels);
        for &row in rows {
            chosen.ids.extend_from_slice(self.row(row));
            chosen.offsets.push(chosen.ids.len());
        }
        chosen
    }

    /// Declares more labels than before; never fewer.
    pub fn widen(&mut self, labels: u32) {
        self.labels = self.labels.max(labels);
    }
}

#[cfg(test)]
mod tests {
    use super::LabelLists;

    #[test]
    fn lists_are_sorted_without_repetition_and_widen_the_label_space() {
        let mut lists = LabelLists::new(3);
        lists.push([5, 1, 5]);
        lists.push([]);
        lists.push([0]);
        assert_eq!(lists.row(0), [1, 5]);
        assert!(lists.row(1).is_empty());
        assert_eq!(lists.labels(), 6);
        assert_eq!(lists.frequencies(), [1, 1, 0, 0, 0, 1]);
        assert_eq!(
            lists.select(&[2, 0]).iter().collect::<alloc::vec::Vec<_>>(),
            [&[0][..], &[1, 5]]
        );
    }
}
