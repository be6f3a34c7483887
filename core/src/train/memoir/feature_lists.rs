//! The weights of all classes by feature, with a common scale: what exact training works on.
//!
//! `W = a V`: shrinking all weights is one multiplication of `a`, and a step adds `delta / a` to
//! few entries of `V`. Each feature has a list of the classes with a weight for it, in the order in
//! which they came. One pass over the lists of a row's features scores all classes; a second one
//! finds the weights of the classes that a step moves. `N = ||V||^2` is kept up to date by the
//! moves themselves.
//!
//! Beside each weight stands one more number. When averaging it is `u`, the sum of
//! `delta_t A_(t-1)`, where `A_t` is the sum of the scales since the scale was last multiplied into
//! the weights, so that the sum of all `W_t` is `V A - u`. For l1 it is the penalty that was due
//! when the weight was last looked at: the rest is taken off when it is read.
//!
//! A list with many of the classes has a table of their places, which saves the second pass.
//!
//! Memory: 12 bytes a weight (8 where nothing is averaged), at most 48 more in long lists, and 72 a
//! feature. Cost: O(weights of the row's features) for a row's scores and for a row's step.

mod saved_lists;

pub(super) use saved_lists::SavedList;

use super::{
    list::{Beside, Entry, List, due, soft},
    state::{Shrunk, State},
    step::{Slots, Steps},
};
use crate::executor::Executor;
use alloc::{vec, vec::Vec};

/// Features go round the shards, so that a batch can be added by several threads.
pub(super) const SHARDS: usize = 16;

#[derive(Clone, Debug, Default)]
struct Shard {
    lists: Vec<List>,
}

/// See the module's text.
#[derive(Clone, Debug)]
pub(super) struct FeatureLists {
    shards: Vec<Shard>,
    classes: usize,
    state: State,
}

impl FeatureLists {
    /// No weights yet, of `features` features and `classes` classes. A weight below zero is made
    /// only by a step of size `create` or more.
    pub(super) fn new(features: usize, classes: usize, create: f32, beside: Beside) -> Self {
        let shard = |at: usize| Shard {
            lists: vec![List::default(); features.saturating_sub(at).div_ceil(SHARDS)],
        };
        Self {
            shards: (0..SHARDS).map(shard).collect(),
            classes,
            state: State::new(create, beside),
        }
    }

    /// Number of classes.
    pub(super) fn classes(&self) -> usize {
        self.classes
    }

    /// `a`, the common factor of all weights.
    pub(super) fn scale(&self) -> f64 {
        self.state.scale
    }

    /// The squared Euclidean length of all weights together. Not kept for l1.
    pub(super) fn square(&self) -> f64 {
        self.state.square()
    }

    fn list(&self, feature: u32) -> Option<&List> {
        let feature = feature as usize;
        self.shards[feature % SHARDS].lists.get(feature / SHARDS)
    }

    /// Adds to `scores` the products of all classes with a row, without the factor
    /// [`FeatureLists::scale`]. Features beyond the last are left out.
    pub(super) fn score(&self, row: &[(u32, f32)], scores: &mut [f32]) {
        for &(feature, x) in row {
            let Some(list) = self.list(feature) else {
                continue;
            };
            let pairs = list.entries.iter().zip(&list.extra);
            match &self.state.beside {
                Beside::Penalty { now } => {
                    let now = *now as f32;
                    for (entry, last) in pairs {
                        scores[entry.class as usize] += soft(entry.value, now - last) * x;
                    }
                }
                Beside::Penalties { now } => {
                    for (entry, last) in pairs {
                        let due = now[entry.class as usize] as f32 - last;
                        scores[entry.class as usize] += soft(entry.value, due) * x;
                    }
                }
                _ => {
                    for entry in &list.entries {
                        scores[entry.class as usize] += entry.value * x;
                    }
                }
            }
        }
    }

    /// Whether the list of a feature is long enough to find a class in it at once.
    pub(super) fn is_long(&self, feature: u32) -> bool {
        self.list(feature)
            .is_some_and(|list| !list.places.is_empty())
    }

    /// The weight of a class for a feature whose list [is long](FeatureLists::is_long), in `V`;
    /// else 0.
    pub(super) fn weight(&self, feature: u32, class: u32) -> f32 {
        let list = self.list(feature);
        list.and_then(|list| {
            let at = *list.places.get(class as usize)? as usize;
            let value = list.entries.get(at)?.value;
            Some(self.state.present(class, value, list.extra.get(at)))
        })
        .unwrap_or(0.0)
    }

    /// Multiplies all weights by `factor`, from 0 to 1.
    pub(super) fn shrink(&mut self, factor: f64) {
        match self.state.shrink(factor) {
            Shrunk::Nothing => {}
            Shrunk::Fold => self.renormalize(),
            Shrunk::Clear => self.each_list(|list, _| *list = List::default()),
        }
    }

    /// Multiplies the scale into the weights and sums their squares anew.
    pub(super) fn renormalize(&mut self) {
        let mut square = 0.0;
        self.each_list(|list, state| {
            let values = list.entries.iter_mut().map(|entry| &mut entry.value);
            square += state.fold(values, &mut list.extra);
        });
        self.state.folded(square);
    }

    fn each_list(&mut self, mut change: impl FnMut(&mut List, &State)) {
        for shard in &mut self.shards {
            for list in &mut shard.lists {
                change(list, &self.state);
            }
        }
    }

    /// Makes all weights so small that their Euclidean length is at most `radius`.
    pub(super) fn project(&mut self, radius: f64) {
        if let Some(factor) = self.state.too_long(radius) {
            self.shrink(factor);
        }
    }

    /// From here on the mean of the weights is kept, too.
    pub(super) fn begin_averaging(&mut self) {
        self.state.begin_averaging();
        self.each_list(|list, _| list.extra = vec![0.0; list.entries.len()]);
    }

    /// Ends a step: the weights as they are count once in the mean; of l1, the penalty of
    /// `touched` (or all) grows.
    pub(super) fn end_step(&mut self, penalty: f64, touched: &[u32]) {
        self.state.end_step(penalty, touched, self.classes);
    }

    /// Adds to each class of a step its part of the row.
    pub(super) fn add(&mut self, row: &[(u32, f32)], steps: &Steps<'_>, slots: &mut Slots) {
        let moving = self.state.moving();
        slots.set(steps, 1.0 / self.state.scale);
        let mut square = 0.0;
        for &(feature, x) in row {
            let feature = feature as usize;
            let shard = &mut self.shards[feature % SHARDS];
            if let Some(list) = shard.lists.get_mut(feature / SHARDS) {
                square += moving.add(list, x, slots, &self.state.beside);
            }
        }
        slots.clear(steps);
        self.state.square += square;
    }

    /// [`FeatureLists::add`] for each of `count` rows in turn, the shards in parallel. `draw` gives
    /// a row's features, into the buffer, and its steps.
    pub(super) fn add_all<'s>(
        &mut self,
        count: usize,
        draw: impl Fn(usize, &mut Vec<(u32, f32)>) -> Steps<'s> + Sync,
        executor: &Executor,
    ) {
        let (moving, scale) = (self.state.moving(), self.state.scale);
        let shards = core::mem::take(&mut self.shards);
        let (beside, classes) = (&self.state.beside, self.classes);
        let added = executor.map_items(shards, |at, mut shard: Shard| {
            let (mut slots, mut row) = (Slots::new(classes), Vec::new());
            let mut square = 0.0;
            for number in 0..count {
                row.clear();
                let steps = draw(number, &mut row);
                slots.set(&steps, 1.0 / scale);
                for &(feature, x) in row.iter().filter(|(f, _)| *f as usize % SHARDS == at) {
                    if let Some(list) = shard.lists.get_mut(feature as usize / SHARDS) {
                        square += moving.add(list, x, &slots, beside);
                    }
                }
                slots.clear(&steps);
            }
            (shard, square)
        });
        for (shard, square) in added {
            self.shards.push(shard);
            self.state.square += square;
        }
    }

    /// Takes off what is due and leaves out what has become zero. For l1.
    pub(super) fn settle(&mut self) {
        self.each_list(|list, State { beside, .. }| {
            let mut kept = 0;
            for at in 0..list.entries.len() {
                let Entry { class, value } = list.entries[at];
                let now = due(beside, class);
                let value = soft(value, now - list.extra[at]);
                if value != 0.0 {
                    list.entries[kept] = Entry { class, value };
                    list.extra[kept] = now;
                    kept += 1;
                }
            }
            list.entries.truncate(kept);
            list.extra.truncate(kept);
            list.places = Vec::new();
        });
    }

    /// The weights that training ends with: for each class its features, rising, and weights.
    /// `visit` is told of each weight by rising feature.
    pub(super) fn visit(&self, mut visit: impl FnMut(u32, u32, f32)) {
        let features = self
            .shards
            .iter()
            .map(|shard| shard.lists.len())
            .sum::<usize>();
        for feature in 0..features as u32 {
            if let Some(list) = self.list(feature) {
                self.ended(list, |class, weight| visit(feature, class, weight));
            }
        }
    }

    /// As [`FeatureLists::visit`] for one feature, whose list is then given back.
    pub(super) fn take(&mut self, feature: u32, visit: impl FnMut(u32, f32)) {
        let feature = feature as usize;
        if let Some(list) = self.shards[feature % SHARDS]
            .lists
            .get_mut(feature / SHARDS)
        {
            let list = core::mem::take(list);
            self.ended(&list, visit);
        }
    }

    fn ended(&self, list: &List, mut visit: impl FnMut(u32, f32)) {
        for (at, entry) in list.entries.iter().enumerate() {
            let extra = list.extra.get(at);
            visit(
                entry.class,
                self.state.last(entry.class, entry.value, extra),
            );
        }
    }

    /// Number of stored weights.
    pub(super) fn nonzeros(&self) -> usize {
        let lists = self.shards.iter().flat_map(|shard| &shard.lists);
        lists.map(|list| list.entries.len()).sum()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let lists = self.shards.iter().flat_map(|shard| &shard.lists);
        lists
            .map(|list| {
                let beside = list.extra.capacity() + list.places.capacity();
                72 + 8 * list.entries.capacity() + 4 * beside
            })
            .sum()
    }
}
