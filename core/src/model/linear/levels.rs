//! How the weights of one label are rounded to whole numbers.

use super::rules::most_scale;
use crate::kernels::wide::WIDE;

/// The whole numbers that weights of one label are rounded to: as many as their bits can tell
/// apart, up to the largest weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// What weights one level apart differ by.
    step: f32,
    /// Levels of up to 8 bits are stored in the upper bits of a byte.
    shift: u32,
    bits: u32,
}

impl Levels {
    /// The scale of a label that was seen in training and has no weight.
    pub(crate) const NO_WEIGHT: f32 = f32::MIN_POSITIVE;

    /// For weights of at most `largest` in size and numbers of `bits` bits, 4, 5, 6, 8 or 16;
    /// `None` where no weight is large enough to be told from zero.
    #[must_use]
    pub(crate) fn new(largest: f32, bits: u32) -> Option<Self> {
        let step = largest / ((1i32 << (bits - 1)) - 1) as f32;
        let shift = if bits == WIDE { 0 } else { 8 - bits };
        step.is_normal().then_some(Self { step, shift, bits })
    }

    /// What a stored weight of 1 is worth.
    #[must_use]
    pub(crate) fn scale(self) -> f32 {
        (self.step / f32::from(1i16 << self.shift)).min(most_scale(self.bits))
    }

    /// A weight as it is stored: the nearest level, of two the one farther from zero.
    #[inline]
    #[must_use]
    pub(crate) fn of(self, weight: f32) -> i16 {
        let units = weight / self.step;
        // The largest may be rounded to a little more than the last level.
        let last = ((1i32 << (self.bits - 1)) - 1) as i16;
        let level = (units + 0.5f32.copysign(units)) as i16;
        level.clamp(-last, last) << self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::Levels;

    #[test]
    fn weights_go_to_the_nearest_level_and_the_largest_to_the_last() {
        for (bits, last) in [(4, 7), (5, 15), (6, 31), (8, 127), (16, 32_767)] {
            let levels = Levels::new(2.0, bits).unwrap();
            let unit = 1i16 << 8u32.saturating_sub(bits);
            assert_eq!(levels.of(2.0), last * unit);
            assert_eq!(levels.of(-2.0), -last * unit);
            let step = 2.0 / f32::from(last);
            for (share, level) in [(0.49, 0), (0.51, 1), (1.49, 1), (2.51, 3)] {
                assert_eq!(
                    levels.of(share * step),
                    level * unit,
                    "{share} of a step of {bits} bits"
                );
                assert_eq!(levels.of(-share * step), -level * unit);
            }
            let worth = levels.scale() * f32::from(unit);
            assert!((worth - step).abs() <= 1e-6 * step);
        }
    }

    #[test]
    fn what_cannot_be_told_from_zero_has_no_levels() {
        for largest in [0.0, f32::MIN_POSITIVE, f32::NAN, f32::INFINITY] {
            assert_eq!(Levels::new(largest, 8), None, "{largest}");
        }
    }
}
