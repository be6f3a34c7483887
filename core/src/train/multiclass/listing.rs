//! Giving rows places among the weights for classes that they begin to list.

use super::{
    duals::{RowDuals, chunks},
    problem::Problem,
    state::State,
};
use crate::executor::Executor;
use crate::train::multiclass::{class_weights::Shard, narrow_vec::Numbers};
use alloc::{vec, vec::Vec};

/// Whether rows are given places for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// They are: the first class of each is its own.
    First,
    /// They have some.
    Later,
}

/// Lists classes for rows: `rows` are numbers of rows, rising, and how many of `fresh` are each
/// one's.
///
/// Cost: O(weights of the rows' features, each once, + values of the rows times their new classes).
/// Lists grow in the order of rows, whichever thread appends to them.
pub fn list(
    state: &mut State,
    rows: &[(u32, u32)],
    fresh: &[u32],
    turn: Turn,
    cuts: &[u32],
    executor: &Executor,
) {
    let State {
        problem,
        duals,
        weights,
        ..
    } = &mut *state;
    let (classes, problem) = (weights.classes, &*problem);
    let asked = &Asked::new(rows, fresh);
    let found = &executor.map_items(weights.shards(cuts), |_, shard| {
        find(&shard, problem, asked, classes)
    });
    executor.map_items(chunks(duals, executor.threads()), |_, (first, duals)| {
        let earlier = |at: &(u32, u32)| (at.0 as usize) < first;
        let later = |at: &(u32, u32)| (at.0 as usize) < first + duals.len();
        let (start, end) = (rows.partition_point(earlier), rows.partition_point(later));
        for (asker, &(row, _)) in (start..end).zip(&rows[start..end]) {
            let row = row as usize;
            let features = problem.row(row).features;
            take(
                &mut duals[row - first],
                features,
                (asked.of(asker), turn),
                (found, asker, &cuts[1..]),
                classes,
            );
        }
    });
    let counts: Vec<u32> = found
        .iter()
        .flat_map(|f| f.counts.iter().copied())
        .collect();
    let appended: Vec<u32> = found
        .iter()
        .flat_map(|f| f.appended.iter().copied())
        .collect();
    let dense = state.weights.append(&counts, &appended, executor);
    make_dense(state, &dense, executor);
}

/// Gives one row the places that were found for its new classes.
fn take(
    duals: &mut RowDuals,
    features: &[u32],
    (new, turn): (&[u32], Turn),
    (found, asker, ends): (&[Found], usize, &[u32]),
    classes: usize,
) {
    let count = new.len();
    let own = usize::from(turn == Turn::First);
    let before = if own == 1 { 0 } else { 1 + duals.classes.len() };
    let mut places = Numbers::with_capacity(features.len() * (before + count), classes);
    let mut at = 0;
    let mut start = 0;
    for (found, &last) in found.iter().zip(ends) {
        let end = start + features[start..].partition_point(|&feature| feature < last);
        let new = found.starts[asker]..;
        for (from, feature) in new.step_by(count.max(1)).zip(start..end) {
            places.extend_from(&duals.places, feature * before..(feature + 1) * before);
            places.extend_from(&found.places, from..from + count);
            at += 1;
        }
        start = end;
    }
    debug_assert_eq!(at, features.len());
    duals.places = places;
    duals.classes.reserve_exact(count - own);
    duals.classes.extend_from_slice(&new[own..]);
    duals.alphas.reserve_exact(count - own);
    duals
        .alphas
        .extend(core::iter::repeat_n(duals.shared, count - own));
}

/// Takes classes off the lists of rows: pairs of a row and a place in its list, rising. Their duals
/// must be those that unlisted classes share.
pub fn unlist(state: &mut State, idle: &[(u32, u32)], executor: &Executor) {
    let chunks = chunks(&mut state.duals, executor.threads());
    executor.map_items(chunks, |_, (first, duals)| {
        let start = idle.partition_point(|at| (at.0 as usize) < first);
        let end = idle.partition_point(|at| (at.0 as usize) < first + duals.len());
        for group in idle[start..end].chunk_by(|a, b| a.0 == b.0) {
            unlist_row(&mut duals[group[0].0 as usize - first], group);
        }
    });
}

fn unlist_row(duals: &mut RowDuals, idle: &[(u32, u32)]) {
    let mut keep = vec![true; 1 + duals.classes.len()];
    for &(_, slot) in idle {
        keep[slot as usize + 1] = false;
    }
    let mut slots = keep.iter().cycle();
    duals.places.retain(|| slots.next() != Some(&false));
    let mut slots = keep[1..].iter();
    duals.classes.retain(|_| slots.next() != Some(&false));
    let mut slots = keep[1..].iter();
    duals.alphas.retain(|_| slots.next() != Some(&false));
}

/// What rows ask for.
struct Asked<'a> {
    rows: &'a [(u32, u32)],
    fresh: &'a [u32],
    /// Where the new classes of each begin.
    starts: Vec<usize>,
}

impl<'a> Asked<'a> {
    fn new(rows: &'a [(u32, u32)], fresh: &'a [u32]) -> Self {
        let mut sum = 0;
        let counts = rows.iter().map(|row| {
            sum += row.1 as usize;
            sum
        });
        let starts = core::iter::once(0).chain(counts).collect();
        Self {
            rows,
            fresh,
            starts,
        }
    }

    /// The new classes of a row.
    fn of(&self, asker: usize) -> &'a [u32] {
        &self.fresh[self.starts[asker]..self.starts[asker + 1]]
    }
}

/// Who asks, by feature of a shard.
struct Askers {
    ends: Vec<usize>,
    askers: Vec<u32>,
}

impl Askers {
    fn new(problem: &Problem, asked: &Asked<'_>, shard: &Shard<'_>) -> Self {
        let first = shard.range.start;
        let mut ends = vec![0usize; shard.range.len() + 2];
        for &(row, _) in asked.rows {
            for &feature in problem.row(row as usize).features_in(&shard.range) {
                ends[(feature - first) as usize + 2] += 1;
            }
        }
        for at in 2..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut askers = vec![0u32; ends[ends.len() - 1]];
        for (asker, &(row, _)) in asked.rows.iter().enumerate() {
            for &feature in problem.row(row as usize).features_in(&shard.range) {
                let end = &mut ends[(feature - first) as usize + 1];
                askers[*end] = asker as u32;
                *end += 1;
            }
        }
        ends.pop();
        Self { ends, askers }
    }

    fn of(&self, at: usize) -> &[u32] {
        &self.askers[self.ends[at]..self.ends[at + 1]]
    }
}

/// Places of new classes, by row and feature.
struct Found {
    places: Numbers,
    /// Where those of each row start.
    starts: Vec<usize>,
    /// How many classes each feature of the shard lacked.
    counts: Vec<u32>,
    /// These classes.
    appended: Vec<u32>,
}

/// Finds the places of new classes of all rows for the features of this shard, those of classes to
/// be appended included.
fn find(shard: &Shard<'_>, problem: &Problem, asked: &Asked<'_>, classes: usize) -> Found {
    let askers = Askers::new(problem, asked, shard);
    let mut count = 0;
    let widths = asked.rows.iter().map(|&(row, new)| {
        let features = problem.row(row as usize).features_in(&shard.range);
        count += features.len() * new as usize;
        count - features.len() * new as usize
    });
    let starts: Vec<usize> = widths.collect();
    let mut places = Numbers::zeros(count, classes);
    let mut cursors = starts.clone();
    // The place of each class, plus 1; 0 for none.
    let mut place_of = vec![0u32; classes];
    let (mut appended, mut row_places) = (Vec::new(), Vec::new());
    let mut counts = vec![0u32; shard.range.len()];
    for (at, lacked) in counts.iter_mut().enumerate() {
        let asking = askers.of(at);
        if asking.is_empty() {
            continue;
        }
        if shard.is_dense(at) {
            for &asker in asking {
                let new = asked.of(asker as usize);
                places.write(cursors[asker as usize], new);
                cursors[asker as usize] += new.len();
            }
            continue;
        }
        let (mut last, before) = (0, appended.len());
        shard.visit_classes(at, |class| {
            last += 1;
            place_of[class as usize] = last;
        });
        for &asker in asking {
            row_places.clear();
            for &class in asked.of(asker as usize) {
                let place = &mut place_of[class as usize];
                if *place == 0 {
                    last += 1;
                    *place = last;
                    appended.push(class);
                }
                row_places.push(*place - 1);
            }
            places.write(cursors[asker as usize], &row_places);
            cursors[asker as usize] += row_places.len();
        }
        shard.visit_classes(at, |class| place_of[class as usize] = 0);
        for &class in &appended[before..] {
            place_of[class as usize] = 0;
        }
        *lacked = (appended.len() - before) as u32;
    }
    Found {
        places,
        starts,
        counts,
        appended,
    }
}

/// Makes classes the places of rows in features that have become dense.
fn make_dense(state: &mut State, dense: &[u32], executor: &Executor) {
    if dense.is_empty() {
        return;
    }
    let mut is_new = vec![false; state.weights.features()];
    for &feature in dense {
        is_new[feature as usize] = true;
    }
    let (is_new, problem) = (&is_new, &state.problem);
    let chunks = chunks(&mut state.duals, executor.threads());
    executor.map_items(chunks, |_, (first, duals)| {
        for (row, duals) in (first..).zip(duals) {
            if duals.places.is_empty() {
                continue;
            }
            let width = 1 + duals.classes.len();
            let features = problem.row(row).features;
            for (place, &feature) in features.iter().enumerate() {
                if is_new[feature as usize] {
                    duals.places.write(place * width, &[problem.class(row)]);
                    duals.places.write(place * width + 1, &duals.classes);
                }
            }
        }
    });
}
