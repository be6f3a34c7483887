//! Numbers out of bytes: indices, and values correctly rounded to `f32`.
//!
//! A decimal number with a significand `w < 2^53` and a power of ten between `10^-22` and
//! `10^22` is read by one exact conversion and one correctly rounded operation in `f64`
//! (Clinger 1990). Rounding that again to `f32` is right unless the `f64` lies just halfway between
//! two `f32`, because every halfway point of the normal range is itself an `f64` and rounding
//! never crosses it. Everything else goes through `core`'s parser.

const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// What stands where an index was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digits {
    /// A number below 2^32 - 1 and the position behind its last digit.
    Number(u32, usize),
    /// Digits, but a number of 2^32 - 1 or more.
    TooLarge,
    /// Not a digit.
    Missing,
}

/// Reads the digits that start at `start`.
pub(super) fn digits(bytes: &[u8], start: usize) -> Digits {
    let mut value = 0u64;
    let mut at = start;
    while let Some(digit) = digit_at(bytes, at) {
        value = value * 10 + digit;
        if value >= u64::from(u32::MAX) {
            return Digits::TooLarge;
        }
        at += 1;
    }
    if at == start {
        Digits::Missing
    } else {
        Digits::Number(value as u32, at)
    }
}

fn digit_at(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The position behind the last byte of the token that starts at `start`.
pub(super) fn token_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or(&[]);
    start + rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len())
}

/// Reads the value that starts at `start` and ends before a blank or the end of `bytes`; gives
/// it and the position behind it. `None` if it is not a number as `str::parse::<f32>` reads
/// them.
pub(super) fn value(bytes: &[u8], start: usize) -> Option<(f32, usize)> {
    fast_value(bytes, start).or_else(|| {
        let end = token_end(bytes, start);
        let token = core::str::from_utf8(bytes.get(start..end)?).ok()?;
        Some((token.parse().ok()?, end))
    })
}

fn fast_value(bytes: &[u8], start: usize) -> Option<(f32, usize)> {
    let mut at = start;
    let negative = bytes.get(at) == Some(&b'-');
    at += usize::from(negative);
    let mut significand = 0u64;
    let whole = at;
    while let Some(digit) = digit_at(bytes, at) {
        significand = significand.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let mut count = at - whole;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let first = at;
        while let Some(digit) = digit_at(bytes, at) {
            significand = significand.wrapping_mul(10).wrapping_add(digit);
            at += 1;
        }
        fraction = at - first;
        count += fraction;
    }
    let ended = bytes.get(at).is_none_or(|&b| is_blank(b));
    // 19 digits cannot overflow 64 bits.
    if !ended || count == 0 || count > 19 || significand >= 1 << 53 {
        return None;
    }
    let magnitude = significand as f64 / POWERS.get(fraction)?;
    let rounded = round_to_f32(magnitude)?;
    Some((if negative { -rounded } else { rounded }, at))
}

/// `None` where rounding twice might differ from rounding once: at halfway points and
/// outside the normal range.
fn round_to_f32(magnitude: f64) -> Option<f32> {
    const DROPPED: u64 = (1 << 29) - 1;
    const HALF: u64 = 1 << 28;
    if magnitude == 0.0 {
        return Some(0.0);
    }
    let normal = (f64::from(f32::MIN_POSITIVE)..1e38).contains(&magnitude);
    (normal && magnitude.to_bits() & DROPPED != HALF).then_some(magnitude as f32)
}

#[cfg(test)]
mod tests {
    use super::{Digits, digits, value};
    use alloc::format;
    use proptest::prelude::*;

    fn same_as_core(text: &str) {
        let expected = text.parse::<f32>().ok().map(f32::to_bits);
        let read = value(text.as_bytes(), 0);
        assert_eq!(read.map(|(v, _)| v.to_bits()), expected, "{text}");
        assert!(read.is_none_or(|(_, end)| end == text.len()), "{text}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn every_float_is_read_as_core_reads_it(bits in any::<u32>()) {
            let number = f32::from_bits(bits);
            same_as_core(&format!("{number}"));
            same_as_core(&format!("{number:e}"));
            same_as_core(&format!("{number:.4}"));
            same_as_core(&format!("{:.9}", f64::from(number)));
        }

        /// Decimals of halfway points between neighboring floats, and one digit to either side.
        #[test]
        fn halfway_points_are_rounded_as_core_rounds_them(bits in 0x3000_0000u32..0x4b00_0000) {
            let (low, high) = (f32::from_bits(bits), f32::from_bits(bits + 1));
            let half = f64::midpoint(f64::from(low), f64::from(high));
            let text = format!("{half}");
            same_as_core(&text);
            same_as_core(&format!("{text}1"));
            for digits in 6..18 {
                same_as_core(&format!("{half:.digits$}"));
            }
        }

        #[test]
        fn decimals_are_read_as_core_reads_them(text in "[-+]?[0-9]{0,20}\\.?[0-9]{0,24}") {
            same_as_core(&text);
        }

        #[test]
        fn odd_forms_are_read_as_core_reads_them(text in "[-+.0-9eEinfaINFA]{0,8}") {
            same_as_core(&text);
        }

        #[test]
        fn indices_are_read_as_core_reads_them(text in "[0-9]{0,12}") {
            let expected = match text.parse::<u64>() {
                Err(_) => Digits::Missing,
                Ok(number) if number >= u64::from(u32::MAX) => Digits::TooLarge,
                Ok(number) => Digits::Number(number as u32, text.len()),
            };
            prop_assert_eq!(digits(text.as_bytes(), 0), expected);
        }
    }

    #[test]
    fn known_cases() {
        for text in [
            "-0",
            "0",
            "1e-45",
            "1.17549435e-38",
            "3.4028236e38",
            "16777217",
            "-.5",
            "5.",
        ] {
            same_as_core(text);
        }
        same_as_core(core::str::from_utf8(&[b'9'; 400]).unwrap());
        assert_eq!(value(b"7:0.25 8:1", 2), Some((0.25, 6)));
    }
}
