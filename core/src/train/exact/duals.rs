//! The duals of one row: few by class, the rest in one number.

use alloc::vec::Vec;
use core::{mem::size_of, ops::Range};
use serde::{Deserialize, Serialize};

/// The duals of a row: those of its listed classes, and one that all other wrong classes share.
///
/// Memory: 12 bytes a listed class and 2 for each value of the row and listed class.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RowDuals {
    /// The dual that every class which is not listed shares.
    pub shared: f64,
    /// The sum of the row's duals.
    pub total: f64,
    /// Listed classes, in the order in which they were listed.
    pub classes: Vec<u32>,
    /// Their duals.
    pub alphas: Vec<f64>,
    /// For each feature of the row the places of its own class and of the listed ones among the
    /// feature's weights.
    pub places: Places,
    /// In how many visits, one after the other, the duals did not move.
    pub still: u32,
}

impl RowDuals {
    /// How many classes of `classes` share one dual.
    #[must_use]
    pub fn sharing(&self, classes: usize) -> usize {
        classes - 1 - self.classes.len()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + 4 * self.classes.capacity()
            + self.places.bytes()
            + 8 * self.alphas.capacity()
    }
}

/// Places among weights. A feature has at most a place for each class: up to 65,536 classes, two bytes are
/// enough for one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Places {
    /// Two bytes each.
    Narrow(Vec<u16>),
    /// Four bytes each.
    Wide(Vec<u32>),
}

impl Default for Places {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Places {
    /// None yet, with room for `count`.
    #[must_use]
    pub fn with_capacity(count: usize, classes: usize) -> Self {
        if classes <= 1 << 16 {
            Self::Narrow(Vec::with_capacity(count))
        } else {
            Self::Wide(Vec::with_capacity(count))
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Narrow(places) => places.is_empty(),
            Self::Wide(places) => places.is_empty(),
        }
    }

    /// Whether they have the width that a problem of `classes` classes needs.
    #[must_use]
    pub fn fits(&self, classes: usize) -> bool {
        matches!(self, Self::Narrow(_)) == (classes <= 1 << 16)
    }

    /// All of them.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u32> {
        match self {
            Self::Narrow(places) => places.iter().map(|&place| u32::from(place)).collect(),
            Self::Wide(places) => places.clone(),
        }
    }

    /// Appends places.
    pub fn extend(&mut self, more: &[u32]) {
        match self {
            Self::Narrow(places) => places.extend(more.iter().map(|&place| place as u16)),
            Self::Wide(places) => places.extend_from_slice(more),
        }
    }

    /// Appends a range of the places of `other`, which are of the same width.
    pub fn extend_from(&mut self, other: &Self, range: Range<usize>) {
        match (self, other) {
            (Self::Narrow(places), Self::Narrow(other)) => places.extend_from_slice(&other[range]),
            (Self::Wide(places), Self::Wide(other)) => places.extend_from_slice(&other[range]),
            // There is nothing in the empty places that every row begins with.
            _ => {}
        }
    }

    /// Replaces each place by what `new` makes of its number and it.
    pub fn renumber(&mut self, mut new: impl FnMut(usize, u32) -> u32) {
        match self {
            Self::Narrow(places) => {
                for (at, place) in places.iter_mut().enumerate() {
                    *place = new(at, u32::from(*place)) as u16;
                }
            }
            Self::Wide(places) => {
                for (at, place) in places.iter_mut().enumerate() {
                    *place = new(at, *place);
                }
            }
        }
    }

    /// Keeps those places whose number `keep` likes, and no room for more.
    pub fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut at = 0;
        let mut next = || {
            at += 1;
            keep(at - 1)
        };
        match self {
            Self::Narrow(places) => {
                places.retain(|_| next());
                places.shrink_to_fit();
            }
            Self::Wide(places) => {
                places.retain(|_| next());
                places.shrink_to_fit();
            }
        }
    }

    /// Writes places over those from `start` on.
    pub fn write(&mut self, start: usize, new: &[u32]) {
        match self {
            Self::Narrow(places) => {
                for (place, &new) in places[start..].iter_mut().zip(new) {
                    *place = new as u16;
                }
            }
            Self::Wide(places) => places[start..start + new.len()].copy_from_slice(new),
        }
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow(places) => 2 * places.capacity(),
            Self::Wide(places) => 4 * places.capacity(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn wide_places_do_what_narrow_ones_do() {
        for (classes, largest) in [(1 << 16, 65_535), ((1 << 16) + 1, 65_536)] {
            let mut some = Places::with_capacity(4, classes);
            some.extend(&[1, 2, largest, 4]);
            let mut more = Places::with_capacity(0, classes);
            more.extend_from(&Places::default(), 0..0);
            more.extend_from(&some, 1..3);
            more.write(0, &[7]);
            some.retain(|at| at % 2 == 0);
            assert_eq!(
                (more.to_vec(), some.to_vec()),
                ([7, largest].into(), [1, largest].into())
            );
        }
    }
}
