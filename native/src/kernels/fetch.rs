//! Asking for memory that is read soon: answers never depend on it.
#![allow(unsafe_code, reason = "an instruction that reads nothing")]

use core::arch::x86_64::*;
use hapax_core::train::{exact::ahead::Fetch, mach::step::Line};

/// Asks for packed weights of one feature.
#[inline(always)]
pub(super) fn fetch_weights(weights: &[u32]) {
    const PER_LINE: usize = 64 / size_of::<u32>();
    for weight in weights.iter().step_by(PER_LINE).take(16) {
        // SAFETY: every x86-64 has this instruction, and it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *weight).cast()) };
    }
}

/// Asks for one line of weights, which the second cache is to hold.
#[inline(always)]
pub(super) fn fetch_line(line: &Line) {
    // SAFETY: every x86-64 has this instruction, and it reads nothing.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
}

/// Asks for lines of memory that are read soon.
pub(super) struct Lines;

impl Fetch for Lines {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn fetch<T>(&self, at: &T) {
        // SAFETY: every x86-64 has this instruction, and it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *at).cast()) };
    }
}
