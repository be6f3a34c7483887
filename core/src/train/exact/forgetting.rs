//! Taking weights out of features' lists that no row has a place for any more.
//!
//! Early on rows list many classes that soon turn out to be idle. What their weights were made of went with
//! their duals, so that those weights are 0 up to rounding.
//!
//! Cost: O(places of all rows); memory: a bit and a half for each listed weight, 8 bytes a feature.

use super::{duals::chunks, numbers::Numbers, state::State, weights::ClassWeights};
use crate::executor::Executor;
use alloc::{vec, vec::Vec};

/// As a share of all listed weights, how many must have lost a row for [`forget`] to be worth its cost.
const WORTH: usize = 8;

/// Forgets weights if many may have lost their last row: `idle` are rows and places of classes that have just left
/// their lists.
pub fn forget_if_many<E: Executor>(state: &mut State, idle: &[(u32, u32)], executor: &E) {
    let rows = idle.iter().map(|&(row, _)| row as usize);
    let lost: usize = rows.map(|row| state.problem.row(row).features.len()).sum();
    if lost * WORTH > state.weights.lists().len() {
        forget(state, executor);
    }
}

/// Forgets all weights that no row has a place for.
pub fn forget<E: Executor>(state: &mut State, executor: &E) {
    let State {
        problem,
        duals,
        weights,
        halves,
        ..
    } = state;
    let threads = executor.threads();
    let (problem, halves) = (&*problem, &*halves);
    let none = Used::new(weights);
    let noted = executor.map_items(chunks(duals, threads), |_, (first, duals)| {
        let mut used = none.clone();
        for (row, duals) in (first..).zip(duals) {
            let features = halves.of(problem.row(row)).features;
            match &duals.places {
                Numbers::Narrow(places) => used.note(features, places),
                Numbers::Wide(places) => used.note(features, places),
            }
        }
        used.words
    });
    let used = &none.with(noted);
    executor.map_items(chunks(duals, threads), |_, (first, duals)| {
        for (row, duals) in (first..).zip(duals) {
            let features = halves.of(problem.row(row)).features;
            let width = 1 + duals.classes.len();
            duals
                .places
                .renumber(width, |at, place| used.rank(features[at] as usize, place));
        }
    });
    weights.retain(|place| used.holds(place));
}

/// Which places of the lists rows have.
#[derive(Clone)]
struct Used {
    /// Where the list of each feature begins among all; dense features have none.
    starts: Vec<usize>,
    words: Vec<u64>,
    /// How many places before each word are used.
    before: Vec<u32>,
}

impl Used {
    fn new(weights: &ClassWeights) -> Self {
        let end = weights.lists().len();
        let starts = (0..weights.features()).map(|feature| weights.list(feature).start);
        let starts = starts.chain([end]).collect();
        Self {
            starts,
            words: vec![0; end.div_ceil(64) + 1],
            before: Vec::new(),
        }
    }

    fn note<P: Copy + Into<u32>>(&mut self, features: &[u32], places: &[P]) {
        let width = places.len() / features.len().max(1);
        for (&feature, places) in features.iter().zip(places.chunks_exact(width.max(1))) {
            let (start, end) = (
                self.starts[feature as usize],
                self.starts[feature as usize + 1],
            );
            if start == end {
                continue;
            }
            for &place in places {
                let at = start + place.into() as usize;
                self.words[at / 64] |= 1 << (at % 64);
            }
        }
    }

    /// The places that are noted anywhere.
    fn with(mut self, noted: Vec<Vec<u64>>) -> Self {
        for words in noted {
            for (word, more) in self.words.iter_mut().zip(words) {
                *word |= more;
            }
        }
        let mut sum = 0;
        for word in &self.words {
            self.before.push(sum);
            sum += word.count_ones();
        }
        self
    }

    fn holds(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// How many of all places before this one are used.
    fn before(&self, at: usize) -> u32 {
        let below = self.words[at / 64] & ((1 << (at % 64)) - 1);
        self.before[at / 64] + below.count_ones()
    }

    /// How many places of a feature's list before this one are used; of a dense feature, the place itself.
    fn rank(&self, feature: usize, place: u32) -> u32 {
        let (start, end) = (self.starts[feature], self.starts[feature + 1]);
        if start == end {
            return place;
        }
        self.before(start + place as usize) - self.before(start)
    }
}

#[cfg(test)]
mod tests {
    use super::forget;
    use crate::{
        executor::Sequential,
        kernels::Portable,
        train::exact::{
            duals::RowDuals,
            listing::unlist,
            parameters::{MultiClassLoss::WestonWatkins, MultiClassSvm},
            problem::tests::random,
            state::State,
            trainer::Trainer,
        },
    };
    use alloc::vec::Vec;

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
            trainer.epoch(&Sequential, &Portable);
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
