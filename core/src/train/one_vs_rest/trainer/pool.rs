//! The random rows that all labels are held against.

use crate::random::Stream;
use alloc::vec::Vec;

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
    use super::draw;

    #[test]
    fn a_pool_is_of_different_rows_and_no_larger_than_the_data() {
        let pool = draw(7, 1_000, 5_000);
        assert_eq!(pool.len(), 1_000);
        assert!(pool.windows(2).all(|pair| pair[0] < pair[1]) && pool[999] < 5_000);
        assert!(draw(7, 1_000, 70).into_iter().eq(0..70));
        assert_ne!(draw(8, 1_000, 5_000), pool);
    }
}
