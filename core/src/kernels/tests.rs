//! Every processor of linear scoring gives the portable bits.

use super::{
    HeadTerm, Kernels, Portable, Processor, TailTerm,
    sums::{LabelBounds, pack, score},
    wide::score as wide_score,
};
use crate::random::Stream;
use alloc::{boxed::Box, vec, vec::Vec};

/// Blocks of labels in a group of [`LabelBounds`].
const GROUP: usize = 8;

fn byte(stream: &mut Stream) -> i8 {
    (stream.below(255) as i16 - 127) as i8
}

fn sums(kernels: &dyn Kernels) -> (Vec<i16>, Vec<u64>, Vec<u32>) {
    let mut stream = Stream::new(8, 8);
    let heads: Vec<i8> = (0..4096).map(|_| byte(&mut stream)).collect();
    let tails: Vec<u32> = (0..999)
        .map(|_| pack(stream.below(1 << 16) as u16, byte(&mut stream).into()))
        .collect();
    let mut sums: Box<[i16; 1 << 16]> = vec![0; 1 << 16].into_boxed_slice().try_into().unwrap();
    for _ in 0..50 {
        let value = (stream.below(1200) as i16) - 600;
        let length = 64 * (1 + stream.below(8) as u32);
        let start = stream.below(u64::from(4096 - length)) as u32;
        kernels.add_heads(
            &mut sums[..512],
            &heads,
            &[HeadTerm {
                start,
                length,
                value,
            }],
        );
        let start = stream.below(900) as u32;
        kernels.add_tails(
            &mut sums,
            &tails,
            &[TailTerm {
                start,
                end: start + 77,
                value,
            }],
        );
    }
    let scales: Vec<f32> = (0..1024).map(|_| stream.unit() as f32).collect();
    let biases: Vec<f32> = (0..1024).map(|_| -(stream.unit() as f32)).collect();
    let of_groups = |of: &[f32]| -> Vec<f32> {
        let groups = of.chunks(GROUP);
        groups
            .map(|of| of.iter().copied().fold(f32::MIN, f32::max))
            .collect()
    };
    let bounds = LabelBounds {
        group_scales: of_groups(&scales),
        group_biases: of_groups(&biases),
        scales,
        biases,
    };
    let promising = promising_blocks(kernels, &sums[..], &bounds);
    let scores = label_scores(kernels, &sums[..], &mut stream);
    (sums.to_vec(), promising, scores)
}

/// The promising blocks of all sums, each held against its bound.
fn promising_blocks(kernels: &dyn Kernels, sums: &[i16], bounds: &LabelBounds) -> Vec<u64> {
    // Where groups begin within the blocks and at them, and where they end early.
    for (first, count) in [(0, 1024), (3, 64), (8, 64), (17, 5), (1000, 24)] {
        for first in (first..first + count).step_by(64) {
            let blocks = &sums[first * 64..][..64 * count.min(64)];
            let found = kernels.promising_blocks(blocks, bounds, first, 0.1, 8.0);
            for (at, block) in blocks.chunks(64).enumerate() {
                let largest = block.iter().copied().fold(0, i16::max);
                let bound = score(
                    largest,
                    bounds.scales[first + at],
                    bounds.biases[first + at],
                    0.1,
                );
                assert_eq!(found >> at & 1 == 1, bound >= 8.0, "block {}", first + at);
            }
        }
    }
    let promising = (0..16).map(|part| {
        let sums = &sums[part * 4096..][..4096];
        kernels.promising_blocks(sums, bounds, part * 64, 0.1, 8.0)
    });
    let promising: Vec<u64> = promising.collect();
    let count: u32 = promising.iter().map(|bits| bits.count_ones()).sum();
    assert!((50..974).contains(&count), "{count} blocks of 1,024");
    promising
}

/// The bits of labels' scores, and that those above the threshold are told.
fn label_scores(kernels: &dyn Kernels, sums: &[i16], stream: &mut Stream) -> Vec<u32> {
    let mut scores = Vec::new();
    for labels in [0, 1, 61, 64] {
        let scales: Vec<f32> = (0..labels).map(|_| stream.unit() as f32).collect();
        let biases: Vec<f32> = (0..labels).map(|_| -(stream.unit() as f32)).collect();
        let mut out = [0f32; 64];
        let sums = &sums[3..3 + labels];
        let above = kernels.scores(sums, (&scales, &biases), 0.37, 9.0, &mut out);
        for (at, score) in out.iter().enumerate() {
            let expected = at < labels && *score >= 9.0;
            assert_eq!(above >> at & 1 == 1, expected, "label {at} of {labels}");
        }
        assert!(
            labels < 61 || (5..56).contains(&above.count_ones()),
            "{above:x}"
        );
        scores.extend(out.map(f32::to_bits));
    }
    scores
}

/// The sums, promising blocks and scores of weights of 16 bits, of any size that there can be.
fn wide_sums(kernels: &dyn Kernels) -> (Vec<i32>, Vec<u64>, Vec<u32>) {
    let mut stream = Stream::new(8, 16);
    let mut weight = || stream.below(65_535) as u16 as i16;
    let weights: Vec<i16> = (0..4096).map(|_| weight().max(-i16::MAX)).collect();
    let tails: Vec<u32> = (0..999)
        .map(|at| pack(65_535 - 7 * at, weights[at as usize]))
        .collect();
    let mut sums: Box<[i32; 1 << 16]> = vec![0; 1 << 16].into_boxed_slice().try_into().unwrap();
    let mut twin = vec![0i64; 1 << 16];
    // Values that add up to 32,767 in size.
    for (start, value) in [
        (0u32, -20_000i16),
        (64, 9_000),
        (500, 3_766),
        (501, 1),
        (3_000, 0),
    ] {
        let (length, first) = (448 + start % 128 / 64 * 64, start as usize);
        let head = HeadTerm {
            start,
            length,
            value,
        };
        kernels.add_wide_heads(&mut sums[..512], &weights, &[head]);
        for (sum, &weight) in twin
            .iter_mut()
            .zip(&weights[first..first + length as usize])
        {
            *sum += i64::from(weight) * i64::from(value);
        }
        let (start, end) = (start % 900, start % 900 + 99);
        kernels.add_wide_tails(&mut sums, &tails, &[TailTerm { start, end, value }]);
        for at in start..end {
            twin[65_535 - 7 * at as usize] += i64::from(weights[at as usize]) * i64::from(value);
        }
    }
    assert!(sums.iter().map(|&sum| i64::from(sum)).eq(twin));
    let scales: Vec<f32> = (0..64).map(|_| stream.unit() as f32).collect();
    let biases: Vec<f32> = (0..64).map(|_| -(stream.unit() as f32)).collect();
    let bounds = LabelBounds {
        scales: scales.clone(),
        biases: biases.clone(),
        group_scales: vec![1.0; 8],
        group_biases: vec![0.0; 8],
    };
    let promising = (0..16).map(|part| {
        let sums = &sums[part * 4096..][..4096];
        let found = kernels.promising_blocks(sums, &bounds, 0, 1e-4, 20.0);
        for (at, block) in sums.chunks(64).enumerate() {
            let largest = block.iter().copied().fold(0, i32::max);
            let bound = wide_score(largest, scales[at], biases[at], 1e-4);
            assert_eq!(
                found >> at & 1 == 1,
                bound >= 20.0,
                "block {at} of part {part}"
            );
        }
        found
    });
    let promising: Vec<u64> = promising.collect();
    let count: u32 = promising.iter().map(|bits| bits.count_ones()).sum();
    assert!((20..900).contains(&count), "{count} blocks of 1,024");
    let mut scores = Vec::new();
    for labels in [0, 1, 61, 64] {
        let (sums, mut out) = (&sums[3..3 + labels], [0f32; 64]);
        let of_labels = (&scales[..labels], &biases[..labels]);
        let above = kernels.scores(sums, of_labels, 1e-4, 20.0, &mut out);
        for (at, &found) in out.iter().enumerate() {
            let expected = sums
                .get(at)
                .map(|&sum| wide_score(sum, scales[at], biases[at], 1e-4));
            assert_eq!(found, expected.unwrap_or(0.0), "label {at} of {labels}");
            assert_eq!(above >> at & 1 == 1, at < labels && found >= 20.0);
        }
        scores.extend(out.map(f32::to_bits));
    }
    (sums.to_vec(), promising, scores)
}

#[test]
fn every_processor_gives_the_portable_bits() {
    for processor in Processor::available() {
        let name = processor.name();
        assert_eq!(sums(&processor), sums(&Portable), "{name}");
        assert_eq!(wide_sums(&processor), wide_sums(&Portable), "{name}");
    }
}
