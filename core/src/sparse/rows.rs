//! Sparse rows over one set of features, in compressed form.

use super::{SparseError, SparseView};
use crate::float;
use alloc::{collections::TryReserveError, vec, vec::Vec};

/// N sparse rows over D features, stored one behind the other (CSR).
///
/// Memory: 8 bytes a stored value and one word a row.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseRows {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
    features: u32,
}

impl SparseRows {
    /// No rows yet, over `features` features.
    #[must_use]
    pub fn new(features: u32) -> Self {
        Self {
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            features,
        }
    }

    /// Takes over the three arrays of a CSR matrix: row `i` is
    /// `indices[offsets[i]..offsets[i + 1]]` with the values at the same places.
    ///
    /// # Errors
    /// If offsets, indices or values break a rule of [`SparseError`].
    pub fn from_parts(
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f32>,
        features: u32,
    ) -> Result<Self, SparseError> {
        if indices.len() != values.len() {
            return Err(SparseError::LengthsDiffer {
                indices: indices.len(),
                values: values.len(),
            });
        }
        if offsets.first() != Some(&0) || offsets.last() != Some(&indices.len()) {
            return Err(SparseError::BadOffsets {
                row: offsets.len().saturating_sub(1),
            });
        }
        if let Some(row) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(SparseError::BadOffsets { row });
        }
        let rows = Self {
            offsets,
            indices,
            values,
            features,
        };
        for row in 0..rows.len() {
            let (start, end) = (rows.offsets[row], rows.offsets[row + 1]);
            let view = SparseView::new(&rows.indices[start..end], &rows.values[start..end])?;
            rows.check_range(view)?;
        }
        Ok(rows)
    }

    fn check_range(&self, row: SparseView<'_>) -> Result<(), SparseError> {
        match row.indices().last() {
            Some(&index) if index >= self.features => Err(SparseError::OutOfRange {
                position: row.len() - 1,
                index,
                features: self.features,
            }),
            _ => Ok(()),
        }
    }

    /// Appends a row.
    ///
    /// # Errors
    /// If its largest index is not below the number of features.
    pub fn push(&mut self, row: SparseView<'_>) -> Result<(), SparseError> {
        self.check_range(row)?;
        self.indices.extend_from_slice(row.indices());
        self.values.extend_from_slice(row.values());
        self.offsets.push(self.indices.len());
        Ok(())
    }

    /// Makes room for so many more rows and values.
    pub(crate) fn reserve(&mut self, rows: usize, values: usize) -> Result<(), TryReserveError> {
        self.offsets.try_reserve(rows)?;
        self.indices.try_reserve(values)?;
        self.values.try_reserve(values)
    }

    /// Appends a row whose indices are known to be in range.
    pub(crate) fn push_checked(&mut self, row: SparseView<'_>) {
        debug_assert!(self.check_range(row).is_ok());
        self.indices.extend_from_slice(row.indices());
        self.values.extend_from_slice(row.values());
        self.offsets.push(self.indices.len());
    }

    /// The rows of all parts, one behind the other; each has `features` features.
    pub(crate) fn joined(features: u32, parts: &[Self]) -> Self {
        let mut rows = Self::new(features);
        rows.indices
            .reserve_exact(parts.iter().map(Self::nonzeros).sum());
        rows.values
            .reserve_exact(parts.iter().map(Self::nonzeros).sum());
        for row in parts.iter().flat_map(Self::iter) {
            rows.push_checked(row);
        }
        rows
    }

    /// Row `row`.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> SparseView<'_> {
        let (start, end) = (self.offsets[row], self.offsets[row + 1]);
        // Checked when it was pushed: rows are read too often to check them each time.
        SparseView {
            indices: &self.indices[start..end],
            values: &self.values[start..end],
        }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = SparseView<'_>> {
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

    /// Number of features, stored or not: every index is below it.
    #[must_use]
    pub fn features(&self) -> u32 {
        self.features
    }

    /// Number of stored values in all rows.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        self.indices.len()
    }

    /// In how many rows each feature is stored, for all D features.
    ///
    /// # Errors
    /// If there is no memory for as many counts: D may be the word of a file, or of a row.
    pub(crate) fn document_frequencies(&self) -> Result<Vec<u32>, TryReserveError> {
        let mut counts = Vec::new();
        counts.try_reserve_exact(self.features as usize)?;
        counts.resize(self.features as usize, 0);
        for &index in &self.indices {
            counts[index as usize] += 1;
        }
        Ok(counts)
    }

    /// Bytes of [`SparseRows::document_frequencies`].
    pub(crate) fn frequency_bytes(&self) -> usize {
        (self.features as usize).saturating_mul(4)
    }

    /// The rows named by `rows`, in that order, over the same features.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let mut chosen = Self::new(self.features);
        for &row in rows {
            let view = self.row(row);
            chosen.indices.extend_from_slice(view.indices());
            chosen.values.extend_from_slice(view.values());
            chosen.offsets.push(chosen.indices.len());
        }
        chosen
    }

    /// Declares more features than before; never fewer.
    pub(crate) fn widen(&mut self, features: u32) {
        self.features = self.features.max(features);
    }
}

/// How rare a feature is that so many of all rows have: 1 for one that all have, and more for
/// others, also for one that none has.
#[must_use]
pub(crate) fn inverse_document_frequency(frequency: u32, rows: f64) -> f64 {
    float::ln((1.0 + rows) / (1.0 + f64::from(frequency))) + 1.0
}

#[cfg(test)]
mod tests {
    use super::SparseRows;
    use crate::sparse::{SparseError, SparseView};
    use alloc::vec;

    #[test]
    fn rows_come_back_as_they_went_in() {
        let mut rows = SparseRows::new(5);
        rows.push(SparseView::new(&[0, 4], &[1.0, 2.0]).unwrap())
            .unwrap();
        rows.push(SparseView::default()).unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows.row(0).values(), [1.0, 2.0]);
        assert!(rows.row(1).is_empty());
        assert_eq!(rows.document_frequencies().unwrap(), [1, 0, 0, 0, 1]);
        let again = SparseRows::from_parts(vec![0, 2, 2], vec![0, 4], vec![1.0, 2.0], 5).unwrap();
        assert_eq!(again, rows);
    }

    #[test]
    fn refuses_rows_out_of_range_and_bad_offsets() {
        let mut rows = SparseRows::new(4);
        let wide = SparseView::new(&[4], &[1.0]).unwrap();
        assert_eq!(
            rows.push(wide),
            Err(SparseError::OutOfRange {
                position: 0,
                index: 4,
                features: 4
            })
        );
        for offsets in [vec![], vec![1], vec![0, 2], vec![0, 2, 1]] {
            assert!(SparseRows::from_parts(offsets, vec![1], vec![1.0], 4).is_err());
        }
    }
}
