//! Rows of SciPy's CSR form, read where they lie.

use super::errors::wrong;
use hapax::core::sparse::{SparseRows, SparseView};
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
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
    /// Up to 2^31 features: read in place.
    Narrow(PyReadonlyArray1<'py, i32>),
    /// SciPy makes all arrays wide where one must be: these are copied.
    Wide(PyReadonlyArray1<'py, i64>),
}

/// A CSR matrix: `(indptr, indices, data, features)`, values of `float32`.
pub type Arrays<'py> = (Offsets<'py>, Indices<'py>, PyReadonlyArray1<'py, f32>, u32);

/// The arrays of a matrix, borrowed.
pub struct Rows<'a> {
    offsets: Vec<usize>,
    indices: std::borrow::Cow<'a, [u32]>,
    values: &'a [f32],
    features: u32,
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
    pub fn new(arrays: &'a Arrays<'_>) -> PyResult<Self> {
        let (offsets, indices, values, features) = arrays;
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
        let indices = match indices {
            // A negative index becomes one beyond all features, and is refused with its row.
            Indices::Narrow(array) => {
                std::borrow::Cow::Borrowed(bytemuck::cast_slice(array.as_slice()?))
            }
            Indices::Wide(array) => narrow("index", array.as_slice()?)?.into(),
        };
        let values = values.as_slice()?;
        let rises = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = (offsets.first(), offsets.last());
        if !rises || ends != (Some(&0), Some(&values.len())) || indices.len() != values.len() {
            return Err(wrong(format_args!(
                "indptr must rise from 0 to the number of values, {}, of which there are as many \
                 as indices, {}",
                values.len(),
                indices.len()
            )));
        }
        Ok(Self {
            offsets,
            indices,
            values,
            features: *features,
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A row, checked; the error names it.
    pub fn row(&self, row: usize) -> Result<SparseView<'_>, String> {
        let (start, end) = (self.offsets[row], self.offsets[row + 1]);
        let view = SparseView::new(&self.indices[start..end], &self.values[start..end]);
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
        for row in 0..self.len() {
            self.row(row).map_err(wrong)?;
        }
        let (indices, values) = (self.indices.to_vec(), self.values.to_vec());
        SparseRows::from_parts(self.offsets.clone(), indices, values, self.features).map_err(wrong)
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
