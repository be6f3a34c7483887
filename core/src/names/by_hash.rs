//! Finding names by their hash: for whoever asks often.

use super::Names;
use alloc::vec::Vec;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The numbers of the names of a table by hash.
///
/// A slot holds the number of a name, and above its bits as many of the hash as fit: where they
/// differ, the name does, and the next slot is looked at, up to one that is free.
///
/// Memory: 4 bytes a slot, 5.3 to 10.7 a name; no name is copied. Finding one takes a look at its
/// slot, which tells most that are absent, and a walk through half a block of the table, where
/// [`Names::find`] takes a look at a block for each doubling of the table before. The hash function
/// is not secret: names chosen by an enemy can make building slow, but never find a wrong one.
#[derive(Clone, Debug)]
pub(crate) struct NameIndex {
    /// A power of two of them.
    slots: Vec<u32>,
    /// The bits of a number.
    number: u32,
}

/// No number of a name has all its bits set.
const FREE: u32 = u32::MAX;

/// Where the search of a name begins, and the upper bits of its slot.
fn hashed(name: &[u8]) -> (usize, u32) {
    let hash = xxh3_64_with_seed(name, 0);
    (hash as usize, (hash >> 32) as u32)
}

impl NameIndex {
    /// The index of `names`, of which all differ; `None` if memory is lacking.
    pub(crate) fn new(names: &Names) -> Option<Self> {
        let count = names.len();
        let mut slots = Vec::new();
        let size = (count + count / 3 + 1).next_power_of_two();
        slots.try_reserve_exact(size).ok()?;
        slots.resize(size, FREE);
        let number = (count + 1).next_power_of_two() as u32;
        let number = number.wrapping_sub(1);
        names.each(&mut |id, name| {
            let (mut at, upper) = hashed(name);
            while slots[at % size] != FREE {
                at = at.wrapping_add(1);
            }
            slots[at % size] = upper & !number | id;
        });
        Some(Self { slots, number })
    }

    /// The number of `name` in the table of names that this is the index of.
    pub(crate) fn find(&self, names: &Names, name: &str) -> Option<u32> {
        let (mut at, upper) = hashed(name.as_bytes());
        loop {
            let slot = *self.slots.get(at & (self.slots.len() - 1))?;
            if slot == FREE {
                return None;
            }
            let id = slot & self.number;
            if (slot ^ upper) & !self.number == 0 && names.is(id, name) {
                return Some(id);
            }
            at = at.wrapping_add(1);
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<u32>() * self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Names, NameIndex};
    use alloc::{collections::BTreeSet, string::String};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_finds_what_the_table_finds(
            list in prop::collection::btree_set("[abé]{0,6}", 0..100),
            others in prop::collection::vec("[abé]{0,6}", 0..20),
        ) {
            check(&list, &others);
        }
    }

    fn check(list: &BTreeSet<String>, others: &[String]) {
        let names = Names::new(list).unwrap();
        let index = NameIndex::new(&names).unwrap();
        for name in list.iter().chain(others) {
            assert_eq!(index.find(&names, name), names.find(name), "{name}");
        }
        let (least, most) = (16 * list.len() / 3, 32 * list.len() / 3 + 8);
        assert!((least..=most).contains(&index.bytes()));
    }

    #[test]
    fn it_finds_every_word_of_a_large_table() {
        let words: BTreeSet<String> = (0..20_000).map(|at| alloc::format!("{at}")).collect();
        let others = ["x", "20000", "00", ""].map(String::from);
        check(&words, &others);
        // Among so many are some whose hash is in the slot of a word.
        let names = Names::new(&words).unwrap();
        let index = NameIndex::new(&names).unwrap();
        for absent in 20_000..520_000 {
            assert_eq!(index.find(&names, &alloc::format!("{absent}")), None);
        }
    }
}
