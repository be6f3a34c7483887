//! How many of the most frequent features become the head, estimated on a sample of the rows.
//!
//! A larger head saves additions but weakens the bounds, so that more rows must be scored
//! exactly. How much depends on the data: rows of the sample are searched for in the sample, and
//! the cut of least estimated cost is taken. Any cut gives the same answers.

use super::{
    NeighborError,
    neighbor_error::{filled, reserved},
};
use crate::{
    float,
    sparse::{SparseRows, order::by_falling_count},
};
use alloc::vec::Vec;

/// Most groups of head features.
pub(super) const GROUPS: usize = 16;
/// Features stored in at least 1/d of the rows are the head.
const DIVISORS: [usize; CUTS] = [0, 2, 3, 4, 6, 8, 12, 16, 24, 32];
const CUTS: usize = 10;
const SAMPLED_ROWS: usize = 2048;
const SAMPLED_QUERIES: usize = 32;
/// The number of neighbors the cut is tuned for.
const NEIGHBORS: usize = 75;
/// More heads than this have no room in the block's counts.
pub(super) const MOST_HEADS: usize = 32_000;

/// Features from most to least frequent, and how many of them are the head.
pub(super) struct Cut {
    pub(super) order: Vec<u32>,
    pub(super) heads: usize,
}

/// The group of head `head` of `heads`.
pub(super) fn group(head: usize, heads: usize) -> usize {
    head * GROUPS.min(heads) / heads.max(1)
}

impl Cut {
    /// Chooses the cut of least estimated cost for `rows`.
    pub(super) fn choose(rows: &SparseRows, frequencies: &[u32]) -> Result<Self, NeighborError> {
        let mut order: Vec<u32> = reserved(frequencies.len())?;
        order.extend(0..rows.features());
        by_falling_count(&mut order, frequencies);
        let heads = DIVISORS.map(|divisor| {
            order.partition_point(|&feature| {
                frequencies[feature as usize] as usize * divisor >= rows.len().max(1)
            })
        });
        let mut costs = [0f64; CUTS];
        if rows.nonzeros() > 0 {
            Sample::new(rows, frequencies, &order, heads)?.costs(&mut costs);
        }
        let mut best = 0;
        for (cut, &cost) in costs.iter().enumerate() {
            if cost < costs[best] && heads[cut] <= MOST_HEADS {
                best = cut;
            }
        }
        Ok(Self {
            order,
            heads: heads[best],
        })
    }
}

struct Sample<'a> {
    rows: &'a SparseRows,
    frequencies: &'a [u32],
    heads: [usize; CUTS],
    /// The first cut in which a feature is a head; `CUTS` if none.
    levels: Vec<u8>,
    ranks: Vec<u32>,
    chosen: Vec<usize>,
    /// Group norms of the chosen rows, of length 1: `CUTS * GROUPS` a row.
    norms: Vec<f32>,
}

/// `count` of `length` positions, evenly spaced.
fn spaced(length: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.min(length);
    (0..count).map(move |at| at * length / count)
}

impl<'a> Sample<'a> {
    fn new(
        rows: &'a SparseRows,
        frequencies: &'a [u32],
        order: &[u32],
        heads: [usize; CUTS],
    ) -> Result<Self, NeighborError> {
        let (mut levels, mut ranks) =
            (filled(CUTS as u8, order.len())?, filled(0u32, order.len())?);
        for (rank, &feature) in order.iter().enumerate() {
            ranks[feature as usize] = rank as u32;
            levels[feature as usize] = heads.iter().filter(|&&count| count <= rank).count() as u8;
        }
        let chosen: Vec<usize> = spaced(rows.len(), SAMPLED_ROWS).collect();
        let norms = filled(0f32, chosen.len() * CUTS * GROUPS)?;
        let mut sample = Self {
            rows,
            frequencies,
            heads,
            levels,
            ranks,
            chosen,
            norms,
        };
        for at in 0..sample.chosen.len() {
            let norms = sample.group_norms(sample.chosen[at]);
            sample.norms[at * CUTS * GROUPS..][..CUTS * GROUPS].copy_from_slice(&norms);
        }
        Ok(sample)
    }

    fn group_norms(&self, row: usize) -> [f32; CUTS * GROUPS] {
        let view = self.rows.row(row);
        let norm = view.norm() as f32;
        let mut squares = [0f32; CUTS * GROUPS];
        for (feature, value) in view.iter() {
            let share = value / norm;
            for cut in usize::from(self.levels[feature as usize])..CUTS {
                let at = group(self.ranks[feature as usize] as usize, self.heads[cut]);
                squares[cut * GROUPS + at] += share * share;
            }
        }
        squares.map(float::sqrt_f32)
    }

    /// Adds the estimated cost of each cut, in additions of one posting.
    fn costs(&self, costs: &mut [f64; CUTS]) {
        let mut query = alloc::vec![0f32; self.levels.len()];
        let mean = self.rows.nonzeros() as f64 / self.rows.len() as f64;
        let scale = self.rows.len() as f64 / self.chosen.len() as f64;
        let wanted = (NEIGHBORS as f64 / scale) as usize;
        for row in spaced(self.rows.len(), SAMPLED_QUERIES) {
            let asked = self.rows.row(row);
            for (feature, value) in asked.iter() {
                query[feature as usize] = value;
                let level = usize::from(self.levels[feature as usize]);
                let frequency = f64::from(self.frequencies[feature as usize]);
                for (cut, cost) in costs.iter_mut().enumerate() {
                    // A bit line costs a small part of its rows' additions.
                    *cost += if cut < level {
                        frequency
                    } else {
                        self.rows.len() as f64 / 256.0
                    };
                }
            }
            let survivors = self.survivors(row, &query, wanted);
            for (cost, survivors) in costs.iter_mut().zip(survivors) {
                *cost += survivors as f64 * scale * (mean + 150.0);
            }
            for &feature in asked.indices() {
                query[feature as usize] = 0.0;
            }
        }
    }

    /// How many chosen rows have a bound above the similarity of the `wanted`-th best of them.
    fn survivors(&self, row: usize, query: &[f32], wanted: usize) -> [usize; CUTS] {
        let asked = self.rows.row(row);
        let norm = asked.norm() as f32;
        let weights = self.group_norms(row);
        let mut exact = Vec::new();
        let mut bounds = Vec::new();
        for (at, &other) in self.chosen.iter().enumerate() {
            if other == row {
                continue;
            }
            let view = self.rows.row(other);
            // Products by the level of their feature; a cut's tail is everything above it.
            let mut parts = [0f32; CUTS + 1];
            let mut shared = 0;
            for (feature, value) in view.iter() {
                let product = query[feature as usize] * value;
                parts[usize::from(self.levels[feature as usize])] += product;
                shared += usize::from(product != 0.0);
            }
            let jaccard = shared as f32 / (asked.len() + view.len() - shared).max(1) as f32;
            let norms = norm * view.norm() as f32;
            let own = &self.norms[at * CUTS * GROUPS..][..CUTS * GROUPS];
            let mut tail = parts.iter().sum::<f32>() / norms;
            exact.push(jaccard * tail);
            bounds.push(core::array::from_fn::<f32, CUTS, _>(|cut| {
                tail -= parts[cut] / norms;
                let groups = cut * GROUPS..(cut + 1) * GROUPS;
                let head: f32 = weights[groups.clone()]
                    .iter()
                    .zip(&own[groups])
                    .map(|(a, b)| a * b)
                    .sum();
                jaccard * (tail + head + 0.01)
            }));
        }
        exact.sort_unstable_by(f32::total_cmp);
        let threshold = exact
            .iter()
            .nth_back(wanted)
            .map_or(0.0, |&best| best.max(0.0));
        core::array::from_fn(|cut| bounds.iter().filter(|all| all[cut] > threshold).count())
    }
}
