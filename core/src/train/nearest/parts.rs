//! Nearest neighbors in parts: one stage, each part a range of rows, made ready for comparison. The
//! index is built when all are taken in: parts save little, for building it takes a second a
//! million rows; they are there so that this method goes the same way as the others.

use crate::model::nearest::{Nearest, conditioned::conditioned_rows};
use crate::parameters::NearestParameters;
use crate::{
    data::Dataset,
    executor::Executor,
    model::nearest::Index,
    sparse::{SparseRows, SparseVec},
    train::{
        TrainError,
        shards::{PartError, Parts, share},
        state::{StateError, read, same, write},
    },
};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

/// Training of nearest neighbors in parts.
pub struct NearestParts<'a> {
    parameters: NearestParameters,
    data: &'a Dataset,
    rows: Option<SparseRows>,
}

/// Rows one behind the other.
#[derive(Serialize, Deserialize)]
struct Rows<'a> {
    lengths: Vec<u32>,
    indices: Cow<'a, [u32]>,
    values: Cow<'a, [f32]>,
}

impl<'a> NearestParts<'a> {
    /// Begins training on `data`.
    ///
    /// # Errors
    /// Bad parameters and unusable data.
    pub fn new(parameters: NearestParameters, data: &'a Dataset) -> Result<Self, TrainError> {
        Nearest::check(&parameters, data)?;
        Ok(Self {
            parameters,
            data,
            rows: None,
        })
    }

    /// The classifier, when all parts were taken in.
    ///
    /// # Errors
    /// As [`Nearest::train`], and if parts are missing.
    pub fn finish(self, executor: &Executor) -> Result<Nearest, TrainError> {
        let rows = self.rows.ok_or(TrainError::Stopped)?;
        Nearest::of_rows(self.parameters, self.data, &rows, |rows| {
            Index::exact(rows, executor)
        })
    }
}

impl Parts for NearestParts<'_> {
    fn stages(&self) -> u32 {
        1
    }

    fn stage(&self) -> u32 {
        u32::from(self.rows.is_some())
    }

    fn cost(&self, part: usize, parts: usize) -> u64 {
        let rows = share(self.data.len(), part, parts);
        rows.map(|row| self.data.rows().row(row).len() as u64).sum()
    }

    fn part(
        &mut self,
        part: usize,
        parts: usize,
        _executor: &Executor,
    ) -> Result<Vec<u8>, PartError> {
        let numbers: Vec<usize> = share(self.data.len(), part, parts).collect();
        let rows = self.data.rows().select(&numbers);
        let rows = conditioned_rows(&rows, self.parameters.exponent);
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for row in rows.iter() {
            indices.extend_from_slice(row.indices());
            values.extend_from_slice(row.values());
        }
        let made = Rows {
            lengths: rows.iter().map(|row| row.len() as u32).collect(),
            indices: indices.into(),
            values: values.into(),
        };
        let mut bytes = Vec::new();
        write(&made, &mut |piece| bytes.extend_from_slice(piece))?;
        Ok(bytes)
    }

    fn take(&mut self, parts: &[&[u8]]) -> Result<(), PartError> {
        let mut rows = SparseRows::new(self.data.rows().features());
        let mut buffer = SparseVec::default();
        for bytes in parts {
            let Rows {
                lengths,
                indices,
                values,
            } = read(bytes)?;
            let sum: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
            same("values", indices.len(), sum as usize)?;
            same("values", values.len(), indices.len())?;
            let mut at = 0;
            for length in lengths {
                let end = at + length as usize;
                buffer.clear();
                for (&index, &value) in indices[at..end].iter().zip(&values[at..end]) {
                    buffer
                        .push(index, value)
                        .map_err(|_| StateError::Disordered {
                            what: "features of a row",
                        })?;
                }
                rows.push(buffer.view())
                    .map_err(|_| StateError::Disordered {
                        what: "features of a row",
                    })?;
                at = end;
            }
        }
        same("rows", rows.len(), self.data.len())?;
        self.rows = Some(rows);
        Ok(())
    }
}
