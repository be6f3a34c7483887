//! The few transcendental functions in use, through `libm`: the same bits on every target.
//!
//! The functions of `std` come from the platform's mathematics library and differ in
//! their last bits between systems, so nothing in this crate may call them.

mod decimal;

pub(crate) use decimal::Decimal;

/// `e` to the power of `x`.
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Natural logarithm.
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Sine and cosine of an angle in radians.
#[must_use]
pub fn sine_cosine(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// The smallest whole number that is not less.
#[must_use]
pub fn ceil(x: f64) -> f64 {
    libm::ceil(x)
}

/// The error function, `2 / sqrt(pi)` times the integral of `e^(-t^2)` from 0 to `x`.
#[must_use]
pub fn error_function(x: f64) -> f64 {
    libm::erf(x)
}

/// Square root, correctly rounded.
#[must_use]
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// Square root of an `f32`, correctly rounded.
#[must_use]
pub fn sqrt_f32(x: f32) -> f32 {
    libm::sqrtf(x)
}

/// `base` to the power of `exponent`.
///
/// The exponents 0, 1, 2, 3, 4 and 1/2 are computed by multiplication and square root,
/// which is both faster and closer; every caller goes through here, so that a fast path and its
/// slow twin agree to the bit.
#[must_use]
pub fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 1.0 {
        base
    } else if exponent == 0.0 {
        1.0
    } else if exponent == 2.0 {
        base * base
    } else if exponent == 0.5 {
        libm::sqrt(base)
    } else if exponent == 3.0 {
        base * base * base
    } else if exponent == 4.0 {
        let square = base * base;
        square * square
    } else {
        libm::pow(base, exponent)
    }
}

/// `e` to the power of `x`, within 1.2e-7 of the true value as a share of it, for `x` from -87 to
/// 88; arguments beyond give the value at the border.
///
/// Multiplications, additions and bits only, without branches: a loop over an array compiles to
/// vector instructions, and gives the same bits with any of them. The polynomial is that of
/// Moshier's Cephes library.
#[inline(always)]
#[must_use]
pub fn exp_f32(x: f32) -> f32 {
    // Adding and subtracting this rounds to the nearest whole number, whose bits then stand lowest.
    const WHOLE: f32 = 12_582_912.0;
    let x = if x > 88.0 { 88.0 } else { x };
    let x = if x < -87.0 { -87.0 } else { x };
    let shifted = x * core::f32::consts::LOG2_E + WHOLE;
    let whole = shifted - WHOLE;
    let rest = x - whole * 0.693_359_4 - whole * -2.121_944_4e-4;
    let mut value = 1.987_569_1e-4;
    for coefficient in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ] {
        value = value * rest + coefficient;
    }
    let value = value * rest * rest + rest + 1.0;
    value * f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23))
}

/// One over the square root of a positive, normal `x`, within 3e-7 of the true value as a share of
/// it.
///
/// Newton's iteration from a first guess by bits: like [`exp_f32`] it compiles to vector
/// instructions and gives the same bits with any.
#[inline(always)]
#[must_use]
pub fn inverse_sqrt_f32(x: f32) -> f32 {
    let mut guess = f32::from_bits(0x5f37_59df_u32.wrapping_sub(x.to_bits() >> 1));
    let half = 0.5 * x;
    for _ in 0..3 {
        guess *= 1.5 - half * guess * guess;
    }
    guess
}

#[cfg(test)]
mod tests {
    use super::{exp_f32, inverse_sqrt_f32, power};

    #[test]
    fn the_fast_exponential_is_as_close_as_it_says() {
        let mut worst = 0f64;
        for step in 0..=1_750_000i32 {
            let x = -87.0 + step as f32 * 1e-4;
            let exact = libm::exp(f64::from(x));
            worst = worst.max((f64::from(exp_f32(x)) / exact - 1.0).abs());
        }
        assert!(worst < 1.2e-7, "{worst}");
        assert_eq!(exp_f32(0.0), 1.0);
        assert_eq!(exp_f32(-1e30), exp_f32(-87.0));
        assert_eq!(exp_f32(f32::INFINITY), exp_f32(88.0));
    }

    #[test]
    fn the_fast_root_is_as_close_as_it_says() {
        let mut worst = 0f64;
        let mut x = 1e-37f32;
        while x < 1e37 {
            let exact = 1.0 / libm::sqrt(f64::from(x));
            worst = worst.max((f64::from(inverse_sqrt_f32(x)) / exact - 1.0).abs());
            x *= 1.000_37;
        }
        assert!(worst < 3e-7, "{worst}");
    }

    #[test]
    fn shortcuts_agree_with_the_general_power() {
        for exponent in [0.0, 0.5, 1.0, 2.0, 3.0, 4.0] {
            for base in [0.0, 1e-6, 0.25, 0.6, 1.0, 7.5] {
                let general = libm::pow(base, exponent);
                assert!((power(base, exponent) - general).abs() <= 1e-15 * general.max(1.0));
            }
        }
    }
}
