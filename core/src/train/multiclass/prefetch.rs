//! Asking for the memory of rows before their turn comes: a visit is mostly waiting for it.
//!
//! What is read depends on what was read before it (a row's duals say where its places are, those
//! which weights it needs), so a row is asked for in four steps, each some rows after the one
//! before.

use super::{duals::RowDuals, problem::Problem, state::State};
use crate::train::multiclass::narrow_vec::Numbers;
use core::ops::Range;
use hapax_processor::fetch;

/// How many rows before its turn each step of a row is taken.
const STEPS: [usize; 4] = [9, 6, 4, 2];

/// The weights of the most frequent features, as many as this, are used so often that they stay in
/// the cache: to ask for each costs more than it brings.
const HOT: usize = 1 << 16;

/// Bytes that come together.
const LINE: usize = 64;

/// What visits read.
#[derive(Clone, Debug)]
pub struct Memory<'a> {
    /// The rows.
    pub problem: &'a Problem,
    /// Their duals.
    pub duals: &'a [RowDuals],
    /// The weights of a range of features.
    pub weights: &'a [f32],
    /// Where those of each feature begin: the first of them where `weights` does.
    pub starts: &'a [usize],
    /// Their background.
    pub background: &'a [f32],
    /// The range.
    pub range: Range<u32>,
    /// The first feature whose weights are asked for.
    pub cold: u32,
}

/// The first feature of a range whose weights are asked for, given where the weights of each begin.
#[must_use]
pub fn first_cold(range: &Range<u32>, starts: &[usize]) -> u32 {
    let hot = starts.partition_point(|start| start - starts[0] < HOT);
    range.end.min(range.start + hot as u32)
}

impl<'a> Memory<'a> {
    /// Of all weights.
    #[must_use]
    #[inline]
    pub(crate) fn of(state: &'a State) -> Self {
        let range = 0..state.problem.features() as u32;
        let (weights, starts) = state.weights.all();
        Self {
            problem: &state.problem,
            duals: &state.duals,
            weights,
            cold: first_cold(&range, starts),
            starts,
            background: &state.weights.background,
            range,
        }
    }

    /// The features of a row whose weights are asked for, and where they are among all of its
    /// features.
    #[inline(always)]
    fn features(&self, row: usize) -> (&'a [u32], usize) {
        let features = self.problem.row(row).features;
        let start = features.partition_point(|&feature| feature < self.cold);
        let end = if self.range.end as usize == self.problem.features() {
            features.len()
        } else {
            features.partition_point(|&feature| feature < self.range.end)
        };
        (&features[start..end], start)
    }
}

/// Takes the next steps of rows, the ones whose turn is so many visits later.
#[inline(always)]
pub fn fetch_ahead(memory: &Memory<'_>, later: impl Fn(usize) -> Option<u32>) {
    let soon = |step: usize| later(STEPS[step]).map(|row| row as usize);
    if let Some(duals) = soon(0).and_then(|row| memory.duals.get(row)) {
        fetch(&duals.shared);
        fetch(&duals.places);
    }
    if let Some(row) = soon(1) {
        fetch_lists(memory, row);
    }
    if let Some(row) = soon(2) {
        for &feature in memory.features(row).0 {
            let place = (feature - memory.range.start) as usize;
            fetch(&memory.starts[place]);
            fetch(&memory.background[place]);
        }
    }
    if let Some(row) = soon(3) {
        match &memory.duals[row].places {
            Numbers::Narrow(places) => fetch_weights(memory, row, places),
            Numbers::Wide(places) => fetch_weights(memory, row, places),
        }
    }
}

#[inline(always)]
fn fetch_lists(memory: &Memory<'_>, number: usize) {
    let (row, duals) = (memory.problem.row(number), &memory.duals[number]);
    fetch_slice(row.features);
    fetch_slice(row.values);
    fetch_slice(&duals.classes);
    fetch_slice(&duals.alphas);
    match &duals.places {
        Numbers::Narrow(places) => fetch_slice(places),
        Numbers::Wide(places) => fetch_slice(places),
    }
}

/// Asks for all of a slice.
#[inline(always)]
pub fn fetch_slice<T>(all: &[T]) {
    let each = LINE / size_of::<T>();
    // Closures would be functions of their own.
    for at in all.iter().step_by(each) {
        fetch(at);
    }
    if let Some(last) = all.last() {
        fetch(last);
    }
}

#[inline(always)]
fn fetch_weights<P: Copy + Into<u32>>(memory: &Memory<'_>, row: usize, places: &[P]) {
    let (features, start) = memory.features(row);
    let width = 1 + memory.duals[row].classes.len();
    for (&feature, places) in features
        .iter()
        .zip(places[start * width..].chunks_exact(width))
    {
        let start = memory.starts[(feature - memory.range.start) as usize];
        let weights = &memory.weights[start - memory.starts[0]..];
        for &place in places {
            if let Some(weight) = weights.get(place.into() as usize) {
                fetch(weight);
            }
        }
    }
}
