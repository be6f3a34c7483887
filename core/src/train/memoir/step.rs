//! What one row does to the classes of one step.

use alloc::{vec, vec::Vec};

/// The classes that a row moves and by how much of it: its own first, then those it pushes away.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps<'a> {
    pub classes: &'a [u32],
    pub amounts: &'a [f64],
}

/// Finds a class of a step by its id; at most 63 classes.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// For each class 0, or its place in the step from 1 on.
    of: Vec<u8>,
    classes: [u32; 64],
    amounts: [f32; 64],
    all: u64,
}

impl Slots {
    pub(crate) fn new(classes: usize) -> Self {
        Self {
            of: vec![0; classes],
            classes: [0; 64],
            amounts: [0.0; 64],
            all: 0,
        }
    }

    /// Takes over `steps`, each amount multiplied by `factor`.
    pub(crate) fn set(&mut self, steps: &Steps<'_>, factor: f64) {
        self.all = 0;
        for (at, (&class, &amount)) in steps.classes.iter().zip(steps.amounts).enumerate() {
            let slot = at + 1;
            self.of[class as usize] = slot as u8;
            self.classes[slot] = class;
            self.amounts[slot] = (amount * factor) as f32;
            self.all |= 1 << slot;
        }
    }

    pub(crate) fn clear(&mut self, steps: &Steps<'_>) {
        for &class in steps.classes {
            self.of[class as usize] = 0;
        }
    }

    #[inline(always)]
    pub(crate) fn of(&self, class: u32) -> u8 {
        self.of[class as usize]
    }

    pub(crate) fn amount(&self, slot: u8) -> f32 {
        self.amounts[usize::from(slot & 63)]
    }

    pub(crate) fn class(&self, slot: u8) -> u32 {
        self.classes[usize::from(slot & 63)]
    }

    /// Whether this is the row's own class.
    pub(crate) fn is_own(&self, slot: u8) -> bool {
        slot == 1
    }

    /// Number of places taken: they are numbered from 1.
    pub(crate) fn len(&self) -> u8 {
        self.all.count_ones() as u8
    }

    /// Number of classes there are.
    pub(crate) fn classes(&self) -> usize {
        self.of.len()
    }

    /// One bit for each place taken.
    pub(crate) fn all(&self) -> u64 {
        self.all
    }
}
