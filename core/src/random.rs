//! Reproducible random numbers: a counter-based generator whose streams do not depend on
//! threads, platforms or library versions.

use core::convert::Infallible;
use rand_core::TryRng;

/// An endless stream of random numbers, determined by a seed and a job number alone.
///
/// Every job (a label, a repetition, an epoch) derives its own stream from the user's seed,
/// so results do not depend on which thread runs which job. The generator is SplitMix64
/// (Steele, Lea, Flood 2014) over a counter; the algorithm is part of the promise
/// of equal model bytes and must not change.
///
/// ```
/// use hapax_core::random::Stream;
/// let mut dice = Stream::new(42, 0);
/// let throw = 1 + dice.below(6);
/// assert!((1..=6).contains(&throw));
/// assert_eq!(Stream::new(42, 0).below(6) + 1, throw);
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    state: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Stream {
    /// The stream of job `job` under the user's `seed`.
    #[must_use]
    pub fn new(seed: u64, job: u64) -> Self {
        Self {
            state: mix(mix(seed.wrapping_add(GOLDEN)) ^ job.wrapping_mul(GOLDEN)),
        }
    }

    /// How far the stream has come: equal places of one stream, equal numbers from there on.
    pub(crate) fn position(&self) -> u64 {
        self.state
    }

    /// Goes on as if [`Stream::bits`] had been called so often.
    pub(crate) fn skip(&mut self, calls: u64) {
        self.state = self.state.wrapping_add(calls.wrapping_mul(GOLDEN));
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number in `0..bound`, uniform up to a bias below `bound / 2^64`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Puts `items` in random order (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.bits() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.bits())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.bits().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Stream;

    /// Frozen: a change here changes every trained model.
    #[test]
    fn the_stream_is_frozen() {
        let mut stream = Stream::new(42, 7);
        let drawn = [stream.bits(), stream.bits(), stream.bits()];
        assert_eq!(drawn, FROZEN);
    }

    const FROZEN: [u64; 3] = [
        483_231_565_967_908_813,
        16_482_985_722_323_447_685,
        7_733_052_717_490_198_424,
    ];

    #[test]
    fn shuffle_keeps_every_item_and_depends_on_the_job() {
        let mut first: [u32; 100] = core::array::from_fn(|i| i as u32);
        let mut second = first;
        Stream::new(1, 0).shuffle(&mut first);
        Stream::new(1, 1).shuffle(&mut second);
        assert_ne!(first, second);
        first.sort_unstable();
        assert!(first.iter().enumerate().all(|(i, &v)| i == v as usize));
    }

    #[test]
    fn below_is_uniform() {
        let mut counts = [0u32; 10];
        let mut stream = Stream::new(3, 0);
        for _ in 0..100_000 {
            counts[stream.below(10) as usize] += 1;
        }
        let chi: f64 = counts
            .iter()
            .map(|&c| (f64::from(c) - 1e4).powi(2) / 1e4)
            .sum();
        assert!(
            chi < 33.7,
            "chi-squared {chi} with 9 degrees of freedom (p = 1e-4)"
        );
    }
}
