//! The random rows that all labels are held against.
//!
//! Where labels are very many, each of these counts as several rows without the label, so that
//! fewer do: of N rows, of which M were drawn, all negatives are estimated by weights of N / M, and
//! the loss of a drawn row is counted a part of that. Mined rows, which are chosen and not drawn,
//! count once.

use crate::random::Stream;
use alloc::vec::Vec;

/// Labels from which on rows of the pool count as several.
pub const VERY_MANY_LABELS: usize = 1 << 16;

/// What a row of the pool counts as, as a part of the N / M rows that it stands for. More and less
/// gain no more (`benches/record/one-vs-rest.md`).
const PART: f64 = 0.4;

/// How many rows without the label each of `drawn` ones of `rows` counts as, at least one.
pub(super) fn times(drawn: usize, rows: usize, labels: usize) -> f64 {
    match labels >= VERY_MANY_LABELS {
        true => f64::max(PART * rows as f64 / drawn.max(1) as f64, 1.0),
        false => 1.0,
    }
}

/// `count` random rows of `rows`, or all of them, rising.
pub(super) fn draw(seed: u64, count: usize, rows: usize) -> Vec<u32> {
    let mut all: Vec<u32> = (0..rows as u32).collect();
    if count < rows {
        let mut stream = Stream::new(seed, u64::MAX);
        for at in 0..count {
            let other = at + stream.below((rows - at) as u64) as usize;
            all.swap(at, other);
        }
        all.truncate(count);
        all.sort_unstable();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{VERY_MANY_LABELS, draw, times};

    #[test]
    fn a_pool_is_of_different_rows_and_no_larger_than_the_data() {
        let pool = draw(7, 1_000, 5_000);
        assert_eq!(pool.len(), 1_000);
        assert!(pool.windows(2).all(|pair| pair[0] < pair[1]) && pool[999] < 5_000);
        assert!(draw(7, 1_000, 70).into_iter().eq(0..70));
        assert_ne!(draw(8, 1_000, 5_000), pool);
    }

    #[test]
    fn rows_of_a_pool_stand_for_others_where_labels_are_very_many() {
        assert_eq!(times(100, 2_000, VERY_MANY_LABELS), 8.0);
        // Where they are fewer, or most rows are in the pool, each is what it is.
        assert_eq!(times(100, 2_000, VERY_MANY_LABELS - 1), 1.0);
        assert_eq!(times(100, 240, VERY_MANY_LABELS), 1.0);
        assert_eq!(times(0, 0, VERY_MANY_LABELS), 1.0);
    }
}
