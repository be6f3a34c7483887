//! Reading packed tables.
//!
//! ```text
//! table   = blocks:u16 (first:u24 offset:u16){blocks} stream
//! stream  = varint*           7 bits a byte, low bits first, the high bit: more follows
//! ```
//!
//! A block begins at byte `offset` of the stream and describes the characters from `first` up to
//! the next block's `first`; what its numbers mean is the table's own matter. The tables are made
//! at home, so a number that is cut off reads as zero and nothing else is checked.

/// A table of which each part can be found without reading all before it.
pub(super) struct Table {
    bytes: &'static [u8],
}

const BLOCK: usize = 5;

impl Table {
    pub(super) const fn new(bytes: &'static [u8]) -> Self {
        Self { bytes }
    }

    /// The first character of the block that `character` falls into, and the block's numbers.
    pub(super) fn block(&self, character: u32) -> (u32, Numbers) {
        let count = usize::from(self.bytes[0]) | usize::from(self.bytes[1]) << 8;
        let (blocks, stream) = self.bytes[2..].split_at(count * BLOCK);
        let entry = |block: usize| {
            let b = &blocks[block * BLOCK..][..BLOCK];
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
        (first, Numbers(&stream[start..end]))
    }
}

/// A table that gives every character a number below 256: runs of equal numbers, `length value`.
pub(super) struct Properties(Table);

impl Properties {
    pub(super) const fn new(bytes: &'static [u8]) -> Self {
        Self(Table::new(bytes))
    }

    pub(super) fn get(&self, character: char) -> u8 {
        let character = u32::from(character);
        let (mut end, mut numbers) = self.0.block(character);
        loop {
            end += numbers.next();
            let value = numbers.next() as u8;
            if character < end || numbers.is_empty() {
                return value;
            }
        }
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

    /// Leaves out so many bytes.
    pub(super) fn skip(&mut self, bytes: u32) {
        self.0 = self.0.get(bytes as usize..).unwrap_or(&[]);
    }
}
