//! Taking weights out of features' lists that no row has a place for any more.
//!
//! Early on rows list many classes that soon turn out to be idle. What their weights were made of
//! went with their duals, so that those weights are 0 up to rounding.
//!
//! Cost: O(places of all rows); memory: a bit and a half for each listed weight, 8 bytes a feature.

use super::{duals::chunks, state::State};
use crate::executor::Executor;
use crate::train::multiclass::{
    class_weights::{ClassWeights, Places},
    narrow_vec::Numbers,
};
use alloc::vec::Vec;

/// As a share of all listed weights, how many must have lost a row for [`forget`] to be worth its
/// cost.
const WORTH: usize = 8;

/// Forgets weights if many may have lost their last row: `idle` are rows and places of classes that
/// have just left their lists.
pub fn forget_if_many(state: &mut State, idle: &[(u32, u32)], executor: &Executor) {
    let rows = idle.iter().map(|&(row, _)| row as usize);
    let lost: usize = rows.map(|row| state.problem.row(row).features.len()).sum();
    if lost * WORTH > state.weights.lists().len() {
        forget(state, executor);
    }
}

/// Forgets all weights that no row has a place for.
pub fn forget(state: &mut State, executor: &Executor) {
    let State {
        problem,
        duals,
        weights,
        ..
    } = state;
    let threads = executor.threads();
    let problem = &*problem;
    let lists = &*weights;
    let noted = executor.map_items(chunks(duals, threads), |_, (first, duals)| {
        let mut used = Places::none(lists.lists().len());
        for (row, duals) in (first..).zip(duals) {
            let features = problem.row(row).features;
            match &duals.places {
                Numbers::Narrow(places) => note(&mut used, lists, features, places),
                Numbers::Wide(places) => note(&mut used, lists, features, places),
            }
        }
        used
    });
    let used = Places::union(noted);
    let starts = (0..lists.features()).map(|feature| lists.list(feature).start);
    let starts = starts.chain([lists.lists().len()]);
    let firsts: Vec<usize> = starts.map(|start| used.before(start)).collect();
    executor.map_items(chunks(duals, threads), |_, (first, duals)| {
        for (row, duals) in (first..).zip(duals) {
            let features = problem.row(row).features;
            let of = (lists, &used, &firsts[..]);
            match &mut duals.places {
                Numbers::Narrow(places) => renumber(of, features, places, |place| place as u16),
                Numbers::Wide(places) => renumber(of, features, places, |place| place),
            }
        }
    });
    weights.retain(&used, executor);
}

/// Makes a row's places those that they are to be among the ones of each feature's list that are
/// used; `firsts` says how many are used of the lists before each feature's, and of all.
fn renumber<P: Copy + Into<u32>>(
    (weights, used, firsts): (&ClassWeights, &Places, &[usize]),
    features: &[u32],
    places: &mut [P],
    number: impl Fn(u32) -> P,
) {
    let width = places.len() / features.len().max(1);
    for (&feature, places) in features.iter().zip(places.chunks_exact_mut(width.max(1))) {
        let list = weights.list(feature as usize);
        let (first, next) = (firsts[feature as usize], firsts[feature as usize + 1]);
        // A list that loses nothing stays as it is, and so do the places of a dense feature, which
        // are classes.
        if next - first == list.len() {
            continue;
        }
        for place in places {
            let at = list.start + (*place).into() as usize;
            *place = number((used.before(at) - first) as u32);
        }
    }
}

/// Adds the places that a row has in lists to those that are used.
fn note<P: Copy + Into<u32>>(
    used: &mut Places,
    weights: &ClassWeights,
    features: &[u32],
    places: &[P],
) {
    let width = places.len() / features.len().max(1);
    for (&feature, places) in features.iter().zip(places.chunks_exact(width.max(1))) {
        let list = weights.list(feature as usize);
        if list.is_empty() {
            continue;
        }
        for &place in places {
            used.add(list.start + place.into() as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::forget;
    use crate::{
        executor::Sequential,
        parameters::multiclass::{MultiClassLoss::WestonWatkins, MultiClassSvm},
        train::multiclass::{
            duals::RowDuals, listing::unlist, problem::tests::random, state::State,
            trainer::Trainer,
        },
    };
    use alloc::vec::Vec;
    use hapax_processor::Processor;

    /// The weight of each place of each row, and how many weights are listed.
    fn seen(state: &State) -> (Vec<Vec<f32>>, usize) {
        let of = |(row, duals): (usize, &RowDuals)| {
            let width = 1 + duals.classes.len();
            let features = state.problem.row(row).features;
            let places = duals.places.to_vec();
            let weights = places.iter().enumerate().map(|(at, &place)| {
                let feature = features[at / width] as usize;
                state.weights.of(feature)[place as usize]
            });
            weights.collect()
        };
        (
            state.duals.iter().enumerate().map(of).collect(),
            state.weights.lists().len(),
        )
    }

    #[test]
    fn rows_keep_their_weights_and_only_lost_ones_go() {
        let parameters = MultiClassSvm::new(WestonWatkins);
        let mut trainer = Trainer::new(&parameters, random(200, 400, 200, 3));
        for _ in 0..2 {
            trainer.epoch(&Sequential, Processor::portable());
        }
        let mut state = trainer.into_state();
        let before = seen(&state);
        forget(&mut state, &Sequential);
        assert_eq!(seen(&state), before);
        let idle: Vec<(u32, u32)> = (0..200)
            .filter(|&row| !state.duals[row as usize].classes.is_empty())
            .map(|row| (row, 0))
            .collect();
        unlist(&mut state, &idle, &Sequential);
        let lost = seen(&state);
        forget(&mut state, &Sequential);
        let after = seen(&state);
        assert_eq!(after.0, lost.0);
        assert!(after.1 < lost.1, "{} {}", after.1, lost.1);
    }
}
