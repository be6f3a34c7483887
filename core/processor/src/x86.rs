//! Loops compiled for the instructions of x86-64 processors.

use crate::{Instructions, Loop};

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
    task.run()
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
pub(super) fn run_avx512<L: Loop>(task: L) -> L::Output {
    task.run()
}
