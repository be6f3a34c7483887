//! Sparse weighted nearest neighbors.
//!
//! # Problem
//! Given N rows with sparse features and labels, score the labels of a query `x`:
//!
//! ```text
//! Sim(x, x_i) = J(x, x_i)^beta * cos(x, x_i)       J = shared / united stored features
//! score(l)    = sum of Sim(x, x_i)^alpha over the S most similar rows i, Sim > 0, that carry l
//! ```
//!
//! The rows are ranked by similarity, then by smaller id; the labels by score, then by smaller id.
//! Similarities are without unit, at most 1; a label no neighbor carries has no score.
//!
//! # Cost
//! Training only builds the index, O(stored values). A query costs what its search
//! costs ([`crate::search`]), then O(S) for the votes. Learning a row is O(its values); each row
//! learned since the last folding adds one comparison to every query.
//!
//! # Source
//! T. Aoshima, K. Kobayashi, M. Minami: Revisiting the Vector Space Model: Sparse Weighted
//! Nearest-Neighbor Method for Extreme Multi-Label Classification, 2018, equations of section 3.
//! The paper's worked example does not come out as printed for alpha = beta = 1: the tests hold the
//! right numbers.

pub(crate) mod changes;
pub(crate) mod conditioned;
mod evidence;
pub(crate) mod index;
mod learn;
mod share;
#[cfg(test)]
mod tests;
pub(crate) mod votes;

pub use evidence::{Evidence, SharedFeature};

use crate::{
    array::Array,
    kernels::Kernels,
    model::ModelError,
    parameters::NearestParameters,
    search::{Scored, compact::CompactLabels, neighbors::Similarity, rank},
    sparse::{SparseVec, SparseView},
};
use alloc::vec::Vec;
use changes::Changes;
use conditioned::condition;
pub(crate) use index::Index;
use index::IndexScratch;
use votes::{Votes, vote};

/// A nearest-neighbor classifier; see the module's text.
///
/// Inside, a row is known by its *slot*: its position in the index, or behind them all its place
/// among the rows learned since. Slots rise with ids, so ties fall the same way in both.
#[derive(Clone, Debug)]
pub struct Nearest {
    pub(crate) parameters: NearestParameters,
    pub(crate) similarity: Similarity,
    /// The rows that were there when the index was built.
    pub(crate) index: Index,
    /// Their labels.
    pub(crate) labels: CompactLabels,
    /// Their ids, rising; empty where a row's id is its position.
    pub(crate) ids: Array<u32>,
    /// What happened since.
    pub(crate) changes: Changes,
}

/// The memory that queries need, owned by the caller and reused: a warm query allocates nothing.
#[derive(Debug, Default)]
pub struct NearestScratch {
    query: SparseVec,
    index: IndexScratch,
    neighbors: Vec<Scored>,
    votes: Votes,
}

impl NearestScratch {
    /// Scratch memory whose searches run these kernels.
    #[must_use]
    pub fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            query: SparseVec::default(),
            index: IndexScratch::new(kernels),
            neighbors: Vec::new(),
            votes: Votes::default(),
        }
    }

    /// How many words of posting lists the last search of a compact index read.
    pub(crate) fn words_read(&self) -> usize {
        self.index.words_read()
    }
}

impl Nearest {
    /// What the user chose.
    #[must_use]
    pub fn parameters(&self) -> NearestParameters {
        self.parameters
    }

    /// Number of rows that can be neighbors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len() + self.changes.added().len() - self.changes.removed()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the index and the label lists in a file, padding apart.
    #[cfg(test)]
    pub(crate) fn stored_bytes(&self) -> u64 {
        (self.index.bytes() + self.labels.bytes() + 4 * self.ids.len()) as u64
    }

    /// What the rows are kept in, in words.
    #[must_use]
    pub fn index_name(&self) -> &'static str {
        match self.index {
            Index::Exact(_) => "exact",
            Index::Compact(_) => "compact: pruned and rounded",
        }
    }

    /// What a model file stores: index, labels, ids and the id of the next row.
    pub(crate) fn stored(&self) -> (&Index, &CompactLabels, &Array<u32>, u32) {
        (&self.index, &self.labels, &self.ids, self.changes.next_id())
    }

    /// A model from what a file stored, each part sound by itself; `None` if they do not fit each
    /// other.
    pub(crate) fn from_stored(
        parameters: NearestParameters,
        index: Index,
        labels: CompactLabels,
        ids: Array<u32>,
        next_id: u32,
    ) -> Option<Self> {
        parameters.check().ok()?;
        let similarity = parameters.similarity().ok()?;
        let rising = ids.windows(2).all(|pair| pair[0] < pair[1]);
        let positions = ids.is_empty() || ids.len() == index.len();
        let largest = ids
            .last()
            .copied()
            .or((index.len() as u32).checked_sub(1))?;
        let fits = rising && positions && labels.rows() == index.len() && next_id > largest;
        let changes = Changes::new(next_id);
        fits.then_some(Self {
            parameters,
            similarity,
            index,
            labels,
            ids,
            changes,
        })
    }

    /// How many rows carry each of `labels` labels.
    pub(crate) fn label_frequencies(&self, labels: usize) -> Result<Vec<u32>, ModelError> {
        let mut counts = Vec::new();
        let bytes = labels as u64 * 4;
        let reserved = counts.try_reserve_exact(labels);
        reserved.map_err(|_| ModelError::OutOfMemory { bytes })?;
        counts.resize(labels, 0u32);
        let mut count = |label: u32| {
            if let Some(count) = counts.get_mut(label as usize) {
                *count += 1;
            }
        };
        let indexed = (0..self.index.len()).filter(|&position| !self.changes.is_removed(position));
        let added = 0..self.changes.added().len();
        for slot in indexed.chain(added.map(|at| self.index.len() + at)) {
            self.for_each_label(slot as u32, &mut count);
        }
        Ok(counts)
    }

    /// The ids of the most similar rows and their similarities, most similar first.
    ///
    /// Indices beyond the training data's features are allowed; they match nothing but count as
    /// features of the query.
    pub fn neighbors<'s>(
        &self,
        query: SparseView<'_>,
        scratch: &'s mut NearestScratch,
    ) -> Result<&'s [Scored], ModelError> {
        self.find(query, scratch)?;
        for neighbor in &mut scratch.neighbors {
            neighbor.id = self.id(neighbor.id);
        }
        Ok(&scratch.neighbors)
    }

    /// Fills `scratch.neighbors` with the slots of the most similar rows.
    fn find(&self, query: SparseView<'_>, scratch: &mut NearestScratch) -> Result<(), ModelError> {
        let NearestParameters {
            neighbors: wanted,
            exponent,
            ..
        } = self.parameters;
        condition(query, exponent, &mut scratch.query);
        let query = scratch.query.view();
        let removed = self.changes.removed_bits();
        let similarity = self.similarity;
        let wanted = wanted as usize;
        let indexed = self
            .index
            .search(query, wanted, similarity, removed, &mut scratch.index)?;
        let neighbors = &mut scratch.neighbors;
        neighbors.clear();
        neighbors.extend_from_slice(indexed);
        self.changes
            .search(query, similarity, self.index.len(), neighbors);
        neighbors.sort_unstable_by(rank);
        neighbors.truncate(wanted);
        Ok(())
    }

    /// The `k` labels with the highest scores, best first: fewer where the neighbors carry fewer.
    pub(crate) fn predict<'s>(
        &self,
        query: SparseView<'_>,
        k: usize,
        scratch: &'s mut NearestScratch,
    ) -> Result<&'s [Scored], ModelError> {
        self.find(query, scratch)?;
        Ok(self.voted(self.parameters.alpha, k, scratch))
    }

    /// As [`Nearest::predict`], once for each of these exponents of votes: `answered` hears of its
    /// place and of the answers. The search is one.
    pub(crate) fn predict_by(
        &self,
        alphas: &[f64],
        query: SparseView<'_>,
        k: usize,
        scratch: &mut NearestScratch,
        answered: &mut dyn FnMut(usize, &[Scored]),
    ) -> Result<(), ModelError> {
        self.find(query, scratch)?;
        let ways = alphas.iter().enumerate();
        ways.for_each(|(at, &alpha)| answered(at, self.voted(alpha, k, scratch)));
        Ok(())
    }

    /// The `k` labels for which the neighbors that were found vote.
    fn voted<'s>(&self, alpha: f64, k: usize, scratch: &'s mut NearestScratch) -> &'s [Scored] {
        self.cast(alpha, scratch);
        scratch.votes.best(k)
    }

    /// Casts the votes of the neighbors that were found; their sum.
    fn cast(&self, alpha: f64, scratch: &mut NearestScratch) -> f64 {
        let NearestScratch {
            neighbors, votes, ..
        } = scratch;
        let mut total = 0.0;
        for neighbor in neighbors.iter() {
            let vote = vote(neighbor.score, alpha);
            total += vote;
            self.for_each_label(neighbor.id, |label| votes.cast(vote, label));
        }
        total
    }

    /// Where slot `slot` is kept: `Ok` with its position in the index, or `Err` with its place
    /// among the rows learned since.
    fn place(&self, slot: u32) -> Result<usize, usize> {
        let slot = slot as usize;
        if slot < self.index.len() {
            Ok(slot)
        } else {
            Err(slot - self.index.len())
        }
    }

    fn id(&self, slot: u32) -> u32 {
        match self.place(slot) {
            Ok(position) => self.ids.get(position).copied().unwrap_or(slot),
            Err(at) => self.changes.added()[at].id,
        }
    }

    fn for_each_label(&self, slot: u32, visit: impl FnMut(u32)) {
        match self.place(slot) {
            Ok(position) => self.labels.row(position).for_each(visit),
            Err(at) => self.changes.added()[at]
                .labels
                .iter()
                .copied()
                .for_each(visit),
        }
    }

    fn row_labels(&self, slot: u32) -> Vec<u32> {
        let mut labels = Vec::new();
        self.for_each_label(slot, |label| labels.push(label));
        labels
    }
}
