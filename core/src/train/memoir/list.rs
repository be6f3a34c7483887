//! The classes with a weight for one feature, and how a step moves them.

use super::step::Slots;
use alloc::{vec, vec::Vec};
use serde::{Deserialize, Serialize};

/// A class and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The class.
    pub class: u32,
    /// Its weight, in `V`.
    pub value: f32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct List {
    pub entries: Vec<Entry>,
    /// One number an entry, or none at all.
    pub extra: Vec<f32>,
    /// For each class its place in a long list, or `NOWHERE`; of short lists empty.
    pub places: Vec<u32>,
}

impl List {
    /// Notes the place of each of the classes in the list.
    pub(crate) fn find_places(&mut self, classes: usize) {
        self.places = vec![NOWHERE; classes];
        for (at, entry) in self.entries.iter().enumerate() {
            self.places[entry.class as usize] = at as u32;
        }
    }
}

const NOWHERE: u32 = u32::MAX;

/// Whether a list of so many of the classes has places: with more than one class in 12, or, where
/// there are many classes, in 4, since places take four bytes for each class.
pub(super) fn is_long(length: usize, classes: usize) -> bool {
    length * if classes <= 32_768 { 12 } else { 4 } > classes
}

impl List {
    /// Makes room for one more: a quarter at a time, since most of the memory of training is here.
    #[inline]
    fn reserve(&mut self) {
        let length = self.entries.len();
        if length == self.entries.capacity() {
            let more = (length / 4).max(4);
            self.entries.reserve_exact(more);
            if !self.extra.is_empty() {
                self.extra.reserve_exact(more);
            }
        }
    }
}

/// What the number beside each weight is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Beside {
    /// There is none.
    Nothing,
    /// `u`, with `A` and the number of steps it sums.
    Sums { scales: f64, steps: u64 },
    /// The penalty of all classes when the weight was last looked at, and the present one.
    Penalty { now: f64 },
    /// The same with a penalty for each class.
    Penalties { now: Vec<f64> },
}

/// `value` moved toward zero by `by`, which is not negative.
#[inline(always)]
pub(super) fn soft(value: f32, by: f32) -> f32 {
    (value.abs() - by).max(0.0).copysign(value)
}

/// The penalty of a class so far.
pub(super) fn due(beside: &Beside, class: u32) -> f32 {
    match beside {
        Beside::Penalty { now } => *now as f32,
        Beside::Penalties { now } => now[class as usize] as f32,
        _ => 0.0,
    }
}

/// How a step moves the weights of a list.
#[derive(Clone, Copy)]
pub(super) struct Moving {
    pub scale: f64,
    pub create: f32,
    /// `A` before this step.
    pub before: f32,
}

impl Moving {
    /// Moves the weights of a list for a row whose value is `x`; the change of the sum of squares.
    #[inline]
    pub(crate) fn add(&self, list: &mut List, x: f32, slots: &Slots, beside: &Beside) -> f64 {
        let (mut found, mut square) = (0u64, 0.0);
        if list.places.is_empty() {
            for at in 0..list.entries.len() {
                let slot = slots.of(list.entries[at].class);
                if slot != 0 {
                    found |= 1 << slot;
                    let delta = slots.amount(slot) * x;
                    self.change(list, at, delta, beside, &mut square);
                }
            }
        } else {
            for slot in 1..=slots.len() {
                let at = list.places[slots.class(slot) as usize];
                if at != NOWHERE {
                    found |= 1 << slot;
                    let delta = slots.amount(slot) * x;
                    self.change(list, at as usize, delta, beside, &mut square);
                }
            }
        }
        square += self.make(list, x, slots, slots.all() & !found, beside);
        if list.places.is_empty() && is_long(list.entries.len(), slots.classes()) {
            list.find_places(slots.classes());
        }
        square
    }

    /// Makes the weights that are `missing`, if they are large enough; the change of the sum of
    /// squares.
    fn make(
        &self,
        list: &mut List,
        x: f32,
        slots: &Slots,
        mut missing: u64,
        beside: &Beside,
    ) -> f64 {
        let mut square = 0.0;
        while missing != 0 {
            let slot = missing.trailing_zeros() as u8;
            missing &= missing - 1;
            let delta = slots.amount(slot) * x;
            // `delta` is of V: what the weight itself moves by is `a` times it.
            let size = (f64::from(delta) * self.scale).abs() as f32;
            if delta != 0.0 && (slots.is_own(slot) || size >= self.create) {
                let class = slots.class(slot);
                if let Some(place) = list.places.get_mut(class as usize) {
                    *place = list.entries.len() as u32;
                }
                list.reserve();
                list.entries.push(Entry {
                    class,
                    value: delta,
                });
                match beside {
                    Beside::Nothing => {}
                    Beside::Sums { .. } => list.extra.push(delta * self.before),
                    _ => list.extra.push(due(beside, class)),
                }
                square += f64::from(delta) * f64::from(delta);
            }
        }
        square
    }

    #[inline]
    fn change(&self, list: &mut List, at: usize, delta: f32, beside: &Beside, square: &mut f64) {
        let Entry { class, value } = list.entries[at];
        let old = match beside {
            Beside::Nothing => value,
            Beside::Sums { .. } => {
                list.extra[at] += delta * self.before;
                value
            }
            _ => {
                let now = due(beside, class);
                let left = soft(value, now - list.extra[at]);
                list.extra[at] = now;
                left
            }
        };
        let new = old + delta;
        list.entries[at].value = new;
        *square += f64::from(new) * f64::from(new) - f64::from(old) * f64::from(old);
    }
}
