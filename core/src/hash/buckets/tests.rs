//! What the paper proves of its functions, held against the ones that are drawn.

use super::{BucketCodes, BucketHash, BucketPlan};
use crate::random::Stream;
use alloc::{collections::BTreeSet, vec, vec::Vec};

const FAMILIES: [BucketHash; 2] = [BucketHash::Permutation, BucketHash::CarterWegman];

fn plan(hash: BucketHash, labels: u32, buckets: u32, repetitions: u32, seed: u64) -> BucketPlan {
    BucketPlan {
        hash,
        buckets,
        repetitions,
        labels,
        seed,
    }
}

fn distinct(codes: &BucketCodes) -> usize {
    let code = |label: usize| -> Vec<u16> {
        (0..codes.repetitions())
            .map(|r| codes.repetition(r)[label])
            .collect()
    };
    let all: BTreeSet<Vec<u16>> = (0..codes.labels() as usize).map(code).collect();
    all.len()
}

/// A distribution over labels that falls slowly.
fn distribution(labels: u32) -> Vec<f64> {
    let raw: Vec<f64> = (0..labels).map(|c| 1.0 / (f64::from(c) + 2.0)).collect();
    let total: f64 = raw.iter().sum();
    raw.iter().map(|p| p / total).collect()
}

/// The mean over repetitions of the probability of the bucket that holds `label`, the heads
/// being perfect.
fn mean_bucket(codes: &BucketCodes, p: &[f64], label: usize) -> f64 {
    let mut sum = 0.0;
    for r in 0..codes.repetitions() {
        let of = codes.repetition(r);
        let bucket = of[label];
        let held = p.iter().zip(of).filter(|(_, b)| **b == bucket);
        sum += held.map(|(p, _)| p).sum::<f64>();
    }
    sum / codes.repetitions() as f64
}

/// Functions that are independent in every respect, which no family promises.
fn independent(labels: u32, buckets: u32, repetitions: u32, seed: u64) -> BucketCodes {
    let mut stream = Stream::new(seed, 2);
    let codes = (0..labels * repetitions).map(|_| stream.below(u64::from(buckets)) as u16);
    BucketCodes {
        buckets,
        labels,
        draw: 0,
        codes: codes.collect(),
    }
}

/// Mean, its standard error, and variance of the estimate for one label over 4,000 draws.
fn moments(p: &[f64], label: usize, draw: impl Fn(u64) -> (BucketCodes, f64)) -> [f64; 3] {
    let (n, mut sum, mut squares) = (4000.0, 0.0, 0.0);
    for seed in 0..4000 {
        let (codes, rate) = draw(seed);
        let estimate = (mean_bucket(&codes, p, label) - rate) / (1.0 - rate);
        sum += estimate;
        squares += estimate * estimate;
    }
    let mean = sum / n;
    let variance = (squares - n * mean * mean) / (n - 1.0);
    [mean, (variance / n).sqrt(), variance]
}

/// Theorem 1: the estimate is unbiased; and its variance with independent functions is the sum over
/// other labels of p² / (R (B - 1)). Functions that are independent only in pairs need not have
/// that variance; balanced buckets leave less to vary.
#[test]
fn the_estimate_is_unbiased_with_the_variance_of_the_formula() {
    let (labels, buckets, repetitions, label) = (120u32, 8u32, 4u32, 3usize);
    let p = distribution(labels);
    let others = p[4..].iter().chain(&p[..3]).map(|p| p * p).sum::<f64>();
    let formula = others / (f64::from(repetitions) * (f64::from(buckets) - 1.0));
    for hash in FAMILIES {
        let [mean, error, variance] = moments(&p, label, |seed| {
            let plan = plan(hash, labels, buckets, repetitions, seed);
            let codes = plan.evaluate(0).unwrap();
            let rate = match hash {
                BucketHash::Permutation => collision_rate(&codes),
                _ => 1.0 / f64::from(buckets),
            };
            (codes, rate)
        });
        let off = (mean - p[label]).abs();
        assert!(off < 4.0 * error, "{hash:?}: {off} off, error {error}");
        assert!(hash != BucketHash::Permutation || variance < formula);
    }
    let [mean, error, variance] = moments(&p, label, |seed| {
        let codes = independent(labels, buckets, repetitions, seed);
        (codes, 1.0 / f64::from(buckets))
    });
    assert!((mean - p[label]).abs() < 4.0 * error);
    let ratio = variance / formula;
    assert!((ratio - 1.0).abs() < 0.1, "{ratio} of the formula");
}

/// The paper's correction, 1/B, is biased for permutations, whose labels collide less often.
#[test]
fn permutations_need_their_own_rate() {
    let (labels, buckets) = (20u32, 4u32);
    let p = distribution(labels);
    let (mut own, mut paper) = (0.0, 0.0);
    for seed in 0..4000 {
        let codes = plan(BucketHash::Permutation, labels, buckets, 4, seed)
            .evaluate(0)
            .unwrap();
        let mean = mean_bucket(&codes, &p, 0);
        let rate = collision_rate(&codes);
        assert!(rate < 0.25);
        own += (mean - rate) / (1.0 - rate) / 4000.0;
        paper += (mean - 0.25) / 0.75 / 4000.0;
    }
    assert!(
        (own - p[0]).abs() < 0.005 && (paper - p[0]).abs() > 0.02,
        "{own} {paper} {}",
        p[0]
    );
}

/// Lemma 1: a pair shares its code with a chance of B^-R.
#[test]
fn pairs_share_codes_as_often_as_the_lemma_says() {
    let (labels, buckets, repetitions, draws) = (200u32, 4u32, 6u32, 400u64);
    let pairs = f64::from(labels) * f64::from(labels - 1) / 2.0;
    let expected = pairs / f64::from(buckets).powi(repetitions as i32);
    for hash in FAMILIES {
        let mut counts = vec![];
        for seed in 0..draws {
            let codes = plan(hash, labels, buckets, repetitions, seed)
                .evaluate(0)
                .unwrap();
            let mut seen = alloc::collections::BTreeMap::<Vec<u16>, u32>::new();
            for label in 0..labels as usize {
                let code = (0..repetitions as usize)
                    .map(|r| codes.repetition(r)[label])
                    .collect();
                *seen.entry(code).or_default() += 1;
            }
            counts.push(
                seen.values()
                    .map(|&n| f64::from(n * (n - 1) / 2))
                    .sum::<f64>(),
            );
        }
        let mean = counts.iter().sum::<f64>() / draws as f64;
        let spread = counts.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (draws - 1) as f64;
        let error = (spread / draws as f64).sqrt();
        // Permutations stay below the bound.
        let low = if hash == BucketHash::Permutation {
            0.8
        } else {
            1.0
        };
        assert!(
            mean < expected + 4.0 * error && mean > low * expected - 4.0 * error,
            "{hash:?}: {mean} ± {error} pairs, {expected} expected"
        );
    }
}

#[test]
fn all_labels_have_codes_of_their_own() {
    for hash in FAMILIES {
        let codes = plan(hash, 20_000, 32, 25, 42).draw().unwrap();
        assert_eq!(distinct(&codes), 20_000, "{hash:?}");
        assert_eq!(codes.shared_labels(), Ok(0));
    }
}

/// The paper's function: labels equal in their low bits collide for every factor.
#[test]
fn the_papers_masked_product_has_only_as_many_codes_as_buckets() {
    let mut stream = Stream::new(1, 1);
    let mut codes = vec![];
    for _ in 0..25 {
        let a = stream.bits() | 1;
        codes.extend((0..20_000u64).map(|x| (a.wrapping_mul(x) & 31) as u16));
    }
    let paper = BucketCodes {
        buckets: 32,
        labels: 20_000,
        draw: 0,
        codes,
    };
    assert_eq!(distinct(&paper), 32);
    assert_eq!(paper.shared_labels(), Ok(20_000 - 32));
}

#[test]
fn shared_codes_are_drawn_again() {
    // 40 labels, 64 codes: most draws have labels in common, and a later one is better.
    let plan = plan(BucketHash::Permutation, 40, 8, 2, 5);
    let first = plan.evaluate(0).unwrap().shared_labels().unwrap();
    let drawn = plan.draw().unwrap();
    assert!(drawn.shared_labels().unwrap() < first, "{first}");
    assert_eq!(plan.evaluate(drawn.draw_number()).unwrap(), drawn);
}

#[test]
fn loads_are_balanced_or_as_even_as_chance() {
    let labels = 32 * 500;
    for hash in FAMILIES {
        let codes = plan(hash, labels, 32, 20, 9).evaluate(0).unwrap();
        let mut total = 0.0;
        for r in 0..20 {
            let mut loads = [0f64; 32];
            codes
                .repetition(r)
                .iter()
                .for_each(|&b| loads[usize::from(b)] += 1.0);
            total += loads
                .iter()
                .map(|n| (n - 500.0).powi(2) / 500.0)
                .sum::<f64>();
        }
        // 20 x 31 degrees of freedom; multiplicative functions spread consecutive labels more
        // evenly than chance would.
        assert!(total < 620.0 + 4.0 * 35.3, "{hash:?}: {total}");
        assert!(hash != BucketHash::Permutation || total == 0.0);
    }
}

/// Frozen: a change here changes every stored model.
#[test]
fn the_functions_are_frozen() {
    let drawn = |hash| plan(hash, 6, 4, 2, 42).evaluate(0).unwrap().codes;
    let all: Vec<Vec<u16>> = FAMILIES.map(drawn).into();
    assert_eq!(all, FROZEN);
}

const FROZEN: [[u16; 12]; 2] = [
    [1, 1, 0, 3, 2, 0, 0, 0, 1, 1, 2, 3],
    [3, 1, 3, 1, 3, 1, 1, 0, 0, 0, 3, 3],
];

/// The chance that two different labels share a bucket, on average over all pairs and repetitions:
/// 1/B for independent functions, less for permutations.
fn collision_rate(codes: &BucketCodes) -> f64 {
    let labels = f64::from(codes.labels);
    let mut colliding = 0f64;
    for repetition in 0..codes.repetitions() {
        let mut loads = vec![0u32; codes.buckets as usize];
        for &code in codes.repetition(repetition) {
            loads[usize::from(code)] += 1;
        }
        let pairs = loads.iter().map(|&n| f64::from(n) * (f64::from(n) - 1.0));
        colliding += pairs.sum::<f64>();
    }
    colliding / (labels * (labels - 1.0) * codes.repetitions() as f64)
}
