//! The sums of linear scoring in vectors of eight, in forms that no compiler finds.

use bytemuck::cast;
use core::{arch::wasm32::*, hint::black_box};
use hapax_core::kernels::{HeadTerm, TailTerm};

/// Weights of the tails are asked for this many terms ahead.
const FETCH_AHEAD: usize = 4;

/// The largest value of a row whose products with all bytes, and what rounding adds, stay within 16
/// bits.
const SMALL: u16 = 255;

/// Labels at a time: two vectors.
const LABELS: usize = 16;

/// Heads that are added together, so that sums are read and written once for all.
const TOGETHER: usize = 4;

/// Heads that wait for others of about their length.
const WAITING: usize = 16;

/// The weights of one feature and what they are multiplied with.
#[derive(Clone, Copy, Default)]
struct Head<'a> {
    weights: &'a [[i8; LABELS]],
    value: i16,
}

/// Heads waiting, the longest first.
#[derive(Default)]
struct Heads<'a> {
    sorted: [Head<'a>; WAITING],
    count: usize,
}

/// [`hapax_core::kernels::Kernels::add_heads`]. With x = 128 high + low a term is `w high`, and
/// `w low / 128` rounded; where x is small, `w x` has room in 16 bits and is rounded at once.
pub fn add_heads(sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
    let sums = sums.as_chunks_mut::<LABELS>().0;
    let (mut lows, mut highs) = (Heads::default(), Heads::default());
    let whole = |weights, value| i16x8_mul(weights, value);
    let rounded = |weights, value| {
        let product = i16x8_mul(weights, value);
        i16x8_shr(i16x8_add(product, i16x8_splat(64)), 7)
    };
    for part in terms {
        let range = part.start as usize..part.start as usize + part.length as usize;
        let weights = heads.get(range).unwrap_or(&[]).as_chunks().0;
        let weights = &weights[..weights.len().min(sums.len())];
        fetch(weights);
        let mut value = part.value;
        if value.unsigned_abs() > SMALL {
            highs.push(weights, value >> 7);
            value &= 127;
        }
        lows.push(weights, value);
        if lows.count == WAITING {
            lows.add_to(sums, rounded);
        }
        if highs.count == WAITING {
            highs.add_to(sums, whole);
        }
    }
    lows.add_to(sums, rounded);
    highs.add_to(sums, whole);
}

/// Brings the first lines of `values` into the cache: there is no instruction for that but to read
/// them.
#[inline(always)]
fn fetch<T: Copy>(values: &[T]) {
    const LINE: usize = 64;
    for value in values.iter().step_by(LINE / size_of::<T>()).take(4) {
        black_box(*value);
    }
}

impl<'a> Heads<'a> {
    fn push(&mut self, weights: &'a [[i8; LABELS]], value: i16) {
        let mut at = self.count;
        while at > 0 && self.sorted[at - 1].weights.len() < weights.len() {
            self.sorted[at] = self.sorted[at - 1];
            at -= 1;
        }
        self.sorted[at] = Head { weights, value };
        self.count += 1;
    }

    /// Adds to the sums what `term` makes of eight weights and the value; none wait then.
    #[inline(always)]
    fn add_to(&mut self, sums: &mut [[i16; LABELS]], term: impl Fn(v128, v128) -> v128) {
        let (fours, rest) = self.sorted[..self.count].as_chunks::<TOGETHER>();
        for four in fours {
            let shared = four[TOGETHER - 1].weights.len();
            add(sums, &four.map(|head| head.until(shared)), &term);
            for head in four {
                add(&mut sums[shared..], &[head.from(shared)], &term);
            }
        }
        for head in rest {
            add(sums, &[*head], &term);
        }
        self.count = 0;
    }
}

/// Adds heads of one length.
#[inline(always)]
fn add<const N: usize>(
    sums: &mut [[i16; LABELS]],
    heads: &[Head<'_>; N],
    term: &impl Fn(v128, v128) -> v128,
) {
    let values = heads.map(|head| i16x8_splat(head.value));
    let length = heads[0].weights.len();
    let weights = heads.map(|head| &head.weights[..length]);
    for (at, place) in sums[..length].iter_mut().enumerate() {
        let mut eights: [v128; 2] = cast(*place);
        for (weights, value) in weights.iter().zip(values) {
            let weights: [u64; 2] = cast(weights[at]);
            for (eight, weights) in eights.iter_mut().zip(weights) {
                let weights = i16x8_extend_low_i8x16(u64x2(weights, 0));
                *eight = i16x8_add(*eight, term(weights, value));
            }
        }
        *place = cast(eights);
    }
}

impl Head<'_> {
    fn until(self, end: usize) -> Self {
        let weights = &self.weights[..end];
        Self { weights, ..self }
    }

    fn from(self, start: usize) -> Self {
        let weights = &self.weights[start..];
        Self { weights, ..self }
    }
}

/// [`hapax_core::kernels::Kernels::add_tails`], the products of four weights at a time.
pub fn add_tails(sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
    let of = |part: &TailTerm| tails.get(part.start as usize..part.end as usize);
    for (at, part) in terms.iter().enumerate() {
        fetch(terms.get(at + FETCH_AHEAD).and_then(of).unwrap_or(&[]));
        let entries = of(part).unwrap_or(&[]);
        // A label times 0 and its weight times the value, in each 32 bits.
        let value = i32x4_splat(i32::from(part.value) << 16);
        let half = i32x4_splat(64);
        let (fours, rest) = entries.as_chunks::<4>();
        for four in fours {
            let products = i32x4_dot_i16x8(cast(*four), value);
            let terms = i32x4_shr(i32x4_add(products, half), 7);
            let (first, second) = (
                i64x2_extract_lane::<0>(terms),
                i64x2_extract_lane::<1>(terms),
            );
            add_tail(sums, four[0], first as i16);
            add_tail(sums, four[1], (first >> 32) as i16);
            add_tail(sums, four[2], second as i16);
            add_tail(sums, four[3], (second >> 32) as i16);
        }
        for &entry in rest {
            let product = (((entry as i32) >> 16) * i32::from(part.value) + 64) >> 7;
            add_tail(sums, entry, product as i16);
        }
    }
}

#[inline(always)]
fn add_tail(sums: &mut [i16; 1 << 16], entry: u32, term: i16) {
    let sum = &mut sums[usize::from(entry as u16)];
    *sum = sum.wrapping_add(term);
}
