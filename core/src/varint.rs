//! Numbers of as many bytes as they need, as records of the model file hold them.
//!
//! A varint holds 7 bits a byte, low ones first, the high bit set on all bytes but the last. It
//! never ends in a zero byte (but for zero itself), so that each number has one form and equal
//! models have equal bytes.

use alloc::vec::Vec;

/// Why bytes do not begin with a varint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarintError {
    /// They end before it does.
    Ended,
    /// It is longer than it need be, or beyond 32 bits.
    NotShortest,
}

/// Appends `number`.
pub(crate) fn put_varint(mut number: u32, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number off the front of `bytes`.
///
/// # Errors
/// If there is none; `bytes` are then somewhere inside.
#[inline(always)]
pub(crate) fn take_varint(bytes: &mut &[u8]) -> Result<u32, VarintError> {
    match bytes.split_first() {
        Some((&byte, rest)) if byte < 128 => {
            *bytes = rest;
            Ok(u32::from(byte))
        }
        _ => take_long(bytes),
    }
}

/// The same by a call: it is in a program once, and nearly all numbers are one byte.
#[inline(never)]
fn take_long(bytes: &mut &[u8]) -> Result<u32, VarintError> {
    let mut number = 0u64;
    for at in 0..5 {
        let Some((&byte, rest)) = bytes.split_first() else {
            return Err(VarintError::Ended);
        };
        *bytes = rest;
        number |= u64::from(byte & 127) << (7 * at);
        if byte < 128 {
            let overlong = byte == 0 && at > 0;
            return match u32::try_from(number) {
                Ok(number) if !overlong => Ok(number),
                _ => Err(VarintError::NotShortest),
            };
        }
    }
    Err(VarintError::NotShortest)
}

#[cfg(test)]
mod tests {
    use super::{VarintError, put_varint, take_varint};
    use alloc::vec::Vec;

    #[test]
    fn numbers_come_back_and_have_one_form() {
        for number in [0, 1, 127, 128, 300, 16_383, 16_384, u32::MAX - 1, u32::MAX] {
            let mut bytes = Vec::new();
            put_varint(number, &mut bytes);
            assert_eq!(
                bytes.len(),
                (32 - number.leading_zeros()).div_ceil(7).max(1) as usize
            );
            bytes.push(77);
            let mut rest = &bytes[..];
            assert_eq!((take_varint(&mut rest), rest), (Ok(number), &[77][..]));
            let mut short = &bytes[..bytes.len() - 2];
            assert_eq!(take_varint(&mut short), Err(VarintError::Ended));
        }
        for mut bytes in [
            &[0x80, 0][..],
            &[0xff, 0x80, 0],
            &[0xff, 0xff, 0xff, 0xff, 0x10],
            &[0x80; 6],
        ] {
            assert_eq!(take_varint(&mut bytes), Err(VarintError::NotShortest));
        }
    }
}
