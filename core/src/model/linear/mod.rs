//! The linear model: a weight for each pair of feature and label that matters.
//!
//! The score of label l for a row x is
//!
//! ```text
//! s_l = sum_l * scale_l * unit(x) + bias_l,      sum_l = sum_f round(w_lf q_f / 128)
//! ```
//!
//! with the row's transformed values rounded to 16-bit numbers `q` (`query`) and signed bytes `w`
//! (`sums`). The sum is one of whole numbers, so it has the same bits whatever the order, the
//! blocking and the machine. Weights may have 16 bits, too, with sums that lose nothing and take
//! longer (`wide`).
//!
//! Weights are stored by feature, a record of bytes each (`record`), about 2.2 bytes a weight with
//! 8 bits. [`LinearModel::predict`] walks the records as they are and needs 2 bytes of memory a
//! label. After [`LinearModel::prepare`] it asks a scorer (`scorer`) instead, which is about ten
//! times as fast, gives the same bits, and holds some bytes for each weight.

pub(crate) mod build;
pub(crate) mod compact;
pub(crate) mod contributions;
pub(crate) mod fused;
pub(crate) mod fused_embedding;
mod label_sums;
pub(crate) mod levels;
#[cfg(test)]
mod model_tests;
pub(crate) mod query;
pub(crate) mod record;
mod rules;
pub(crate) mod scorer;
mod trained;

use crate::parameters::RowTransform;
use crate::{
    array::Array,
    executor::Executor,
    kernels::{Kernels, Portable},
    search::{Scored, Top},
    sparse::{SparseRows, SparseView},
};
use alloc::{collections::TryReserveError, sync::Arc, vec::Vec};
pub use contributions::Contribution;
use core::fmt;
pub(crate) use fused::FusedNearest;
pub(crate) use fused_embedding::FusedEmbedding;
use label_sums::LabelSums;
use query::Query;
pub(crate) use rules::LinearError;
use rules::{MOST_UNIT, check};
pub(crate) use scorer::{LinearScorer, ScorerScratch};
pub use trained::Linear;

/// Linear scores for L labels over D features; see the module's text.
#[derive(Clone, Debug)]
pub struct LinearModel {
    parts: LinearParts,
    /// What queries are fast by, once it is made: shared by clones, part of no file.
    scorer: Option<Arc<LinearScorer>>,
}

/// Models are equal if their parts are.
impl PartialEq for LinearModel {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

/// What a linear model is made of, as a file holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearParts {
    /// What happens to rows first.
    pub transform: RowTransform,
    /// Bits of a stored weight: 4, 5, 6, 8 or 16.
    pub bits: u32,
    /// The bias of all labels, if `biases` is empty.
    pub bias: f32,
    /// For each label what a weight of 1 is worth; 0 for labels that were never seen in training,
    /// which score `f32::MIN`.
    pub scales: Array<f32>,
    /// The bias of each label, or empty.
    pub biases: Array<f32>,
    /// Where each feature's record starts in `records`, and where the last ends: D + 1 numbers.
    pub offsets: Array<u32>,
    /// The records.
    pub records: Array<u8>,
}

/// Memory for [`LinearModel::predict`], reused from row to row.
pub(crate) struct LinearScratch {
    query: Query,
    sums: LabelSums,
    top: Top,
    /// The scores of all labels, where another part adds to them.
    all: Vec<f32>,
    kernels: &'static dyn Kernels,
    /// For models that are prepared.
    fast: Option<ScorerScratch>,
}

impl LinearScratch {
    /// Memory for queries that run these kernels.
    #[must_use]
    pub fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            query: Query::default(),
            sums: LabelSums::default(),
            top: Top::default(),
            all: Vec::new(),
            kernels,
            fast: None,
        }
    }
}

impl Default for LinearScratch {
    fn default() -> Self {
        Self::new(&Portable)
    }
}

impl fmt::Debug for LinearScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinearScratch")
            .field("kernels", &self.kernels.processor().name())
            .finish_non_exhaustive()
    }
}

impl LinearModel {
    /// Checks the parts, every byte of them, and makes them a model.
    ///
    /// Cost: one pass over all weights.
    ///
    /// # Errors
    /// If they break a rule of [`LinearError`].
    pub(crate) fn from_parts(parts: LinearParts) -> Result<Self, LinearError> {
        check(&parts)?;
        Ok(Self::plain(parts))
    }

    /// For parts which keep the rules by the way they were made.
    pub(super) fn from_trusted(parts: LinearParts) -> Self {
        debug_assert_eq!(check(&parts), Ok(()));
        Self::plain(parts)
    }

    fn plain(parts: LinearParts) -> Self {
        Self {
            parts,
            scorer: None,
        }
    }

    /// Makes queries fast, and returns the bytes of memory that this takes.
    /// Scores stay the same to the bit. Done already, it costs nothing.
    ///
    /// # Errors
    /// If memory is lacking; the model stays as it is.
    pub fn prepare(&mut self) -> Result<usize, TryReserveError> {
        let scorer = match self.scorer.take() {
            Some(scorer) => scorer,
            None => Arc::new(LinearScorer::new(self)?),
        };
        Ok(self.scorer.insert(scorer).bytes())
    }

    /// The parts, for a file.
    #[must_use]
    pub fn parts(&self) -> &LinearParts {
        &self.parts
    }

    /// Number of labels L.
    #[must_use]
    pub(crate) fn labels(&self) -> u32 {
        self.parts.scales.len() as u32
    }

    /// Number of features D.
    #[must_use]
    pub(crate) fn features(&self) -> u32 {
        self.parts.offsets.len() as u32 - 1
    }

    /// The bias of label `label`: `f32::MIN` if it was never seen.
    ///
    /// # Panics
    /// If there is no such label.
    #[must_use]
    pub(crate) fn bias(&self, label: u32) -> f32 {
        let label = label as usize;
        if self.parts.scales[label] == 0.0 {
            f32::MIN
        } else {
            self.parts
                .biases
                .get(label)
                .copied()
                .unwrap_or(self.parts.bias)
        }
    }

    /// Hands every label with a weight for `feature`, and the weight, to `visit`. Where time does
    /// not matter, `&mut dyn FnMut` keeps the code small.
    pub(crate) fn visit(&self, feature: u32, visit: impl FnMut(u32, i16)) {
        let ends = self
            .parts
            .offsets
            .get(feature as usize..feature as usize + 2);
        if let Some(&[start, end]) = ends {
            // Checked when the model was made.
            let record = &self.parts.records[start as usize..end as usize];
            record::walk(record, self.parts.bits, visit);
        }
    }

    /// Number of stored weights of a feature.
    #[must_use]
    pub(crate) fn count(&self, feature: u32) -> usize {
        let ends = self
            .parts
            .offsets
            .get(feature as usize..feature as usize + 2);
        match ends {
            Some(&[start, end]) => {
                let record = &self.parts.records[start as usize..end as usize];
                record::count(record).unwrap_or(0) as usize
            }
            _ => 0,
        }
    }

    /// Number of stored weights.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        (0..self.features())
            .map(|feature| self.count(feature))
            .sum()
    }

    /// Bytes of the model's arrays, in a file as in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * (self.parts.scales.len() + self.parts.biases.len() + self.parts.offsets.len())
            + self.parts.records.len()
    }

    /// The `k` best labels for `row`, best first: all labels are scored.
    ///
    /// Cost: O(weights of the row's features + L), far less time a weight once the model is
    /// prepared; allocates nothing once `scratch` has grown.
    pub(crate) fn predict<'a>(
        &self,
        row: SparseView<'_>,
        k: usize,
        scratch: &'a mut LinearScratch,
    ) -> &'a [Scored] {
        if let Some(scorer) = &self.scorer {
            let fast = scratch.fast.get_or_insert_default();
            return scorer.predict(row, k, scratch.kernels, fast);
        }
        self.add_up(row, scratch);
        let LinearScratch {
            query, sums, top, ..
        } = scratch;
        top.reset(k);
        for (id, score) in self.scores(sums, query.unit).enumerate() {
            let id = id as u32;
            top.push(Scored { id, score });
        }
        top.sorted()
    }

    /// The `k` best labels (or all, if there are fewer) for each of `rows`, row by row, as a
    /// prepared model finds them: one that is not is prepared for this once, at 20 ns a weight.
    ///
    /// # Errors
    /// If memory for the fast form is lacking.
    pub fn predict_rows(
        &self,
        rows: &SparseRows,
        k: usize,
        kernels: &dyn Kernels,
        executor: &Executor,
    ) -> Result<Vec<Scored>, TryReserveError> {
        match &self.scorer {
            Some(scorer) => Ok(scorer.predict_rows(rows, k, kernels, executor)),
            None => Ok(LinearScorer::new(self)?.predict_rows(rows, k, kernels, executor)),
        }
    }

    /// Leaves the scores of all labels in `scratch.all`.
    fn score_all(&self, row: SparseView<'_>, scratch: &mut LinearScratch) {
        if let Some(scorer) = &self.scorer {
            let fast = scratch.fast.get_or_insert_default();
            return scorer.scores(row, scratch.kernels, fast, &mut scratch.all);
        }
        self.add_up(row, scratch);
        let LinearScratch {
            query, sums, all, ..
        } = scratch;
        all.clear();
        all.extend(self.scores(sums, query.unit));
    }

    /// Leaves the query and the sums of all labels in `scratch`.
    fn add_up(&self, row: SparseView<'_>, scratch: &mut LinearScratch) {
        let LinearScratch { query, sums, .. } = scratch;
        query.set(row, self.parts.transform, self.features());
        sums.add_up(self, query);
    }

    /// The scores of all labels by their sums.
    fn scores<'a>(&'a self, sums: &'a LabelSums, unit: f32) -> impl Iterator<Item = f32> + 'a {
        let scales = self.parts.scales.iter().enumerate();
        scales.map(move |(id, &scale)| sums.score(id, scale, self.bias(id as u32), unit))
    }
}
