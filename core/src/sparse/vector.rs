//! One sparse vector, owned ([`SparseVec`]) or borrowed ([`SparseView`]).

use crate::float::Decimal;
use alloc::vec::Vec;
use core::fmt;

/// Why indices and values do not make a sparse vector or sparse rows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SparseError {
    /// The two arrays have different lengths.
    LengthsDiffer {
        /// Number of indices.
        indices: usize,
        /// Number of values.
        values: usize,
    },
    /// An index is not larger than the one before it.
    NotRising {
        /// Position in the arrays.
        position: usize,
        /// The index before.
        previous: u32,
        /// The offending index.
        index: u32,
    },
    /// A value is NaN or infinite.
    NotFinite {
        /// Position in the arrays.
        position: usize,
        /// The offending value.
        value: f32,
    },
    /// A stored value is zero, which would count as an entry where sets are compared.
    Zero {
        /// Position in the arrays.
        position: usize,
    },
    /// An index is not below the number of features.
    OutOfRange {
        /// Position in the arrays.
        position: usize,
        /// The offending index.
        index: u32,
        /// The number of features.
        features: u32,
    },
    /// Row offsets do not start at 0, do not rise, or do not end at the number of values.
    BadOffsets {
        /// The row whose offset is wrong.
        row: usize,
    },
}

impl fmt::Display for SparseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LengthsDiffer { indices, values } => {
                write!(f, "{indices} indices but {values} values")
            }
            Self::NotRising {
                position,
                previous,
                index,
            } => write!(
                f,
                "index {index} at position {position} follows {previous}: indices must rise"
            ),
            Self::NotFinite { position, value } => {
                let value = Decimal(value.into());
                write!(f, "value {value} at position {position} is not finite")
            }
            Self::Zero { position } => {
                write!(
                    f,
                    "the value at position {position} is zero: leave zeros out"
                )
            }
            Self::OutOfRange {
                position,
                index,
                features,
            } => write!(
                f,
                "index {index} at position {position} is not below the number of features, {features}"
            ),
            Self::BadOffsets { row } => write!(f, "the offset of row {row} is out of order"),
        }
    }
}

impl core::error::Error for SparseError {}

/// A borrowed sparse vector: strictly rising indices, each with a finite value other than zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SparseView<'a> {
    pub(super) indices: &'a [u32],
    pub(super) values: &'a [f32],
}

impl<'a> SparseView<'a> {
    /// Borrows `indices` and `values` after checking them.
    ///
    /// # Errors
    /// If lengths differ, indices do not rise, or a value is NaN, infinite or zero: for unsorted
    /// input, or input with zeros, use [`SparseVec::from_pairs`].
    pub fn new(indices: &'a [u32], values: &'a [f32]) -> Result<Self, SparseError> {
        check(indices, values)?;
        Ok(Self { indices, values })
    }

    /// For slices of arrays whose invariants were checked when the whole was made.
    pub(crate) fn from_checked(indices: &'a [u32], values: &'a [f32]) -> Self {
        debug_assert!(check(indices, values).is_ok());
        Self { indices, values }
    }

    /// The indices, strictly rising.
    #[must_use]
    pub fn indices(&self) -> &'a [u32] {
        self.indices
    }

    /// The values, one for each index.
    #[must_use]
    pub fn values(&self) -> &'a [f32] {
        self.values
    }

    /// Number of stored entries.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether nothing is stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The stored entries, by rising index.
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + use<'a> {
        self.indices
            .iter()
            .copied()
            .zip(self.values.iter().copied())
    }

    /// Euclidean norm, squares summed in index order in `f64`.
    #[must_use]
    pub fn norm(&self) -> f64 {
        crate::float::sqrt(
            self.values
                .iter()
                .map(|&v| f64::from(v) * f64::from(v))
                .sum(),
        )
    }

    /// An owned copy.
    #[must_use]
    pub fn to_owned(&self) -> SparseVec {
        SparseVec {
            indices: self.indices.to_vec(),
            values: self.values.to_vec(),
        }
    }
}

fn check(indices: &[u32], values: &[f32]) -> Result<(), SparseError> {
    if indices.len() != values.len() {
        return Err(SparseError::LengthsDiffer {
            indices: indices.len(),
            values: values.len(),
        });
    }
    if let Some(at) = indices.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (previous, index) = (indices[at], indices[at + 1]);
        return Err(SparseError::NotRising {
            position: at + 1,
            previous,
            index,
        });
    }
    match values.iter().position(|v| !v.is_finite() || *v == 0.0) {
        Some(position) if values[position] == 0.0 => Err(SparseError::Zero { position }),
        Some(position) => Err(SparseError::NotFinite {
            position,
            value: values[position],
        }),
        None => Ok(()),
    }
}

/// An owned sparse vector; see [`SparseView`] for its invariants.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseVec {
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl SparseVec {
    /// Makes a vector from pairs in any order: sorts them, adds up the values of equal indices
    /// (in the given order) and leaves out zeros.
    ///
    /// ```
    /// use hapax_core::sparse::SparseVec;
    /// let x = SparseVec::from_pairs([(7, 1.0), (2, 3.0), (7, 0.5), (4, 0.0)])?;
    /// assert_eq!(x.view().indices(), [2, 7]);
    /// assert_eq!(x.view().values(), [3.0, 1.5]);
    /// # Ok::<(), hapax_core::sparse::SparseError>(())
    /// ```
    ///
    /// # Errors
    /// If a value, or the sum of values of one index, is NaN or infinite.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (u32, f32)>) -> Result<Self, SparseError> {
        let mut pairs: Vec<(u32, f32)> = pairs.into_iter().collect();
        pairs.sort_by_key(|&(index, _)| index);
        let mut merged = Self::default();
        for (index, value) in pairs {
            match merged.indices.last() {
                Some(&last) if last == index => {
                    if let Some(sum) = merged.values.last_mut() {
                        *sum += value;
                    }
                }
                _ => {
                    merged.indices.push(index);
                    merged.values.push(value);
                }
            }
        }
        merged.drop_zeros();
        check(&merged.indices, &merged.values)?;
        Ok(merged)
    }

    fn drop_zeros(&mut self) {
        let mut kept = 0;
        for at in 0..self.indices.len() {
            if self.values[at] != 0.0 {
                self.indices[kept] = self.indices[at];
                self.values[kept] = self.values[at];
                kept += 1;
            }
        }
        self.indices.truncate(kept);
        self.values.truncate(kept);
    }

    /// Forgets all entries; keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.indices.clear();
        self.values.clear();
    }

    /// Appends an entry behind the others; a zero is left out.
    ///
    /// # Errors
    /// If the index is not larger than the last one, or the value is NaN or infinite.
    pub(crate) fn push(&mut self, index: u32, value: f32) -> Result<(), SparseError> {
        let position = self.indices.len();
        if let Some(&previous) = self.indices.last()
            && previous >= index
        {
            return Err(SparseError::NotRising {
                position,
                previous,
                index,
            });
        }
        if !value.is_finite() {
            return Err(SparseError::NotFinite { position, value });
        }
        if value != 0.0 {
            self.indices.push(index);
            self.values.push(value);
        }
        Ok(())
    }

    /// Borrows the vector.
    #[must_use]
    pub fn view(&self) -> SparseView<'_> {
        SparseView {
            indices: &self.indices,
            values: &self.values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SparseError, SparseVec, SparseView};

    #[test]
    fn each_rule_has_its_refusal() {
        assert_eq!(
            SparseView::new(&[1], &[]),
            Err(SparseError::LengthsDiffer {
                indices: 1,
                values: 0
            })
        );
        assert_eq!(
            SparseView::new(&[3, 3], &[1.0, 1.0]),
            Err(SparseError::NotRising {
                position: 1,
                previous: 3,
                index: 3
            })
        );
        assert!(matches!(
            SparseView::new(&[3], &[f32::NAN]),
            Err(SparseError::NotFinite { position: 0, .. })
        ));
        assert_eq!(
            SparseView::new(&[3], &[0.0]),
            Err(SparseError::Zero { position: 0 })
        );
        assert!(SparseVec::from_pairs([(1, f32::MAX), (1, f32::MAX)]).is_err());
    }

    #[test]
    fn norm_is_the_root_of_the_squares() {
        assert_eq!(SparseView::new(&[0, 9], &[3.0, -4.0]).unwrap().norm(), 5.0);
        assert_eq!(SparseView::default().norm(), 0.0);
    }
}
