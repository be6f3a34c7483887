//! Labels to buckets: the hash functions of MACH.
//!
//! R functions h_r map L labels to B buckets each. A label's code is its R buckets; two labels are
//! told apart if their codes differ, which fails for a pair with a chance of at most `B^-R` (lemma
//! 1 of Huang, Wang, Medini, Shrivastava, *Extreme classification in log memory*, 2018). The
//! paper's own function, `(a x) & (2^b - 1)`, depends on the low bits of x alone and yields only B
//! codes, however large R is; the ones here do not.

use crate::random::Stream;
use alloc::vec::Vec;

/// A family of hash functions from labels to buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketHash {
    /// A random permutation of the labels, modulo B: buckets differ by at most one label, so that
    /// pairs collide a little less often than with a chance of 1/B.
    Permutation,
    /// `((a x + b) mod p) mod B` with the prime p = 2^61 - 1, which exceeds every label, and a in
    /// 1..p, b in 0..p (Carter, Wegman).
    CarterWegman,
    /// The label itself modulo B, in every repetition: with B = L and R = 1, plain softmax
    /// regression.
    Identity,
}

/// The prime of Carter and Wegman's functions.
const PRIME: u64 = (1 << 61) - 1;

/// The job numbers of the streams that draw functions start here, far from those of epochs: frozen.
const DRAW_JOB: u64 = 0x6d61_6368_0000_0000;

/// How often a whole set of functions is drawn again because two labels share all buckets.
const MOST_DRAWS: u32 = 50;

/// The buckets of every label in every repetition.
///
/// Memory: 2 bytes a label and repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketCodes {
    buckets: u32,
    labels: u32,
    draw: u32,
    /// Repetition after repetition, label after label.
    codes: Vec<u16>,
}

/// Which functions to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketPlan {
    /// The family.
    pub hash: BucketHash,
    /// Buckets B: from 1 to `BucketPlan::MOST_BUCKETS`.
    pub buckets: u32,
    /// Repetitions R.
    pub repetitions: u32,
    /// Labels L.
    pub labels: u32,
    /// The user's seed.
    pub seed: u64,
}

/// There is no memory for the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemoryForCodes {
    /// Bytes asked for.
    pub bytes: u64,
}

/// A number in `0..2^61 - 1` equal to `x` modulo that.
fn reduce(x: u128) -> u64 {
    let folded = (x as u64 & PRIME) + (x >> 61) as u64;
    let folded = (folded & PRIME) + (folded >> 61);
    if folded >= PRIME {
        folded - PRIME
    } else {
        folded
    }
}

impl BucketPlan {
    /// The most buckets a repetition can have.
    pub(crate) const MOST_BUCKETS: u32 = 1 << 16;

    /// Draws the functions and evaluates them for all labels. While two labels share all buckets,
    /// another set is drawn, up to 50 times; the set with the fewest such labels is kept.
    ///
    /// Cost: O(L R) a draw, and sorting L numbers. Memory: 2 bytes a label and repetition, twice,
    /// and 12 a label.
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn draw(&self) -> Result<BucketCodes, NoMemoryForCodes> {
        let mut best = self.evaluate(0)?;
        if self.hash == BucketHash::Identity {
            return Ok(best);
        }
        let mut fewest = best.shared_labels()?;
        for draw in 1..MOST_DRAWS {
            if fewest == 0 {
                break;
            }
            let codes = self.evaluate(draw)?;
            let shared = codes.shared_labels()?;
            if shared < fewest {
                (best, fewest) = (codes, shared);
            }
        }
        Ok(best)
    }

    /// The functions of draw number `draw`, as `BucketCodes::draw_number` told it.
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn evaluate(&self, draw: u32) -> Result<BucketCodes, NoMemoryForCodes> {
        let (labels, repetitions) = (self.labels as usize, self.repetitions as usize);
        let bytes = labels as u64 * u64::from(self.repetitions) * 2;
        let lacking = |_| NoMemoryForCodes { bytes };
        let total = labels.checked_mul(repetitions).ok_or(lacking(()))?;
        let mut codes = Vec::new();
        codes.try_reserve_exact(total).map_err(|_| lacking(()))?;
        let mut order: Vec<u32> = Vec::new();
        order.try_reserve_exact(labels).map_err(|_| lacking(()))?;
        for repetition in 0..u64::from(self.repetitions) {
            let job = DRAW_JOB + (u64::from(draw) << 20) + repetition;
            self.repetition(&mut Stream::new(self.seed, job), &mut order, &mut codes);
        }
        Ok(BucketCodes {
            buckets: self.buckets,
            labels: self.labels,
            draw,
            codes,
        })
    }

    fn repetition(&self, stream: &mut Stream, order: &mut Vec<u32>, codes: &mut Vec<u16>) {
        let buckets = u64::from(self.buckets);
        match self.hash {
            BucketHash::Permutation => {
                order.clear();
                order.extend(0..self.labels);
                stream.shuffle(order);
                codes.extend(order.iter().map(|&place| (place % self.buckets) as u16));
            }
            BucketHash::CarterWegman => {
                let (a, b) = (1 + stream.below(PRIME - 1), stream.below(PRIME));
                let bucket =
                    |x: u64| reduce(u128::from(a) * u128::from(x) + u128::from(b)) % buckets;
                codes.extend((0..u64::from(self.labels)).map(|x| bucket(x) as u16));
            }
            BucketHash::Identity => {
                codes.extend((0..self.labels).map(|x| (x % self.buckets) as u16));
            }
        }
    }
}

impl BucketCodes {
    /// The buckets of all labels in one repetition.
    ///
    /// # Panics
    /// If there is no such repetition.
    #[must_use]
    pub fn repetition(&self, repetition: usize) -> &[u16] {
        let labels = self.labels as usize;
        &self.codes[repetition * labels..(repetition + 1) * labels]
    }

    /// Number of repetitions R.
    #[must_use]
    pub(crate) fn repetitions(&self) -> usize {
        self.codes
            .len()
            .checked_div(self.labels as usize)
            .unwrap_or(0)
    }

    /// Number of buckets B.
    #[must_use]
    pub(crate) fn buckets(&self) -> u32 {
        self.buckets
    }

    /// Number of labels L.
    #[must_use]
    pub(crate) fn labels(&self) -> u32 {
        self.labels
    }

    /// Which draw these are: 0 unless labels of the first shared all buckets.
    #[must_use]
    pub(crate) fn draw_number(&self) -> u32 {
        self.draw
    }

    /// How many labels have the code of a label with a smaller id: these can never be told apart.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn shared_labels(&self) -> Result<u32, NoMemoryForCodes> {
        let labels = self.labels as usize;
        let lacking = |_| NoMemoryForCodes {
            bytes: labels as u64 * 16,
        };
        let mut prints: Vec<(u64, u32)> = Vec::new();
        prints.try_reserve_exact(labels).map_err(lacking)?;
        prints.extend((0..self.labels).map(|label| (0, label)));
        for repetition in 0..self.repetitions() {
            for (print, &code) in prints.iter_mut().zip(self.repetition(repetition)) {
                // An odd factor and a rotation: different codes seldom meet, and equal ones always
                // do.
                let mixed = (print.0 ^ u64::from(code)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                print.0 = mixed.rotate_left(29);
            }
        }
        prints.sort_unstable();
        let same = |a: u32, b: u32| {
            (0..self.repetitions()).all(|r| {
                let codes = self.repetition(r);
                codes[a as usize] == codes[b as usize]
            })
        };
        let pairs = prints.windows(2);
        Ok(pairs
            .filter(|pair| pair[0].0 == pair[1].0 && same(pair[0].1, pair[1].1))
            .count() as u32)
    }
}

#[cfg(test)]
mod tests;
