//! Upper bounds on the similarity of a block of rows: the loops that read most of the index.
//!
//! The features stored in the most rows are the *head*. Of them the index keeps, for each block
//! of [`BLOCK`] rows, one bit a row (is the feature stored?) and for some groups of head features
//! the norm of the row's values. The bits of a query's head features are added with carry-save
//! adders, bit by bit for 512 rows at once: then the Jaccard index is exact for every row
//! before any value is read. The groups bound the head's share of the cosine by
//! Cauchy-Schwarz. The other features are the *tail*: rounded values are summed by
//! postings, a count of hits in the high bits of the same number.

/// Rows in a block.
pub const BLOCK: usize = 512;
/// Words of 64 rows in a block.
pub(crate) const WORDS: usize = BLOCK / 64;
/// Rows whose highest bound is kept.
pub(crate) const RUN: usize = 16;
/// Bits of a tail sum that hold the sum; those above hold the count of shared features.
pub(crate) const SUM_BITS: u32 = 22;
/// A tail sum starts here, so that it may turn negative.
pub(crate) const SUM_ZERO: u32 = 1 << (SUM_BITS - 1);
/// More binary digits than any count of head features has.
const PLANES: usize = 16;
/// Steps of the table of powers of the Jaccard index.
pub(crate) const POWERS: usize = 4096;

/// One block of rows, and what the query asks of it.
#[derive(Clone, Copy, Debug)]
pub struct BlockBounds<'a> {
    /// The bits of the block's rows, 8 words a head feature.
    pub lines: &'a [u64],
    /// The head features of the query.
    pub selected: &'a [u16],
    /// Packed count and sum of the tail, a row each.
    pub sums: &'a [u32; BLOCK],
    /// Stored features of each row.
    pub lengths: &'a [u32; BLOCK],
    /// Norms of each group of head features in units of 1/255, rounded up: 512 a group.
    pub groups: &'a [u8],
    /// The query's weight of each group; they sum to at most 257.
    pub group_weights: &'a [u16],
    /// Turns a weighted sum of group norms into a share of the cosine.
    pub group_scale: f32,
    /// Turns a tail sum into a share of the cosine.
    pub sum_scale: f32,
    /// Covers all rounding in the tail sum.
    pub slack: f32,
    /// Stored features of the query.
    pub query_length: u32,
    /// Upper bounds of powers of k/4096, or `None` for the first power.
    pub powers: Option<&'a [f32]>,
}

impl BlockBounds<'_> {
    /// Writes an upper bound on the similarity of each row, and the highest of each 16 rows.
    #[inline(always)]
    pub(crate) fn compute(&self, bounds: &mut [f32; BLOCK], highest: &mut [f32; BLOCK / 16]) {
        let mut counts = [0u32; BLOCK];
        count_bits(self.lines, self.selected, &mut counts);
        let mut heads = [0u16; BLOCK];
        for (norms, &weight) in self.groups.chunks_exact(BLOCK).zip(self.group_weights) {
            if weight == 0 {
                continue;
            }
            for (head, &norm) in heads.iter_mut().zip(norms) {
                *head = head.wrapping_add(weight.wrapping_mul(u16::from(norm)));
            }
        }
        let mut jaccards = [0f32; BLOCK];
        for row in 0..BLOCK {
            let sum = self.sums[row];
            let shared = counts[row] + (sum >> SUM_BITS);
            let either = self.query_length.wrapping_add(self.lengths[row]);
            jaccards[row] = shared as i32 as f32 / either.wrapping_sub(shared) as i32 as f32;
            let tail = (sum & ((1 << SUM_BITS) - 1)) as i32 - SUM_ZERO as i32;
            let cosine = tail as f32 * self.sum_scale
                + i32::from(heads[row]) as f32 * self.group_scale
                + self.slack;
            bounds[row] = if cosine > 0.0 { cosine } else { 0.0 };
        }
        self.raise(&mut jaccards);
        for (bound, jaccard) in bounds.iter_mut().zip(&jaccards) {
            *bound *= jaccard * 1.000_01;
        }
        for (rows, high) in bounds.chunks_exact(RUN).zip(highest) {
            *high = highest_of(rows);
        }
    }

    /// Raises Jaccard indices to the power beta, rounded up.
    #[inline(always)]
    fn raise(&self, jaccards: &mut [f32; BLOCK]) {
        let Some(powers) = self.powers else { return };
        for jaccard in jaccards {
            let step = (*jaccard * (POWERS as f32 * 1.000_001)) as usize;
            *jaccard = match powers.get(step.min(POWERS)) {
                // A row that shares nothing has similarity 0, whatever beta.
                Some(&power) if *jaccard > 0.0 => power,
                _ => 0.0,
            };
        }
    }
}

/// The highest of a run of bounds, which are not negative.
#[inline(always)]
pub(crate) fn highest_of(rows: &[f32]) -> f32 {
    let mut lanes = [0f32; 4];
    for chunk in rows.chunks(4) {
        for (lane, &bound) in lanes.iter_mut().zip(chunk) {
            *lane = if bound > *lane { bound } else { *lane };
        }
    }
    lanes.iter().fold(0.0, |a, &b| if b > a { b } else { a })
}

type Line = [u64; WORDS];

/// Adds three bits of each lane: the sum and the carry.
#[inline(always)]
fn add_bits(a: &Line, b: &Line, c: &Line) -> (Line, Line) {
    let (mut sum, mut carry) = ([0; WORDS], [0; WORDS]);
    for lane in 0..WORDS {
        let either = a[lane] ^ b[lane];
        sum[lane] = either ^ c[lane];
        carry[lane] = (a[lane] & b[lane]) | (either & c[lane]);
    }
    (sum, carry)
}

#[inline(always)]
fn line(lines: &[u64], at: Option<&u16>) -> Line {
    let Some(&at) = at else { return [0; WORDS] };
    let start = usize::from(at) * WORDS;
    match lines.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(found) => *found,
        None => [0; WORDS],
    }
}

/// Counts for each row of the block in how many of the selected lines its bit is set.
#[inline(always)]
fn count_bits(lines: &[u64], selected: &[u16], counts: &mut [u32; BLOCK]) {
    let mut planes = [[0u64; WORDS]; PLANES];
    let (mut ones, mut twos, mut fours) = ([0; WORDS], [0; WORDS], [0; WORDS]);
    let mut used = 3;
    for eight in selected.chunks(8) {
        let bit = |at: usize| line(lines, eight.get(at));
        let (sum, two_a) = add_bits(&ones, &bit(0), &bit(1));
        let (sum, two_b) = add_bits(&sum, &bit(2), &bit(3));
        let (sum_twos, four_a) = add_bits(&twos, &two_a, &two_b);
        let (sum, two_a) = add_bits(&sum, &bit(4), &bit(5));
        let (sum, two_b) = add_bits(&sum, &bit(6), &bit(7));
        let (sum_twos, four_b) = add_bits(&sum_twos, &two_a, &two_b);
        let (sum_fours, mut carry) = add_bits(&fours, &four_a, &four_b);
        (ones, twos, fours) = (sum, sum_twos, sum_fours);
        let mut digit = 3;
        while digit < PLANES && carry != [0; WORDS] {
            for (plane, carry) in planes[digit].iter_mut().zip(&mut carry) {
                let both = *plane & *carry;
                *plane ^= *carry;
                *carry = both;
            }
            digit += 1;
            used = used.max(digit);
        }
    }
    (planes[0], planes[1], planes[2]) = (ones, twos, fours);
    for (quarter, rows) in counts.as_chunks_mut().0.iter_mut().enumerate() {
        spread(&planes[..used], quarter, rows);
    }
}

/// Reads the counts of 16 rows from their binary digits. (In 32-bit lanes no mask is a sign bit,
/// so that compilers treat all lanes alike.)
#[inline(always)]
fn spread(planes: &[Line], quarter: usize, rows: &mut [u32; 16]) {
    const MASKS: [u32; 16] = [
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
    ];
    let mut counts = [0u32; 16];
    let mut weight = 1u32;
    for plane in planes {
        let bits = (plane[quarter / 4] >> (quarter % 4 * 16)) as u32;
        for (count, &mask) in counts.iter_mut().zip(&MASKS) {
            *count |= if bits & mask == 0 { 0 } else { weight };
        }
        weight <<= 1;
    }
    *rows = counts;
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, WORDS, count_bits};
    use crate::random::Stream;
    use alloc::vec::Vec;

    #[test]
    fn bits_are_counted_as_one_counts_them() {
        let mut stream = Stream::new(1, 1);
        let lines: Vec<u64> = (0..300 * WORDS)
            .map(|_| stream.bits() | stream.bits())
            .collect();
        for number in [0, 1, 7, 8, 9, 100, 300] {
            let selected: Vec<u16> = (0..300).rev().take(number).collect();
            let mut counts = [0u32; BLOCK];
            count_bits(&lines, &selected, &mut counts);
            for (row, &count) in counts.iter().enumerate() {
                let expected = selected
                    .iter()
                    .filter(|&&at| lines[usize::from(at) * WORDS + row / 64] >> (row % 64) & 1 == 1)
                    .count();
                assert_eq!(count as usize, expected);
            }
        }
    }
}
