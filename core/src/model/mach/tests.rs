//! Decoding held against scoring every label.

use super::decode::{DecodeScratch, LabelDecoder};
use crate::{
    hash::{BucketHash, BucketPlan},
    kernels::Portable,
    random::Stream,
    search::{Scored, Top},
    train::mach::Estimator,
};
use alloc::vec::Vec;

const ALL: [Estimator; 5] = [
    Estimator::Mean,
    Estimator::Min,
    Estimator::Median,
    Estimator::LogMean,
    Estimator::LogitSum,
];

/// Bucket scores: smooth, sharp, constant, or of few different values.
fn scores(kind: u64, count: usize, dice: &mut Stream) -> Vec<f32> {
    (0..count)
        .map(|_| match kind {
            0 => dice.unit() as f32,
            1 => (dice.unit() as f32).powi(40),
            2 => 0.25,
            3 => dice.below(3) as f32,
            _ => 40.0 * (dice.unit() as f32 - 0.9),
        })
        .collect()
}

#[test]
fn fast_decoding_finds_what_plain_decoding_finds() {
    let mut dice = Stream::new(2, 2);
    for (labels, buckets, repetitions) in [
        (5000, 32, 25),
        (3001, 64, 9),
        (900, 17, 12),
        (700, 256, 4),
        (2000, 300, 3),
        (70, 8, 5),
    ] {
        let plan = BucketPlan {
            hash: BucketHash::Permutation,
            buckets,
            repetitions,
            labels,
            seed: 4,
        };
        let decoder = LabelDecoder::new(plan.draw().unwrap());
        let (mut scratch, mut fast, mut plain) =
            (DecodeScratch::default(), Top::default(), Top::default());
        for round in 0..40 {
            let scores = scores(round % 5, (buckets * repetitions) as usize, &mut dice);
            for estimator in ALL {
                for k in [1, 5, 60] {
                    decoder.best(&scores, k, estimator, &Portable, &mut scratch, &mut fast);
                    decoder.plain(&scores, k, estimator, &mut plain);
                    let (fast, plain): (Vec<Scored>, Vec<Scored>) =
                        (fast.sorted().to_vec(), plain.sorted().to_vec());
                    assert_eq!(
                        fast, plain,
                        "{labels} labels, B {buckets}, {estimator:?}, k {k}, round {round}"
                    );
                }
            }
        }
    }
}
