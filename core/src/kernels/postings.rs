//! Adding up the postings of one feature: the loop in which a query with many tail features stays
//! longest.

/// Rows whose postings share one run of 16-bit row ids.
pub(crate) const RANGE: usize = 1 << 16;

/// The postings of one feature within one range of rows, and what the query makes of them.
#[derive(Clone, Copy, Debug)]
pub struct Posted<'a> {
    /// Rows within the range, rising.
    pub rows: &'a [u16],
    /// The stored value of each row.
    pub values: &'a [u8],
    /// What one unit of a value adds to a sum.
    pub weight: u32,
    /// What every posting adds: a count above the sum's bits, and the weight of the value 0.
    pub base: u32,
}

impl Posted<'_> {
    /// Adds `value * weight + base`, wrapping, to the sum of each row. Rows beyond the sums are
    /// passed over; sums of a whole range need no check for them.
    #[inline(always)]
    pub(crate) fn add(&self, sums: &mut [u32]) {
        let posted = self.rows.iter().zip(self.values);
        let added = |value: u8| {
            u32::from(value)
                .wrapping_mul(self.weight)
                .wrapping_add(self.base)
        };
        if let Some(sums) = sums.first_chunk_mut::<RANGE>() {
            for (&row, &value) in posted {
                let sum = &mut sums[usize::from(row)];
                *sum = sum.wrapping_add(added(value));
            }
        } else {
            for (&row, &value) in posted {
                if let Some(sum) = sums.get_mut(usize::from(row)) {
                    *sum = sum.wrapping_add(added(value));
                }
            }
        }
    }
}

/// How many sums a search of `rows` rows takes, a multiple of the block's: as many as there are
/// rows, or a whole range where that is less than twice as many.
pub(crate) fn sums_for(padded_rows: usize) -> usize {
    if padded_rows > RANGE / 2 {
        RANGE
    } else {
        padded_rows
    }
}

#[cfg(test)]
mod tests {
    use super::{Posted, RANGE, sums_for};
    use crate::{kernels::bounds::BLOCK, random::Stream};
    use alloc::{vec, vec::Vec};

    #[test]
    fn a_small_index_takes_little_memory_and_a_large_one_a_range() {
        assert_eq!(sums_for(BLOCK), BLOCK);
        assert_eq!(sums_for(RANGE / 2), RANGE / 2);
        assert_eq!(sums_for(RANGE / 2 + BLOCK), RANGE);
        assert_eq!(sums_for(40 * RANGE), RANGE);
    }

    #[test]
    fn few_sums_are_as_a_whole_range_of_them() {
        let mut stream = Stream::new(3, 0);
        let rows: Vec<u16> = (0..3000).map(|_| stream.bits() as u16).collect();
        let values: Vec<u8> = (0..3000).map(|_| stream.bits() as u8).collect();
        let posted = Posted {
            rows: &rows,
            values: &values,
            weight: 0u32.wrapping_sub(77),
            base: 12345,
        };
        let mut whole = vec![9; RANGE];
        posted.add(&mut whole);
        let mut plain = vec![9u32; RANGE];
        for (&row, &value) in rows.iter().zip(&values) {
            let place = &mut plain[usize::from(row)];
            *place = place
                .wrapping_sub(77 * u32::from(value))
                .wrapping_add(12345);
        }
        assert_eq!(whole, plain);
        for length in [0, BLOCK, RANGE / 2] {
            let mut few = vec![9; length];
            posted.add(&mut few);
            assert_eq!(few, whole[..length]);
        }
    }
}
