//! Weights of an embedding or of prototypes as a file holds them: as trained, or rounded to 8 or 4
//! bits.

use super::panels::{GROUP, LANES, add_lines};
use crate::array::Array;
use alloc::vec::Vec;

/// Vectors of weights. Rounded ones are whole numbers, the scale of their vector apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// As they are.
    Plain(Array<f32>),
    /// One signed byte each.
    Bytes(Array<u8>),
    /// Four bits each, from -7 to 7: two in a byte, the first of a pair in its lower half.
    Nibbles(Array<u8>),
}

/// The signed number in the lower half of a byte.
#[inline(always)]
fn low(byte: u8) -> f32 {
    f32::from((byte << 4) as i8 >> 4)
}

/// The signed number in the upper half of a byte.
#[inline(always)]
fn high(byte: u8) -> f32 {
    f32::from(byte as i8 >> 4)
}

impl Weights {
    /// Bits of a weight.
    #[must_use]
    pub fn bits(&self) -> u32 {
        match self {
            Self::Plain(_) => 32,
            Self::Bytes(_) => 8,
            Self::Nibbles(_) => 4,
        }
    }

    /// Items of the array that hold this many vectors.
    #[must_use]
    pub(crate) fn items(bits: u32, vectors: usize, length: usize) -> Option<usize> {
        vectors.checked_mul(if bits == 4 {
            length.div_ceil(2)
        } else {
            length
        })
    }

    /// Adds vector `at` of the table, times `value`, to `point`: its scale is not taken up.
    #[inline(always)]
    pub(crate) fn add(&self, at: usize, value: f32, point: &mut [f32]) {
        let length = point.len();
        match self {
            Self::Plain(values) => {
                let vector = values.get(at * length..(at + 1) * length).unwrap_or(&[]);
                for (sum, weight) in point.iter_mut().zip(vector) {
                    *sum += weight * value;
                }
            }
            Self::Bytes(codes) => {
                let vector = codes.get(at * length..(at + 1) * length).unwrap_or(&[]);
                for (sum, &code) in point.iter_mut().zip(vector) {
                    *sum += f32::from(code as i8) * value;
                }
            }
            Self::Nibbles(codes) => {
                let size = length.div_ceil(2);
                let vector = codes.get(at * size..(at + 1) * size).unwrap_or(&[]);
                for (sums, &code) in point.chunks_mut(2).zip(vector) {
                    for (sum, weight) in sums.iter_mut().zip([low(code), high(code)]) {
                        *sum += weight * value;
                    }
                }
            }
        }
    }

    /// The inner products of the 32 prototypes of a panel of M dimensions with a point: its
    /// coordinates `values`, of the dimensions `places`, rising, or of all M. Scales are not taken
    /// up.
    #[inline(always)]
    pub(crate) fn dots(
        &self,
        panel: usize,
        dimensions: usize,
        places: Option<&[u32]>,
        values: &[f32],
        sums: &mut [f32; LANES],
    ) {
        *sums = [0.0; LANES];
        let lines = panel * dimensions..(panel + 1) * dimensions;
        match self {
            Self::Plain(all) => {
                let lines = all.as_chunks::<LANES>().0.get(lines).unwrap_or(&[]);
                add_all(lines, places, values, |weight| weight, sums);
            }
            Self::Bytes(codes) => {
                let lines = codes.as_chunks::<LANES>().0.get(lines).unwrap_or(&[]);
                add_all(lines, places, values, |code| f32::from(code as i8), sums);
            }
            Self::Nibbles(codes) => {
                // A line's first 16 lanes are in the lower halves, the others in the upper.
                let lines = codes.as_chunks::<HALF>().0.get(lines).unwrap_or(&[]);
                let (lower, upper) = sums.split_at_mut(HALF);
                if let (Ok(lower), Ok(upper)) = (lower.try_into(), upper.try_into()) {
                    add_all(lines, places, values, low, lower);
                    add_all(lines, places, values, high, upper);
                }
            }
        }
    }

    /// The weight of a class in a dimension of its panel, without its scale.
    #[must_use]
    pub(crate) fn of_class(&self, class: usize, dimension: usize, dimensions: usize) -> f32 {
        let (line, lane) = (class / LANES * dimensions + dimension, class % LANES);
        match self {
            Self::Plain(values) => values.get(line * LANES + lane).copied().unwrap_or(0.0),
            Self::Bytes(codes) => {
                f32::from(codes.get(line * LANES + lane).copied().unwrap_or(0) as i8)
            }
            Self::Nibbles(codes) => {
                let half = LANES / 2;
                let code = codes.get(line * half + lane % half).copied().unwrap_or(0);
                if lane < half { low(code) } else { high(code) }
            }
        }
    }

    /// Where a number is not finite, or a code is one that rounding does not make; `None` if all is
    /// well.
    #[must_use]
    pub(crate) fn first_invalid(&self) -> Option<usize> {
        match self {
            Self::Plain(values) => values.iter().position(|v| v.is_nan() || v.abs() > MOST),
            Self::Bytes(codes) => codes.iter().position(|&code| code == 0x80),
            Self::Nibbles(codes) => codes.iter().position(|&c| c & 0xf == 8 || c >> 4 == 8),
        }
    }
}

/// Lanes of a line of nibbles.
const HALF: usize = LANES / 2;

/// Adds the products of a point's coordinates with the lines of their dimensions.
#[inline(always)]
fn add_all<T: Copy, const W: usize>(
    lines: &[[T; W]],
    places: Option<&[u32]>,
    values: &[f32],
    number: impl Fn(T) -> f32 + Copy,
    sums: &mut [f32; W],
) {
    let Some(places) = places else {
        let (line_groups, last_lines) = lines.as_chunks::<GROUP>();
        let (groups, last) = values.as_chunks::<GROUP>();
        for (lines, values) in line_groups.iter().zip(groups) {
            add_lines(lines.each_ref(), values, number, sums);
        }
        for (line, &value) in last_lines.iter().zip(last) {
            add_lines([line], &[value], number, sums);
        }
        return;
    };
    let (place_groups, last_places) = places.as_chunks::<GROUP>();
    let (groups, last) = values.as_chunks::<GROUP>();
    let Some(first) = lines.first() else { return };
    for (places, values) in place_groups.iter().zip(groups) {
        // Places are below M: the first line never stands in for another.
        let lines = places.map(|place| lines.get(place as usize).unwrap_or(first));
        add_lines(lines, values, number, sums);
    }
    for (&place, &value) in last_places.iter().zip(last) {
        add_lines(
            [lines.get(place as usize).unwrap_or(first)],
            &[value],
            number,
            sums,
        );
    }
}

/// The largest size of a stored number: products of two, times a row's values, stay finite.
pub(crate) const MOST: f32 = 1e12;

/// One number for each weight of a vector, rounded to whole numbers of at most `most` in size, and
/// what 1 is worth.
pub(crate) fn round(
    vector: impl Iterator<Item = f32> + Clone,
    most: f32,
    codes: &mut Vec<i8>,
) -> f32 {
    let largest = vector.clone().fold(0f32, |largest, v| largest.max(v.abs()));
    // Scales too small to divide by, like vectors of zeros, round to zeros.
    let scale = largest / most;
    let factor = if scale >= f32::MIN_POSITIVE {
        1.0 / scale
    } else {
        0.0
    };
    codes.clear();
    codes.extend(vector.map(|value| {
        let scaled = value * factor;
        (scaled + 0.5f32.copysign(scaled)).clamp(-most, most) as i8
    }));
    if factor > 0.0 && factor.is_finite() {
        scale
    } else {
        0.0
    }
}

/// Two codes in a byte.
pub(crate) fn pair(low: i8, high: i8) -> u8 {
    (low as u8 & 0xf) | (high as u8) << 4
}

#[cfg(test)]
mod tests {
    use super::{Weights, high, low, pair, round};
    use alloc::{vec, vec::Vec};

    #[test]
    fn halves_of_bytes_hold_signed_numbers() {
        for a in -7i8..=7 {
            for b in -7i8..=7 {
                let byte = pair(a, b);
                assert_eq!((low(byte), high(byte)), (f32::from(a), f32::from(b)));
                assert_eq!(Weights::Nibbles(vec![byte].into()).first_invalid(), None);
            }
        }
        assert_eq!(Weights::Nibbles(vec![0x18].into()).first_invalid(), Some(0));
        assert_eq!(Weights::Nibbles(vec![0x81].into()).first_invalid(), Some(0));
        assert_eq!(
            Weights::Bytes(vec![1, 0x80].into()).first_invalid(),
            Some(1)
        );
        assert_eq!(
            Weights::Plain(vec![1.0, f32::NAN].into()).first_invalid(),
            Some(1)
        );
    }

    #[test]
    fn rounding_is_to_the_nearest_and_zeros_stay() {
        let mut codes = Vec::new();
        let values = [1.0f32, -0.5, 0.004, 0.0];
        let scale = round(values.into_iter(), 127.0, &mut codes);
        assert_eq!(codes, [127, -64, 1, 0]);
        assert!((scale - 1.0 / 127.0).abs() < 1e-9);
        assert_eq!(round([0.0f32; 3].into_iter(), 7.0, &mut codes), 0.0);
        assert_eq!(codes, [0; 3]);
        assert_eq!(
            round([f32::MIN_POSITIVE / 4.0].into_iter(), 7.0, &mut codes),
            0.0
        );
    }
}
