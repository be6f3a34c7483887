//! Packed weights held against the rules, number by number.

use super::pack::{self, FirstHeads, Packing, Shape, SizeCounts};
use crate::{
    data::{Dataset, LabelLists},
    executor::{Executor, Sequential, tests::Many},
    model::mach::head_weights::{Form, HeadWeights},
    random::Stream,
    sparse::{SparseRows, SparseVec},
};
use alloc::{vec, vec::Vec};

/// More runs of records than jobs, the last of them short.
const RECORDS: usize = 16 * 37 + 5;

fn shape(centered: bool) -> Shape {
    Shape {
        features: RECORDS as u32,
        repetitions: 2,
        buckets: 3,
        centered,
    }
}

/// Weights of both signs and of sizes far apart, and rows of zeros.
fn weights(seed: u64) -> Vec<f32> {
    let mut dice = Stream::new(seed, 0);
    let row = |_| {
        let size = [0.0, 0.01, 1.0, 300.0][dice.below(4) as usize];
        let weight = |_| size * (dice.unit() * dice.unit() - 0.3) as f32;
        (0..6).map(weight).collect::<Vec<f32>>()
    };
    (0..RECORDS).flat_map(row).collect()
}

fn heads(weights: &[f32]) -> HeadWeights {
    let biases: Vec<f32> = (0..6).map(|at| at as f32 - 2.5).collect();
    let form = Form::Dense(weights.to_vec().into());
    HeadWeights::from_parts(RECORDS as u32, 2, 3, biases.into(), form).unwrap()
}

/// Where runs of records begin, and the records.
fn bytes(weights: &HeadWeights) -> (&[u32], &[u8]) {
    match weights.form() {
        Form::Packed(packed) => (&packed.offsets, &packed.records),
        Form::Dense(_) => panic!("weights are packed"),
    }
}

/// A row as it is packed: less the middle of each block, and what scale and rounding leave of it.
fn packed_row(row: &[f32], centered: bool, bits: u32, prune: f32, importance: f32) -> Vec<f32> {
    let mut row = row.to_vec();
    if centered {
        for block in row.chunks_mut(3) {
            let mut sorted = block.to_vec();
            sorted.sort_by(f32::total_cmp);
            block.iter_mut().for_each(|weight| *weight -= sorted[1]);
        }
    }
    let largest = row.iter().fold(0f32, |largest, w| largest.max(w.abs()));
    let exponents = (0..256).map(|code| (f64::from(code) - 160.0) / 8.0);
    let scales = exponents.map(|exponent| libm::exp2(exponent) as f32);
    let scale = scales.into_iter().find(|scale| *scale >= largest).unwrap();
    let most = if bits == 4 { 7.0 } else { 127.0 };
    let rounded = |weight: &f32| {
        let level = libm::roundf(weight * (most / scale));
        if weight.abs() * importance > prune {
            scale / most * level
        } else {
            0.0
        }
    };
    row.iter().map(rounded).collect()
}

#[test]
fn each_weight_is_left_out_or_rounded_by_the_scale_of_its_record() {
    for (seed, bits) in [(1, 4), (2, 8)] {
        for centered in [false, true] {
            let (weights, shape) = (weights(seed), shape(centered));
            let source = heads(&weights);
            let mut dice = Stream::new(seed, 1);
            let importance: Vec<f32> = (0..RECORDS).map(|_| dice.unit() as f32).collect();
            // A weight exactly at the threshold is left out.
            let prune = weights[7].abs() * importance[1];
            let biases = source.biases().clone();
            let packing = Packing {
                bits,
                prune,
                importance: &importance,
            };
            let pack = |executor: &Executor| {
                pack::pack(&source, shape, packing, biases.clone(), executor).unwrap()
            };
            let packed = pack(&Sequential);
            assert_eq!(bytes(&packed), bytes(&pack(&Many(3))));
            let mut row = Vec::new();
            for (record, weights) in weights.chunks(6).enumerate() {
                packed.row_into(record, &mut row);
                let expected = packed_row(weights, centered, bits, prune, importance[record]);
                assert_eq!(row, expected, "record {record}, {bits} bits: {weights:?}");
            }
        }
    }
}

#[test]
fn the_first_heads_are_packed_alone() {
    let weights = weights(3);
    let all = heads(&weights);
    let source = FirstHeads {
        weights: &all,
        width: 3,
    };
    let one = Shape {
        repetitions: 1,
        ..shape(true)
    };
    let packing = Packing {
        bits: 8,
        prune: 0.0,
        importance: &[],
    };
    let biases = all.biases()[..3].to_vec();
    let packed = pack::pack(&source, one, packing, biases.into(), &Sequential).unwrap();
    let mut row = Vec::new();
    for (record, weights) in weights.chunks(6).enumerate() {
        packed.row_into(record, &mut row);
        assert_eq!(row, packed_row(&weights[..3], true, 8, 0.0, 1.0));
    }
}

/// Thresholds are numbers of which the lowest 17 bits are 0: the least that leaves few enough.
#[test]
fn a_threshold_leaves_as_many_weights_as_are_asked_for() {
    let weights = weights(4);
    let mut dice = Stream::new(4, 1);
    let importance: Vec<f32> = (0..RECORDS).map(|_| dice.unit() as f32).collect();
    for importance in [&importance[..], &[]] {
        let factor = |record: usize| importance.get(record).copied().unwrap_or(1.0);
        let rows = weights.chunks(6).enumerate();
        let sizes = rows.flat_map(|(at, row)| row.iter().map(move |w| w.abs() * factor(at)));
        let mut sizes: Vec<f32> = sizes.filter(|size| *size > 0.0).collect();
        sizes.sort_by(f32::total_cmp);
        let counts = SizeCounts::of(&heads(&weights), shape(false), importance, &Sequential);
        assert_eq!(counts.total(), sizes.len() as u64);
        for kept in [0, 1, 100, 777, sizes.len() - 1] {
            let threshold = counts.threshold(kept as u64);
            let left = |from: f32| sizes.iter().filter(|size| **size >= from).count();
            assert!(left(threshold) <= kept, "{kept} of {}", sizes.len());
            let below = f32::from_bits(threshold.to_bits() - (1 << 17));
            assert!(left(below) > kept, "{kept}: {threshold} is not the least");
        }
        assert_eq!(counts.threshold(sizes.len() as u64), 0.0);
    }
    let none = SizeCounts::of(&heads(&weights), shape(false), &[0.0; RECORDS], &Sequential);
    assert_eq!((none.total(), none.threshold(0)), (0, 0.0));
}

#[test]
fn a_record_counts_as_the_root_of_its_rows() {
    let (mut rows, mut labels) = (SparseRows::new(5), LabelLists::new(2));
    for pairs in [vec![(0, 1.0), (3, 2.0)], vec![(3, 0.5)], vec![(3, 1.0)]] {
        rows.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        labels.push([1]);
    }
    let data = Dataset::new(rows, labels, None).unwrap();
    let shape = Shape {
        features: 5,
        ..shape(false)
    };
    let root = libm::sqrtf(3.0);
    assert_eq!(pack::importance(&data, shape), [1.0, 0.0, 0.0, root, 0.0]);
}

/// The median is what leaves the least sum of sizes, so that most weights can be left out.
#[test]
fn blocks_are_centered_around_their_medians() {
    let mut dice = Stream::new(3, 0);
    for buckets in [1usize, 2, 7, 8] {
        for _ in 0..20 {
            let values = (0..3 * buckets).map(|_| (dice.unit() * dice.unit() * 9.0) as f32);
            let before: Vec<f32> = values.map(|value| value - 2.0).collect();
            let mut after = before.clone();
            pack::center(&mut after, buckets, &mut Vec::new());
            for (before, after) in before.chunks(buckets).zip(after.chunks(buckets)) {
                let sizes = |less: f32| before.iter().map(|w| (w - less).abs()).sum::<f32>();
                let least = before.iter().map(|&w| sizes(w)).fold(f32::MAX, f32::min);
                let sum: f32 = after.iter().map(|w| w.abs()).sum();
                assert!((sum - least).abs() < 1e-4, "{before:?} {after:?}");
                let moved = before[0] - after[0];
                let same = before.iter().zip(after);
                assert!(same.into_iter().all(|(b, a)| (b - a - moved).abs() < 1e-5));
            }
        }
    }
}
