//! Which labels training saw.

use alloc::vec::Vec;

/// The labels that occur in training, in order of their ids: the others have no code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeenLabels {
    /// Their ids, rising.
    pub ids: Vec<u32>,
    /// The place of each label among them; `u32::MAX` for a label that does not occur.
    places: Vec<u32>,
}

impl SeenLabels {
    /// From how many rows carry each label.
    #[must_use]
    pub(crate) fn new(frequencies: &[u32]) -> Self {
        let seen = |(_, count): &(usize, &u32)| **count > 0;
        let ids: Vec<u32> = frequencies
            .iter()
            .enumerate()
            .filter(seen)
            .map(|(id, _)| id as u32)
            .collect();
        let mut places = alloc::vec![u32::MAX; frequencies.len()];
        for (place, &id) in ids.iter().enumerate() {
            places[id as usize] = place as u32;
        }
        Self { ids, places }
    }

    /// The place of a label; none if it never occurs.
    #[must_use]
    pub(crate) fn place(&self, label: u32) -> Option<u32> {
        self.places
            .get(label as usize)
            .copied()
            .filter(|&place| place != u32::MAX)
    }
}
