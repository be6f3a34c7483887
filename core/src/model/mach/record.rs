//! The stored form of one row of packed weights: a record of bytes.
//!
//! ```text
//! length    varint                      bytes that follow; 0 if the row has no weight
//! scale     u8                          what the largest value of a weight is worth:
//!                                       2^((scale - 160) / 8)
//! weights   of 4 bits: a byte each      low half: positions skipped, 0 to 15; high half: value
//!           of 8 bits: two bytes each   positions skipped, 0 to 255; value
//! ```
//!
//! A weight stands at the next position that is not skipped. Values are two's complement, from -7
//! to 7 or -127 to 127; a value of 0 is no weight but a longer skip: of all positions a code can
//! skip and one more. Weights end with one that is not 0.

use crate::varint::{VarintError, put_varint, take_varint};
use alloc::vec::Vec;

/// Why a record cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// It ends too early.
    Length,
    /// Its length is written in more bytes than it need be.
    Varint,
    /// A weight stands behind the last position.
    Position,
    /// A value is the lowest number of its bits, a skip is shorter than it must be, or it ends with
    /// a skip.
    Value,
}

/// What a scale of this code is worth.
#[must_use]
pub fn scale(code: u8) -> f32 {
    crate::float::power(2.0, (f64::from(code) - 160.0) / 8.0) as f32
}

/// The least code whose scale is at least `largest`, or the largest code.
#[must_use]
pub fn scale_code(largest: f32, scales: &[f32; 256]) -> u8 {
    scales.partition_point(|&scale| scale < largest).min(255) as u8
}

/// All scales by their codes.
#[must_use]
pub fn scales() -> [f32; 256] {
    core::array::from_fn(|code| scale(code as u8))
}

impl From<VarintError> for RecordError {
    fn from(error: VarintError) -> Self {
        match error {
            VarintError::Ended => Self::Length,
            VarintError::NotShortest => Self::Varint,
        }
    }
}

/// Appends a record of the weights that are not 0, levels from -7 to 7 or -127 to 127 by their
/// positions.
pub fn write(levels: &[i8], scale: u8, bits: u32, body: &mut Vec<u8>, out: &mut Vec<u8>) {
    body.clear();
    let longest = if bits == 4 { 15 } else { 255 };
    let mut code = |skip: usize, value: i8| {
        if bits == 4 {
            body.push(skip as u8 | (value as u8) << 4);
        } else {
            body.extend([skip as u8, value as u8]);
        }
    };
    let mut next = 0;
    for (position, &level) in levels.iter().enumerate().filter(|(_, level)| **level != 0) {
        while position - next > longest {
            code(longest, 0);
            next += longest + 1;
        }
        code(position - next, level);
        next = position + 1;
    }
    if body.is_empty() {
        out.push(0);
        return;
    }
    put_varint(body.len() as u32 + 1, out);
    out.push(scale);
    out.extend_from_slice(body);
}

/// Splits the next record off the front: its scale and the bytes of its weights, or none if the row
/// has none.
///
/// # Errors
/// If the bytes end too early.
#[inline(always)]
pub fn take<'a>(bytes: &mut &'a [u8]) -> Result<Option<(u8, &'a [u8])>, RecordError> {
    let length = take_varint(bytes)? as usize;
    if length == 0 {
        return Ok(None);
    }
    let (Some(record), Some(rest)) = (bytes.get(..length), bytes.get(length..)) else {
        return Err(RecordError::Length);
    };
    *bytes = rest;
    Ok(record
        .split_first()
        .map(|(&scale, weights)| (scale, weights)))
}

/// Hands the position and level of every weight to `visit`.
#[inline(always)]
pub fn read(weights: &[u8], bits: u32, mut visit: impl FnMut(usize, i8)) {
    let mut position = 0usize;
    if bits == 4 {
        for &byte in weights {
            position += usize::from(byte & 15);
            let value = byte as i8 >> 4;
            if value != 0 {
                visit(position, value);
            }
            position += 1;
        }
    } else {
        for &[skip, value] in weights.as_chunks::<2>().0 {
            position += usize::from(skip);
            if value != 0 {
                visit(position, value as i8);
            }
            position += 1;
        }
    }
}

/// Checks the weights of a record over `width` positions.
///
/// # Errors
/// The first rule that is broken.
pub fn check(weights: &[u8], bits: u32, width: usize) -> Result<(), RecordError> {
    let (longest, lowest) = if bits == 4 { (15, -8) } else { (255, i8::MIN) };
    if weights.is_empty() || (bits == 8 && !weights.len().is_multiple_of(2)) {
        return Err(RecordError::Length);
    }
    let (mut position, mut last) = (0usize, 0);
    let codes = (0..weights.len() / (bits as usize / 4)).map(|at| match bits {
        4 => (usize::from(weights[at] & 15), weights[at] as i8 >> 4),
        _ => (usize::from(weights[2 * at]), weights[2 * at + 1] as i8),
    });
    for (skip, value) in codes {
        position += skip;
        if position >= width {
            return Err(RecordError::Position);
        }
        if value == lowest || (value == 0 && skip != longest) {
            return Err(RecordError::Value);
        }
        position += 1;
        last = value;
    }
    if last == 0 {
        return Err(RecordError::Value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{RecordError, check, read, scale_code, scales, take, write};
    use alloc::{vec, vec::Vec};
    use proptest::prelude::*;

    fn levels(pairs: &[(usize, i8)], width: usize) -> Vec<i8> {
        let mut levels = vec![0; width];
        pairs.iter().for_each(|&(at, level)| levels[at] = level);
        levels
    }

    proptest! {
        #[test]
        fn records_come_back(
            pairs in prop::collection::btree_map(0usize..2000, -7i8..=7, 0..80),
            four: bool,
            code: u8,
        ) {
            let pairs: Vec<(usize, i8)> = pairs.into_iter().collect();
            let (bits, levels) = (if four { 4 } else { 8 }, levels(&pairs, 2000));
            let (mut out, mut body) = (vec![], vec![]);
            write(&levels, code, bits, &mut body, &mut out);
            let mut bytes = &out[..];
            let mut again = vec![0; 2000];
            if let Some((found, weights)) = take(&mut bytes).unwrap() {
                prop_assert_eq!(found, code);
                prop_assert_eq!(check(weights, bits, 2000), Ok(()));
                read(weights, bits, |at, level| again[at] = level);
            }
            prop_assert!(bytes.is_empty());
            prop_assert_eq!(again, levels);
        }

        #[test]
        fn what_is_not_refused_is_written_the_same(weights in prop::collection::vec(any::<u8>(), 1..40), four: bool) {
            let bits = if four { 4 } else { 8 };
            if check(&weights, bits, 300).is_ok() {
                let mut levels = vec![0; 300];
                read(&weights, bits, |at, level| levels[at] = level);
                let (mut out, mut body) = (vec![], vec![]);
                write(&levels, 9, bits, &mut body, &mut out);
                prop_assert_eq!(body, weights);
            }
        }
    }

    #[test]
    fn each_rule_has_its_refusal() {
        assert_eq!(check(&[0x10], 4, 1), Ok(()));
        assert_eq!(check(&[], 4, 1), Err(RecordError::Length));
        assert_eq!(check(&[0], 8, 1), Err(RecordError::Length));
        assert_eq!(check(&[0x11], 4, 1), Err(RecordError::Position));
        assert_eq!(check(&[0x80], 4, 1), Err(RecordError::Value));
        assert_eq!(check(&[0x0e, 0x10], 4, 99), Err(RecordError::Value));
        assert_eq!(check(&[0x0f], 4, 99), Err(RecordError::Value));
        assert_eq!(take(&mut &[2u8, 3][..]), Err(RecordError::Length));
        assert_eq!(take(&mut &[128u8, 0][..]), Err(RecordError::Varint));
    }

    #[test]
    fn the_scale_is_the_least_that_suffices() {
        let scales = scales();
        for largest in [1e-9f32, 0.01, 0.5, 1.0, 3.7, 1e6] {
            let code = scale_code(largest, &scales);
            assert!(scales[code as usize] >= largest || code == 255);
            assert!(code == 0 || scales[code as usize - 1] < largest);
        }
    }
}
