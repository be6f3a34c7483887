//! Hashed text features: a token's number without a table of tokens.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Maps tokens to features `0..2^bits`: the lowest `bits` bits of XXH3 (64 bits, seeded) of the
/// token's bytes.
///
/// Part of the model file's promise: the mapping never changes. Two tokens share a feature
/// with a chance of `2^-bits`; a shared feature costs accuracy, never safety, because untrusted
/// text meets only this function and tables of fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureHash {
    bits: u8,
    seed: u64,
}

impl FeatureHash {
    /// The most bits a feature number can have, so that counts of features fit 32 bits.
    pub(crate) const MAX_BITS: u8 = 31;

    /// The hash onto `2^bits` features; `None` unless `bits` is in `1..=31`.
    #[must_use]
    pub(crate) fn new(bits: u8, seed: u64) -> Option<Self> {
        (1..=Self::MAX_BITS)
            .contains(&bits)
            .then_some(Self { bits, seed })
    }

    /// The number of features, `2^bits`.
    #[must_use]
    pub fn features(&self) -> u32 {
        1 << self.bits.min(Self::MAX_BITS)
    }

    /// The feature of `token`.
    #[must_use]
    pub(crate) fn feature(&self, token: &[u8]) -> u32 {
        xxh3_64_with_seed(token, self.seed) as u32 & (self.features() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::FeatureHash;
    use alloc::vec::Vec;

    fn hashed(bits: u8, seed: u64) -> Vec<u32> {
        let hash = FeatureHash::new(bits, seed).unwrap();
        let long = [b'x'; 300];
        let tokens: [&[u8]; 5] = [b"", b"a", b"mouse", "größe straße".as_bytes(), &long];
        tokens.iter().map(|token| hash.feature(token)).collect()
    }

    /// Frozen: a change here makes every model of hashed text read other features. The values are
    /// those of the C library xxHash 0.8 (through Python's `xxhash`), lowest 31 bits.
    #[test]
    fn features_are_frozen() {
        assert_eq!(hashed(31, 0), FROZEN);
        assert_eq!(hashed(31, 0)[0], 0x38d3_94c2);
        let low: Vec<u32> = FROZEN.iter().map(|feature| feature & 0xfffff).collect();
        assert_eq!(hashed(20, 0), low);
        assert_eq!(hashed(31, 42), FROZEN_SEED_42);
    }

    const FROZEN: [u32; 5] = [
        953_390_274,
        513_166_879,
        1_075_676_936,
        1_355_293_849,
        2_110_272_852,
    ];
    const FROZEN_SEED_42: [u32; 5] = [
        1_950_188_754,
        2_131_171_060,
        78_366_977,
        1_841_735_469,
        435_451_026,
    ];

    #[test]
    fn bits_have_limits() {
        assert_eq!(FeatureHash::new(0, 0), None);
        assert_eq!(FeatureHash::new(32, 0), None);
        assert_eq!(FeatureHash::new(31, 0).unwrap().features(), 1 << 31);
    }
}
