//! Names by number: a compact table of strings that a model file can lend without decoding it.

pub(crate) mod by_hash;

use crate::{
    array::Array,
    varint::{put_varint, take_varint},
};
use alloc::{string::String, vec::Vec};
use core::{cmp::Ordering, fmt};

/// Strings numbered from 0: the names of labels, or the words of a vocabulary.
///
/// Stored front-coded in blocks of 16: of each string but a block's first, only what differs from
/// the one before is kept, so sorted tables take about half the bytes. Reading one string
/// decodes at most 16; finding one takes a binary search where the table is sorted and
/// a pass over the table where it is not.
///
/// Each entry is a variable-length integer with the number of bytes shared with the entry before
/// (absent for the first of a block), one with the number of bytes that follow, and those bytes.
///
/// ```
/// use hapax_core::data::Names;
/// let names = Names::new(["mouse", "house", "mousetrap"])?;
/// assert_eq!(names.get(2).as_deref(), Some("mousetrap"));
/// assert_eq!(names.get(3), None);
/// # Ok::<(), hapax_core::data::NamesError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    count: u32,
    /// Whether each name stands behind the one before in alphabetical order.
    pub(crate) sorted: bool,
    /// Where each block begins in `text`.
    starts: Array<u32>,
    text: Array<u8>,
}

const BLOCK: usize = 16;

/// Why strings do not make a table, or bytes are not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamesError {
    /// More than 4 GiB of text, or 2^32 strings.
    TooLarge,
    /// The bytes of an entry break off, share more than there is, or are not UTF-8.
    BadEntry {
        /// The number of the entry.
        entry: u32,
    },
    /// The table of blocks does not fit the text.
    BadBlocks,
}

impl fmt::Display for NamesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("more than 4 GiB of names"),
            Self::BadEntry { entry } => write!(f, "name {entry} is damaged"),
            Self::BadBlocks => f.write_str("the table of name blocks does not fit the names"),
        }
    }
}

impl core::error::Error for NamesError {}

/// Takes one entry of a block off `rest`: how many bytes it shares with the entry before, and its
/// own.
fn take_entry<'t>(rest: &mut &'t [u8], first: bool) -> Option<(usize, &'t [u8])> {
    let shared = if first {
        0
    } else {
        take_varint(rest).ok()? as usize
    };
    let own = take_varint(rest).ok()? as usize;
    let (own, behind) = rest.split_at_checked(own)?;
    *rest = behind;
    Some((shared, own))
}

/// Reads one entry of a block: takes its bytes off `rest`, turns `name` from the entry before into
/// this one, and returns whether it stands behind that in alphabetical order.
fn read_entry(rest: &mut &[u8], first: bool, name: &mut Vec<u8>) -> Option<bool> {
    let (shared, own) = take_entry(rest, first)?;
    let rises = name.get(shared..)? < own;
    name.truncate(shared);
    name.extend_from_slice(own);
    Some(rises)
}

/// How an entry of a block compares to a name, kept up from entry to entry.
struct Comparing<'n> {
    name: &'n [u8],
    /// How many bytes they have in common from the start.
    same: usize,
    order: Ordering,
}

impl<'n> Comparing<'n> {
    fn with(name: &'n str) -> Self {
        Self {
            name: name.as_bytes(),
            same: 0,
            order: Ordering::Less,
        }
    }

    /// Goes on to the next entry. One that shares more bytes with the entry before than that has in
    /// common with the name differs from the name where that does.
    fn next(&mut self, (shared, own): (usize, &[u8])) {
        if shared > self.same {
            return;
        }
        let rest = &self.name[shared..];
        let more = own.iter().zip(rest).take_while(|(a, b)| a == b).count();
        self.same = shared + more;
        self.order = own.get(more).cmp(&rest.get(more));
    }
}

impl Names {
    /// Makes a table of `names` in the given order.
    ///
    /// # Errors
    /// [`NamesError::TooLarge`] beyond 4 GiB.
    pub fn new<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Result<Self, NamesError> {
        let (mut starts, mut text) = (Vec::new(), Vec::new());
        let mut previous = String::new();
        let (mut count, mut sorted) = (0usize, true);
        for name in names {
            let name = name.as_ref();
            let length = u32::try_from(name.len()).map_err(|_| NamesError::TooLarge)?;
            if count.is_multiple_of(BLOCK) {
                starts.push(u32::try_from(text.len()).map_err(|_| NamesError::TooLarge)?);
                put_varint(length, &mut text);
                text.extend_from_slice(name.as_bytes());
            } else {
                let same = previous
                    .bytes()
                    .zip(name.bytes())
                    .take_while(|(a, b)| a == b)
                    .count();
                put_varint(same as u32, &mut text);
                put_varint(length - same as u32, &mut text);
                text.extend_from_slice(&name.as_bytes()[same..]);
            }
            sorted &= count == 0 || previous.as_str() < name;
            previous.clear();
            previous.push_str(name);
            count += 1;
        }
        let count = u32::try_from(count).map_err(|_| NamesError::TooLarge)?;
        Ok(Self {
            count,
            sorted,
            starts: starts.into(),
            text: text.into(),
        })
    }

    /// Takes over the two arrays of a table of `count` names, as [`Names::starts`] and
    /// [`Names::text`] gave them, after decoding every entry once.
    ///
    /// # Errors
    /// If they are not such arrays.
    pub(crate) fn from_parts(
        count: u32,
        starts: Array<u32>,
        text: Array<u8>,
    ) -> Result<Self, NamesError> {
        if starts.len() != (count as usize).div_ceil(BLOCK) {
            return Err(NamesError::BadBlocks);
        }
        let (mut name, mut rest) = (Vec::new(), &text[..]);
        let mut sorted = true;
        for entry in 0..count {
            let first = (entry as usize).is_multiple_of(BLOCK);
            if first && starts[entry as usize / BLOCK] as usize != text.len() - rest.len() {
                return Err(NamesError::BadBlocks);
            }
            let rises = read_entry(&mut rest, first, &mut name);
            sorted &= rises.ok_or(NamesError::BadEntry { entry })? || entry == 0;
            core::str::from_utf8(&name).map_err(|_| NamesError::BadEntry { entry })?;
        }
        if !rest.is_empty() {
            return Err(NamesError::BadBlocks);
        }
        Ok(Self {
            count,
            sorted,
            starts,
            text,
        })
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where each block of names begins, for storing.
    #[must_use]
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The coded names, for storing.
    #[must_use]
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The name with number `id`. Its memory is asked for once.
    #[must_use]
    pub fn get(&self, id: u32) -> Option<String> {
        if id >= self.count {
            return None;
        }
        let (block, at) = (self.block(id as usize / BLOCK)?, id as usize % BLOCK);
        let (mut longest, mut rest) = (0, block);
        for entry in 0..=at {
            let (shared, own) = take_entry(&mut rest, entry == 0)?;
            longest = longest.max(shared + own.len());
        }
        let (mut name, mut rest) = (Vec::with_capacity(longest), block);
        for entry in 0..=at {
            read_entry(&mut rest, entry == 0, &mut name)?;
        }
        String::from_utf8(name).ok()
    }

    /// The number of `name`: the smallest if it occurs more than once.
    #[must_use]
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        if !self.sorted {
            let found = self.iter().position(|candidate| candidate == name)?;
            return u32::try_from(found).ok();
        }
        let blocks = self.starts.len();
        let (mut low, mut high) = (0, blocks);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_of_block(middle)? <= name.as_bytes() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.find_in_block(low.checked_sub(1)?, name)
    }

    fn find_in_block(&self, block: usize, name: &str) -> Option<u32> {
        let mut rest = self.block(block)?;
        let mut comparing = Comparing::with(name);
        let start = block * BLOCK;
        for entry in start..(start + BLOCK).min(self.len()) {
            comparing.next(take_entry(&mut rest, entry == start)?);
            match comparing.order {
                Ordering::Less => {}
                Ordering::Equal => return u32::try_from(entry).ok(),
                Ordering::Greater => return None,
            }
        }
        None
    }

    /// Whether the name with number `id` is `name`.
    pub(crate) fn is(&self, id: u32, name: &str) -> bool {
        let Some(mut rest) = self.block(id as usize / BLOCK) else {
            return false;
        };
        let mut comparing = Comparing::with(name);
        for entry in 0..=id as usize % BLOCK {
            match take_entry(&mut rest, entry == 0) {
                Some(entry) => comparing.next(entry),
                None => return false,
            }
        }
        comparing.order == Ordering::Equal
    }

    /// Hands every name to `visit`, with its number.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(u32, &[u8])) {
        let (mut rest, mut name) = (&self.text[..], Vec::new());
        for id in 0..self.count {
            let first = (id as usize).is_multiple_of(BLOCK);
            if read_entry(&mut rest, first, &mut name).is_some() {
                visit(id, &name);
            }
        }
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = String> {
        let mut rest = &self.text[..];
        let mut name = Vec::new();
        (0..self.len()).map_while(move |entry| {
            read_entry(&mut rest, entry.is_multiple_of(BLOCK), &mut name)?;
            String::from_utf8(name.clone()).ok()
        })
    }

    fn block(&self, block: usize) -> Option<&[u8]> {
        self.text.get(*self.starts.get(block)? as usize..)
    }

    fn first_of_block(&self, block: usize) -> Option<&[u8]> {
        let mut rest = self.block(block)?;
        let length = take_varint(&mut rest).ok()? as usize;
        rest.get(..length)
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, NamesError};
    use alloc::{collections::BTreeSet, string::String, vec::Vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_name_is_read_and_found(list in prop::collection::vec("[abé]{0,6}", 0..100)) {
            check(&list);
            let sorted: Vec<String> = list.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
            check(&sorted);
        }

        #[test]
        fn damaged_bytes_are_refused_or_read(flip in 0usize..400, bit in 0u8..8) {
            let names = Names::new((0..60).map(|i| alloc::format!("name{i}é"))).unwrap();
            let mut text = names.text().to_vec();
            let at = flip % text.len();
            text[at] ^= 1 << bit;
            if let Ok(read) = Names::from_parts(60, names.starts().to_vec().into(), text.into()) {
                prop_assert_eq!(read.iter().count(), 60);
            }
        }
    }

    fn check(list: &[String]) {
        let names = Names::new(list).unwrap();
        let count = list.len() as u32;
        let stored = Names::from_parts(
            count,
            names.starts().to_vec().into(),
            names.text().to_vec().into(),
        );
        assert_eq!(stored.as_ref(), Ok(&names));
        assert_eq!(&names.iter().collect::<Vec<_>>(), list);
        let first = |name: &str| list.iter().position(|other| other == name);
        let first = |name| first(name).map(|at| at as u32);
        for (id, name) in list.iter().enumerate() {
            assert_eq!(names.get(id as u32).as_ref(), Some(name));
            assert_eq!(names.find(name), first(name));
            for (other, of) in (0..).zip(list) {
                assert_eq!(names.is(other, name), of == name);
            }
        }
        let mut visited = Vec::new();
        names.each(&mut |id, name| visited.push((id, name.to_vec())));
        let all = (0..).zip(list.iter().map(|name| name.as_bytes().to_vec()));
        assert_eq!(visited, all.collect::<Vec<_>>());
        assert_eq!(names.get(count), None);
        for absent in ["zz", "", "b", "é!"] {
            assert_eq!(names.find(absent), first(absent));
            assert!(!names.is(count, absent));
        }
    }

    #[test]
    fn equal_names_do_not_rise_nor_do_those_that_rise_in_each_block() {
        check(&["a", "a", "b"].map(String::from));
        let turned = (16..32).chain(0..16).map(|at| alloc::format!("{at:02}"));
        check(&turned.collect::<Vec<_>>());
    }

    #[test]
    fn wrong_counts_are_refused() {
        let names = Names::new(["a", "b"]).unwrap();
        let parts = |count| {
            Names::from_parts(
                count,
                names.starts().to_vec().into(),
                names.text().to_vec().into(),
            )
        };
        assert_eq!(parts(1), Err(NamesError::BadBlocks));
        assert_eq!(parts(3), Err(NamesError::BadEntry { entry: 2 }));
        assert_eq!(parts(17), Err(NamesError::BadBlocks));
    }
}
