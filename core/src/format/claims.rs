//! The memory that a small file may ask for.
//!
//! Most arrays of a model are windows into its file. A few follow from numbers in it: bucket codes
//! from labels, repetitions and a seed, counts from the number of labels. A file of some kilobytes
//! could claim gigabytes by them.

use super::FormatError;

/// Bytes of memory that each byte of a file may ask for, itself apart.
const TIMES: u64 = 3;

/// Bytes that any file may ask for besides.
const BESIDES: u64 = 16 << 20;

/// Refuses memory that is not in proportion to the bytes of a file.
///
/// # Errors
/// [`FormatError::ClaimsMemory`].
pub(super) fn check(what: &'static str, bytes: u64, file: u64) -> Result<(), FormatError> {
    let limit = file.saturating_mul(TIMES).saturating_add(BESIDES);
    if bytes > limit {
        return Err(FormatError::ClaimsMemory { what, bytes, limit });
    }
    Ok(())
}

/// Bytes for the counts of labels and, of an index that does not hold its features one by one, for
/// those of features.
pub(super) fn of_nearest(labels: u32, features: u32) -> u64 {
    4 * u64::from(labels) + 8 * u64::from(features)
}

/// Bytes for the codes of so many labels, drawn and in the order of scans, and for their numbers.
pub(super) fn of_mach(seen: usize, repetitions: usize, buckets: u32, labels: u32) -> u64 {
    let code = if buckets > 256 { 2 } else { 3 };
    let codes = (seen as u64).saturating_mul(repetitions as u64);
    codes
        .saturating_mul(code)
        .saturating_add(8 * u64::from(labels))
}
