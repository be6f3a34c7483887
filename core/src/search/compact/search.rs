//! The search: integer sums over posting lists, then the best rows by bounds on blocks of rows.
//!
//! For the used features j of a query, with weights `w_j` of norm 1, and a list's levels `v`, the
//! sum of row i gathers `(round(w_j v 2^19) << 10) + 1` over its postings: the cosine in units of
//! 2^-19 above, the number of shared features `c` in the low 10 bits. Cosines stay below 4 because
//! stored rows have a norm below 2.3 even when every value was rounded up.
//!
//! With m used features and `n_i` weights of row i, the similarity is
//! `cos * c^beta / (m + n_i - c)^beta`. Rows are looked at in blocks: the largest count and the
//! smallest `n_i` of a block bound its Jaccard indices, and so say how large a sum must be to reach
//! the worst of the best rows so far; rows with smaller sums are passed over. No bound costs an
//! answer: what is returned is what sorting all rows by these similarities gives.

use super::{
    CompactIndex, prune,
    words::{BLOCK, List},
};
use crate::{
    float,
    search::{Scored, Top},
    sparse::{SparseView, order},
};
use alloc::vec::Vec;

const COUNT_BITS: u32 = 10;
const COUNT_MASK: i32 = (1 << COUNT_BITS) - 1;
/// The cosine 1 in units of a sum.
const ONE: f64 = (1 << 19) as f64;

/// The memory of a search; reused, a search allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct CompactScratch {
    /// One sum for each row, all 0 between searches.
    sums: Vec<i32>,
    /// One mark for each block of rows, all 0 between searches.
    marks: Vec<u8>,
    pairs: Vec<(u32, f32)>,
    powers: Powers,
    top: Top,
    words: usize,
}

impl CompactScratch {
    /// How many words of posting lists the last search read: its cost, whatever the machine.
    #[must_use]
    pub(crate) fn words_read(&self) -> usize {
        self.words
    }

    fn fit(&mut self, rows: usize) {
        let blocks = rows.div_ceil(BLOCK);
        self.sums.resize(blocks * BLOCK, 0);
        self.marks.resize(blocks, 0);
    }
}

/// `k^beta` for every whole number a search can need, made once for each beta.
#[derive(Clone, Debug, Default)]
struct Powers {
    beta: f64,
    table: Vec<f64>,
}

impl Powers {
    fn prepare(&mut self, beta: f64, largest: usize) {
        if self.beta.to_bits() != beta.to_bits() {
            self.table.clear();
            self.beta = beta;
        }
        for k in self.table.len()..=largest {
            self.table.push(float::power(k as f64, beta));
        }
    }

    /// `J^beta` for `shared` features of a union of `union`.
    fn jaccard(&self, shared: usize, union: usize) -> f64 {
        match (self.table.get(shared), self.table.get(union)) {
            (Some(above), Some(below)) if *below > 0.0 => above / below,
            _ => 0.0,
        }
    }
}

impl CompactIndex {
    /// The `neighbors` rows of largest similarity above 0, best first, ties by smaller row, without
    /// the rows whose bit is set in `removed` (64 rows a word; missing words remove nothing).
    ///
    /// `beta` is a finite number, at least 0; with any other, no similarity is above 0.
    pub(crate) fn search<'s>(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        beta: f64,
        removed: &[u64],
        scratch: &'s mut CompactScratch,
    ) -> &'s [Scored] {
        scratch.fit(self.rows());
        scratch.top.reset(neighbors);
        scratch.words = 0;
        self.used(query, &mut scratch.pairs);
        let used = scratch.pairs.len();
        if neighbors > 0 && (0.0..f64::INFINITY).contains(&beta) {
            scratch.powers.prepare(beta, used + usize::from(u8::MAX));
            self.add_up(scratch);
            self.collect(used, removed, scratch);
        }
        scratch.top.sorted()
    }

    /// The features of `query` that are looked up: the heaviest that have a list, heaviest first.
    pub(super) fn used(&self, query: SparseView<'_>, pairs: &mut Vec<(u32, f32)>) {
        pairs.clear();
        pairs.extend(query.iter());
        order::by_size(pairs);
        let limit = usize::from(self.query_features);
        let mut used = 0;
        for at in 0..pairs.len() {
            if used == limit {
                break;
            }
            if self.list(pairs[at].0).words() > 0 {
                pairs.swap(used, at);
                used += 1;
            }
        }
        pairs.truncate(used);
    }

    /// Adds the lists of the used features to the sums.
    fn add_up(&self, scratch: &mut CompactScratch) {
        let norm = prune::norm(&scratch.pairs);
        let mut table = [0i32; 256];
        for &(feature, value) in &scratch.pairs {
            let weight = f64::from(value) / norm * ONE;
            for (slot, &level) in table.iter_mut().zip(self.codebook.levels().iter()).skip(1) {
                *slot = (round(weight * f64::from(level)) << COUNT_BITS) + 1;
            }
            let list: List<'_> = self.list(feature);
            scratch.words += list.words();
            list.add(self.bits, &table, &mut scratch.sums, &mut scratch.marks);
        }
    }

    /// Offers the rows of every marked block that may hold one of the best, and clears the sums.
    fn collect(&self, used: usize, removed: &[u64], scratch: &mut CompactScratch) {
        let CompactScratch {
            sums,
            marks,
            powers,
            top,
            ..
        } = scratch;
        let blocks = sums.chunks_exact_mut(BLOCK).zip(self.counts.chunks(BLOCK));
        for (block, (mark, (sums, counts))) in marks.iter_mut().zip(blocks).enumerate() {
            if *mark == 0 {
                continue;
            }
            *mark = 0;
            forget(removed, block * BLOCK, sums);
            let (highest, shared) = highest(sums);
            let least = least_sum(shared, counts, used, powers, top);
            if highest >= least {
                offer(block * BLOCK, sums, counts, used, powers, least, top);
            }
            sums.fill(0);
        }
    }
}

/// Rounds half away from zero; the argument is below 4 * 2^19 for every index that was built, and
/// saturates for others.
fn round(value: f64) -> i32 {
    let limit = f64::from(i32::MAX >> (COUNT_BITS + 1));
    let half = if value < 0.0 { -0.5 } else { 0.5 };
    (value + half).clamp(-limit, limit) as i32
}

/// Clears the sums of removed rows, from row `first` on.
fn forget(removed: &[u64], first: usize, sums: &mut [i32]) {
    if removed.is_empty() {
        return;
    }
    for (row, sum) in (first..).zip(sums) {
        if removed
            .get(row / 64)
            .is_some_and(|word| word >> (row % 64) & 1 == 1)
        {
            *sum = 0;
        }
    }
}

/// The largest of these sums, and the largest number of shared features: in one pass that nothing
/// ends early, as vector units like it.
fn highest(sums: &[i32]) -> (i32, usize) {
    let (mut highest, mut shared) = (0, 0);
    for &sum in sums {
        highest = sum.max(highest);
        shared = (sum & COUNT_MASK).max(shared);
    }
    (highest, shared as usize)
}

/// The smallest sum with which a row of this block can be among the best: less, and even the
/// most shared features of the block with the smallest union leave it behind.
fn least_sum(shared: usize, counts: &[u8], used: usize, powers: &Powers, top: &Top) -> i32 {
    // A sum of a positive cosine.
    let positive = 1 << COUNT_BITS;
    let Some(worst) = top.threshold() else {
        return positive;
    };
    let fewest = counts
        .iter()
        .fold(u8::MAX, |least, &count| least.min(count));
    let union = used + usize::from(fewest).max(shared) - shared.min(used);
    // The rounding to f32 that a similarity undergoes moves it by less than the last factor.
    let cosine = f64::from(worst.score) / powers.jaccard(shared, union) * (1.0 - 1e-6);
    // Saturates where no sum suffices; NaN, where nothing is shared, becomes 0.
    let least = (cosine * ONE) as i32;
    least.saturating_mul(1 << COUNT_BITS).max(positive)
}

/// Offers every row of a block whose sum is at least `least` and whose similarity is above 0.
fn offer(
    first: usize,
    sums: &[i32],
    counts: &[u8],
    used: usize,
    powers: &Powers,
    least: i32,
    top: &mut Top,
) {
    for (row, (&sum, &count)) in (first..).zip(sums.iter().zip(counts)) {
        if sum < least {
            continue;
        }
        let cosine = sum >> COUNT_BITS;
        let shared = (sum & COUNT_MASK) as usize;
        let union = (used + usize::from(count)).saturating_sub(shared);
        let score = (f64::from(cosine) / ONE * powers.jaccard(shared, union)) as f32;
        if score > 0.0 {
            top.push(Scored {
                id: row as u32,
                score,
            });
        }
    }
}
