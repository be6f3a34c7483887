//! The label lists of the rows, packed to the bit.

use super::CompactError;
use crate::{array::Array, data::LabelLists};
use alloc::vec::Vec;

/// Rows in a block: a row is found by walking over the ones before it in its block.
const PER_BLOCK: usize = 16;

/// For each of n rows the rising ids of its labels, in as few bits as an id needs.
///
/// A row is its number of labels plus 1 in Elias's gamma code (z zeros, a one, the z low bits),
/// followed by its ids of `ceil(log2 L)` bits each; bits fill bytes from the low end. Every 16 rows
/// start on a byte, and a `u32` says on which.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactLabels {
    labels: u32,
    rows: u32,
    offsets: Array<u32>,
    packed: Array<u8>,
}

/// The numbers and arrays of [`CompactLabels`].
#[derive(Clone, Debug, PartialEq)]
pub struct CompactLabelsParts {
    /// Number of labels L: every id is below it.
    pub labels: u32,
    /// Number of rows n.
    pub rows: u32,
    /// The byte of `packed` where each block of 16 rows starts, and the end.
    pub offsets: Array<u32>,
    /// The packed lists.
    pub packed: Array<u8>,
}

/// Bits of an id below `labels`.
fn id_bits(labels: u32) -> u32 {
    u32::BITS - labels.saturating_sub(1).leading_zeros()
}

/// Bits of a number of labels in the gamma code.
fn count_bits(count: usize) -> u64 {
    2 * u64::from((count as u64 + 1).ilog2()) + 1
}

impl CompactLabels {
    /// Packs `lists`.
    ///
    /// # Errors
    /// If there are more rows than 32-bit ids, more than 4 GiB, or memory is refused.
    pub(crate) fn new(lists: &LabelLists) -> Result<Self, CompactError> {
        let rows = u32::try_from(lists.len())
            .map_err(|_| CompactError::TooManyRows { rows: lists.len() })?;
        let bytes = packed_bytes(lists);
        let total = u32::try_from(bytes).map_err(|_| CompactError::TooLarge { bytes })? as usize;
        let refused = |_| CompactError::OutOfMemory { bytes: total };
        let mut writer = BitWriter::default();
        writer.bytes.try_reserve_exact(total).map_err(refused)?;
        let width = id_bits(lists.labels());
        let mut offsets = Vec::new();
        offsets
            .try_reserve_exact(lists.len().div_ceil(PER_BLOCK) + 1)
            .map_err(refused)?;
        for (row, ids) in lists.iter().enumerate() {
            if row.is_multiple_of(PER_BLOCK) {
                writer.align();
                offsets.push(writer.bytes.len() as u32);
            }
            let count = ids.len() as u64 + 1;
            let low = count.ilog2();
            writer.push(1 << low, low + 1);
            writer.push(count & !(1 << low), low);
            ids.iter().for_each(|&id| writer.push(id.into(), width));
        }
        writer.align();
        offsets.push(writer.bytes.len() as u32);
        Ok(Self {
            labels: lists.labels(),
            rows,
            offsets: offsets.into(),
            packed: writer.bytes.into(),
        })
    }

    /// Bytes that packing `lists` would take, the same in memory and in a file.
    #[must_use]
    pub(crate) fn estimate(lists: &LabelLists) -> u64 {
        packed_bytes(lists) + 4 * (lists.len().div_ceil(PER_BLOCK) as u64 + 1)
    }

    /// Bytes of everything stored, the same in memory and in a file.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        4 * self.offsets.len() + self.packed.len()
    }

    /// Number of labels L.
    #[must_use]
    pub(crate) fn labels(&self) -> u32 {
        self.labels
    }

    /// Number of rows n.
    #[must_use]
    pub(crate) fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The labels of a row, rising; none if there is no such row.
    #[must_use]
    pub(crate) fn row(&self, row: usize) -> CompactRow<'_> {
        let mut reader = CompactRow {
            packed: &self.packed,
            at: 0,
            left: 0,
            width: id_bits(self.labels),
        };
        if let Some(&start) = self
            .offsets
            .get(row / PER_BLOCK)
            .filter(|_| row < self.rows())
        {
            reader.at = u64::from(start) * 8;
            for _ in 0..row % PER_BLOCK {
                let count = reader.read_count().unwrap_or(0);
                reader.at += count * u64::from(reader.width);
            }
            reader.left = reader.read_count().unwrap_or(0);
        }
        reader
    }

    /// All lists, unpacked.
    #[must_use]
    pub(crate) fn to_lists(&self) -> LabelLists {
        let mut lists = LabelLists::new(self.labels);
        (0..self.rows()).for_each(|row| lists.push(self.row(row)));
        lists
    }

    /// The arrays to store.
    #[must_use]
    pub(crate) fn parts(&self) -> CompactLabelsParts {
        CompactLabelsParts {
            labels: self.labels,
            rows: self.rows,
            offsets: self.offsets.clone(),
            packed: self.packed.clone(),
        }
    }

    /// Takes over stored arrays after checking them; one pass, no memory.
    ///
    /// # Errors
    /// If offsets or lists break a rule of [`CompactError`].
    pub(crate) fn from_parts(parts: CompactLabelsParts) -> Result<Self, CompactError> {
        let CompactLabelsParts {
            labels,
            rows,
            offsets,
            packed,
        } = parts;
        let blocks = (rows as usize).div_ceil(PER_BLOCK);
        let good_ends = offsets.first() == Some(&0)
            && offsets.last().map(|&end| end as usize) == Some(packed.len());
        if offsets.len() != blocks + 1 || !good_ends {
            return Err(CompactError::BadOffsets { block: blocks });
        }
        if let Some(block) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(CompactError::BadOffsets { block });
        }
        let lists = Self {
            labels,
            rows,
            offsets,
            packed,
        };
        (0..blocks).try_for_each(|block| lists.check_block(block))?;
        Ok(lists)
    }

    fn check_block(&self, block: usize) -> Result<(), CompactError> {
        let (start, end) = (self.offsets[block], self.offsets[block + 1]);
        let mut reader = CompactRow {
            packed: &self.packed,
            at: u64::from(start) * 8,
            left: 0,
            width: id_bits(self.labels),
        };
        let end_bits = u64::from(end) * 8;
        for row in block * PER_BLOCK..((block + 1) * PER_BLOCK).min(self.rows()) {
            let bad = || CompactError::BadLabels { row };
            let count = reader.read_count().ok_or_else(bad)?;
            let fits = count <= u64::from(self.labels)
                && reader.at + count * u64::from(reader.width) <= end_bits;
            if !fits {
                return Err(bad());
            }
            reader.left = count;
            let mut before = None;
            for id in reader.by_ref() {
                if id >= self.labels || before.is_some_and(|before| before >= id) {
                    return Err(bad());
                }
                before = Some(id);
            }
        }
        if reader.at.div_ceil(8) == u64::from(end) {
            Ok(())
        } else {
            Err(CompactError::BadBlock { block })
        }
    }
}

/// Bytes of the packed lists without the offsets.
fn packed_bytes(lists: &LabelLists) -> u64 {
    let width = u64::from(id_bits(lists.labels()));
    let row_bits = |row: usize| {
        let count = lists.row(row).len();
        count_bits(count) + count as u64 * width
    };
    (0..lists.len())
        .step_by(PER_BLOCK)
        .map(|first| {
            let bits: u64 = (first..(first + PER_BLOCK).min(lists.len()))
                .map(row_bits)
                .sum();
            bits.div_ceil(8)
        })
        .sum()
}

/// The labels of one row.
#[derive(Clone, Debug)]
pub struct CompactRow<'a> {
    packed: &'a [u8],
    at: u64,
    left: u64,
    width: u32,
}

impl CompactRow<'_> {
    /// At least 57 bits from the current place, zeros behind the end.
    fn peek(&self) -> u64 {
        let byte = usize::try_from(self.at / 8).unwrap_or(usize::MAX);
        let rest = self.packed.get(byte..).unwrap_or_default();
        let word = match rest.first_chunk::<8>() {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => rest
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        word >> (self.at % 8)
    }

    /// Reads the number of labels of the row that starts here; `None` if no number of 28 bits
    /// stands here.
    fn read_count(&mut self) -> Option<u64> {
        let word = self.peek();
        let low = word.trailing_zeros();
        if low > 28 {
            return None;
        }
        self.at += u64::from(2 * low + 1);
        let count = 1 << low | (word >> (low + 1)) & ((1 << low) - 1);
        Some(count - 1)
    }
}

impl Iterator for CompactRow<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        let id = self.peek() & ((1 << self.width) - 1);
        self.at += u64::from(self.width);
        Some(id as u32)
    }
}

/// Appends numbers of a few bits, low end first.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    bits: u32,
}

impl BitWriter {
    /// Appends the `width` low bits of `number`; `width` is at most 56.
    fn push(&mut self, number: u64, width: u32) {
        self.pending |= number << self.bits;
        self.bits += width;
        while self.bits >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.bits -= 8;
        }
    }

    fn align(&mut self) {
        if self.bits > 0 {
            self.push(0, 8 - self.bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CompactLabels, CompactLabelsParts};
    use crate::data::LabelLists;
    use alloc::{vec, vec::Vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_come_back_and_sizes_are_as_estimated(
            rows in prop::collection::vec(prop::collection::vec(0u32..100_000, 0..9), 0..60),
            labels in prop::sample::select(vec![0u32, 100_000, 1 << 17, u32::MAX]),
        ) {
            let mut lists = LabelLists::new(labels);
            rows.iter().for_each(|ids| lists.push(ids.iter().copied()));
            let packed = CompactLabels::new(&lists).unwrap();
            prop_assert_eq!(&packed.to_lists(), &lists);
            prop_assert_eq!(packed.bytes() as u64, CompactLabels::estimate(&lists));
            prop_assert_eq!(CompactLabels::from_parts(packed.parts()), Ok(packed));
        }

        #[test]
        fn any_bytes_are_refused_or_safe(
            labels in 0u32..9, rows in 0u32..40, packed in prop::collection::vec(any::<u8>(), 0..30),
        ) {
            let end = packed.len() as u32;
            let offsets: Vec<u32> = (0..=rows.div_ceil(16)).map(|b| if b == 0 { 0 } else { end }).collect();
            let parts = CompactLabelsParts { labels, rows, offsets: offsets.into(), packed: packed.into() };
            if let Ok(lists) = CompactLabels::from_parts(parts) {
                let all = lists.to_lists();
                prop_assert!(all.labels() == labels);
            }
        }
    }

    #[test]
    fn one_label_takes_no_bits_and_missing_rows_are_empty() {
        let mut lists = LabelLists::new(1);
        lists.push([0]);
        lists.push([]);
        let packed = CompactLabels::new(&lists).unwrap();
        assert_eq!(packed.row(0).collect::<Vec<_>>(), [0]);
        assert_eq!(packed.row(1).next(), None);
        assert_eq!(packed.row(2).next(), None);
    }

    #[test]
    fn refuses_ids_out_of_range_and_missing_bytes() {
        let mut lists = LabelLists::new(5);
        lists.push([1, 4]);
        let parts = CompactLabels::new(&lists).unwrap().parts();
        let fewer = CompactLabelsParts {
            labels: 4,
            ..parts.clone()
        };
        assert!(CompactLabels::from_parts(fewer).is_err());
        let cut = CompactLabelsParts {
            offsets: vec![0, 1].into(),
            packed: parts.packed[..1].to_vec().into(),
            ..parts
        };
        assert!(CompactLabels::from_parts(cut).is_err());
    }
}
