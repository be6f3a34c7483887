//! Numbers for strings, handed out in order of first occurrence, with fast look-up.

use crate::names::{Names, NamesError};
use alloc::{string::String, vec::Vec};
use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A growing set of strings, numbered from 0 in the order they came.
///
/// [`Names`] is what a model stores; this is what makes one, and what finds many strings
/// quickly. Memory: the strings one behind the other, and about 16 bytes each. The hash
/// function is not secret: strings chosen by an enemy can make adding them slow, so only training
/// data belong here, while finding is safe in a table of honest strings.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    strings: Strings,
    table: HashTable<u32>,
}

/// With a seed, though of 0, as hashed features are found: one form of the function for both.
fn hash_of(string: &str) -> u64 {
    xxh3_64_with_seed(string.as_bytes(), 0)
}

#[derive(Clone, Debug, Default)]
struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    fn get(&self, id: u32) -> Option<&str> {
        let id = id as usize;
        let start = match id.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..*self.ends.get(id)?)
    }

    fn hash(&self, id: u32) -> u64 {
        hash_of(self.get(id).unwrap_or(""))
    }
}

impl Interner {
    /// No strings yet.
    #[must_use]
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The strings of `names` under their numbers; a name that occurs twice is found under
    /// the smaller number.
    #[must_use]
    pub(crate) fn from_names(names: &Names) -> Self {
        let mut interner = Self::new();
        for name in names.iter() {
            let hash = hash_of(&name);
            let known = interner.find_hashed(hash, &name).is_some();
            interner.add(hash, &name, !known);
        }
        interner
    }

    /// The number of `string`, new if it was not seen before; `None` if all 2^32 - 1 numbers
    /// are taken.
    pub(crate) fn intern(&mut self, string: &str) -> Option<u32> {
        let hash = hash_of(string);
        match self.find_hashed(hash, string) {
            Some(id) => Some(id),
            None => self.add(hash, string, true),
        }
    }

    /// The number of `string`, if it has one.
    #[must_use]
    pub(crate) fn find(&self, string: &str) -> Option<u32> {
        self.find_hashed(hash_of(string), string)
    }

    fn find_hashed(&self, hash: u64, string: &str) -> Option<u32> {
        self.table
            .find(hash, |&id| self.strings.get(id) == Some(string))
            .copied()
    }

    fn add(&mut self, hash: u64, string: &str, findable: bool) -> Option<u32> {
        let id = u32::try_from(self.len()).ok().filter(|&id| id < u32::MAX)?;
        let strings = &mut self.strings;
        strings.text.push_str(string);
        strings.ends.push(strings.text.len());
        if findable {
            self.table
                .insert_unique(hash, id, |&other| strings.hash(other));
        }
        Some(id)
    }

    /// The string with number `id`.
    #[must_use]
    pub(crate) fn get(&self, id: u32) -> Option<&str> {
        self.strings.get(id)
    }

    /// Number of strings.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.strings.ends.len()
    }

    /// Whether there are no strings.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.strings.ends.is_empty()
    }

    /// All strings by number.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|id| self.strings.get(id as u32).unwrap_or(""))
    }

    /// The strings as a table that a model can store, under the same numbers.
    ///
    /// # Errors
    /// [`NamesError::TooLarge`] beyond 4 GiB.
    pub(crate) fn to_names(&self) -> Result<Names, NamesError> {
        Names::new(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::Interner;
    use crate::names::Names;
    use alloc::{string::String, vec::Vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_a_plain_search(list in prop::collection::vec("[abé]{0,3}", 0..200)) {
            let mut interner = Interner::new();
            let mut plain: Vec<String> = Vec::new();
            for string in &list {
                let known = plain.iter().position(|other| other == string);
                let id = known.unwrap_or_else(|| {
                    plain.push(string.clone());
                    plain.len() - 1
                });
                prop_assert_eq!(interner.intern(string), Some(id as u32));
            }
            prop_assert!(interner.iter().eq(plain.iter().map(String::as_str)));
            prop_assert_eq!(interner.to_names(), Names::new(&plain));
        }

        #[test]
        fn names_keep_their_numbers(list in prop::collection::vec("[ab]{0,2}", 0..60)) {
            let names = Names::new(&list).unwrap();
            let interner = Interner::from_names(&names);
            prop_assert_eq!(interner.len(), list.len());
            for string in ["", "a", "ab", "bb", "c"] {
                prop_assert_eq!(interner.find(string), names.find(string));
            }
        }
    }
}
