//! Why an index cannot be built or taken over.

use alloc::vec::Vec;

/// Why an index of nearest neighbors cannot be built, or its parts are refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NeighborError {
    /// Memory is lacking.
    OutOfMemory {
        /// The bytes asked for.
        bytes: usize,
    },
    /// More rows or stored values than fit 32 bits.
    TooLarge {
        /// Rows or stored values.
        count: usize,
    },
    /// A part has the wrong number of items.
    WrongLength {
        /// The part.
        part: &'static str,
        /// Its number of items.
        length: usize,
        /// The number the other parts ask for.
        expected: usize,
    },
    /// An item of a part breaks its rule.
    BadItem {
        /// The part.
        part: &'static str,
        /// Position of the item.
        position: usize,
        /// The rule.
        rule: &'static str,
    },
}

/// `length` copies of `item`, or an error where memory is lacking.
pub(super) fn filled<T: Clone>(item: T, length: usize) -> Result<Vec<T>, NeighborError> {
    let mut items = reserved(length)?;
    items.resize(length, item);
    Ok(items)
}

/// An empty vector with room for `length` items, or an error where memory is lacking.
pub(super) fn reserved<T>(length: usize) -> Result<Vec<T>, NeighborError> {
    let mut items = Vec::new();
    items
        .try_reserve_exact(length)
        .map_err(|_| NeighborError::OutOfMemory {
            bytes: length.saturating_mul(size_of::<T>()),
        })?;
    Ok(items)
}

/// Refuses a part whose length is not the expected one.
pub(super) fn check_length(
    part: &'static str,
    length: usize,
    expected: usize,
) -> Result<(), NeighborError> {
    if length == expected {
        Ok(())
    } else {
        Err(NeighborError::WrongLength {
            part,
            length,
            expected,
        })
    }
}
