//! The labels of each row.

use super::{
    ReadError, ReadProblem, Split, SplitError,
    line_runs::{LabelPart, NamedLabels},
    read_error::Fault,
};
use crate::{names::Names, sparse::SparseError};
use alloc::{vec, vec::Vec};

/// For each of N rows the ids of its labels: rising, without repetition, possibly none.
///
/// Memory: 4 bytes a label of a row and one word a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelLists {
    offsets: Vec<usize>,
    ids: Vec<u32>,
    labels: u32,
    /// The first row that is a text of labels, as all after it are: see
    /// [`Documents::describe`](super::Documents::describe).
    first_text: Option<usize>,
}

impl LabelLists {
    /// No rows yet; ids will be below `labels` (raised by [`LabelLists::push`] where needed).
    #[must_use]
    pub fn new(labels: u32) -> Self {
        Self {
            offsets: vec![0],
            ids: Vec::new(),
            labels,
            first_text: None,
        }
    }

    /// Lists one after the other: row `i` has the ids from `offsets[i]` to `offsets[i + 1]`, in any
    /// order.
    ///
    /// # Errors
    /// [`SparseError::BadOffsets`] if the offsets do not begin at 0, fall, or do not end where the
    /// ids do; [`SparseError::OutOfRange`] for the id 2^32 - 1.
    pub fn from_parts(offsets: &[u32], ids: &[u32]) -> Result<Self, SparseError> {
        let ends = (offsets.first(), offsets.last().map(|&last| last as usize));
        let falls = offsets.windows(2).position(|pair| pair[0] > pair[1]);
        if falls.is_some() || ends != (Some(&0), Some(ids.len())) {
            let row = falls.unwrap_or(offsets.len().saturating_sub(1));
            return Err(SparseError::BadOffsets { row });
        }
        if let Some(position) = ids.iter().position(|&id| id == u32::MAX) {
            let (index, features) = (u32::MAX, u32::MAX);
            return Err(SparseError::OutOfRange {
                position,
                index,
                features,
            });
        }
        let mut lists = Self::new(0);
        for pair in offsets.windows(2) {
            lists.push(ids[pair[0] as usize..pair[1] as usize].iter().copied());
        }
        Ok(lists)
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
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no rows.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
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

    /// The lists of the rows named by `rows`, in that order, over the same labels. Texts of labels
    /// stay such where they stand behind all other rows.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let mut chosen = Self::new(self.labels);
        for &row in rows {
            chosen.ids.extend_from_slice(self.row(row));
            chosen.offsets.push(chosen.ids.len());
        }
        let texts = rows.iter().rev().take_while(|&&row| row >= self.measured());
        let measured = rows.len() - texts.count();
        chosen.first_text = (measured < rows.len()).then_some(measured);
        chosen
    }

    /// Declares that all rows to come are texts of labels: trained on, but never held out.
    pub(super) fn begin_texts(&mut self) {
        self.first_text = self.first_text.or(Some(self.len()));
    }

    /// Number of rows that are no texts of labels
    /// ([`Documents::describe`](super::Documents::describe)): these come first, and only they are
    /// held out.
    #[must_use]
    pub fn measured(&self) -> usize {
        self.first_text.unwrap_or(self.len())
    }

    /// Holds out `share` of the rows, drawn at random under `seed`: so many of them, rounded, but
    /// at least one, and at least one left to learn from. Texts of labels
    /// ([`Documents::describe`](super::Documents::describe)) are never held out and do not count.
    ///
    /// Cost: O(rows).
    ///
    /// ```
    /// use hapax_core::data::LabelLists;
    /// let mut lists = LabelLists::new(2);
    /// (0..30).for_each(|row| lists.push([row % 2]));
    /// let split = lists.split(0.1, 42)?;
    /// assert_eq!((split.train.len(), split.held_out.len()), (27, 3));
    /// assert_eq!(split, lists.split(0.1, 42)?);
    /// # Ok::<(), hapax_core::data::SplitError>(())
    /// ```
    ///
    /// # Errors
    /// If the share is not between 0 and 1, there are fewer than two rows, or memory does not
    /// suffice.
    pub fn split(&self, share: f64, seed: u64) -> Result<Split, SplitError> {
        let split = Split::new(self.measured(), share, seed)?;
        split.and_learn_from(self.measured()..self.len())
    }

    /// Declares more labels than before; never fewer.
    pub(crate) fn widen(&mut self, labels: u32) {
        self.labels = self.labels.max(labels);
    }
}

/// The labels of rows by their names. Those in `known`, the labels of training, keep their ids and
/// others get ids beyond; without it ids follow the order of the names: by value if all are whole
/// numbers, by bytes otherwise.
///
/// ```
/// use hapax_core::data::named_labels;
/// let (lists, names) = named_labels([vec!["10", "9"], vec![], vec!["9"]], None)?;
/// assert_eq!(names.iter().collect::<Vec<_>>(), ["9", "10"]);
/// assert_eq!((lists.row(0), lists.row(1)), (&[0, 1][..], &[][..]));
/// let (lists, _) = named_labels([["7"], ["10"]], Some(&names))?;
/// assert_eq!((lists.row(0), lists.row(1)), (&[2][..], &[1][..]));
/// # Ok::<(), hapax_core::data::ReadError>(())
/// ```
///
/// # Errors
/// If a name is empty or there are too many labels; the line is the number of the row, from 1.
pub fn named_labels<L>(
    rows: impl IntoIterator<Item = L>,
    known: Option<&Names>,
) -> Result<(LabelLists, Names), ReadError>
where
    L: IntoIterator<Item: AsRef<str>>,
{
    let mut part = LabelPart::default();
    for names in rows {
        for name in names {
            let row = part.ends.len() + 1;
            let added = part.add(name.as_ref(), 0);
            added.map_err(|fault| fault.at(row, &[]))?;
        }
        part.end_row();
    }
    let whole = |problem: ReadProblem| Fault::new(0, problem).at(1, &[]);
    let mut named = NamedLabels::new(known);
    named.append(part).map_err(whole)?;
    named.finish().map_err(whole)
}

#[cfg(test)]
mod tests {
    use super::LabelLists;
    use crate::data::Split;
    use alloc::vec::Vec;

    #[test]
    fn texts_of_labels_are_learned_from_and_never_held_out() {
        let mut lists = LabelLists::new(3);
        (0..40).for_each(|row| lists.push([row % 3]));
        let plain = lists.clone();
        assert_eq!(plain.split(0.2, 7), Split::new(40, 0.2, 7));
        lists.begin_texts();
        (0..5).for_each(|label| lists.push([label]));
        assert_eq!((lists.measured(), lists.len()), (40, 45));
        let (split, expected) = (lists.split(0.2, 7).unwrap(), plain.split(0.2, 7).unwrap());
        assert_eq!(split.held_out, expected.held_out);
        let texts: Vec<usize> = (40..45).collect();
        assert_eq!(split.train, [expected.train, texts.clone()].concat());
        // What is selected knows its texts, and can be divided again.
        let train = lists.select(&split.train);
        assert_eq!((train.measured(), train.len()), (32, 37));
        assert_eq!(train.split(0.5, 1).unwrap().held_out.len(), 16);
        assert_eq!(lists.select(&split.held_out).measured(), 8);
        assert!(lists.select(&texts).split(0.5, 1).is_err());
    }

    #[test]
    fn parts_become_lists_or_are_refused() {
        let lists = LabelLists::from_parts(&[0, 2, 2], &[3, 1]).unwrap();
        assert_eq!((lists.len(), lists.row(0)), (2, &[1, 3][..]));
        for (offsets, ids) in [
            (&[][..], &[][..]),
            (&[1, 2], &[1, 2]),
            (&[0, 2, 1, 2], &[1, 2]),
            (&[0, 1], &[1, 2]),
            (&[0, 1], &[u32::MAX]),
        ] {
            assert!(LabelLists::from_parts(offsets, ids).is_err());
        }
    }

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
            lists.select(&[2, 0]).iter().collect::<Vec<_>>(),
            [&[0][..], &[1, 5]]
        );
    }
}
