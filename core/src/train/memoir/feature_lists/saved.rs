//! The weights as a state holds them: list by list, with whether a list knows its places.

use super::{Beside, Entry, FeatureLists, List, due};
use crate::train::{
    memoir::{list::is_long, state::LEAST_SCALE},
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
}

#[derive(Serialize, Deserialize)]
pub(in super::super) struct SavedLists<'a> {
    pub lists: Vec<SavedList<'a>>,
    pub scale: f64,
    pub square: f64,
    pub beside: Cow<'a, Beside>,
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

    /// The weights of a state. After `averaged` steps whose weights count in a mean, or none where no mean is kept.
    pub(in super::super) fn restore(
        &mut self,
        saved: SavedLists<'_>,
        averaged: u64,
    ) -> Result<(), StateError> {
        let classes = self.classes;
        let count: usize = self.shards.iter().map(|shard| shard.lists.len()).sum();
        same("features", saved.lists.len(), count)?;
        let scale = saved.scale >= LEAST_SCALE && saved.scale <= 1.0;
        holds("the scale of the weights", scale)?;
        holds("the length of the weights", saved.square.is_finite())?;
        follows(&saved.beside, &self.state.beside, averaged)?;
        let mut seen = alloc::vec![0u32; classes];
        let own = self.shards.iter_mut().flat_map(|shard| &mut shard.lists);
        let mut square = 0.0;
        for ((number, list), own) in (1..).zip(saved.lists).zip(own) {
            square += list.check(&saved.beside, classes)?;
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
        // Of l1 it is not kept; otherwise the sum that steps have kept differs from a new one by rounding.
        let kept = matches!(*saved.beside, Beside::Nothing | Beside::Sums { .. });
        let near = (saved.square - square).abs() <= 1e-3 * (1.0 + square);
        holds("the length of the weights", !kept || near)?;
        (self.state.scale, self.state.square) = (saved.scale, saved.square);
        self.state.beside = saved.beside.into_owned();
        Ok(())
    }
}

impl SavedList<'_> {
    /// Whether the list can be one of training among `classes` classes; the sum of its squares.
    fn check(&self, beside: &Beside, classes: usize) -> Result<f64, StateError> {
        let with_extra = *beside != Beside::Nothing;
        let extra = if with_extra { self.entries.len() } else { 0 };
        same("numbers beside weights", self.extra.len(), extra)?;
        let of = self.entries.iter().map(|entry| &entry.class);
        all_below("class", of, classes)?;
        // A list of a table takes memory for each class.
        let table = !self.places || is_long(self.entries.len(), classes);
        holds("a table of a short list", table)?;
        let mut square = 0.0;
        for entry in &*self.entries {
            holds("a weight", entry.value.is_finite())?;
            square += f64::from(entry.value) * f64::from(entry.value);
        }
        for (number, entry) in self.extra.iter().zip(&*self.entries) {
            let right = match beside {
                Beside::Penalty { .. } | Beside::Penalties { .. } => {
                    *number >= 0.0 && *number <= due(beside, entry.class)
                }
                _ => number.is_finite(),
            };
            holds("a number beside a weight", right)?;
        }
        Ok(square)
    }
}

/// Whether training that begins with the one kind of numbers beside weights can have come to the other.
fn follows(saved: &Beside, new: &Beside, averaged: u64) -> Result<(), StateError> {
    let penalty = |now: &f64| now.is_finite() && *now >= 0.0;
    let right = match (new, saved) {
        (Beside::Nothing, Beside::Nothing) => averaged == 0,
        (Beside::Nothing, Beside::Sums { scales, steps }) => {
            averaged > 0 && *steps == averaged && *scales >= 0.0 && *scales <= averaged as f64
        }
        (Beside::Penalty { .. }, Beside::Penalty { now }) => penalty(now),
        (Beside::Penalties { now: new }, Beside::Penalties { now }) => {
            new.len() == now.len() && now.iter().all(penalty)
        }
        _ => false,
    };
    holds("what is kept beside the weights", right)
}
