//! Dense data in NumPy's `.npy` files: rows of features, and the labels of rows.
//!
//! [`rows`] turns a two-dimensional array into rows, [`labels`] an array of labels into the labels
//! of each row: whole numbers, one a row, or a line of zeros and ones over all labels for each row.
//! Types are floats of 4 or 8 bytes, whole numbers of 1 to 8, and truth values, of either byte
//! order; arrays are in C or in Fortran order. The grammar of the header stands in [`header`].
//! Any bytes give data or an [`NpyError`], and nothing is allocated on the word of a header:
//! lengths are compared with the file first.
//!
//! Rows are held as all others are, zeros left out: 8 bytes a value. Memory beside the bytes: the
//! result.

mod error;
pub mod header;

pub use error::NpyError;
use hapax_core::{
    data::{LabelLists, Names, named_labels},
    sparse::SparseRows,
};
use header::{Header, Kind};

/// How a `.npy` file begins.
pub const MARK: &[u8] = b"\x93NUMPY";

/// An array within the bytes of a file, its length checked.
struct Array<'a> {
    header: Header,
    data: &'a [u8],
    rows: usize,
    columns: usize,
}

/// A number of an array.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Whole(i128),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Self::Float(value) => value,
            Self::Whole(value) => value as f64,
        }
    }

    /// The number if it is whole and exact.
    fn whole(self) -> Option<i128> {
        match self {
            Self::Whole(value) => Some(value),
            // Whole floats up to 2^53 are exact.
            Self::Float(value)
                if value.trunc() == value && value.abs() <= 9_007_199_254_740_992.0 =>
            {
                Some(value as i128)
            }
            Self::Float(_) => None,
        }
    }
}

impl<'a> Array<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, NpyError> {
        let (header, start) = Header::read(bytes)?;
        let (rows, columns) = match header.shape[..] {
            [rows] => (rows, 1),
            [rows, columns] => (rows, columns),
            _ => {
                return Err(NpyError::Dimensions {
                    found: header.shape.len(),
                });
            }
        };
        let size = header.kind.size() as u64;
        let count = rows
            .checked_mul(columns)
            .and_then(|count| count.checked_mul(size));
        let (count, found) = (count.ok_or(NpyError::TooLarge)?, bytes.len() - start);
        if count != found as u64 {
            return Err(NpyError::Length {
                expected: count,
                found: found as u64,
            });
        }
        if count == 0 {
            return Err(NpyError::Empty);
        }
        // Both are at most the length of the bytes now.
        let (rows, columns) = (rows as usize, columns as usize);
        Ok(Self {
            header,
            data: &bytes[start..],
            rows,
            columns,
        })
    }

    fn number(&self, row: usize, column: usize) -> Number {
        let size = self.header.kind.size();
        let place = match self.header.by_columns {
            true => column * self.rows + row,
            false => row * self.columns + column,
        };
        let at = place * size;
        let mut bytes = [0u8; 8];
        // Little-endian, in the lower bytes.
        for (place, byte) in bytes.iter_mut().take(size).enumerate() {
            let from = if self.header.big {
                size - 1 - place
            } else {
                place
            };
            *byte = self.data[at + from];
        }
        let bits = u64::from_le_bytes(bytes);
        match self.header.kind {
            Kind::Float if size == 4 => Number::Float(f32::from_bits(bits as u32).into()),
            Kind::Float | Kind::Double => Number::Float(f64::from_bits(bits)),
            Kind::Truth => Number::Whole(i128::from(bits != 0)),
            Kind::Unsigned(_) => Number::Whole(bits.into()),
            Kind::Signed(_) => {
                let unused = 64 - 8 * size as u32;
                Number::Whole(((bits << unused) as i64 >> unused).into())
            }
        }
    }
}

/// The rows of a two-dimensional array: N rows of D features.
///
/// ```
/// let mut file = b"\x93NUMPY\x01\x00\x3c\x00".to_vec();
/// file.extend(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n");
/// for value in [1.0f32, 0.0, 2.0, 0.0, 3.0, 0.5] {
///     file.extend(value.to_le_bytes());
/// }
/// let rows = hapax::npy::rows(&file)?;
/// assert_eq!((rows.len(), rows.features()), (2, 3));
/// assert_eq!(rows.row(0).indices(), [0, 2]);
/// # Ok::<(), hapax::npy::NpyError>(())
/// ```
///
/// # Errors
/// If the bytes are no such array, or a value is not finite in f32: the first in the order of rows.
pub fn rows(bytes: &[u8]) -> Result<SparseRows, NpyError> {
    let array = Array::read(bytes)?;
    let (&[_, _], Ok(features)) = (&array.header.shape[..], u32::try_from(array.columns)) else {
        let found = array.header.shape.len();
        return Err(if found == 2 {
            NpyError::TooLarge
        } else {
            NpyError::Dimensions { found }
        });
    };
    let (mut indices, mut values, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
    let lacking = |_| NpyError::OutOfMemory;
    let mut stored = 0usize;
    for row in 0..array.rows {
        for column in 0..array.columns {
            let value = array.number(row, column).float();
            if !(value as f32).is_finite() {
                return Err(NpyError::NotFinite {
                    row: row + 1,
                    column: column + 1,
                    value,
                });
            }
            stored += usize::from(value as f32 != 0.0);
        }
    }
    indices.try_reserve_exact(stored).map_err(lacking)?;
    values.try_reserve_exact(stored).map_err(lacking)?;
    offsets.try_reserve_exact(array.rows + 1).map_err(lacking)?;
    offsets.push(0);
    for row in 0..array.rows {
        for column in 0..features {
            let value = array.number(row, column as usize).float() as f32;
            if value != 0.0 {
                indices.push(column);
                values.push(value);
            }
        }
        offsets.push(indices.len());
    }
    // Every rule that this checks is kept above.
    SparseRows::from_parts(offsets, indices, values, features).map_err(|_| NpyError::TooLarge)
}

/// The labels of rows, by name: a whole number for each row, or a line of zeros and ones for each,
/// whose columns are the labels. With `known`, the labels of training, names keep their ids; else
/// ids follow the order of the numbers.
///
/// # Errors
/// If the bytes are no such array.
pub fn labels(bytes: &[u8], known: Option<&Names>) -> Result<(LabelLists, Names), NpyError> {
    let array = Array::read(bytes)?;
    let several = array.header.shape.len() == 2;
    let mut lists: Vec<Vec<String>> = Vec::new();
    lists
        .try_reserve_exact(array.rows)
        .map_err(|_| NpyError::OutOfMemory)?;
    for row in 0..array.rows {
        let mut list = Vec::new();
        for column in 0..array.columns {
            let number = array.number(row, column);
            match (several, number.whole()) {
                (false, Some(label)) => list.push(label.to_string()),
                (true, Some(0)) => {}
                (true, Some(1)) => list.push(column.to_string()),
                (true, _) => {
                    let value = number.float();
                    return Err(NpyError::NotTruth {
                        row: row + 1,
                        column: column + 1,
                        value,
                    });
                }
                (false, None) => {
                    return Err(NpyError::NotWhole {
                        row: row + 1,
                        value: number.float(),
                    });
                }
            }
        }
        lists.push(list);
    }
    named_labels(lists, known).map_err(|_| NpyError::TooLarge)
}

#[cfg(test)]
mod tests;
