//! Giving rows places among the weights for classes that they begin to list.

use super::{
    duals::Places,
    problem::Problem,
    state::State,
    weights::{FeatureWeights, Shard},
};
use crate::executor::Executor;
use alloc::{vec, vec::Vec};

/// Lists classes for rows: `rows` are numbers of rows and how many of `fresh` are each one's. The first
/// class that a row without any place gets is its own.
///
/// Cost: O(weights of the rows' features, each once, + values of the rows times their new classes). Lists grow in
/// the order of rows, whichever thread appends to them.
pub fn list<E: Executor>(
    state: &mut State,
    rows: &[(u32, u32)],
    fresh: &[u32],
    cuts: &[u32],
    executor: &E,
) {
    let classes = state.weights.classes;
    let problem = &state.problem;
    let askers = Askers::new(problem, rows);
    let found = executor.map_items(state.weights.shards(cuts), |_, mut shard| {
        find(&mut shard, &askers, rows, fresh, classes)
    });
    let mut cursors: Vec<usize> = Vec::with_capacity(problem.features());
    found.iter().for_each(|part| cursors.extend(&part.starts));
    let mut start = 0;
    for &(row, count) in rows {
        let count = count as usize;
        let new = &fresh[start..start + count];
        start += count;
        let features = problem.row(row as usize).features;
        let duals = &mut state.duals[row as usize];
        let own = usize::from(duals.places.is_empty());
        let before = if own == 1 { 0 } else { 1 + duals.classes.len() };
        let mut places = Places::with_capacity(features.len() * (before + count), classes);
        let mut shard = 0;
        for (at, &feature) in features.iter().enumerate() {
            while feature >= cuts[shard] {
                shard += 1;
            }
            places.extend_from(&duals.places, at * before..(at + 1) * before);
            let from = cursors[feature as usize];
            places.extend(&found[shard].places[from..from + count]);
            cursors[feature as usize] += count;
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
        duals.places.retain(|at| keep[at % width]);
        let mut slots = keep[1..].iter();
        duals.classes.retain(|_| slots.next() != Some(&false));
        let mut slots = keep[1..].iter();
        duals.alphas.retain(|_| slots.next() != Some(&false));
    }
}

/// Rows that ask for places, by feature.
struct Askers {
    ends: Vec<usize>,
    /// Their numbers among those that ask, and where their new classes begin.
    askers: Vec<(u32, u32)>,
}

impl Askers {
    fn new(problem: &Problem, rows: &[(u32, u32)]) -> Self {
        let mut ends = vec![0usize; problem.features() + 2];
        for &(row, _) in rows {
            for &feature in problem.row(row as usize).features {
                ends[feature as usize + 2] += 1;
            }
        }
        for at in 2..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut askers = vec![(0u32, 0u32); ends[ends.len() - 1]];
        let mut start = 0;
        for (asker, &(row, count)) in rows.iter().enumerate() {
            for &feature in problem.row(row as usize).features {
                let end = &mut ends[feature as usize + 1];
                askers[*end] = (asker as u32, start);
                *end += 1;
            }
            start += count;
        }
        ends.pop();
        Self { ends, askers }
    }

    fn of(&self, feature: usize) -> &[(u32, u32)] {
        &self.askers[self.ends[feature]..self.ends[feature + 1]]
    }
}

/// Places of new classes, by feature and row.
struct Found {
    places: Vec<u32>,
    /// Where those of each feature of the shard start.
    starts: Vec<usize>,
}

/// Finds or makes the places of new classes of all rows for the features of this shard.
fn find(
    shard: &mut Shard<'_>,
    askers: &Askers,
    rows: &[(u32, u32)],
    fresh: &[u32],
    classes: usize,
) -> Found {
    // The place of each class, plus 1; 0 for none.
    let mut place_of = vec![0u32; classes];
    let asking = shard
        .range
        .clone()
        .flat_map(|feature| askers.of(feature as usize));
    let count = asking
        .map(|&(asker, _)| rows[asker as usize].1 as usize)
        .sum();
    let (mut places, mut starts) = (
        Vec::with_capacity(count),
        Vec::with_capacity(shard.lists.len()),
    );
    for (list, feature) in shard.lists.iter_mut().zip(shard.range.clone()) {
        starts.push(places.len());
        let asking = askers.of(feature as usize).iter();
        let new = asking.map(|&(asker, start)| {
            let count = rows[asker as usize].1 as usize;
            &fresh[start as usize..start as usize + count]
        });
        if list.is_dense() {
            new.for_each(|new| places.extend_from_slice(new));
            continue;
        }
        let FeatureWeights { classes, weights } = list;
        for (place, &class) in classes.iter().enumerate() {
            place_of[class as usize] = place as u32 + 1;
        }
        for &class in new.flatten() {
            let place = &mut place_of[class as usize];
            if *place == 0 {
                classes.push(class);
                weights.push(0.0);
                *place = classes.len() as u32;
            }
            places.push(*place - 1);
        }
        for &class in classes.iter() {
            place_of[class as usize] = 0;
        }
        // Lists grow a few times only, but most of the memory is theirs.
        classes.shrink_to_fit();
        weights.shrink_to_fit();
    }
    Found { places, starts }
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
        for (place, &feature) in features.iter().enumerate() {
            if is_new[feature as usize] {
                duals
                    .places
                    .write(place * width, &[state.problem.class(at)]);
                duals.places.write(place * width + 1, &duals.classes);
            }
        }
    }
}
