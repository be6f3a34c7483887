//! The training rows as they are embedded: transformed once, and those known that nothing can be
//! learned from.

use crate::{
    data::Dataset,
    parameters::RowTransform,
    train::{TrainError, check_data, error::array},
};
use alloc::vec::Vec;

/// Transformed values of all rows. Memory: 4 bytes a stored value, 9 a row.
#[derive(Clone, Debug)]
pub struct Rows {
    starts: Vec<usize>,
    values: Vec<f32>,
    usable: Vec<bool>,
    mean: f64,
}

impl Rows {
    /// Transforms the rows of `data`.
    ///
    /// A row without features teaches nothing, nor does one without labels, nor one that carries
    /// every label, for no class could violate its margin.
    ///
    /// # Errors
    /// If no row is left, there are fewer than two labels, or memory is lacking.
    pub(crate) fn new(data: &Dataset, transform: RowTransform) -> Result<Self, TrainError> {
        check_data(data)?;
        let classes = data.labels().labels();
        if classes < 2 {
            return Err(TrainError::TooFewLabels {
                labels: u64::from(classes),
            });
        }
        let mut starts = array(data.len() + 1, 0)?;
        let mut usable = array(data.len(), false)?;
        let mut values: Vec<f32> = array(data.rows().nonzeros(), 0.0)?;
        values.clear();
        let (mut rows, mut stored) = (0u64, 0u64);
        for (at, (row, labels)) in data.rows().iter().zip(data.labels().iter()).enumerate() {
            transform.apply(row, &mut values);
            starts[at + 1] = values.len();
            usable[at] = !row.is_empty() && !labels.is_empty() && labels.len() < classes as usize;
            rows += u64::from(usable[at]);
            stored += if usable[at] { row.len() as u64 } else { 0 };
        }
        if rows == 0 {
            return Err(TrainError::NoNegatives);
        }
        Ok(Self {
            starts,
            values,
            usable,
            mean: stored as f64 / rows as f64,
        })
    }

    /// The features of a row of `data`, and their transformed values.
    #[must_use]
    pub(crate) fn row<'a>(&'a self, data: &'a Dataset, row: usize) -> (&'a [u32], &'a [f32]) {
        let values = &self.values[self.starts[row]..self.starts[row + 1]];
        (data.rows().row(row).indices(), values)
    }

    /// How many rows there are.
    #[must_use]
    pub(crate) fn count(&self) -> usize {
        self.usable.len()
    }

    /// Whether the row can be learned from.
    #[must_use]
    pub(crate) fn usable(&self, row: usize) -> bool {
        self.usable[row]
    }

    /// How many values a usable row stores on average.
    #[must_use]
    pub(crate) fn mean_values(&self) -> f64 {
        self.mean
    }

    /// Bytes held.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        8 * self.starts.capacity() + 4 * self.values.capacity() + self.usable.capacity()
    }
}
