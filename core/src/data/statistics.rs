//! What a data set is like: its sizes and how they are spread.

use super::{Dataset, LabelLists};
use crate::sparse::SparseRows;
use alloc::{collections::TryReserveError, vec::Vec};

/// The sizes of a data set and how labels and features are spread over its rows: the figures of
/// Tables 1 to 5 of Aoshima, Kobayashi, Minami, Revisiting the Vector Space Model: Sparse Weighted
/// Nearest-Neighbor Method for Extreme Multi-Label Classification (2018).
///
/// [`Statistics::rows_per_label`] and [`Statistics::rows_per_feature`] leave out labels and
/// features without rows, as those tables do; how many these are is told apart. Rows without labels
/// or features are counted in the summaries over rows, with 0. A summary of nothing is `None`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Statistics {
    /// Number of rows N.
    pub rows: usize,
    /// Number of features D, stored or not.
    pub features: u32,
    /// Number of labels L, with rows or without.
    pub labels: u32,
    /// Number of stored values.
    pub nonzeros: usize,
    /// Number of labels of all rows together.
    pub label_occurrences: usize,
    /// How many rows have no label.
    pub rows_without_labels: usize,
    /// How many rows have no feature.
    pub rows_without_features: usize,
    /// How many labels have no row.
    pub labels_without_rows: usize,
    /// How many features have no row.
    pub features_without_rows: usize,
    /// Whether there are rows and each has exactly one label.
    pub single_label: bool,
    /// How many rows each label has that has any (Table 2).
    pub rows_per_label: Option<Summary>,
    /// How many labels each row has (Table 3).
    pub labels_per_row: Option<Summary>,
    /// How many stored features each row has (Table 4).
    pub features_per_row: Option<Summary>,
    /// In how many rows each feature is stored that is in any (Table 5).
    pub rows_per_feature: Option<Summary>,
    /// The k of 1, 3 and 5, and the highest P@k any ranking could reach.
    pub attainable_precision: [(usize, f64); 3],
}

impl Statistics {
    /// Computes the statistics of `data`.
    ///
    /// Cost: O(nnz + N log N + D log D + L log L); memory: 4 bytes for each of the largest of
    /// N, D and L.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn of(data: &Dataset) -> Result<Self, TryReserveError> {
        let (rows, labels) = (data.rows(), data.labels());
        let (labels_per_row, rows_without_labels) = spread_of_lengths(labels.iter())?;
        let (features_per_row, rows_without_features) =
            spread_of_lengths(rows.iter().map(|row| row.indices()))?;
        let (rows_per_label, labels_without_rows) = spread_of_labels(labels)?;
        let (rows_per_feature, features_without_rows) = spread_of_features(rows)?;
        Ok(Self {
            rows: rows.len(),
            features: rows.features(),
            labels: labels.labels(),
            nonzeros: rows.nonzeros(),
            label_occurrences: labels.total(),
            rows_without_labels,
            rows_without_features,
            labels_without_rows,
            features_without_rows,
            single_label: !labels.is_empty() && labels.iter().all(|row| row.len() == 1),
            rows_per_label,
            labels_per_row,
            features_per_row,
            rows_per_feature,
            attainable_precision: [1, 3, 5].map(|k| (k, attainable_precision(labels, k))),
        })
    }
}

/// The highest P@k any ranking could reach on rows with these labels: the mean of
/// `min(k, |y_i|) / k`. 0 without rows and for k = 0.
#[must_use]
pub(crate) fn attainable_precision(labels: &LabelLists, k: usize) -> f64 {
    if labels.is_empty() || k == 0 {
        return 0.0;
    }
    let hits: u64 = labels.iter().map(|row| row.len().min(k) as u64).sum();
    hits as f64 / (labels.len() as f64 * k as f64)
}

/// A summary and how many counts are zero.
type Spread = (Option<Summary>, usize);

/// The spread of the lengths of all rows, zeros included.
fn spread_of_lengths<'a>(
    rows: impl ExactSizeIterator<Item = &'a [u32]>,
) -> Result<Spread, TryReserveError> {
    let mut lengths = Vec::new();
    lengths.try_reserve_exact(rows.len())?;
    // A row has no more entries than there are ids, which are 32 bits wide.
    lengths.extend(rows.map(|row| u32::try_from(row.len()).unwrap_or(u32::MAX)));
    let zeros = lengths.iter().filter(|&&length| length == 0).count();
    Ok((Summary::of(&mut lengths), zeros))
}

fn spread_of_labels(labels: &LabelLists) -> Result<Spread, TryReserveError> {
    spread_of_ids(labels.labels(), labels.iter())
}

fn spread_of_features(rows: &SparseRows) -> Result<Spread, TryReserveError> {
    spread_of_ids(rows.features(), rows.iter().map(|row| row.indices()))
}

/// The spread of the numbers of rows in which each id below `ids` occurs, zeros left out of
/// the summary.
fn spread_of_ids<'a>(
    ids: u32,
    rows: impl Iterator<Item = &'a [u32]>,
) -> Result<Spread, TryReserveError> {
    let mut counts = Vec::new();
    counts.try_reserve_exact(ids as usize)?;
    counts.resize(ids as usize, 0u32);
    for &id in rows.flatten() {
        counts[id as usize] += 1;
    }
    counts.retain(|&count| count > 0);
    let zeros = ids as usize - counts.len();
    Ok((Summary::of(&mut counts), zeros))
}

/// The five-number summary of a list of counts and their mean.
///
/// Quartiles interpolate linearly between the two counts next to them: the quantile q of the m
/// sorted counts is at position `q (m - 1)`, counted from 0 (type 7 of Hyndman and Fan, Sample
/// Quantiles in Statistical Packages, 1996: the rule of R and numpy). Each is a multiple of 1/4
/// and exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The smallest count.
    pub minimum: u32,
    /// The quantile 1/4.
    pub lower_quartile: f64,
    /// The quantile 1/2.
    pub median: f64,
    /// The quantile 3/4.
    pub upper_quartile: f64,
    /// The largest count.
    pub maximum: u32,
    /// The arithmetic mean.
    pub mean: f64,
}

impl Summary {
    /// Summarizes `counts`, which it sorts; `None` if there are none.
    ///
    /// Cost: O(m log m).
    #[must_use]
    pub(crate) fn of(counts: &mut [u32]) -> Option<Self> {
        counts.sort_unstable();
        let (&minimum, &maximum) = (counts.first()?, counts.last()?);
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        Some(Self {
            minimum,
            lower_quartile: quartile(counts, 1),
            median: quartile(counts, 2),
            upper_quartile: quartile(counts, 3),
            maximum,
            mean: total as f64 / counts.len() as f64,
        })
    }
}

/// The quantile `quarters / 4` of sorted counts, at least one.
fn quartile(sorted: &[u32], quarters: u64) -> f64 {
    let position = (sorted.len() as u64 - 1) * quarters;
    let (before, behind) = ((position / 4) as usize, position % 4);
    let lower = u64::from(sorted[before]);
    let upper = u64::from(sorted[(before + 1).min(sorted.len() - 1)]);
    (lower * (4 - behind) + upper * behind) as f64 / 4.0
}

#[cfg(test)]
mod tests {
    use super::{Statistics, Summary};
    use crate::{
        data::{Dataset, LabelLists},
        sparse::{SparseRows, SparseVec},
    };

    fn data(features: u32, labels: u32, rows: &[(&[u32], &[u32])]) -> Dataset {
        let (mut matrix, mut lists) = (SparseRows::new(features), LabelLists::new(labels));
        for (row, ids) in rows {
            let row = SparseVec::from_pairs(row.iter().map(|&index| (index, 1.0))).unwrap();
            matrix.push(row.view()).unwrap();
            lists.push(ids.iter().copied());
        }
        Dataset::new(matrix, lists, None).unwrap()
    }

    #[test]
    fn statistics_by_hand() {
        let rows: [(&[u32], &[u32]); 4] = [
            (&[0, 3], &[1]),
            (&[], &[1, 2, 5, 6]),
            (&[3], &[]),
            (&[1, 2, 3], &[1, 2]),
        ];
        let found = Statistics::of(&data(6, 9, &rows)).unwrap();
        assert_eq!((found.rows, found.features, found.labels), (4, 6, 9));
        assert_eq!((found.nonzeros, found.label_occurrences), (6, 7));
        assert_eq!(
            (found.rows_without_labels, found.rows_without_features),
            (1, 1)
        );
        assert_eq!(
            (found.labels_without_rows, found.features_without_rows),
            (5, 2)
        );
        assert!(!found.single_label);
        // Sorted: 0 1 2 4.
        let labels = found.labels_per_row.unwrap();
        assert_eq!((labels.minimum, labels.maximum, labels.mean), (0, 4, 1.75));
        assert_eq!(
            (labels.lower_quartile, labels.median, labels.upper_quartile),
            (0.75, 1.5, 2.5)
        );
        // Labels 1, 2, 5, 6 have 3, 2, 1, 1 rows.
        let per_label = found.rows_per_label.unwrap();
        assert_eq!(
            (per_label.minimum, per_label.median, per_label.mean),
            (1, 1.5, 1.75)
        );
        // Sorted: 0 1 2 3; features 0 to 3 are in 1, 1, 1, 3 rows.
        assert_eq!(found.features_per_row.unwrap().median, 1.5);
        let per_feature = found.rows_per_feature.unwrap();
        assert_eq!((per_feature.upper_quartile, per_feature.maximum), (1.5, 3));
        assert_eq!(
            found.attainable_precision.map(|(_, most)| most),
            [3.0 / 4.0, 6.0 / 12.0, 7.0 / 20.0]
        );
    }

    #[test]
    fn empty_data_have_no_summaries() {
        let found = Statistics::of(&data(0, 0, &[])).unwrap();
        assert_eq!((found.labels_per_row, found.rows_per_feature), (None, None));
        assert_eq!(found.attainable_precision, [(1, 0.0), (3, 0.0), (5, 0.0)]);
        assert!(!found.single_label);
        let found = Statistics::of(&data(2, 1, &[(&[], &[])])).unwrap();
        assert_eq!((found.rows_per_label, found.labels_without_rows), (None, 1));
        assert_eq!(found.features_per_row.unwrap().maximum, 0);
    }

    #[test]
    fn summaries_by_hand() {
        assert_eq!(Summary::of(&mut []), None);
        let summary = Summary::of(&mut [5, 1, 2, 10]).unwrap();
        assert_eq!((summary.minimum, summary.maximum), (1, 10));
        assert_eq!((summary.lower_quartile, summary.median), (1.75, 3.5));
        let one = Summary::of(&mut [7]).unwrap();
        let numbers = [one.lower_quartile, one.median, one.upper_quartile, one.mean];
        assert_eq!((one.minimum, numbers, one.maximum), (7, [7.0; 4], 7));
        let two = Summary::of(&mut [4, 0]).unwrap();
        let numbers = [two.lower_quartile, two.median, two.upper_quartile, two.mean];
        assert_eq!(
            (two.minimum, numbers, two.maximum),
            (0, [1.0, 2.0, 3.0, 2.0], 4)
        );
        let five = Summary::of(&mut [9, 1, 1, 3, 2]).unwrap();
        let numbers = [five.lower_quartile, five.median, five.upper_quartile];
        assert_eq!((numbers, five.mean), ([1.0, 2.0, 3.0], 3.2));
        let largest = Summary::of(&mut [u32::MAX; 3]).unwrap();
        assert_eq!(largest.median, f64::from(u32::MAX));
    }

    #[test]
    fn more_labels_than_k_attain_all_and_fewer_their_share() {
        let mut labels = LabelLists::new(0);
        labels.push([3]);
        labels.push([0, 1, 2]);
        assert_eq!(super::attainable_precision(&labels, 2), 0.75);
    }
}
