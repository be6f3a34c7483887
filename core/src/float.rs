//! The few transcendental functions in use, through `libm`: the same bits on every target.
//!
//! The functions of `std` come from the platform's mathematics library and differ in
//! their last bits between systems, so nothing in this crate may call them.

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

#[cfg(test)]
mod tests {
    use super::power;

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
