//! Weights of 16 bits, whose sums lose nothing.
//!
//! A weight is a whole number `w` of at most 32,767 in size, and the values `q` of a row add up to
//! at most as much in size, so a sum of products `w q` is below 2^30: 32 bits hold it exactly,
//! whatever the order of its terms. Divided by 128 it takes the place that the sum of terms has
//! where weights are bytes ([`super::sums`]).

use super::{
    sums::{AddTails, HeadTerm, LabelSum, visit_tails},
    task::Sums,
};
use hapax_processor::Loop;

/// Bits of such a weight.
pub const WIDE: u32 = 16;

/// What a weight adds to the sum of its label.
#[must_use]
#[inline(always)]
pub fn term(weight: i16, value: i16) -> i32 {
    i32::from(weight) * i32::from(value)
}

/// The score of a label: each operation rounded on its own, in this order.
#[must_use]
#[inline(always)]
pub fn score(sum: i32, scale: f32, bias: f32, unit: f32) -> f32 {
    sum as f32 / 128.0 * scale * unit + bias
}

impl LabelSum for i32 {
    #[inline(always)]
    fn score(self, scale: f32, bias: f32, unit: f32) -> f32 {
        score(self, scale, bias, unit)
    }

    fn sums(sums: &[Self]) -> Sums<'_> {
        Sums::Wide(sums)
    }
}

/// Adds the dense parts `terms` to the front of `sums`, which covers the longest.
#[inline(always)]
pub fn add_heads(sums: &mut [i32], heads: &[i16], terms: &[HeadTerm]) {
    for part in terms {
        let range = part.start as usize..part.start as usize + part.length as usize;
        let weights = heads.get(range).unwrap_or(&[]);
        for (sum, &weight) in sums.iter_mut().zip(weights) {
            *sum = sum.wrapping_add(term(weight, part.value));
        }
    }
}

impl Loop for AddTails<'_, i32> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        visit_tails(
            self.tails,
            self.terms,
            #[inline(always)]
            |label, weight, value| {
                let sum = &mut self.sums[usize::from(label)];
                *sum = sum.wrapping_add(weight * value);
            },
        );
    }
}
