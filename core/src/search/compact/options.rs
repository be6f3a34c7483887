//! What a compact index keeps.

use super::CompactError;

/// What a compact index keeps of rows and queries.
///
/// The defaults suit long documents: on eurlex57k they keep a sixth of the postings. Where rows are
/// short, frequent features matter more and cost little: there a share of 1 is better.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CompactOptions {
    /// Features stored in more than this share of the rows are dropped, in `(0, 1]`; those
    /// stored in at most [`ALWAYS_KEPT`](Self::ALWAYS_KEPT) rows never are. Default 0.2.
    pub max_share: f64,
    /// Of each row this many weights are kept, the largest by absolute value, 1 to 255. Default 32.
    pub row_weights: u8,
    /// Of each query this many features are used, the largest by absolute value among those the
    /// index holds, 1 to 1023. Default 64.
    pub query_features: u16,
    /// Bits of a stored value: 4 (15 levels), 6 (63) or 8 (255). Default 4.
    pub bits: u8,
}

impl Default for CompactOptions {
    fn default() -> Self {
        Self {
            max_share: 0.2,
            row_weights: 32,
            query_features: 64,
            bits: 4,
        }
    }
}

impl CompactOptions {
    /// A feature in so few rows is never dropped for its frequency.
    pub(crate) const ALWAYS_KEPT: u32 = 64;

    /// The largest number of features of a query: its matches are counted in 10 bits.
    pub(crate) const MAX_QUERY_FEATURES: u16 = 1023;

    /// Refuses options outside their ranges.
    pub(super) fn check(&self) -> Result<(), CompactError> {
        if !(self.max_share > 0.0 && self.max_share <= 1.0) {
            return Err(CompactError::BadShare {
                share: self.max_share,
            });
        }
        if self.row_weights == 0 {
            return Err(CompactError::NoRowWeights);
        }
        check_stored(self.query_features, self.bits)
    }

    /// The largest document frequency of a kept feature among `rows` rows.
    pub(super) fn max_frequency(&self, rows: usize) -> u32 {
        ((self.max_share * rows as f64) as u32).max(Self::ALWAYS_KEPT)
    }
}

/// Refuses the two options that an index stores.
pub(super) fn check_stored(query_features: u16, bits: u8) -> Result<(), CompactError> {
    if query_features == 0 || query_features > CompactOptions::MAX_QUERY_FEATURES {
        return Err(CompactError::BadQueryFeatures {
            features: query_features,
        });
    }
    if !matches!(bits, 4 | 6 | 8) {
        return Err(CompactError::BadBits { bits });
    }
    Ok(())
}
