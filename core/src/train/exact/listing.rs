//! Giving rows places among the weights for classes that they begin to list.

use super::{
    state::State,
    weights::{FeatureWeights, Shard},
};
use crate::executor::Executor;
use alloc::{vec, vec::Vec};

/// Lists classes for rows: `rows` are numbers of rows and how many of `fresh` are each one's. The first
/// class that a row without any place gets is its own.
///
/// Cost: one look at every weight of each row's features. Lists grow in the order of rows, whichever
/// thread appends to them.
pub fn list<E: Executor>(
    state: &mut State,
    rows: &[(u32, u32)],
    fresh: &[u32],
    cuts: &[u32],
    executor: &E,
) {
    let classes = state.weights.classes;
    let problem = &state.problem;
    let found = executor.map_items(state.weights.shards(cuts), |_, mut shard| {
        let mut marks = vec![0u32; classes];
        let (mut places, mut start) = (Vec::new(), 0);
        for &(row, count) in rows {
            let new = &fresh[start..start + count as usize];
            start += count as usize;
            let features = problem.row(row as usize).features;
            find(&mut shard, features, new, &mut marks, &mut places);
        }
        places
    });
    let mut cursors: Vec<_> = found.iter().map(|places| places.iter().copied()).collect();
    let mut start = 0;
    for &(row, count) in rows {
        let count = count as usize;
        let new = &fresh[start..start + count];
        start += count;
        let features = problem.row(row as usize).features;
        let duals = &mut state.duals[row as usize];
        let own = usize::from(duals.places.is_empty());
        let before = if own == 1 { 0 } else { 1 + duals.classes.len() };
        let mut places = Vec::with_capacity(features.len() * (before + count));
        let mut shard = 0;
        for (at, &feature) in features.iter().enumerate() {
            while feature >= cuts[shard] {
                shard += 1;
            }
            places.extend_from_slice(&duals.places[at * before..(at + 1) * before]);
            places.extend(cursors[shard].by_ref().take(count));
        }
        duals.places = places;
        duals.classes.extend_from_slice(&new[own..]);
        duals
            .alphas
            .extend(core::iter::repeat_n(duals.shared, count - own));
    }
    make_dense(state);
}

/// Takes classes off the lists of rows: pairs of a row and a place in its list, rising. Their duals must
/// be those that unlisted classes share.
pub fn unlist(state: &mut State, idle: &[(u32, u32)]) {
    for group in idle.chunk_by(|a, b| a.0 == b.0) {
        let duals = &mut state.duals[group[0].0 as usize];
        let width = 1 + duals.classes.len();
        let mut keep = vec![true; width];
        for &(_, slot) in group {
            keep[slot as usize + 1] = false;
        }
        let mut at = 0;
        duals.places.retain(|_| {
            at += 1;
            keep[(at - 1) % width]
        });
        let mut slots = keep[1..].iter();
        duals.classes.retain(|_| slots.next() != Some(&false));
        let mut slots = keep[1..].iter();
        duals.alphas.retain(|_| slots.next() != Some(&false));
    }
}

/// Finds or makes the places of the classes `new` for each of the row's features in this shard.
fn find(
    shard: &mut Shard<'_>,
    features: &[u32],
    new: &[u32],
    marks: &mut [u32],
    places: &mut Vec<u32>,
) {
    let from = features.partition_point(|&f| f < shard.range.start);
    let to = features.partition_point(|&f| f < shard.range.end);
    for (slot, &class) in new.iter().enumerate() {
        marks[class as usize] = slot as u32 + 1;
    }
    for &feature in &features[from..to] {
        let list = &mut shard.lists[(feature - shard.range.start) as usize];
        if list.is_dense() {
            places.extend_from_slice(new);
            continue;
        }
        let FeatureWeights { classes, weights } = list;
        let first = places.len();
        places.resize(first + new.len(), u32::MAX);
        for (place, &class) in classes.iter().enumerate() {
            let mark = marks[class as usize];
            if mark != 0 {
                places[first + mark as usize - 1] = place as u32;
            }
        }
        for (place, &class) in places[first..].iter_mut().zip(new) {
            if *place == u32::MAX {
                *place = classes.len() as u32;
                classes.push(class);
                weights.push(0.0);
            }
        }
    }
    for &class in new {
        marks[class as usize] = 0;
    }
}

/// Makes long lists dense, where the place of a class is its number.
fn make_dense(state: &mut State) {
    let dense = state.weights.make_dense();
    if dense.is_empty() {
        return;
    }
    let mut is_new = vec![false; state.weights.lists.len()];
    for feature in dense {
        is_new[feature as usize] = true;
    }
    for (at, duals) in state.duals.iter_mut().enumerate() {
        if duals.places.is_empty() {
            continue;
        }
        let width = 1 + duals.classes.len();
        let features = state.problem.row(at).features;
        for (places, &feature) in duals.places.chunks_exact_mut(width).zip(features) {
            if is_new[feature as usize] {
                places[0] = state.problem.class(at);
                places[1..].copy_from_slice(&duals.classes);
            }
        }
    }
}
