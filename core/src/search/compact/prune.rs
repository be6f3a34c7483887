//! What a compact index keeps of rows and of queries.

use super::{CompactError, CompactOptions};
use crate::{
    float,
    sparse::{SparseRows, order},
};
use alloc::vec::Vec;

/// The Euclidean norm of the values, squares summed in their order.
pub(super) fn norm(pairs: &[(u32, f32)]) -> f64 {
    float::sqrt(
        pairs
            .iter()
            .map(|&(_, value)| f64::from(value) * f64::from(value))
            .sum(),
    )
}

/// Chooses the weights to keep, row by row.
pub(super) struct Pruner<'a> {
    rows: &'a SparseRows,
    kept_feature: Vec<bool>,
    row_weights: usize,
    pairs: Vec<(u32, f32)>,
}

impl<'a> Pruner<'a> {
    pub(super) fn new(
        rows: &'a SparseRows,
        options: &CompactOptions,
    ) -> Result<Self, CompactError> {
        let limit = options.max_frequency(rows.len());
        let bytes = rows.frequency_bytes();
        let frequencies = rows.document_frequencies();
        let frequencies = frequencies.map_err(|_| CompactError::OutOfMemory { bytes })?;
        let mut kept_feature = Vec::new();
        kept_feature
            .try_reserve_exact(frequencies.len())
            .map_err(|_| CompactError::OutOfMemory { bytes: bytes / 4 })?;
        kept_feature.extend(frequencies.into_iter().map(|frequency| frequency <= limit));
        Ok(Self {
            rows,
            kept_feature,
            row_weights: usize::from(options.row_weights),
            pairs: Vec::new(),
        })
    }

    /// What is kept of a row, by rising feature.
    pub(super) fn row(&mut self, row: usize) -> &[(u32, f32)] {
        let kept_feature = &self.kept_feature;
        let kept = |index: u32| kept_feature.get(index as usize) == Some(&true);
        self.pairs.clear();
        self.pairs
            .extend(self.rows.row(row).iter().filter(|&(index, _)| kept(index)));
        if self.pairs.len() > self.row_weights {
            order::by_size(&mut self.pairs);
            self.pairs.truncate(self.row_weights);
            order::by_id(&mut self.pairs);
        }
        &self.pairs
    }
}

/// The kept weights of all rows, each divided by the norm of what is kept of its row.
pub(super) struct Pruned {
    /// Number of weights of each row.
    pub(super) counts: Vec<u8>,
    /// The features of the weights, rising within each row.
    pub(super) features: Vec<u32>,
    /// The weights.
    pub(super) values: Vec<f32>,
}

/// Prunes all rows.
pub(super) fn prune(rows: &SparseRows, options: &CompactOptions) -> Result<Pruned, CompactError> {
    let most = rows
        .nonzeros()
        .min(rows.len() * usize::from(options.row_weights));
    let bytes = rows.len() + 8 * most;
    let refused = |_| CompactError::OutOfMemory { bytes };
    let (mut counts, mut features, mut values) = (Vec::new(), Vec::new(), Vec::new());
    counts.try_reserve_exact(rows.len()).map_err(refused)?;
    features.try_reserve_exact(most).map_err(refused)?;
    values.try_reserve_exact(most).map_err(refused)?;
    let mut pruner = Pruner::new(rows, options)?;
    for row in 0..rows.len() {
        let pairs = pruner.row(row);
        let norm = norm(pairs);
        counts.push(pairs.len() as u8);
        for &(feature, value) in pairs {
            features.push(feature);
            values.push((f64::from(value) / norm) as f32);
        }
    }
    Ok(Pruned {
        counts,
        features,
        values,
    })
}
