//! Adding up the postings of one feature: the loop in which a query with many tail features stays
//! longest.

use super::index::RANGE;

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
    /// Adds `value * weight + base`, wrapping, to the sum of each row. Rows beyond the sums are passed
    /// over; sums of a whole range need no check for them.
    #[inline(always)]
    pub fn add(&self, sums: &mut [u32]) {
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

/// How many sums a search of `rows` rows takes, a multiple of the block's: as many as there are rows,
/// or a whole range where that is less than twice as many.
pub(super) fn sums_for(padded_rows: usize) -> usize {
    if padded_rows > RANGE / 2 {
        RANGE
    } else {
        padded_rows
    }
}
