//! The grammar of a posting list.
//!
//! A list is a sequence of little-endian words of one width, 1, 2 or 3 bytes, whichever makes the
//! list shortest. The low `bits` bits of a word are a code, the others a gap:
//!
//! ```text
//! row = 0
//! for each word: row += gap; if code != 0, the feature has level[code] in row `row`
//! ```
//!
//! A word with code 0 only moves on: it stands where a gap is too large for one word. So a
//! decoder needs no branch: it adds `table[code]` at every word, where `table[0]` is 0.

use alloc::vec::Vec;

/// Bytes of the widest word.
pub const MAX_WIDTH: usize = 3;

/// The largest gap of a word of `width` bytes with codes of `bits` bits, 0 if no word fits.
#[must_use]
pub fn max_gap(width: usize, bits: u8) -> u32 {
    let gap_bits = (8 * width as u32).saturating_sub(u32::from(bits));
    (1 << gap_bits) - 1
}

/// How many words a gap takes when one word holds gaps up to `max_gap`, which is not 0.
#[must_use]
pub fn words_for(gap: u32, max_gap: u32) -> u64 {
    u64::from(gap.saturating_sub(1) / max_gap) + 1
}

/// How many words one list takes at each width, found posting by posting.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lengths {
    last_row: u32,
    words: [u64; MAX_WIDTH],
}

impl Lengths {
    /// Counts the next posting; rows must rise.
    pub(crate) fn add(&mut self, row: u32, bits: u8) {
        let gap = row - self.last_row;
        self.last_row = row;
        for (width, words) in (1..).zip(&mut self.words) {
            match max_gap(width, bits) {
                0 => *words = u64::MAX >> 8,
                max_gap => *words += words_for(gap, max_gap),
            }
        }
    }

    /// The best width and the number of words at that width: (0, 0) for a list without postings.
    #[must_use]
    pub(crate) fn best(&self) -> (usize, u64) {
        if self.words == [0; MAX_WIDTH] {
            return (0, 0);
        }
        (1..=MAX_WIDTH)
            .zip(self.words)
            // Among equals the wider word, which needs fewer steps.
            .min_by_key(|&(width, words)| (width as u64 * words, MAX_WIDTH - width))
            .unwrap_or((0, 0))
    }
}

/// Appends the list of `postings`, pairs of a row (rising) and a code, in words of `width` bytes.
pub fn encode(
    postings: impl IntoIterator<Item = (u32, u8)>,
    width: usize,
    bits: u8,
    out: &mut Vec<u8>,
) {
    let max_gap = max_gap(width, bits);
    let mut push = |gap: u32, code: u8| {
        let word = gap << bits | u32::from(code);
        out.extend_from_slice(&word.to_le_bytes()[..width]);
    };
    let mut last_row = 0;
    for (row, code) in postings {
        let mut gap = row - last_row;
        last_row = row;
        while gap > max_gap {
            push(max_gap, 0);
            gap -= max_gap;
        }
        push(gap, code);
    }
}

/// The word in `bytes`, which are at most 4.
#[inline(always)]
fn load(bytes: &[u8]) -> u32 {
    match *bytes {
        [a] => u32::from(a),
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        _ => 0,
    }
}

/// A list as stored: its words and their width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List<'a> {
    /// The words.
    pub bytes: &'a [u8],
    /// Bytes of a word, 1 to 3.
    pub width: usize,
}

impl List<'_> {
    /// Number of words: what a search pays for the list.
    #[must_use]
    pub(crate) fn words(&self) -> usize {
        self.bytes.len() / self.width.max(1)
    }

    /// The postings in order: a row and a code other than 0. The plain decoder, for everything
    /// but the search. Rows past `u32::MAX` end the list.
    pub(crate) fn postings(&self, bits: u8) -> impl Iterator<Item = (u32, u8)> {
        self.steps(bits)
            .map_while(|(row, code)| Some((row?, code)))
            .filter(|&(_, code)| code != 0)
    }

    /// Every word: the row reached, `None` if that is too large, and the code.
    fn steps(&self, bits: u8) -> impl Iterator<Item = (Option<u32>, u8)> {
        let mut row = Some(0u32);
        self.bytes
            .chunks_exact(self.width.max(1))
            .map(load)
            .map(move |word| {
                row = row.and_then(|row| row.checked_add(word >> bits));
                (row, (word & ((1 << bits) - 1)) as u8)
            })
    }

    /// Whether rows rise strictly and stay below `rows`; calls `each` for every posting.
    pub(crate) fn check(&self, bits: u8, rows: u32, mut each: impl FnMut(u32)) -> bool {
        let mut before = None;
        for (row, code) in self.steps(bits) {
            let Some(row) = row.filter(|&row| row < rows) else {
                return false;
            };
            if code != 0 {
                if before.is_some_and(|before| before >= row) {
                    return false;
                }
                before = Some(row);
                each(row);
            }
        }
        true
    }

    /// Adds `table[code]` to the sum of every row of the list, and sets the mark of the row's
    /// block of [`BLOCK`] rows. Rows beyond the sums are passed over.
    #[inline]
    pub(crate) fn add(&self, bits: u8, table: &[i32; 256], sums: &mut [i32], marks: &mut [u8]) {
        match (self.width, bits) {
            (1, 4) => add::<1, 4>(self.bytes, table, sums, marks),
            (2, 4) => add::<2, 4>(self.bytes, table, sums, marks),
            (3, 4) => add::<3, 4>(self.bytes, table, sums, marks),
            (1, 6) => add::<1, 6>(self.bytes, table, sums, marks),
            (2, 6) => add::<2, 6>(self.bytes, table, sums, marks),
            (3, 6) => add::<3, 6>(self.bytes, table, sums, marks),
            (2, 8) => add::<2, 8>(self.bytes, table, sums, marks),
            (3, 8) => add::<3, 8>(self.bytes, table, sums, marks),
            _ => {}
        }
    }
}

/// Rows whose sums are looked at, and cleared, together.
pub const BLOCK: usize = 64;

fn add<const WIDTH: usize, const BITS: u32>(
    words: &[u8],
    table: &[i32; 256],
    sums: &mut [i32],
    marks: &mut [u8],
) {
    let mut row = 0usize;
    for word in words.chunks_exact(WIDTH) {
        let word = load(word);
        row = row.wrapping_add((word >> BITS) as usize);
        let value = table[(word & ((1 << BITS) - 1) & 255) as usize];
        if let Some(sum) = sums.get_mut(row) {
            *sum = sum.wrapping_add(value);
        }
        if let Some(mark) = marks.get_mut(row / BLOCK) {
            *mark = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Lengths, List, encode};
    use alloc::{vec, vec::Vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_come_back_and_add_up_at_every_width(
            gaps in prop::collection::vec(prop_oneof![1u32..9, 1u32..300, 1u32..5000], 0..60),
            code_seed in any::<u8>(),
            bits in prop::sample::select(vec![4u8, 6, 8]),
        ) {
            let mut row = 0;
            let postings: Vec<(u32, u8)> = gaps.iter().map(|gap| {
                row += gap;
                (row - 1, 1 + (code_seed.wrapping_mul(row as u8)) % ((1 << (bits - 1)) - 1))
            }).collect();
            let rows = row + 1;
            let mut lengths = Lengths::default();
            postings.iter().for_each(|&(row, _)| lengths.add(row, bits));
            for width in (if bits == 8 { 2 } else { 1 })..=3 {
                let mut bytes = Vec::new();
                encode(postings.iter().copied(), width, bits, &mut bytes);
                let list = List { bytes: &bytes, width };
                prop_assert_eq!(list.postings(bits).collect::<Vec<_>>(), postings.clone());
                let mut seen = 0;
                prop_assert!(list.check(bits, rows, |_| seen += 1));
                prop_assert_eq!(seen, postings.len());
                if let Some(&(last, _)) = postings.last() {
                    prop_assert!(!list.check(bits, last, |_| ()));
                    prop_assert_eq!(list.words() as u64, lengths.words[width - 1]);
                    prop_assert!(lengths.best().0 as u64 * lengths.best().1 <= bytes.len() as u64);
                }
                let table: [i32; 256] = core::array::from_fn(|code| code as i32 * 3);
                let mut sums = vec![0; rows as usize];
                let mut marks = vec![0; rows as usize / BLOCK + 1];
                list.add(bits, &table, &mut sums, &mut marks);
                for (row, &sum) in sums.iter().enumerate() {
                    let code = postings.iter().find(|p| p.0 as usize == row).map_or(0, |p| p.1);
                    prop_assert_eq!(sum, i32::from(code) * 3);
                    prop_assert!(code == 0 || marks[row / BLOCK] == 1);
                }
            }
        }
    }

    #[test]
    fn refuses_repeated_rows() {
        let list = List {
            bytes: &[0x01, 0x01],
            width: 1,
        };
        assert!(!list.check(4, 10, |_| ()));
    }
}
