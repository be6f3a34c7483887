//! The negatives that all labels begin with.

use crate::{random::Stream, train::dual::parameters::OneVsRest};
use alloc::vec::Vec;

/// Random rows that a label without many rows of its own is held against.
const SMALL: u32 = 300;

/// Rows of its own up to which a label takes the small pool: what they have in common with others shows in few of
/// these, and mining finds the rest. On held-out rows of eurlex57k the small pool for such labels costs nothing, for
/// all labels 0.2 points.
const FEW: usize = 16;

/// Random rows, rising, in two sizes.
#[derive(Debug)]
pub(super) struct Pool {
    full: Vec<u32>,
    small: Vec<u32>,
}

impl Pool {
    /// Of `rows` rows those that the parameters' seed gives.
    pub fn draw(parameters: &OneVsRest, rows: usize) -> Self {
        let drawn = |count| draw(parameters.seed, count, rows);
        Self {
            full: drawn(parameters.pool as usize),
            small: drawn(parameters.pool.min(SMALL) as usize),
        }
    }

    /// The rows for a label with `own` rows of its own.
    pub fn of(&self, own: usize) -> &[u32] {
        match own <= FEW {
            true => &self.small,
            false => &self.full,
        }
    }
}

/// `count` random rows, or all of them.
fn draw(seed: u64, count: usize, rows: usize) -> Vec<u32> {
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
    use super::{FEW, Pool};
    use crate::train::dual::parameters::OneVsRest;

    #[test]
    fn labels_of_few_rows_take_a_part_of_the_pool() {
        let pool = |pool, rows| {
            let parameters = OneVsRest {
                pool,
                ..OneVsRest::default()
            };
            Pool::draw(&parameters, rows)
        };
        let large = pool(1_000, 5_000);
        let [few, many] = [FEW, FEW + 1].map(|own| large.of(own));
        assert_eq!((few.len(), many.len()), (300, 1_000));
        assert!(few.iter().all(|row| many.binary_search(row).is_ok()));
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]) && many[999] < 5_000);
        assert_eq!(pool(1_000, 70).of(FEW + 1).len(), 70);
        let small = pool(40, 5_000);
        assert_eq!(small.of(1), small.of(FEW + 1));
    }
}
