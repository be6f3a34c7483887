//! Building a compact index.
//!
//! Rows are pruned, their values normalized and rounded, and the postings brought into the order of
//! features by counting; then every list is written at its best width. Cost: one selection for each
//! row and a few passes over the kept weights; memory: 21 bytes a kept weight beside the index.

use super::{
    Codebook, CompactError, CompactIndex, CompactOptions,
    blocks::BlocksWriter,
    estimate,
    prune::{Pruned, prune},
    words::{Lengths, encode},
};
use crate::sparse::SparseRows;
use alloc::{vec, vec::Vec};

impl CompactIndex {
    /// Builds the index of `rows`.
    ///
    /// # Errors
    /// If an option is out of range, there are more rows than 32-bit ids, the postings exceed
    /// 4 GiB, or memory is refused.
    pub(crate) fn build(rows: &SparseRows, options: &CompactOptions) -> Result<Self, CompactError> {
        let bytes = estimate::posting_bytes(rows, options)?;
        let postings = u32::try_from(bytes).map_err(|_| CompactError::TooLarge { bytes })? as usize;
        let pruned = prune(rows, options)?;
        let codebook = fit_codebook(&pruned, options)?;
        let columns = Columns::new(&pruned, &codebook, rows.features())?;
        let mut writer = BlocksWriter::with_capacity(rows.features(), postings)?;
        for feature in 0..rows.features() as usize {
            let list = || columns.list(feature);
            let mut lengths = Lengths::default();
            list().for_each(|(row, _)| lengths.add(row, options.bits));
            let (width, words) = lengths.best();
            writer.push(words, width, |out| {
                encode(list(), width, options.bits, out);
            });
        }
        Ok(Self {
            bits: options.bits,
            query_features: options.query_features,
            codebook,
            counts: pruned.counts.into(),
            blocks: writer.finish(),
        })
    }
}

fn fit_codebook(pruned: &Pruned, options: &CompactOptions) -> Result<Codebook, CompactError> {
    let mut values = Vec::new();
    values
        .try_reserve_exact(pruned.values.len())
        .map_err(|_| CompactError::OutOfMemory {
            bytes: 4 * pruned.values.len(),
        })?;
    values.extend_from_slice(&pruned.values);
    let longest = pruned.counts.iter().copied().max().unwrap_or(1);
    Ok(Codebook::fit(&values, longest.into(), options.bits))
}

/// Rows and codes of all postings, feature by feature.
struct Columns {
    starts: Vec<usize>,
    rows: Vec<u32>,
    codes: Vec<u8>,
}

impl Columns {
    fn new(pruned: &Pruned, codebook: &Codebook, features: u32) -> Result<Self, CompactError> {
        let total = pruned.features.len();
        let refused = |_| CompactError::OutOfMemory { bytes: 5 * total };
        let mut rows = Vec::new();
        rows.try_reserve_exact(total).map_err(refused)?;
        rows.resize(total, 0u32);
        let mut codes = Vec::new();
        codes.try_reserve_exact(total).map_err(refused)?;
        codes.resize(total, 0u8);
        let mut starts = vec![0usize; features as usize + 1];
        for &feature in &pruned.features {
            starts[feature as usize + 1] += 1;
        }
        for feature in 0..features as usize {
            starts[feature + 1] += starts[feature];
        }
        let mut next = starts.clone();
        let encoder = codebook.encoder();
        let mut weights = pruned.features.iter().zip(&pruned.values);
        for (row, &count) in (0..).zip(&pruned.counts) {
            for (&feature, &value) in weights.by_ref().take(count.into()) {
                let at = &mut next[feature as usize];
                rows[*at] = row;
                codes[*at] = encoder.code(value);
                *at += 1;
            }
        }
        Ok(Self {
            starts,
            rows,
            codes,
        })
    }

    fn list(&self, feature: usize) -> impl Iterator<Item = (u32, u8)> {
        let range = self.starts[feature]..self.starts[feature + 1];
        let rows = self.rows[range.clone()].iter().copied();
        rows.zip(self.codes[range].iter().copied())
    }
}
