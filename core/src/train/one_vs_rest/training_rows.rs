//! The rows of a data set made ready for training: transformed, renumbered, packed.

use super::packed_rows::{FeatureOrder, PackedRows};
use crate::parameters::one_vs_rest::OneVsRest;
use crate::{data::Dataset, executor::Executor, sparse::SparseRows, train::TrainError};
use alloc::vec::Vec;

/// Rows of one job of packing.
const JOB: usize = 256;

/// Jobs between which packed rows are moved to their place: what waits is a small part of all.
const BATCH: usize = 32;

/// All rows, packed in full and perhaps short.
#[derive(Debug)]
pub struct TrainingRows {
    /// How features are numbered here.
    pub order: FeatureOrder,
    /// Rows with all their values.
    pub full: PackedRows,
    /// Rows with their largest values only; empty if that is all of them.
    pub short: PackedRows,
}

impl TrainingRows {
    /// Packs the rows of `data`; short ones, too, if `with_short` and any row has more values than
    /// [`OneVsRest::short_terms`].
    ///
    /// Cost: a sort of each row.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn new(
        parameters: &OneVsRest,
        data: &Dataset,
        with_short: bool,
        executor: &Executor,
    ) -> Result<Self, TrainError> {
        let rows = data.rows();
        let most = parameters.short_terms as usize;
        let longest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        let with_short = with_short && longest > most;
        let bytes = FeatureOrder::bytes(rows);
        let order = FeatureOrder::new(rows).map_err(|_| TrainError::OutOfMemory { bytes })?;
        let (mut full, mut short) = (PackedRows::default(), PackedRows::default());
        full.reserve(rows.iter().map(|row| row.len()))?;
        if with_short {
            short.reserve(rows.iter().map(|row| row.len().min(most)))?;
        }
        let jobs = rows.len().div_ceil(JOB);
        for first in (0..jobs).step_by(BATCH) {
            let batch = executor.map(
                BATCH.min(jobs - first),
                || (),
                |(), job| {
                    let start = (first + job) * JOB;
                    let range = start..(start + JOB).min(rows.len());
                    pack(parameters, rows, range, &order, with_short)
                },
            );
            for (part, short_part) in batch {
                full.append(&part)?;
                short.append(&short_part)?;
            }
        }
        Ok(Self { order, full, short })
    }

    /// The rows of all rounds but the last: short ones, where there are any.
    #[must_use]
    pub(crate) fn early(&self) -> &PackedRows {
        match self.short.is_empty() {
            true => &self.full,
            false => &self.short,
        }
    }

    /// Bytes held.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let order = self.order.rank.len() + self.order.feature.len();
        self.full.bytes() + self.short.bytes() + 4 * order
    }
}

fn pack(
    parameters: &OneVsRest,
    rows: &SparseRows,
    range: core::ops::Range<usize>,
    order: &FeatureOrder,
    with_short: bool,
) -> (PackedRows, PackedRows) {
    let (mut full, mut short) = (PackedRows::default(), PackedRows::default());
    let (mut values, mut terms) = (Vec::new(), Vec::new());
    for row in range.map(|row| rows.row(row)) {
        values.clear();
        parameters.transform().apply(row, &mut values);
        let ranks = row.indices().iter().map(|&id| order.rank[id as usize]);
        terms.clear();
        terms.extend(ranks.zip(values.iter().copied()));
        full.push(&mut terms, usize::MAX);
        if with_short {
            short.push(&mut terms, parameters.short_terms as usize);
        }
    }
    (full, short)
}
