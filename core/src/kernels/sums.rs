//! The inner loops of linear scoring: integer sums, whose order does not matter.
//!
//! A weight is a signed byte `w`, a row's value a 16-bit whole number `x`; the term they add to
//! their label's sum is `w x / 128`, rounded to the nearest whole number, halves up. Because
//! `|w| <= 127`, a term is at most `|x|` in size; because the values of a row add up to at
//! most 32,767 in size, no sum leaves 16 bits, whatever the order of its terms.

use super::task::Sums;
use alloc::vec::Vec;
use hapax_processor::{Loop, fetch};

/// A label's sum: 16 bits of weights of bytes, 32 of weights of 16 bits ([`super::wide`]).
pub trait LabelSum: Copy + Default + Ord {
    /// The score of a label.
    fn score(self, scale: f32, bias: f32, unit: f32) -> f32;

    /// Sums, told apart by their width.
    fn sums(sums: &[Self]) -> Sums<'_>;
}

impl LabelSum for i16 {
    #[inline(always)]
    fn score(self, scale: f32, bias: f32, unit: f32) -> f32 {
        score(self, scale, bias, unit)
    }

    fn sums(sums: &[Self]) -> Sums<'_> {
        Sums::Bytes(sums)
    }
}

/// The dense part of one feature: weights of labels `0..length`, at `start` of the heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadTerm {
    /// Where the weights start.
    pub start: u32,
    /// How many there are, a multiple of `HEAD_BLOCK`.
    pub length: u32,
    /// The row's value.
    pub value: i16,
}

/// The sparse part of one feature: packed weights `start..end` of the tails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TailTerm {
    /// Where the weights start.
    pub start: u32,
    /// Where they end.
    pub end: u32,
    /// The row's value.
    pub value: i16,
}

/// Lengths of heads are multiples of this: two vectors of 32 sums.
pub const HEAD_BLOCK: usize = 64;

/// A packed weight of the tails: label in the low half, weight in the high half.
#[must_use]
pub fn pack(label: u16, weight: i16) -> u32 {
    u32::from(label) | (u32::from(weight as u16) << 16)
}

/// `weight * value / 128`, rounded to the nearest, halves up.
#[must_use]
#[inline(always)]
pub fn term(weight: i16, value: i16) -> i16 {
    ((i32::from(weight) * i32::from(value) + 64) >> 7) as i16
}

/// Adds the dense parts `terms` to the front of `sums`, which covers the longest.
#[inline(always)]
pub fn add_heads(sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
    for part in terms {
        let range = part.start as usize..part.start as usize + part.length as usize;
        let weights = heads.get(range).unwrap_or(&[]);
        // The term in 16 bits, for vectors of twice as many: with value = 128 high + low it is
        // weight high + round(weight low / 128), and neither product leaves 16 bits.
        let (high, low) = (part.value >> 7, part.value & 127);
        for (sum, &weight) in sums.iter_mut().zip(weights) {
            let weight = i16::from(weight);
            let rounded = (weight.wrapping_mul(low).wrapping_add(64)) >> 7;
            let term = weight.wrapping_mul(high).wrapping_add(rounded);
            *sum = sum.wrapping_add(term);
        }
    }
}

/// How many terms ahead of their turn packed weights are fetched.
const FETCH_AHEAD: usize = 4;

/// Packed weights in a line of the cache.
const PER_LINE: usize = 64 / size_of::<u32>();

/// Adds the sparse parts `terms` to `sums`, one for each label.
pub struct AddTails<'a, S> {
    /// The sums.
    pub sums: &'a mut [S; 1 << 16],
    /// Packed weights.
    pub tails: &'a [u32],
    /// Which of them to add, and times what.
    pub terms: &'a [TailTerm],
}

impl Loop for AddTails<'_, i16> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        visit_tails(
            self.tails,
            self.terms,
            #[inline(always)]
            |label, weight, value| {
                let product = (weight * value + 64) >> 7;
                let sum = &mut self.sums[usize::from(label)];
                *sum = sum.wrapping_add(product as i16);
            },
        );
    }
}

/// Hands label, weight and value of each packed weight of the sparse parts `terms` to `visit`.
#[inline(always)]
pub(crate) fn visit_tails(tails: &[u32], terms: &[TailTerm], mut visit: impl FnMut(u16, i32, i32)) {
    let of = |part: &TailTerm| tails.get(part.start as usize..part.end as usize);
    for (at, part) in terms.iter().enumerate() {
        if let Some(soon) = terms.get(at + FETCH_AHEAD).and_then(of) {
            for weight in soon.iter().step_by(PER_LINE).take(16) {
                fetch(weight);
            }
        }
        let value = i32::from(part.value);
        for &entry in of(part).unwrap_or(&[]) {
            visit(entry as u16, (entry as i32) >> 16, value);
        }
    }
}

/// The score of a label: each operation rounded on its own, in this order.
#[must_use]
#[inline(always)]
pub fn score(sum: i16, scale: f32, bias: f32, unit: f32) -> f32 {
    f32::from(sum) * scale * unit + bias
}

/// Most blocks of labels that [`promising_blocks`] looks at.
pub const BLOCKS: usize = 64;

/// Blocks that are looked at as one first: most groups hold nothing.
pub const GROUP: usize = 8;

/// The largest scale and bias of the labels of each block, and of each group of blocks.
#[derive(Clone, Debug, Default)]
pub struct LabelBounds {
    /// Scales of blocks.
    pub scales: Vec<f32>,
    /// Biases of blocks.
    pub biases: Vec<f32>,
    /// Scales of groups.
    pub group_scales: Vec<f32>,
    /// Biases of groups.
    pub group_biases: Vec<f32>,
}

/// Which of up to [`BLOCKS`] blocks of [`HEAD_BLOCK`] labels may hold a score of at least `least`:
/// a bit each, the first block the lowest. `first` is the number of the first block in `bounds`.
///
/// Rounding keeps order, so no score of a block, or of a group, is above that of its largest sum,
/// scale and bias.
#[inline(always)]
#[must_use]
pub fn promising_blocks<S: LabelSum>(
    sums: &[S],
    bounds: &LabelBounds,
    first: usize,
    unit: f32,
    least: f32,
) -> u64 {
    let may = |sums: &[[S; HEAD_BLOCK]], scale: Option<&f32>, bias: Option<&f32>| {
        let (Some(&scale), Some(&bias)) = (scale, bias) else {
            return false;
        };
        largest(sums).score(scale, bias, unit) >= least
    };
    let mut found = 0;
    let mut at = 0;
    let blocks = sums.as_chunks::<HEAD_BLOCK>().0;
    let blocks = &blocks[..blocks.len().min(BLOCKS)];
    while at < blocks.len() {
        // Up to where the next group begins.
        let end = blocks.len().min(at + GROUP - (first + at) % GROUP);
        let group = (first + at) / GROUP;
        let bound = (
            bounds.group_scales.get(group),
            bounds.group_biases.get(group),
        );
        let part = &blocks[at..end];
        let promising = match <&[_; GROUP]>::try_from(part) {
            // A loop of known length becomes vectors.
            Ok(whole) => may(whole, bound.0, bound.1),
            Err(_) => may(part, bound.0, bound.1),
        };
        if promising {
            for (block, at) in part.iter().zip(at..) {
                let (scale, bias) = (bounds.scales.get(first + at), bounds.biases.get(first + at));
                let block = core::slice::from_ref(block);
                found |= u64::from(may(block, scale, bias)) << at;
            }
        }
        at = end;
    }
    found
}

/// The largest of the sums and 0.
#[inline(always)]
fn largest<S: LabelSum>(blocks: &[[S; HEAD_BLOCK]]) -> S {
    let mut lanes = [S::default(); 32];
    for part in blocks.as_flattened().as_chunks::<32>().0 {
        for (lane, &sum) in lanes.iter_mut().zip(part) {
            *lane = sum.max(*lane);
        }
    }
    lanes.into_iter().fold(S::default(), S::max)
}

/// Scores of up to 64 labels, as many as all three slices have, into the front of `out`; returns
/// which of them are at least `least`: a bit each, the first label the lowest.
#[inline(always)]
pub fn scores<S: LabelSum>(
    sums: &[S],
    scales: &[f32],
    biases: &[f32],
    unit: f32,
    least: f32,
    out: &mut [f32; HEAD_BLOCK],
) -> u64 {
    match (sums.try_into(), scales.try_into(), biases.try_into()) {
        // Loops of known length become vectors.
        (Ok(sums), Ok(scales), Ok(biases)) => {
            let (sums, scales, biases): (&[_; HEAD_BLOCK], &[_; HEAD_BLOCK], &[_; HEAD_BLOCK]) =
                (sums, scales, biases);
            for (at, place) in out.iter_mut().enumerate() {
                *place = sums[at].score(scales[at], biases[at], unit);
            }
        }
        _ => {
            let inputs = sums.iter().zip(scales).zip(biases);
            for (place, ((&sum, &scale), &bias)) in out.iter_mut().zip(inputs) {
                *place = sum.score(scale, bias, unit);
            }
        }
    }
    let count = sums.len().min(scales.len()).min(biases.len());
    let beyond = u64::MAX.checked_shl(count as u32).unwrap_or(0);
    bits(&out.map(|score| u8::from(score >= least))) & !beyond
}

/// One bit for each of 64 bytes, which are 0 or 1.
#[inline(always)]
fn bits(bytes: &[u8; 64]) -> u64 {
    // Of eight bytes, byte i goes from bit 8 i to bit 56 + i: no two products meet in a bit.
    let gathered = |eight: [u8; 8]| u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080);
    let eights = bytes.as_chunks::<8>().0.iter().zip((0..).step_by(8));
    eights.fold(0, |bits, (&eight, at)| bits | (gathered(eight) >> 56 << at))
}

#[cfg(test)]
mod tests {
    use super::{AddTails, HeadTerm, TailTerm, add_heads, pack, term};
    use alloc::{boxed::Box, vec, vec::Vec};
    use hapax_processor::Processor;

    /// Every weight twice, which makes blocks full.
    fn weights() -> Vec<i8> {
        let all = [-127i8, 0].into_iter().chain(i8::MIN + 1..=i8::MAX);
        let mut all: Vec<i8> = all.collect();
        all.resize(all.len().next_multiple_of(64), 1);
        all
    }

    #[test]
    fn dense_terms_are_the_plain_ones_for_every_weight_and_value() {
        let weights = weights();
        for value in -i16::MAX..=i16::MAX {
            let mut head = vec![0i16; weights.len()];
            let length = weights.len() as u32;
            add_heads(
                &mut head,
                &weights,
                &[HeadTerm {
                    start: 0,
                    length,
                    value,
                }],
            );
            for (&sum, &weight) in head.iter().zip(&weights) {
                assert_eq!(
                    sum,
                    term(i16::from(weight), value),
                    "{weight} times {value}"
                );
            }
        }
    }

    #[test]
    fn sparse_terms_are_the_plain_ones() {
        for weight in i8::MIN + 1..=i8::MAX {
            for value in [-32_767i16, -500, -65, -1, 0, 1, 63, 64, 127, 9_999, 32_767] {
                let exact = f64::from(weight) * f64::from(value) / 128.0;
                let plain = term(i16::from(weight), value);
                assert_eq!(f64::from(plain), (exact + 0.5).floor());
                let mut tail: Box<[i16; 1 << 16]> =
                    vec![0; 1 << 16].into_boxed_slice().try_into().unwrap();
                let part = TailTerm {
                    start: 0,
                    end: 1,
                    value,
                };
                Processor::portable().run(AddTails {
                    sums: &mut tail,
                    tails: &[pack(65_535, i16::from(weight))],
                    terms: &[part],
                });
                assert_eq!(tail[65_535], plain);
            }
        }
    }
}
