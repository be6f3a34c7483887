//! The few values a stored weight can have.

use super::CompactError;
use crate::{array::Array, float, top::nth};
use alloc::vec::Vec;

/// The levels that stored values are rounded to: level 0 stands for no value, the others are a
/// geometric sequence, for then the relative error is the same for large and small values.
///
/// Where values have both signs, half of the codes are for negative ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Codebook {
    levels: Array<f32>,
}

/// Smaller weights, as a share of their row's norm, are stored as if they were this large.
const SMALLEST: f64 = 1.0 / 256.0;

/// The lowest level is at this quantile of the absolute values: 1 in 200 is raised to it.
const QUANTILE: usize = 200;

impl Codebook {
    /// The codebook of `1 << bits` codes for `values`, each of which is a weight of a row divided
    /// by the row's norm, when rows have at most `longest` weights.
    pub(super) fn fit(values: &[f32], longest: usize, bits: u8) -> Self {
        let signed = values.iter().any(|&value| value < 0.0);
        let highest = values.iter().fold(0.0f32, |max, v| max.max(v.abs()));
        let highest = if highest > 0.0 {
            f64::from(highest.min(1.0))
        } else {
            1.0
        };
        let ceiling = highest.min(1.0 / float::sqrt(longest.max(1) as f64));
        let lowest = quantile(values).clamp(SMALLEST.min(ceiling), ceiling);
        let codes = 1usize << bits;
        let positive = if signed { codes / 2 - 1 } else { codes - 1 };
        let step = float::ln(highest / lowest) / (positive.max(2) - 1) as f64;
        let mut levels = Vec::with_capacity(codes);
        levels.push(0.0);
        levels.extend((0..positive).map(|at| (lowest * float::exp(step * at as f64)) as f32));
        // Rounding must not carry the last level past 1.
        levels
            .iter_mut()
            .for_each(|level| *level = level.min(highest as f32));
        for code in 1..codes - positive {
            let mirrored = levels[code.min(positive)];
            levels.push(-mirrored);
        }
        Self {
            levels: levels.into(),
        }
    }

    /// Takes over stored levels.
    ///
    /// # Errors
    /// If there is not one for each code of `bits` bits, or a level breaks a rule of
    /// [`CompactError::BadLevel`].
    pub(super) fn from_levels(levels: Array<f32>, bits: u8) -> Result<Self, CompactError> {
        if levels.len() != 1 << bits {
            return Err(CompactError::BadLevel { code: levels.len() });
        }
        let bad = levels.iter().enumerate().position(|(code, level)| {
            if code == 0 {
                *level != 0.0
            } else {
                // Also true of NaN.
                !(level.abs() > 0.0 && level.abs() <= 1.0)
            }
        });
        match bad {
            Some(code) => Err(CompactError::BadLevel { code }),
            None => Ok(Self { levels }),
        }
    }

    /// The levels by code.
    #[must_use]
    pub(crate) fn levels(&self) -> &Array<f32> {
        &self.levels
    }

    /// The value of a code, 0 for code 0 and for codes that do not exist.
    #[must_use]
    pub(crate) fn value(&self, code: u8) -> f32 {
        self.levels.get(usize::from(code)).copied().unwrap_or(0.0)
    }

    /// What turns values into codes.
    pub(super) fn encoder(&self) -> Encoder {
        let positive: Vec<f32> = self
            .levels
            .iter()
            .skip(1)
            .copied()
            .take_while(|&level| level > 0.0)
            .collect();
        // Halfway between two levels on the scale of logarithms.
        let borders = positive
            .windows(2)
            .map(|pair| float::sqrt(f64::from(pair[0]) * f64::from(pair[1])) as f32)
            .collect();
        Encoder {
            borders,
            positive: positive.len() as u8,
        }
    }
}

/// The absolute value that one in [`QUANTILE`] values stays below.
fn quantile(values: &[f32]) -> f64 {
    if values.is_empty() {
        return 1.0;
    }
    let at = values.len() / QUANTILE;
    // Bits of a number that is not below 0 rise with it.
    let sizes = values.iter().map(|value| u64::from(value.abs().to_bits()));
    let mut sizes: Vec<u64> = sizes.collect();
    f64::from(f32::from_bits(nth(&mut sizes, at) as u32))
}

/// Finds the code of a value.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    borders: Vec<f32>,
    positive: u8,
}

impl Encoder {
    /// The code of the level nearest to `value` by ratio; never 0.
    pub(super) fn code(&self, value: f32) -> u8 {
        let size = value.abs();
        let at = self.borders.partition_point(|&border| border <= size) as u8;
        if value < 0.0 {
            1 + self.positive + at
        } else {
            1 + at
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::CompactError, Codebook};
    use crate::random::Stream;
    use alloc::{vec, vec::Vec};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_gets_the_nearest_level(
            values in prop::collection::vec((0.004f32..1.0, any::<bool>()), 1..50),
            bits in prop::sample::select(vec![4u8, 6, 8]),
        ) {
            let values: Vec<f32> = values.iter().map(|&(v, minus)| if minus { -v } else { v }).collect();
            let book = Codebook::fit(&values, values.len(), bits);
            prop_assert!(Codebook::from_levels(book.levels().clone(), bits).is_ok());
            let encoder = book.encoder();
            for &value in &values {
                let found = book.value(encoder.code(value));
                let ratio = |level: f32| {
                    let ratio = f64::from(level) / f64::from(value);
                    if ratio > 0.0 { libm::log(ratio).abs() } else { f64::INFINITY }
                };
                let best = book.levels().iter().map(|&l| ratio(l)).fold(f64::INFINITY, f64::min);
                prop_assert!(ratio(found) <= best + 1e-5, "{value} became {found}");
            }
        }
    }

    /// The rule of the levels, one after the other.
    fn levels(values: &[f32], longest: f64, bits: u32) -> Vec<f32> {
        let mut sizes: Vec<f32> = values.iter().map(|value| value.abs()).collect();
        sizes.sort_by(f32::total_cmp);
        let highest = f64::from(sizes[sizes.len() - 1].min(1.0));
        // Where a row's weights are all alike, each is the root of a share of its norm.
        let ceiling = highest.min(libm::sqrt(1.0 / longest));
        let low = f64::from(sizes[values.len() / 200]);
        let lowest = low.max((1.0 / 256.0f64).min(ceiling)).min(ceiling);
        let codes = 2i32.pow(bits);
        let signed = values.iter().any(|value| *value < 0.0);
        let positive = if signed { codes / 2 - 1 } else { codes - 1 };
        let ratio = libm::pow(highest / lowest, 1.0 / f64::from(positive - 1));
        let above = (0..positive).map(|at| (lowest * libm::pow(ratio, f64::from(at))) as f32);
        let above: Vec<f32> = above.collect();
        let mut all = vec![0.0];
        all.extend(&above);
        if signed {
            // One code is left: the largest negative level once more.
            all.extend(above.iter().chain(above.last()).map(|level| -level));
        }
        all
    }

    #[test]
    fn levels_rise_by_one_ratio_from_the_quantile_to_the_largest() {
        let mut dice = Stream::new(8, 0);
        for (case, least) in [0.0, 0.0, 0.01, 0.3].into_iter().enumerate() {
            for (longest, bits) in [(1, 4), (9, 4), (60, 5), (500, 6), (500, 8)] {
                let value = |_| (least + (0.9 - least) * dice.unit() * dice.unit()) as f32;
                let mut values: Vec<f32> = (0..700).map(value).collect();
                if case % 2 == 0 {
                    values[9] *= -1.0;
                }
                if case == 3 {
                    // What rounding made of a row of one weight.
                    values[8] = 1.0 + f32::EPSILON;
                }
                let book = Codebook::fit(&values, longest, bits);
                let expected = levels(&values, longest as f64, u32::from(bits));
                assert_eq!(book.levels().len(), expected.len());
                for (code, (found, level)) in book.levels().iter().zip(&expected).enumerate() {
                    let off = (found - level).abs();
                    assert!(off <= 1e-6 * level.abs(), "{code}: {found}, not {level}");
                    assert_eq!(book.value(code as u8), *found);
                }
                assert_eq!(book.encoder().code(0.0), 1, "no value is left out");
            }
        }
    }

    #[test]
    fn codes_that_do_not_exist_are_worth_nothing() {
        let book = Codebook::fit(&[0.5, -0.25], 2, 4);
        assert_eq!((book.value(16), book.value(255)), (0.0, 0.0));
    }

    #[test]
    fn refuses_levels_out_of_range() {
        let mut levels = vec![0.5f32; 16];
        levels[0] = 0.0;
        assert!(Codebook::from_levels(levels.clone().into(), 4).is_ok());
        let few = Codebook::from_levels(levels.clone().into(), 6);
        assert_eq!(few, Err(CompactError::BadLevel { code: 16 }));
        levels[5] = -1.0;
        assert!(Codebook::from_levels(levels.clone().into(), 4).is_ok());
        for (code, bad) in [
            (0, 0.5),
            (3, 0.0),
            (3, f32::NAN),
            (3, 1.5),
            (3, f32::INFINITY),
        ] {
            let mut levels = levels.clone();
            levels[code] = bad;
            let found = Codebook::from_levels(levels.into(), 4);
            assert_eq!(found, Err(CompactError::BadLevel { code }));
        }
    }

    #[test]
    fn no_values_and_equal_values_have_a_codebook() {
        for values in [vec![], vec![0.25f32; 30]] {
            let book = Codebook::fit(&values, 16, 4);
            assert!(Codebook::from_levels(book.levels().clone(), 4).is_ok());
            assert!((book.value(book.encoder().code(0.25)) - 0.25).abs() < 0.1);
        }
        // A value of 0 takes no codes for negative ones.
        let book = Codebook::fit(&[0.0, 0.5], 2, 4);
        assert!(book.levels().iter().all(|&level| level >= 0.0));
    }
}
