//! Why a compact index cannot be built or loaded.

/// Why options, rows or stored parts do not make a compact index.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompactError {
    /// The largest document-frequency share is not in `(0, 1]`.
    BadShare {
        /// The offending share.
        share: f64,
    },
    /// The number of weights kept of a row is 0.
    NoRowWeights,
    /// The number of features used of a query is not in `1..=1023`.
    BadQueryFeatures {
        /// The offending number.
        features: u16,
    },
    /// The bits of a stored value are not 4, 6 or 8.
    BadBits {
        /// The offending number of bits.
        bits: u8,
    },
    /// There are more rows or labels than ids of 32 bits.
    TooManyRows {
        /// The number of rows.
        rows: usize,
    },
    /// The index would exceed the 4 GiB that its offsets reach.
    TooLarge {
        /// The bytes of its postings.
        bytes: u64,
    },
    /// Memory was refused.
    OutOfMemory {
        /// The bytes asked for.
        bytes: usize,
    },
    /// A stored level is wrong: there must be one for each code, the first 0 and the others
    /// finite, not 0, and at most 1 in absolute value.
    BadLevel {
        /// The code of the level, or the number of levels if that is wrong.
        code: usize,
    },
    /// The block offsets do not start at 0, do not rise, do not end at the number of bytes, or
    /// are not one for each block and one more.
    BadOffsets {
        /// The offending block.
        block: usize,
    },
    /// The headers and lists of a block of features do not fill its bytes exactly.
    BadBlock {
        /// The offending block.
        block: usize,
    },
    /// The rows of a posting list do not rise, or lie beyond the last row.
    BadList {
        /// The feature of the list.
        feature: u32,
    },
    /// The stored number of features of a row is not the number of its postings.
    BadCount {
        /// The offending row.
        row: usize,
        /// The number stored.
        stored: u8,
        /// The number of its postings.
        postings: u8,
    },
    /// The labels of a row do not rise, are not below the number of labels, or end too early.
    BadLabels {
        /// The offending row.
        row: usize,
    },
}
