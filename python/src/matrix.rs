//! Rows of SciPy's CSR form and of NumPy's arrays, read where they lie.

use super::errors::wrong;
use hapax::core::sparse::{SparseRows, SparseView};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Offsets of rows: SciPy has them in the type of its indices.
#[derive(FromPyObject)]
pub enum Offsets<'py> {
    /// Up to 2^31 stored values.
    Narrow(PyReadonlyArray1<'py, i32>),
    /// More.
    Wide(PyReadonlyArray1<'py, i64>),
}

/// Features of values.
#[derive(FromPyObject)]
pub enum Indices<'py> {
    /// Up to 2^31 features.
    Narrow(PyReadonlyArray1<'py, i32>),
    /// SciPy makes all arrays wide where one must be.
    Wide(PyReadonlyArray1<'py, i64>),
}

/// A matrix, values of `float32`.
#[derive(FromPyObject)]
pub enum Matrix<'py> {
    /// CSR: `(indptr, indices, data, features)`.
    Sparse((Offsets<'py>, Indices<'py>, PyReadonlyArray1<'py, f32>, u32)),
    /// Row after row, with zeros.
    Dense(PyReadonlyArray2<'py, f32>),
}

/// The arrays of a matrix, borrowed.
pub struct Rows<'a> {
    /// Where the values of each row begin, and those of the last one end.
    offsets: Vec<usize>,
    indices: Columns<'a>,
    values: &'a [f32],
    features: u32,
}

/// Which features values are of.
#[derive(Clone, Copy)]
enum Columns<'a> {
    /// A negative index is one beyond all features, and is refused with its row.
    Narrow(&'a [u32]),
    Wide(&'a [i64]),
    /// All, zeros among them.
    All,
}

/// Memory for a row whose arrays cannot be borrowed as they are.
#[derive(Default)]
pub struct RowScratch {
    indices: Vec<u32>,
    values: Vec<f32>,
}

fn narrow(what: &str, numbers: &[i64]) -> PyResult<Vec<u32>> {
    let small = |&number: &i64| {
        u32::try_from(number)
            .map_err(|_| wrong(format_args!("{what} {number} is no 32-bit number")))
    };
    numbers.iter().map(small).collect()
}

fn offset(number: i64) -> PyResult<usize> {
    usize::try_from(number).map_err(|_| {
        wrong(format_args!(
            "indptr holds {number}, but begins at 0 and rises"
        ))
    })
}

impl<'a> Rows<'a> {
    /// Borrows the arrays. Offsets are checked here; values and indices of a row by [`Rows::row`].
    pub fn new(matrix: &'a Matrix<'_>) -> PyResult<Self> {
        let (offsets, indices, values, features) = match matrix {
            Matrix::Sparse(arrays) => arrays,
            Matrix::Dense(array) => return Self::dense(array),
        };
        let offsets: Vec<usize> = match offsets {
            Offsets::Narrow(array) => {
                let numbers = array.as_slice()?.iter();
                numbers
                    .map(|&number| offset(i64::from(number)))
                    .collect::<PyResult<_>>()?
            }
            Offsets::Wide(array) => {
                let numbers = array.as_slice()?.iter();
                numbers
                    .map(|&number| offset(number))
                    .collect::<PyResult<_>>()?
            }
        };
        let (indices, count) = match indices {
            Indices::Narrow(array) => {
                let indices = array.as_slice()?;
                (
                    Columns::Narrow(bytemuck::cast_slice(indices)),
                    indices.len(),
                )
            }
            Indices::Wide(array) => {
                let indices = array.as_slice()?;
                (Columns::Wide(indices), indices.len())
            }
        };
        let values = values.as_slice()?;
        let rises = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = (offsets.first(), offsets.last());
        if !rises || ends != (Some(&0), Some(&values.len())) || count != values.len() {
            return Err(wrong(format_args!(
                "indptr must rise from 0 to the number of values, {}, of which there are as many \
                 as indices, {count}",
                values.len(),
            )));
        }
        Ok(Self {
            offsets,
            indices,
            values,
            features: *features,
        })
    }

    fn dense(array: &'a PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        let &[rows, columns] = array.shape() else {
            return Err(wrong("a matrix has two dimensions"));
        };
        let features = u32::try_from(columns).map_err(wrong)?;
        Ok(Self {
            offsets: (0..=rows).map(|row| row * columns).collect(),
            indices: Columns::All,
            values: array.as_slice()?,
            features,
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A row, checked; the error names it.
    pub fn row<'s>(
        &'s self,
        row: usize,
        scratch: &'s mut RowScratch,
    ) -> Result<SparseView<'s>, String> {
        let range = self.offsets[row]..self.offsets[row + 1];
        let values = &self.values[range.clone()];
        let RowScratch {
            indices,
            values: stored,
        } = scratch;
        indices.clear();
        let view = match self.indices {
            Columns::Narrow(all) => SparseView::new(&all[range], values),
            Columns::Wide(all) => {
                for &index in &all[range] {
                    let narrow = u32::try_from(index);
                    indices
                        .push(narrow.map_err(|_| {
                            format!("row {row}: index {index} is no 32-bit number")
                        })?);
                }
                SparseView::new(indices, values)
            }
            Columns::All => {
                stored.clear();
                for (index, &value) in (0..).zip(values).filter(|(_, value)| **value != 0.0) {
                    indices.push(index);
                    stored.push(value);
                }
                SparseView::new(indices, stored)
            }
        };
        let view = view.map_err(|error| format!("row {row}: {error}"))?;
        match view.indices().last() {
            Some(&index) if index >= self.features => Err(format!(
                "row {row}: index {index} is not below the number of features, {}",
                self.features
            )),
            _ => Ok(view),
        }
    }

    /// The same rows, copied for training.
    pub fn to_rows(&self) -> PyResult<SparseRows> {
        let count = match self.indices {
            Columns::All => self.values.iter().filter(|&&value| value != 0.0).count(),
            Columns::Narrow(_) | Columns::Wide(_) => self.values.len(),
        };
        let mut offsets = Vec::with_capacity(self.offsets.len());
        let (mut indices, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut scratch = RowScratch::default();
        offsets.push(0);
        for row in 0..self.len() {
            let row = self.row(row, &mut scratch).map_err(wrong)?;
            indices.extend_from_slice(row.indices());
            values.extend_from_slice(row.values());
            offsets.push(indices.len());
        }
        SparseRows::from_parts(offsets, indices, values, self.features).map_err(wrong)
    }
}

/// The label ids of rows: `(offsets, ids)`.
pub type LabelArrays<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>);

/// Offsets and ids, each number in range.
pub fn labels(arrays: &LabelArrays<'_>) -> PyResult<(Vec<u32>, Vec<u32>)> {
    let (offsets, ids) = arrays;
    if offsets.is_empty() {
        return Err(wrong("there are no rows of labels"));
    }
    Ok((
        narrow("offset", offsets.as_slice()?)?,
        narrow("label", ids.as_slice()?)?,
    ))
}
