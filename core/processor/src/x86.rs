//! Loops compiled for the instructions of x86-64 processors.
#![allow(unsafe_code, reason = "prefetch instructions, which read nothing")]

use crate::{Fetch, Instructions, Loop};
use core::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};

/// Prefetches lines of the cache.
struct Lines;

impl Fetch for Lines {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn fetch<T>(&self, at: &T) {
        // SAFETY: every x86-64 has this instruction, and it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *at).cast()) };
    }

    #[inline(always)]
    fn fetch_second<T>(&self, at: &T) {
        // SAFETY: every x86-64 has this instruction, and it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>((&raw const *at).cast()) };
    }
}

/// The sets beyond the portable one that this machine has, the widest last.
pub(super) fn detected() -> impl Iterator<Item = Instructions> {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    let avx512 = avx2
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    let avx2 = avx2.then_some(Instructions::Avx2);
    let avx512 = avx512.then_some(Instructions::Avx512);
    avx2.into_iter().chain(avx512)
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn run_avx2<L: Loop>(task: L) -> L::Output {
    task.run(&Lines)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
pub(super) fn run_avx512<L: Loop>(task: L) -> L::Output {
    task.run(&Lines)
}
