//! Where the list of each feature is.
//!
//! Features stand in blocks of [`PER_BLOCK`]. A block in which no feature has postings has no
//! bytes; any other starts with one header for each of its features, the number of words of its
//! list times 4 plus the width of a word, as a varint (LEB128), and then holds the lists one behind
//! the other. Short lists, the most frequent by far, so cost one byte beside their words.

use super::{CompactError, words::List};
use crate::array::Array;
use alloc::{vec, vec::Vec};

/// Features in a block: more would make looking a feature up slower, fewer the offsets larger.
pub(super) const PER_BLOCK: usize = 16;

/// Bytes of a header of `words` words.
pub(super) fn header_len(words: u64) -> u64 {
    u64::from((70 - (words << 2 | 1).leading_zeros()) / 7).max(1)
}

/// The posting lists of D features.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Blocks {
    features: u32,
    offsets: Array<u32>,
    bytes: Array<u8>,
}

impl Blocks {
    /// Takes over stored offsets and bytes; checks headers and lengths, not the lists.
    pub(super) fn from_parts(
        features: u32,
        offsets: Array<u32>,
        bytes: Array<u8>,
    ) -> Result<Self, CompactError> {
        let blocks = (features as usize).div_ceil(PER_BLOCK);
        let good_ends = offsets.first() == Some(&0)
            && offsets.last().map(|&end| end as usize) == Some(bytes.len());
        if !good_ends || offsets.len() != blocks + 1 {
            return Err(CompactError::BadOffsets { block: blocks });
        }
        if let Some(block) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return Err(CompactError::BadOffsets { block });
        }
        let lists = Self {
            features,
            offsets,
            bytes,
        };
        match (0..blocks).find(|&block| !lists.block_is_full(block)) {
            Some(block) => Err(CompactError::BadBlock { block }),
            None => Ok(lists),
        }
    }

    /// Whether headers and lists fill the block exactly.
    fn block_is_full(&self, block: usize) -> bool {
        let bytes = self.block(block);
        if bytes.is_empty() {
            return true;
        }
        let (mut at, mut total) = (0, 0u64);
        for _ in 0..self.in_block(block) {
            match read_header(bytes, &mut at) {
                Some((words, width)) if (words == 0) == (width == 0) => {
                    total += words * width as u64;
                }
                _ => return false,
            }
        }
        total > 0 && at as u64 + total == bytes.len() as u64
    }

    fn in_block(&self, block: usize) -> usize {
        (self.features as usize - block * PER_BLOCK).min(PER_BLOCK)
    }

    fn block(&self, block: usize) -> &[u8] {
        let range = self
            .offsets
            .get(block)
            .zip(self.offsets.get(block + 1))
            .map(|(&start, &end)| start as usize..end as usize);
        range
            .and_then(|range| self.bytes.get(range))
            .unwrap_or_default()
    }

    /// The list of a feature, empty if it has no postings or does not exist.
    pub(super) fn list(&self, feature: u32) -> List<'_> {
        if feature >= self.features {
            return List::default();
        }
        let block = feature as usize / PER_BLOCK;
        let bytes = self.block(block);
        if bytes.is_empty() {
            return List::default();
        }
        find(bytes, feature as usize % PER_BLOCK, self.in_block(block)).unwrap_or_default()
    }

    pub(super) fn features(&self) -> u32 {
        self.features
    }

    pub(super) fn offsets(&self) -> &Array<u32> {
        &self.offsets
    }

    pub(super) fn bytes(&self) -> &Array<u8> {
        &self.bytes
    }
}

/// List number `wanted` of the `lists` of a block.
fn find(bytes: &[u8], wanted: usize, lists: usize) -> Option<List<'_>> {
    let (mut at, mut start, mut end, mut width) = (0, 0usize, 0usize, 0);
    for list in 0..lists {
        let (words, its_width) = read_header(bytes, &mut at)?;
        if list <= wanted {
            start = end;
            width = its_width;
            end = end.checked_add(usize::try_from(words).ok()?.checked_mul(its_width)?)?;
        }
    }
    let bytes = bytes.get(at.checked_add(start)?..at.checked_add(end)?)?;
    Some(List { bytes, width })
}

/// Reads a header at `at`: words and width.
fn read_header(bytes: &[u8], at: &mut usize) -> Option<(u64, usize)> {
    let mut header = 0u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        header |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some((header >> 2, (header & 3) as usize));
        }
    }
    None
}

/// Writes lists feature by feature.
#[derive(Debug)]
pub(super) struct BlocksWriter {
    features: u32,
    offsets: Vec<u32>,
    bytes: Vec<u8>,
    headers: Vec<u8>,
    lists: Vec<u8>,
}

impl BlocksWriter {
    /// A writer of `bytes` bytes, which must be what the lists will take, in all.
    pub(super) fn with_capacity(features: u32, bytes: usize) -> Result<Self, CompactError> {
        let refused = |_| CompactError::OutOfMemory { bytes };
        let mut out = Vec::new();
        out.try_reserve_exact(bytes).map_err(refused)?;
        let mut offsets = Vec::new();
        let blocks = (features as usize).div_ceil(PER_BLOCK);
        offsets.try_reserve_exact(blocks + 1).map_err(refused)?;
        offsets.push(0);
        Ok(Self {
            features: 0,
            offsets,
            bytes: out,
            headers: vec![],
            lists: vec![],
        })
    }

    /// Appends the list of the next feature: `words` words of `width` bytes, which `write` appends.
    pub(super) fn push(&mut self, words: u64, width: usize, write: impl FnOnce(&mut Vec<u8>)) {
        let mut header = words << 2 | width as u64;
        while header > 127 {
            self.headers.push(header as u8 | 128);
            header >>= 7;
        }
        self.headers.push(header as u8);
        write(&mut self.lists);
        self.features += 1;
        if (self.features as usize).is_multiple_of(PER_BLOCK) {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        if !self.lists.is_empty() {
            self.bytes.append(&mut self.headers);
            self.bytes.append(&mut self.lists);
        }
        self.headers.clear();
        self.offsets.push(self.bytes.len() as u32);
    }

    /// The lists of all features pushed.
    pub(super) fn finish(mut self) -> Blocks {
        if !(self.features as usize).is_multiple_of(PER_BLOCK) {
            self.end_block();
        }
        Blocks {
            features: self.features,
            offsets: self.offsets.into(),
            bytes: self.bytes.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Blocks, BlocksWriter, header_len};
    use crate::search::compact::words::{Lengths, encode};
    use alloc::{vec, vec::Vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_list_is_found_again(lists in prop::collection::vec(
            prop::collection::btree_map(0u32..40_000, 1u8..16, 0..20), 0..50)) {
            let mut writer = BlocksWriter::with_capacity(lists.len() as u32, 0).unwrap();
            for list in &lists {
                let mut lengths = Lengths::default();
                list.keys().for_each(|&row| lengths.add(row, 4));
                let (width, words) = lengths.best();
                writer.push(words, width, |out| {
                    encode(list.iter().map(|(&row, &code)| (row, code)), width, 4, out);
                });
            }
            let blocks = writer.finish();
            for (feature, list) in (0..).zip(&lists) {
                let found: Vec<(u32, u8)> = blocks.list(feature).postings(4).collect();
                prop_assert_eq!(found, list.iter().map(|(&r, &c)| (r, c)).collect::<Vec<_>>());
            }
            prop_assert_eq!(blocks.list(lists.len() as u32).words(), 0);
            let again = Blocks::from_parts(
                lists.len() as u32, blocks.offsets().clone(), blocks.bytes().clone());
            prop_assert_eq!(again, Ok(blocks));
        }

        #[test]
        fn any_bytes_are_refused_or_safe(
            features in 0u32..40, bytes in prop::collection::vec(0u8..12, 0..60), feature in 0u32..50,
        ) {
            let end = bytes.len() as u32;
            let offsets = (0..=features.div_ceil(16)).map(|b| if b == 0 { 0 } else { end });
            let offsets: Vec<u32> = offsets.collect();
            if let Ok(blocks) = Blocks::from_parts(features, offsets.into(), bytes.into()) {
                blocks.list(feature).postings(4).count();
            }
        }
    }

    #[test]
    fn headers_are_as_long_as_said() {
        for words in [0u64, 1, 31, 32, 4095, 4096, 600_000, u64::from(u32::MAX)] {
            let mut writer = BlocksWriter::with_capacity(1, 0).unwrap();
            writer.push(words, 1, |out| out.push(0));
            let written = writer.finish().bytes().len() as u64 - 1;
            assert_eq!(header_len(words), written, "{words} words");
        }
    }

    #[test]
    fn refuses_bad_offsets_and_blocks() {
        for (offsets, bytes) in [
            (vec![], vec![]),
            (vec![0], vec![]),
            (vec![1, 1], vec![0]),
            (vec![0, 2], vec![0]),
            (vec![0, 1], vec![5]),
            (vec![0, 1], vec![0]),
            (vec![0, 2], vec![0xff, 0xff]),
        ] {
            assert!(Blocks::from_parts(1, offsets.into(), bytes.into()).is_err());
        }
    }
}
