//! The stored form of one feature's weights: a record of bytes.
//!
//! ```text
//! count     varint                       weights in this record
//! gaps      count varints                label id less the one before, less 1 (the first: id)
//! values    ceil(count bits / 8) bytes   two's complement, low bits first, rest zero
//! ```
//!
//! An empty record has no bytes.

use crate::kernels::wide::WIDE;
use crate::varint::{VarintError, put_varint, take_varint};
use alloc::vec::Vec;

/// Why a record cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordError {
    /// It ends too early, or goes on too long.
    Length,
    /// A varint is longer than it need be or beyond 32 bits.
    Varint,
    /// A label id is not below the number of labels.
    Label,
    /// A weight is zero, or the lowest number of its bits.
    Value,
    /// Bits behind the last weight are not zero.
    Padding,
}

impl From<VarintError> for RecordError {
    fn from(error: VarintError) -> Self {
        match error {
            VarintError::Ended => Self::Length,
            VarintError::NotShortest => Self::Varint,
        }
    }
}

/// Appends the record of labels, rising, and their weights: bytes that are multiples of
/// `2^(8 - bits)`, or numbers of 16 bits.
pub fn write(
    weights: impl ExactSizeIterator<Item = (u32, i16)> + Clone,
    bits: u32,
    out: &mut Vec<u8>,
) {
    if weights.len() == 0 {
        return;
    }
    put_varint(weights.len() as u32, out);
    let mut next = 0;
    for (label, _) in weights.clone() {
        put_varint(label - next, out);
        next = label + 1;
    }
    let (mut held, mut holding) = (0u32, 0);
    for (_, weight) in weights {
        let value = if bits == WIDE {
            u32::from(weight as u16)
        } else {
            u32::from(weight as u8) >> (8 - bits)
        };
        held |= value << holding;
        holding += bits;
        while holding >= 8 {
            out.push(held as u8);
            held >>= 8;
            holding -= 8;
        }
    }
    if holding > 0 {
        out.push(held as u8);
    }
}

/// Reads a record, handing each label and weight to `visit`, and checks every rule but those
/// on labels if `labels` is `u32::MAX`.
///
/// # Errors
/// If the bytes break the grammar.
pub fn read(
    mut bytes: &[u8],
    bits: u32,
    labels: u32,
    visit: &mut dyn FnMut(u32, i16),
) -> Result<(), RecordError> {
    if bytes.is_empty() {
        return Ok(());
    }
    let count = take_varint(&mut bytes)? as usize;
    let value_bytes = (count as u64 * u64::from(bits)).div_ceil(8);
    // A gap takes at least one byte.
    if count == 0 || count as u64 + value_bytes > bytes.len() as u64 {
        return Err(RecordError::Length);
    }
    let (mut gaps, values) = bytes.split_at(bytes.len() - value_bytes as usize);
    let mut values = Bits {
        bytes: values,
        held: 0,
        holding: 0,
    };
    let lowest = if bits == WIDE {
        i16::MIN
    } else {
        i16::from(i8::MIN)
    };
    let mut next = 0u64;
    for _ in 0..count {
        let label = next + u64::from(take_varint(&mut gaps)?);
        if label >= u64::from(labels) {
            return Err(RecordError::Label);
        }
        next = label + 1;
        let weight = values.take(bits);
        if weight == 0 || weight == lowest {
            return Err(RecordError::Value);
        }
        visit(label as u32, weight);
    }
    if !gaps.is_empty() {
        return Err(RecordError::Length);
    }
    if values.held != 0 {
        return Err(RecordError::Padding);
    }
    Ok(())
}

/// Whether a record of 8 bits keeps all rules, and no label has the scale 0: in a quarter of the
/// time that [`read`] takes, which knows why not.
pub fn is_right(mut bytes: &[u8], scales: &[f32]) -> bool {
    if bytes.is_empty() {
        return true;
    }
    let count = take_varint(&mut bytes).unwrap_or(0) as usize;
    let Some(middle) = bytes.len().checked_sub(count) else {
        return false;
    };
    let (mut gaps, weights) = bytes.split_at(middle);
    let (mut next, mut is_right) = (0u32, count > 0);
    for &weight in weights {
        let gap = take_varint(&mut gaps).ok();
        let Some(label) = gap.and_then(|gap| next.checked_add(gap)) else {
            return false;
        };
        let scale = scales.get(label as usize);
        is_right &= weight != 0 && weight != 128 && scale.is_some_and(|&scale| scale != 0.0);
        next = label.wrapping_add(1);
    }
    is_right && gaps.is_empty()
}

/// Hands each label and weight of a record that has been checked to `visit`. Of any other record it
/// reads as much as there is.
#[inline]
pub fn walk(mut bytes: &[u8], bits: u32, mut visit: impl FnMut(u32, i16)) {
    let Ok(count) = count(bytes) else { return };
    if bits != 8 {
        // The rarer widths: a call for each weight, and the code once for all who ask.
        let _checked = read(bytes, bits, u32::MAX, &mut visit);
        return;
    }
    let Ok(_) = take_varint(&mut bytes) else {
        return;
    };
    let Some(middle) = bytes.len().checked_sub(count as usize) else {
        return;
    };
    // A weight is a byte.
    let (mut gaps, weights) = bytes.split_at(middle);
    let mut next = 0u32;
    for &weight in weights {
        let Ok(gap) = take_varint(&mut gaps) else {
            return;
        };
        let label = next.wrapping_add(gap);
        next = label.wrapping_add(1);
        visit(label, i16::from(weight as i8));
    }
}

/// The number of weights of a record.
///
/// # Errors
/// If the record does not start with a number.
pub fn count(mut bytes: &[u8]) -> Result<u32, RecordError> {
    if bytes.is_empty() {
        Ok(0)
    } else {
        Ok(take_varint(&mut bytes)?)
    }
}

struct Bits<'a> {
    bytes: &'a [u8],
    held: u32,
    holding: u32,
}

impl Bits<'_> {
    /// The next weight; of up to 8 bits, these moved to the top of a byte.
    #[inline(always)]
    fn take(&mut self, bits: u32) -> i16 {
        while self.holding < bits
            && let Some((&byte, rest)) = self.bytes.split_first()
        {
            self.bytes = rest;
            self.held |= u32::from(byte) << self.holding;
            self.holding += 8;
        }
        let weight = if bits == WIDE {
            self.held as u16 as i16
        } else {
            i16::from((self.held << (8 - bits)) as u8 as i8)
        };
        self.held >>= bits;
        self.holding = self.holding.saturating_sub(bits);
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::{RecordError, count, is_right, read, walk, write};
    use alloc::{vec, vec::Vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn records_come_back(
            labels in prop::collection::btree_set(0u32..3_000_000, 0..300),
            bits in prop::sample::select(vec![4u32, 5, 6, 8, 16]),
            seed: u64,
        ) {
            let labels: Vec<u32> = labels.into_iter().collect();
            let mut stream = crate::random::Stream::new(seed, 0);
            let most = (1i32 << (bits - 1)) - 1;
            let weights: Vec<i16> = labels.iter().map(|_| {
                let size = 1 + stream.below(most as u64) as i32;
                let signed = if stream.below(2) == 0 { size } else { -size };
                (signed << 8u32.saturating_sub(bits)) as i16
            }).collect();
            let mut bytes = vec![];
            let pairs = labels.iter().copied().zip(weights.iter().copied());
            write(pairs, bits, &mut bytes);
            let (mut ids, mut values) = (vec![], vec![]);
            prop_assert_eq!(count(&bytes), Ok(labels.len() as u32));
            prop_assert_eq!(read(&bytes, bits, 3_000_000, &mut |l, w| { ids.push(l); values.push(w) }), Ok(()));
            prop_assert_eq!((&ids, &values), (&labels, &weights));
            let mut walked = vec![];
            walk(&bytes, bits, |l, w| walked.push((l, w)));
            prop_assert_eq!(walked, labels.into_iter().zip(weights).collect::<Vec<_>>());
        }

        #[test]
        fn records_are_right_that_are_read(
            bytes in prop::collection::vec(prop_oneof![0u8..6, any::<u8>()], 0..12),
            seen in prop::collection::vec(any::<bool>(), 0..12),
        ) {
            let scales: Vec<f32> = seen.iter().map(|&seen| f32::from(u8::from(seen))).collect();
            let mut all_seen = true;
            let labels = scales.len() as u32;
            let keeps = read(&bytes, 8, labels, &mut |label, _| {
                all_seen &= seen[label as usize];
            });
            prop_assert_eq!(is_right(&bytes, &scales), keeps.is_ok() && all_seen);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40), bits in prop::sample::select(vec![4u32, 5, 6, 8, 16])) {
            walk(&bytes, bits, |_, _| ());
            let mut pairs = vec![];
            if read(&bytes, bits, 50, &mut |l, w| pairs.push((l, w))).is_ok() {
                let mut again = vec![];
                write(pairs.into_iter(), bits, &mut again);
                prop_assert_eq!(again, bytes);
            }
        }
    }

    #[test]
    fn each_rule_has_its_refusal() {
        let refused = |bytes: &[u8], bits| read(bytes, bits, 10, &mut |_, _| ());
        assert_eq!(refused(&[1, 3, 7], 8), Ok(()));
        let right = |bytes: &[u8]| is_right(bytes, &[1.0; 300]);
        assert!(right(&[1, 3, 7]) && right(&[]) && right(&[2, 200, 1, 0, 1, 255]));
        for wrong in [
            &[0][..],
            &[128],
            &[1],
            &[1, 3],
            &[1, 3, 7, 7],
            &[1, 200, 2, 7],
            // Beyond 32 bits, where labels would begin again.
            &[2, 5, 255, 255, 255, 255, 15, 1, 1],
        ] {
            assert!(!right(wrong), "{wrong:?}");
        }
        for weight in 0..=255 {
            assert_eq!(right(&[1, 3, weight]), weight != 0 && weight != 128);
        }
        let of_seen = |bytes: &[u8]| is_right(bytes, &[1.0, 0.0, 1.0]);
        assert!(of_seen(&[2, 0, 1, 7, 7]) && !of_seen(&[2, 0, 0, 7, 7]));
        assert!(!of_seen(&[2, 0, 2, 7, 7]));
        assert_eq!(refused(&[0], 8), Err(RecordError::Length));
        assert_eq!(refused(&[1, 3], 8), Err(RecordError::Length));
        assert_eq!(refused(&[1, 3, 7, 7], 8), Err(RecordError::Length));
        assert_eq!(refused(&[129, 0, 3, 7], 8), Err(RecordError::Varint));
        assert_eq!(refused(&[1, 10, 7], 8), Err(RecordError::Label));
        assert_eq!(refused(&[1, 3, 0], 8), Err(RecordError::Value));
        assert_eq!(refused(&[1, 3, 128], 8), Err(RecordError::Value));
        assert_eq!(refused(&[1, 3, 0x17], 4), Err(RecordError::Padding));
        assert_eq!(refused(&[1, 3, 7, 128], 16), Ok(()));
        assert_eq!(refused(&[1, 3, 7], 16), Err(RecordError::Length));
        assert_eq!(refused(&[1, 3, 0, 0], 16), Err(RecordError::Value));
        assert_eq!(refused(&[1, 3, 0, 128], 16), Err(RecordError::Value));
    }
}
