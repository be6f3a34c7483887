//! The weights as a state holds them: list by list, with whether a list knows its places.

use super::{Beside, Entry, FeatureLists, List};
use crate::train::state::{StateError, same};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct SavedList<'a> {
    entries: Cow<'a, [Entry]>,
    extra: Cow<'a, [f32]>,
    places: bool,
}

impl<'a> SavedList<'a> {
    fn of(list: &'a List) -> Self {
        Self {
            entries: Cow::Borrowed(&list.entries),
            extra: Cow::Borrowed(&list.extra),
            places: !list.places.is_empty(),
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(in super::super) struct SavedLists<'a> {
    lists: Vec<SavedList<'a>>,
    scale: f64,
    square: f64,
    beside: Cow<'a, Beside>,
}

impl FeatureLists {
    pub(in super::super) fn saved(&self) -> SavedLists<'_> {
        let all = self.shards.iter().flat_map(|shard| &shard.lists);
        SavedLists {
            lists: all.map(SavedList::of).collect(),
            scale: self.state.scale,
            square: self.state.square,
            beside: Cow::Borrowed(&self.state.beside),
        }
    }

    pub(in super::super) fn restore(&mut self, saved: SavedLists<'_>) -> Result<(), StateError> {
        let classes = self.classes;
        let count: usize = self.shards.iter().map(|shard| shard.lists.len()).sum();
        same("features", saved.lists.len(), count)?;
        let scale = saved.scale.is_finite() && saved.scale > 0.0;
        if !(scale && saved.square.is_finite() && fits(&self.state.beside, &saved.beside)) {
            return Err(StateError::Malformed);
        }
        let with_extra = *saved.beside != Beside::Nothing;
        let mut seen = alloc::vec![0u32; classes];
        let own = self.shards.iter_mut().flat_map(|shard| &mut shard.lists);
        for ((number, list), own) in (1..).zip(saved.lists).zip(own) {
            let extra = if with_extra { list.entries.len() } else { 0 };
            same("numbers beside weights", list.extra.len(), extra)?;
            for entry in &*list.entries {
                let Some(last) = seen.get_mut(entry.class as usize) else {
                    return Err(StateError::Beyond {
                        what: "class",
                        value: u64::from(entry.class),
                        limit: classes as u64,
                    });
                };
                if core::mem::replace(last, number) == number {
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
        (self.state.scale, self.state.square) = (saved.scale, saved.square);
        self.state.beside = saved.beside.into_owned();
        Ok(())
    }
}

/// Whether training can have come from one kind of numbers beside the weights to the other.
fn fits(new: &Beside, saved: &Beside) -> bool {
    match (new, saved) {
        (Beside::Nothing, Beside::Nothing | Beside::Sums { .. }) => true,
        (Beside::Penalty { .. }, Beside::Penalty { now }) => now.is_finite(),
        (Beside::Penalties { now: new }, Beside::Penalties { now }) => {
            new.len() == now.len() && now.iter().all(|penalty| penalty.is_finite())
        }
        _ => false,
    }
}
