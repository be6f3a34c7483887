//! A set of places among all lists, and how many of it are before each place.

use alloc::{vec, vec::Vec};

/// Some of the places of all lists.
///
/// Memory: a bit and a half for each place.
#[derive(Clone, Debug, Default)]
pub struct Places {
    words: Vec<u64>,
    /// How many are before each word, once [`Places::union`] has counted them.
    before: Vec<u32>,
}

impl Places {
    /// None of so many.
    #[must_use]
    pub(crate) fn none(of: usize) -> Self {
        Self {
            words: vec![0; of / 64 + 1],
            before: Vec::new(),
        }
    }

    /// Adds a place.
    #[inline]
    pub(crate) fn add(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    /// All places of some sets of equally many.
    #[must_use]
    pub(crate) fn union(sets: Vec<Self>) -> Self {
        let mut sets = sets.into_iter();
        let mut all = sets.next().unwrap_or_default();
        for set in sets {
            for (word, more) in all.words.iter_mut().zip(set.words) {
                *word |= more;
            }
        }
        let mut sum = 0;
        let before = all.words.iter().map(|word| {
            sum += word.count_ones();
            sum - word.count_ones()
        });
        all.before = before.collect();
        all
    }

    /// Whether this place is one of them.
    #[must_use]
    #[inline]
    pub(crate) fn holds(&self, at: usize) -> bool {
        self.words[at / 64] >> (at % 64) & 1 == 1
    }

    /// How many are before this place.
    #[must_use]
    #[inline]
    pub(crate) fn before(&self, at: usize) -> usize {
        let below = self.words[at / 64] & ((1 << (at % 64)) - 1);
        (self.before[at / 64] + below.count_ones()) as usize
    }
}
