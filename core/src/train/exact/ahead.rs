//! Asking for the memory of rows before their turn comes: a visit is mostly waiting for it.
//!
//! What is read depends on what was read before it (a row's duals say where its places are, those which weights it
//! needs), so a row is asked for in four steps, each some rows after the one before.

use super::{numbers::Numbers, state::State};

/// Brings memory into the cache, or does not: answers never depend on it.
pub trait Fetch {
    /// Whether it does anything.
    const ACTIVE: bool;

    /// Asks for the memory that `at` begins in.
    fn fetch<T>(&self, at: &T);
}

/// Asks for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Fetch for Nothing {
    const ACTIVE: bool = false;

    fn fetch<T>(&self, _: &T) {}
}

/// How many rows before its turn each step of a row is taken.
const STEPS: [usize; 4] = [9, 6, 4, 2];

/// Bytes that come together.
const LINE: usize = 64;

/// Takes the next steps of the rows after the one at `at`; `weights` says whether their weights are read, too.
#[inline(always)]
pub fn fetch_ahead(state: &State, rows: &[u32], at: usize, weights: bool, fetch: &impl Fetch) {
    let soon = |step: usize| rows.get(at + STEPS[step]).map(|&row| row as usize);
    if let Some(duals) = soon(0).and_then(|row| state.duals.get(row)) {
        fetch.fetch(&duals.shared);
        fetch.fetch(&duals.places);
    }
    if let Some(row) = soon(1) {
        fetch_lists(state, row, fetch);
    }
    if !weights {
        return;
    }
    if let Some(row) = soon(2) {
        for &feature in state.halves.of(state.problem.row(row)).features {
            fetch.fetch(&state.weights.lists[feature as usize]);
            fetch.fetch(&state.weights.background[feature as usize]);
        }
    }
    if let Some(row) = soon(3) {
        match &state.duals[row].places {
            Numbers::Narrow(places) => fetch_weights(state, row, places, fetch),
            Numbers::Wide(places) => fetch_weights(state, row, places, fetch),
        }
    }
}

#[inline(always)]
fn fetch_lists(state: &State, number: usize, fetch: &impl Fetch) {
    let (row, duals) = (state.problem.row(number), &state.duals[number]);
    fetch_slice(row.features, fetch);
    fetch_slice(row.values, fetch);
    fetch_slice(&duals.classes, fetch);
    fetch_slice(&duals.alphas, fetch);
    match &duals.places {
        Numbers::Narrow(places) => fetch_slice(places, fetch),
        Numbers::Wide(places) => fetch_slice(places, fetch),
    }
}

#[inline(always)]
fn fetch_slice<T>(all: &[T], fetch: &impl Fetch) {
    let each = LINE / size_of::<T>();
    all.iter().step_by(each).for_each(|at| fetch.fetch(at));
    all.iter().last().into_iter().for_each(|at| fetch.fetch(at));
}

#[inline(always)]
fn fetch_weights<P: Copy + Into<u32>>(
    state: &State,
    number: usize,
    places: &[P],
    fetch: &impl Fetch,
) {
    let features = state.halves.of(state.problem.row(number)).features;
    let width = 1 + state.duals[number].classes.len();
    for (&feature, places) in features.iter().zip(places.chunks_exact(width)) {
        let weights = &state.weights.lists[feature as usize].weights[..];
        for &place in places {
            if let Some(weight) = weights.get(place.into() as usize) {
                fetch.fetch(weight);
            }
        }
    }
}
