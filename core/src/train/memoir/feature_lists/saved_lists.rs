//! The weights as a state holds them: list by list, with whether a list knows its places.

use super::{Entry, FeatureLists, List};
use crate::train::{
    memoir::{
        list::is_long,
        state::{SavedState, State},
    },
    state::{StateError, all_below, holds, same},
};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(in super::super) struct SavedList<'a> {
    pub entries: Cow<'a, [Entry]>,
    pub extra: Cow<'a, [f32]>,
    pub places: bool,
}

impl<'a> SavedList<'a> {
    fn of(list: &'a List) -> Self {
        Self {
            entries: Cow::Borrowed(&list.entries),
            extra: Cow::Borrowed(&list.extra),
            places: !list.places.is_empty(),
        }
    }

    /// Whether the list can be one of training among `classes` classes; the sum of its squares.
    fn check(&self, state: &SavedState<'_>, classes: usize) -> Result<f64, StateError> {
        let of = self.entries.iter().map(|entry| &entry.class);
        all_below("class", of, classes)?;
        // A list of a table takes memory for each class.
        let table = !self.places || is_long(self.entries.len(), classes);
        holds("a table of a short list", table)?;
        let weights = self.entries.iter().map(|entry| (entry.class, entry.value));
        state.check_weights(weights, &self.extra)
    }
}

impl FeatureLists {
    pub(in super::super) fn state(&self) -> &State {
        &self.state
    }

    pub(in super::super) fn saved(&self) -> Vec<SavedList<'_>> {
        let all = self.shards.iter().flat_map(|shard| &shard.lists);
        all.map(SavedList::of).collect()
    }

    /// The weights of a state that was checked.
    pub(in super::super) fn restore(
        &mut self,
        saved: Vec<SavedList<'_>>,
        state: SavedState<'_>,
    ) -> Result<(), StateError> {
        let classes = self.classes;
        let count: usize = self.shards.iter().map(|shard| shard.lists.len()).sum();
        same("features", saved.len(), count)?;
        let mut seen = alloc::vec![0u32; classes];
        let own = self.shards.iter_mut().flat_map(|shard| &mut shard.lists);
        let mut square = 0.0;
        for ((number, list), own) in (1..).zip(saved).zip(own) {
            square += list.check(&state, classes)?;
            for entry in &*list.entries {
                if core::mem::replace(&mut seen[entry.class as usize], number) == number {
                    let what = "the classes of a feature";
                    return Err(StateError::Disordered { what });
                }
            }
            own.entries = list.entries.into_owned();
            own.extra = list.extra.into_owned();
            own.places = Vec::new();
            if list.places {
                own.find_places(classes);
            }
        }
        self.state.restore(state, square)
    }
}
