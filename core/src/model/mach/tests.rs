//! Decoding held against scoring every label.

use super::MachScratch;
use super::decode::{DecodeScratch, LabelDecoder};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    hash::{BucketHash, BucketPlan},
    kernels::Portable,
    parameters::mach::{Estimator, MachParameters},
    random::Stream,
    search::{Scored, Top},
    sparse::{SparseRows, SparseView},
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

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

fn decoder(labels: u32, buckets: u32, repetitions: u32) -> LabelDecoder {
    let plan = BucketPlan {
        hash: BucketHash::Permutation,
        buckets,
        repetitions,
        labels,
        seed: 4,
    };
    LabelDecoder::new(plan.draw().unwrap()).unwrap()
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
        let decoder = decoder(labels, buckets, repetitions);
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

/// Labels that are scored exactly, on average over scores of a kind, where the `k` best are asked
/// for.
fn scored(kind: u64, labels: u32, k: usize, estimator: Estimator) -> usize {
    let (buckets, repetitions) = (32, 25);
    let decoder = decoder(labels, buckets, repetitions);
    let (mut scratch, mut top, mut dice) =
        (DecodeScratch::default(), Top::default(), Stream::new(2, 3));
    let mut all = 0;
    for _ in 0..20 {
        let scores = scores(kind, (buckets * repetitions) as usize, &mut dice);
        all += decoder.best(&scores, k, estimator, &Portable, &mut scratch, &mut top);
    }
    all / 20
}

#[test]
fn few_labels_are_scored_exactly() {
    for estimator in [Estimator::Mean, Estimator::LogMean, Estimator::LogitSum] {
        for kind in [0, 1, 4] {
            let found = [1, 5, 60].map(|k| scored(kind, 5000, k, estimator));
            let most = [1, 6, 130];
            let few = found.iter().zip(most).all(|(&found, most)| found <= most);
            assert!(
                few,
                "{estimator:?}, kind {kind}: {found:?} of at most {most:?}"
            );
        }
    }
    // There are no bounds of a least value or a median, and they pay for many labels only, of which
    // few are asked for.
    for (labels, k, estimator) in [
        (5000, 1, Estimator::Min),
        (5000, 1, Estimator::Median),
        (255, 1, Estimator::Mean),
        (256, 33, Estimator::Mean),
    ] {
        assert_eq!(scored(0, labels, k, estimator), labels as usize);
    }
    assert!(scored(0, 256, 32, Estimator::Mean) < 200);
    // Equal scores are all looked at.
    assert_eq!(scored(2, 5000, 5, Estimator::Mean), 5000);
}

/// Scores far from 0 that hardly differ: sums of f32 are rounded by more than bounds are apart. And
/// some that differ by more than there are bytes.
#[test]
fn rounding_of_sums_does_not_lose_answers() {
    let mut dice = Stream::new(9, 1);
    let (labels, buckets, repetitions) = (3000, 16, 40);
    let decoder = decoder(labels, buckets, repetitions);
    let (mut scratch, mut fast, mut plain) =
        (DecodeScratch::default(), Top::default(), Top::default());
    for offset in [1e3f32, -1e3, 1e5] {
        for spread in [1e-3f32, 1e-2, 1.0, 1e4] {
            let size = (buckets * repetitions) as usize;
            let scores: Vec<f32> = (0..size)
                .map(|_| offset + spread * dice.unit() as f32)
                .collect();
            for k in [1, 5, 60] {
                decoder.best(
                    &scores,
                    k,
                    Estimator::Mean,
                    &Portable,
                    &mut scratch,
                    &mut fast,
                );
                decoder.plain(&scores, k, Estimator::Mean, &mut plain);
                assert!(fast.sorted() == plain.sorted(), "{offset} {spread} {k}");
            }
        }
    }
}

#[test]
fn labels_without_rows_come_last_and_rows_without_features_are_answered() {
    let (mut rows, mut lists) = (SparseRows::new(4), LabelLists::new(6));
    for row in 0..60u32 {
        let feature = [row % 4];
        // Some rows are empty; label 2 has half of the others, labels 1 and 4 have none.
        let view = if row % 10 == 9 {
            SparseView::new(&[], &[])
        } else {
            SparseView::new(&feature, &[1.0])
        };
        rows.push(view.unwrap()).unwrap();
        lists.push(
            [[2, 0, 2, 3][row as usize % 4], 5]
                .into_iter()
                .take(1 + usize::from(row == 0)),
        );
    }
    let data = Dataset::new(rows, lists, None).unwrap();
    let p = MachParameters {
        buckets: 2,
        repetitions: 9,
        bits: 32,
        learning_rate: 0.3,
        epochs: 20,
        ..MachParameters::automatic(&data)
    };
    let go_on = |_| ControlFlow::Continue(());
    let mach = p.train(&data, &Sequential, &Portable, go_on).unwrap();
    let mut scratch = MachScratch::new(&Portable);
    for row in [
        SparseView::new(&[], &[]).unwrap(),
        SparseView::new(&[1], &[2.0]).unwrap(),
        SparseView::new(&[900], &[1.0]).unwrap(),
    ] {
        let best = mach.predict(row, 6, &mut scratch);
        let last: Vec<(u32, f32)> = best[4..].iter().map(|a| (a.id, a.score)).collect();
        assert_eq!(last, [(1, f32::MIN), (4, f32::MIN)]);
        let own = if row.indices() == [1] { 0 } else { 2 };
        assert_eq!(best[0].id, own);
        assert!(best[..4].iter().all(|answer| answer.score > f32::MIN));
    }
}
