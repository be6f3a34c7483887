//! Building the index from rows.

use super::{
    ForwardRows, NeighborError, NeighborIndex,
    cut::{Cut, GROUPS, group},
    index::ABSENT,
    neighbor_error::{filled, reserved},
};
use crate::kernels::{
    bounds::{BLOCK, WORDS},
    postings::RANGE,
};
use crate::{float, sparse::SparseRows};
use alloc::vec::Vec;

/// Below this norm, products of single precision may vanish, and bounds would not hold.
pub(super) const SMALLEST_NORM: f64 = 1.0 / (1u64 << 40) as f64;

impl NeighborIndex {
    /// Builds the index of `rows`.
    ///
    /// Cost: O(values stored), a fraction of a second for ten million.
    ///
    /// # Errors
    /// If memory is lacking (see [`NeighborIndex::estimate`]), or there are more than
    /// 2^32 - 1 rows or values.
    pub(crate) fn build(rows: &SparseRows) -> Result<Self, NeighborError> {
        let forward = ForwardRows::new(rows)?;
        let bytes = rows.frequency_bytes();
        let frequencies = rows.document_frequencies();
        let frequencies = frequencies.map_err(|_| NeighborError::OutOfMemory { bytes })?;
        let cut = Cut::choose(rows, &frequencies)?;
        let mut norms = reserved(rows.len())?;
        norms.extend(rows.iter().map(|row| row.norm()));
        let mut places = filled(ABSENT, frequencies.len())?;
        let mut tails = 0;
        for (rank, &feature) in cut.order.iter().enumerate() {
            if frequencies[feature as usize] > 0 {
                places[feature as usize] = rank as u32;
                tails = rank + 1;
            }
        }
        let heads = cut.heads.min(tails);
        let head = Head::new(rows, &places, &norms, heads)?;
        let tail = Tail::new(rows, &places, &norms, heads, tails - heads)?;
        let bounded = norms
            .iter()
            .all(|&norm| norm == 0.0 || norm >= SMALLEST_NORM);
        Ok(Self {
            forward,
            norms: norms.into(),
            places: places.into(),
            lines: head.lines.into(),
            groups: head.groups.into(),
            steps: tail.steps.into(),
            starts: tail.starts.into(),
            posted_rows: tail.rows.into(),
            posted_values: tail.values.into(),
            heads: heads as u32,
            longest_tail: tail.longest,
            signed: tail.signed,
            bounded,
        })
    }
}

struct Head {
    lines: Vec<u64>,
    groups: Vec<u8>,
}

impl Head {
    fn new(
        rows: &SparseRows,
        places: &[u32],
        norms: &[f64],
        heads: usize,
    ) -> Result<Self, NeighborError> {
        let blocks = rows.len().div_ceil(BLOCK);
        let count = GROUPS.min(heads);
        let mut lines = filled(0u64, blocks * heads * WORDS)?;
        let mut groups = filled(0u8, blocks * count * BLOCK)?;
        for (id, row) in rows.iter().enumerate() {
            let (block, within) = (id / BLOCK, id % BLOCK);
            let mut squares = [0f64; GROUPS];
            for (feature, value) in row.iter() {
                let place = places[feature as usize] as usize;
                if place < heads {
                    let word = (block * heads + place) * WORDS + within / 64;
                    lines[word] |= 1 << (within % 64);
                    squares[group(place, heads)] += f64::from(value) * f64::from(value);
                }
            }
            for (at, &square) in squares.iter().enumerate().take(count) {
                if square > 0.0 {
                    let steps = float::sqrt(square) / norms[id] * 255.0 * (1.0 + 1e-9);
                    // The cast rounds down and stops at 255; no group's norm exceeds the row's.
                    let floor = steps as u8;
                    groups[(block * count + at) * BLOCK + within] = floor.saturating_add(1);
                }
            }
        }
        Ok(Self { lines, groups })
    }
}

struct Tail {
    steps: Vec<f32>,
    starts: Vec<u32>,
    rows: Vec<u16>,
    values: Vec<u8>,
    longest: u32,
    signed: bool,
}

impl Tail {
    fn new(
        rows: &SparseRows,
        places: &[u32],
        norms: &[f64],
        heads: usize,
        tails: usize,
    ) -> Result<Self, NeighborError> {
        let ranges = rows.len().div_ceil(RANGE);
        let mut starts = filled(0u32, ranges * tails + 1)?;
        let mut largest = filled(0f32, tails)?;
        let (mut longest, mut signed) = (0, false);
        for (id, row) in rows.iter().enumerate() {
            let mut length = 0;
            for (feature, value) in row.iter() {
                signed |= value < 0.0;
                if let Some(tail) = (places[feature as usize] as usize).checked_sub(heads) {
                    starts[id / RANGE * tails + tail + 1] += 1;
                    let share = (f64::from(value) / norms[id]) as f32;
                    largest[tail] = largest[tail].max(share.abs());
                    length += 1;
                }
            }
            longest = longest.max(length);
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let posted = starts[starts.len() - 1] as usize;
        let (levels, zero) = if signed { (127.0, 128.0) } else { (255.0, 0.0) };
        let mut made = Self {
            steps: largest,
            rows: filled(0, posted)?,
            values: filled(0, posted)?,
            starts,
            longest,
            signed,
        };
        for step in &mut made.steps {
            *step /= levels;
        }
        let mut next = reserved(made.starts.len())?;
        next.extend_from_slice(&made.starts);
        for (id, row) in rows.iter().enumerate() {
            for (feature, value) in row.iter() {
                if let Some(tail) = (places[feature as usize] as usize).checked_sub(heads) {
                    let at = &mut next[id / RANGE * tails + tail];
                    let steps = f64::from(value) / norms[id] / f64::from(made.steps[tail]);
                    made.rows[*at as usize] = (id % RANGE) as u16;
                    // Adding one half and casting rounds to the nearest, within 0 to 255.
                    made.values[*at as usize] = (steps + zero + 0.5) as u8;
                    *at += 1;
                }
            }
        }
        Ok(made)
    }
}
