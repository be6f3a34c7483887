//! Numbers in messages.

use core::fmt;

/// An `f64` as a message shows it: with at most nine significant digits, rounded, without zeros at
/// the end. The formatting of the standard library, which is exact, takes 10 kB of code wherever it
/// is used once, and that is much in a page or on a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal(pub(crate) f64);

const DIGITS: usize = 9;

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0.abs();
        if self.0.is_nan() {
            return f.write_str("NaN");
        }
        if self.0 < 0.0 {
            f.write_str("-")?;
        }
        if value == f64::INFINITY {
            return f.write_str("infinity");
        }
        let (digits, exponent) = digits(value);
        let shown = digits.iter().rposition(|&d| d != b'0').unwrap_or(0) + 1;
        let text = |from: usize, to: usize| {
            let part = digits.get(from..to.min(shown)).unwrap_or(&[]);
            core::str::from_utf8(part).unwrap_or("")
        };
        // The number of digits before the point.
        let whole = (exponent + 1).max(0) as usize;
        if (-5..0).contains(&exponent) {
            f.write_str("0.")?;
            for _ in exponent + 1..0 {
                f.write_str("0")?;
            }
            f.write_str(text(0, shown))
        } else if (0..=15).contains(&exponent) {
            f.write_str(text(0, whole))?;
            for _ in shown..whole {
                f.write_str("0")?;
            }
            if shown > whole {
                write!(f, ".{}", text(whole, shown))?;
            }
            Ok(())
        } else {
            f.write_str(text(0, 1))?;
            if shown > 1 {
                write!(f, ".{}", text(1, shown))?;
            }
            write!(f, "e{exponent}")
        }
    }
}

/// The digits of a finite number that is not negative, and the power of ten of the first.
fn digits(value: f64) -> ([u8; DIGITS], i32) {
    let mut exponent = 0;
    let mut scaled = value;
    while scaled >= 10.0 {
        scaled /= 10.0;
        exponent += 1;
    }
    while scaled < 1.0 && scaled > 0.0 {
        scaled *= 10.0;
        exponent -= 1;
    }
    let one = 10u32.pow(DIGITS as u32 - 1);
    let mut rounded = (scaled * f64::from(one) + 0.5) as u32;
    if rounded / 10 >= one {
        rounded /= 10;
        exponent += 1;
    }
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rounded % 10) as u8;
        rounded /= 10;
    }
    (digits, exponent)
}

#[cfg(test)]
mod tests {
    use super::Decimal;
    use alloc::{format, string::ToString};

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (value, shown) in [
            (0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (0.000_012_5, "0.0000125"),
            (100.0, "100"),
            (120_000.0, "120000"),
            (56.2, "56.2"),
            (999_999_999.9, "1000000000"),
            (1.0 / 3.0, "0.333333333"),
            (4_294_967_296.0, "4294967300"),
            (1e300, "1e300"),
            (-2.5e-9, "-2.5e-9"),
            (f64::MIN_POSITIVE, "2.22507386e-308"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "infinity"),
            (f64::NEG_INFINITY, "-infinity"),
        ] {
            assert_eq!(Decimal(value).to_string(), shown);
        }
    }

    #[test]
    fn nine_digits_come_back() {
        let mut stream = crate::random::Stream::new(1, 0);
        for _ in 0..2000 {
            let scale = 10f64.powi(stream.below(60) as i32 - 30);
            let value = stream.unit() * scale;
            let back: f64 = format!("{}", Decimal(value)).parse().unwrap();
            assert!((back - value).abs() <= value * 1e-8, "{value} {back}");
        }
    }
}
