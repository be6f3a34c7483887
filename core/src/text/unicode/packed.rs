//! Reading packed tables.
//!
//! ```text
//! table   = entries:u16 (first:u24 offset:u16){blocks} stream
//! stream  = varint*           7 bits a byte, low bits first, the high bit: more follows
//! ```
//!
//! A block of so many entries, the last of what is left, begins at byte `offset` of the stream and
//! describes the characters from `first` up to the next block's `first`. What its numbers mean is
//! the table's own matter: those of one meaning stand together, as they are alike and compress
//! well. The tables are made at home, so a number that is cut off reads as zero and nothing else is
//! checked.

/// A table of which each part can be found without reading all before it.
pub(super) struct Table {
    bytes: &'static [u8],
    /// Entries of a block.
    size: usize,
}

/// The bytes of a block's place.
const PLACE: usize = 5;

impl Table {
    pub(super) const fn new(bytes: &'static [u8], size: usize) -> Self {
        Self { bytes, size }
    }

    /// The first character of the block that `character` falls into, how many entries it has, and
    /// its numbers.
    pub(super) fn block(&self, character: u32) -> (u32, usize, Numbers) {
        let entries = usize::from(self.bytes[0]) | usize::from(self.bytes[1]) << 8;
        let count = entries.div_ceil(self.size);
        let (blocks, stream) = self.bytes[2..].split_at(count * PLACE);
        let entry = |block: usize| {
            let b = &blocks[block * PLACE..][..PLACE];
            let first = u32::from(b[0]) | u32::from(b[1]) << 8 | u32::from(b[2]) << 16;
            (first, usize::from(b[3]) | usize::from(b[4]) << 8)
        };
        let (mut low, mut high) = (0, count);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if entry(middle).0 <= character {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (first, start) = entry(low);
        let end = if high < count {
            entry(high).1
        } else {
            stream.len()
        };
        let own = self.size.min(entries - low * self.size);
        (first, own, Numbers(&stream[start..end]))
    }
}

/// A table that gives every character a number below 256, by runs of equal numbers: the lengths of
/// a block's runs, then their values, a byte each.
pub(super) struct Properties(Table);

impl Properties {
    pub(super) const fn new(bytes: &'static [u8]) -> Self {
        Self(Table::new(bytes, 32))
    }

    pub(super) fn get(&self, character: char) -> u8 {
        let character = u32::from(character);
        let (mut end, runs, mut numbers) = self.0.block(character);
        let values = &numbers.0[numbers.0.len() - runs..];
        for &value in &values[..runs - 1] {
            end += numbers.next();
            if character < end {
                return value;
            }
        }
        values[runs - 1]
    }
}

/// Numbers of a stream, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Numbers(&'static [u8]);

impl Numbers {
    pub(super) fn new(bytes: &'static [u8]) -> Self {
        Self(bytes)
    }

    /// Only those of the next so many bytes.
    pub(super) fn first(self, bytes: u32) -> Self {
        Self(self.0.get(..bytes as usize).unwrap_or(self.0))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The next number; zero behind the last.
    pub(super) fn next(&mut self) -> u32 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    /// `from`, changed by the next number, whose lowest bit is its sign.
    pub(super) fn next_from(&mut self, from: u32) -> u32 {
        let number = self.next();
        from.wrapping_add((number >> 1) ^ (number & 1).wrapping_neg())
    }

    /// Leaves out so many numbers.
    pub(super) fn pass(&mut self, count: usize) {
        let mut left = count;
        while let Some((&byte, rest)) = self.0.split_first().filter(|_| left > 0) {
            left -= usize::from(byte < 0x80);
            self.0 = rest;
        }
    }

    /// Leaves out so many bytes.
    pub(super) fn skip(&mut self, bytes: u32) {
        self.0 = self.0.get(bytes as usize..).unwrap_or(&[]);
    }
}
