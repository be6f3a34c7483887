//! The fast search: bounds for all rows, exact similarities for the few that may be neighbors.

use super::{
    NeighborIndex, Similarity,
    candidates::{Bounds, Candidates},
    neighbor_error::{NeighborError, filled},
    plan::Plan,
};
use crate::kernels::{
    bounds::{BLOCK, BlockBounds, POWERS, RUN, SUM_ZERO, highest_of},
    postings::{Posted, RANGE, sums_for},
};
use crate::{
    float,
    kernels::{Kernels, Portable},
    search::{Scored, Top},
    sparse::SparseView,
};
use alloc::vec::Vec;
use core::fmt;

/// The memory of one query of [`NeighborIndex::search`]; reused from query to query, it
/// allocates nothing once warm.
pub struct NeighborScratch {
    kernels: &'static dyn Kernels,
    plan: Plan,
    /// The query, densely: one value a feature, zero between queries.
    dense: Vec<f32>,
    sums: Vec<u32>,
    bounds: Vec<f32>,
    /// The highest bound of each [`RUN`] rows.
    highest: Vec<f32>,
    candidates: Candidates,
    top: Top,
    powers: Vec<f32>,
    beta: f64,
}

impl fmt::Debug for NeighborScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "NeighborScratch({} kernels)",
            self.kernels.processor().name()
        )
    }
}

impl Default for NeighborScratch {
    fn default() -> Self {
        Self::new(&Portable)
    }
}

impl NeighborScratch {
    /// Empty memory, which will grow with the first query, and the kernels to run.
    #[must_use]
    pub(crate) fn new(kernels: &'static dyn Kernels) -> Self {
        Self {
            kernels,
            plan: Plan::default(),
            dense: Vec::new(),
            sums: Vec::new(),
            bounds: Vec::new(),
            highest: Vec::new(),
            candidates: Candidates::default(),
            top: Top::default(),
            powers: Vec::new(),
            beta: 1.0,
        }
    }

    /// Makes room for queries to `index`: 4.25 bytes a row, 4 a feature, and 4 for each of the
    /// first 32,768 rows (256 KiB where there are more).
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn reserve(&mut self, index: &NeighborIndex) -> Result<(), NeighborError> {
        let padded = index.len().next_multiple_of(BLOCK);
        grow(&mut self.dense, index.features() as usize)?;
        grow(&mut self.sums, sums_for(padded))?;
        grow(&mut self.bounds, padded)?;
        grow(&mut self.highest, padded / RUN)
    }

    /// Upper bounds of the powers of k/4096, or none where the exponent is 1.
    fn prepare_powers(&mut self, beta: f64) {
        if beta == 1.0 {
            self.powers.clear();
        } else if self.beta != beta || self.powers.is_empty() {
            let power = |step: usize| {
                let end = ((step + 1) as f64 / POWERS as f64).min(1.0);
                (float::power(end, beta) * 1.000_001) as f32
            };
            self.powers.clear();
            self.powers.extend((0..=POWERS).map(power));
        }
        self.beta = beta;
    }
}

fn grow<T: Clone + Default>(items: &mut Vec<T>, length: usize) -> Result<(), NeighborError> {
    if items.len() < length {
        *items = filled(T::default(), length)?;
    }
    Ok(())
}

impl NeighborIndex {
    /// The `neighbors` most similar rows of positive similarity, best first, without the rows
    /// whose bit is set in `removed` (64 rows a word; missing words remove nothing).
    ///
    /// Cost: one addition for each posting of the query's tail features, a few instructions for
    /// each row, and the exact similarity of the rows whose bound reaches the last neighbor's.
    ///
    /// # Errors
    /// If memory is lacking for `scratch`; never after [`NeighborScratch::reserve`].
    pub(crate) fn search<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        similarity: Similarity,
        removed: &[u64],
        scratch: &'s mut NeighborScratch,
    ) -> Result<&'s [Scored], NeighborError> {
        scratch.top.reset(neighbors);
        if neighbors == 0 || query.is_empty() || self.is_empty() {
            return Ok(scratch.top.sorted());
        }
        scratch.reserve(self)?;
        scratch.prepare_powers(similarity.beta());
        for (feature, value) in query.iter() {
            if let Some(place) = scratch.dense.get_mut(feature as usize) {
                *place = value;
            }
        }
        let scorer = Scorer {
            index: self,
            similarity,
            removed,
            query_length: query.len(),
            query_norm: query.norm(),
            kernels: scratch.kernels,
        };
        if scratch.plan.prepare(self, query) {
            self.bound(query.len() as u32, scratch);
            scorer.score_bounded(neighbors, scratch);
        } else {
            scorer.score_all(self.len(), scratch);
        }
        for &feature in query.indices() {
            if let Some(place) = scratch.dense.get_mut(feature as usize) {
                *place = 0.0;
            }
        }
        Ok(scratch.top.sorted())
    }

    /// Writes the bounds of all rows.
    fn bound(&self, query_length: u32, scratch: &mut NeighborScratch) {
        let tails = self.steps.len();
        for start in (0..self.len()).step_by(RANGE) {
            let padded = RANGE.min(self.len() - start).next_multiple_of(BLOCK);
            let Some(used) = scratch.sums.get_mut(..padded) else {
                return;
            };
            used.fill(SUM_ZERO);
            for feature in &scratch.plan.tails {
                let at = start / RANGE * tails + feature.tail as usize;
                let Some(&[from, to]) = self.starts.get(at..at + 2) else {
                    continue;
                };
                let span = from as usize..to as usize;
                let (Some(rows), Some(values)) = (
                    self.posted_rows.get(span.clone()),
                    self.posted_values.get(span),
                ) else {
                    continue;
                };
                let posted = Posted {
                    rows,
                    values,
                    weight: feature.weight,
                    base: feature.base,
                };
                scratch.kernels.add_postings(posted, &mut scratch.sums);
            }
            for (within, sums) in scratch.sums[..padded]
                .as_chunks::<BLOCK>()
                .0
                .iter()
                .enumerate()
            {
                let block = start / BLOCK + within;
                let (Some(bounds), Some(highest)) = (
                    scratch.bounds.get_mut(block * BLOCK..),
                    scratch.highest.get_mut(block * (BLOCK / RUN)..),
                ) else {
                    return;
                };
                let (Some(bounds), Some(highest)) =
                    (bounds.first_chunk_mut(), highest.first_chunk_mut())
                else {
                    return;
                };
                let mut lengths = [0u32; BLOCK];
                let offsets = &self.forward.offsets[block * BLOCK..];
                for (length, pair) in lengths.iter_mut().zip(offsets.windows(2)) {
                    *length = pair[1] - pair[0];
                }
                let stride = self.line_stride();
                let group_stride = self.group_count() * BLOCK;
                let request = BlockBounds {
                    lines: &self.lines[block * stride..(block + 1) * stride],
                    selected: &scratch.plan.selected,
                    sums,
                    lengths: &lengths,
                    groups: &self.groups[block * group_stride..(block + 1) * group_stride],
                    group_weights: &scratch.plan.group_weights,
                    group_scale: scratch.plan.group_scale,
                    sum_scale: scratch.plan.sum_scale,
                    slack: scratch.plan.slack,
                    query_length,
                    powers: (!scratch.powers.is_empty()).then_some(&scratch.powers[..]),
                };
                scratch.kernels.bound_block(&request, bounds, highest);
            }
        }
    }
}

/// Exact similarities of rows with one query.
struct Scorer<'a> {
    index: &'a NeighborIndex,
    similarity: Similarity,
    removed: &'a [u64],
    query_length: usize,
    query_norm: f64,
    kernels: &'static dyn Kernels,
}

impl Scorer<'_> {
    fn is_removed(&self, row: usize) -> bool {
        self.removed
            .get(row / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Scores up to four rows and offers them to the top.
    fn score(&self, rows: &[u32], dense: &[f32], top: &mut Top) {
        let Some(&last) = rows.last() else { return };
        let four = core::array::from_fn(|lane| rows.get(lane).copied().unwrap_or(last));
        let parts = self.kernels.dots(&self.index.forward.four(four), dense);
        for (&id, (dot, shared)) in rows.iter().zip(parts) {
            let both = self.query_length + self.index.forward.row_length(id as usize);
            let norm = self.index.norms.get(id as usize).copied().unwrap_or(1.0);
            let norms = self.query_norm * norm;
            let score = self.similarity.of(dot, shared as usize, both, norms);
            if score > 0.0 && score.is_finite() {
                top.push(Scored { id, score });
            }
        }
    }

    /// Without bounds: every row is scored.
    fn score_all(&self, rows: usize, scratch: &mut NeighborScratch) {
        let NeighborScratch { dense, top, .. } = scratch;
        let mut four = [0u32; 4];
        let mut filled = 0;
        for row in (0..rows).filter(|&row| !self.is_removed(row)) {
            four[filled] = row as u32;
            filled += 1;
            if filled == 4 {
                self.score(&four, dense, top);
                filled = 0;
            }
        }
        self.score(&four[..filled], dense, top);
    }

    /// Scores the rows of highest bounds, then the others that still reach the threshold.
    fn score_bounded(&self, neighbors: usize, scratch: &mut NeighborScratch) {
        let NeighborScratch {
            dense,
            bounds,
            highest,
            candidates,
            top,
            ..
        } = scratch;
        let rows = self.index.len();
        let (rows, highest) = (&mut bounds[..rows], &mut highest[..rows.div_ceil(RUN)]);
        forget_removed(self.removed, rows, highest);
        let least = candidates.reached(Bounds { rows, highest }, neighbors);
        candidates.choose(Bounds { rows, highest }, least);
        self.score_candidates(candidates, dense, top);
        for row in candidates.rows() {
            rows[row] = 0.0;
        }
        candidates.choose(Bounds { rows, highest }, threshold(top));
        self.score_candidates(candidates, dense, top);
    }

    /// Scores candidates until a bound does not exceed the threshold.
    fn score_candidates(&self, candidates: &Candidates, dense: &[f32], top: &mut Top) {
        for (bound, rows, count) in candidates.fours() {
            // A bound exceeds the similarity by more than rounding, so an equal one is out.
            if bound <= threshold(top) {
                return;
            }
            self.score(&rows[..count], dense, top);
        }
    }
}

/// The score that a row must exceed; 0 as long as any will do.
fn threshold(top: &Top) -> f32 {
    top.threshold().map_or(0.0, |worst| worst.score)
}

/// Gives removed rows the bound 0.
fn forget_removed(removed: &[u64], bounds: &mut [f32], highest: &mut [f32]) {
    let words = bounds.chunks_mut(64).zip(highest.chunks_mut(64 / RUN));
    for ((bounds, highest), &word) in words.zip(removed).filter(|(_, word)| **word != 0) {
        for (within, bound) in bounds.iter_mut().enumerate() {
            if word >> within & 1 == 1 {
                *bound = 0.0;
            }
        }
        for (bounds, high) in bounds.chunks(RUN).zip(highest) {
            *high = highest_of(bounds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, BlockBounds, NeighborScratch, SUM_ZERO};
    use crate::{float, kernels::bounds::SUM_BITS};

    /// Bounds of rows whose cosine is known to be 1 at most: the powers of their Jaccard indices,
    /// and hardly more.
    #[test]
    fn bounds_are_no_lower_than_similarities() {
        for beta in [0.0, 0.3, 0.5, 1.0, 1.3, 2.0, 7.0] {
            let mut scratch = NeighborScratch::default();
            scratch.prepare_powers(beta);
            for query_length in [1u32, 3, 40, 333, 511] {
                let (mut sums, mut lengths) = ([0; BLOCK], [0; BLOCK]);
                for (row, (sum, length)) in sums.iter_mut().zip(&mut lengths).enumerate() {
                    *length = 1 + (row as u32 * 7) % 600;
                    let shared = (row as u32 % query_length + 1).min(*length);
                    *sum = SUM_ZERO + (shared << SUM_BITS);
                }
                let request = BlockBounds {
                    lines: &[],
                    selected: &[],
                    sums: &sums,
                    lengths: &lengths,
                    groups: &[],
                    group_weights: &[],
                    group_scale: 0.0,
                    sum_scale: 0.0,
                    slack: 1.0,
                    query_length,
                    powers: (!scratch.powers.is_empty()).then_some(&scratch.powers[..]),
                };
                let (mut bounds, mut highest) = ([0.0; BLOCK], [0.0; BLOCK / 16]);
                request.compute(&mut bounds, &mut highest);
                for ((&sum, &length), &bound) in sums.iter().zip(&lengths).zip(&bounds) {
                    let shared = sum >> SUM_BITS;
                    let jaccard = f64::from(shared) / f64::from(query_length + length - shared);
                    let exact = float::power(jaccard, beta);
                    let bound = f64::from(bound);
                    assert!(
                        bound >= exact,
                        "{shared} {length} {query_length} {beta}: {bound}"
                    );
                    let above = float::power((jaccard + 1.0 / 4000.0).min(1.0), beta);
                    assert!(bound <= above * 1.001, "{bound} for {exact}");
                }
            }
        }
    }
}
