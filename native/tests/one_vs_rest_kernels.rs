//! Every kernel of one-vs-rest gives the portable bits.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not fail")]

use hapax::{
    core::{
        kernels::{Kernels, OneVsRestKernels, Portable},
        model::linear::{
            sums::{GROUP, HeadTerm, LabelBounds, TailTerm, pack, score},
            wide,
        },
        random::Stream,
        train::dual::{
            label_block::{BlockRows, BlockSweep, LABELS},
            label_solver::{Effort, SolverScratch},
            packed_rows::PackedRows,
            parameters::{Bias, Loss, OneVsRest},
        },
    },
    kernels,
};

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
    // Where groups begin within the blocks and at them, and where they end early.
    for (first, count) in [(0, 1024), (3, 64), (8, 64), (17, 5), (1000, 24)] {
        for first in (first..first + count).step_by(64) {
            let blocks = &sums[first * 64..][..64 * count.min(64)];
            let found = kernels.promising_blocks(blocks, &bounds, first, 0.1, 8.0);
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
        kernels.promising_blocks(sums, &bounds, part * 64, 0.1, 8.0)
    });
    let promising: Vec<u64> = promising.collect();
    let count: u32 = promising.iter().map(|bits| bits.count_ones()).sum();
    assert!((50..974).contains(&count), "{count} blocks of 1,024");
    let mut scores = Vec::new();
    for labels in [0, 1, 61, 64] {
        let scales: Vec<f32> = (0..labels).map(|_| stream.unit() as f32).collect();
        let biases: Vec<f32> = (0..labels).map(|_| -(stream.unit() as f32)).collect();
        let mut out = [0f32; 64];
        let sums = &sums[3..3 + labels];
        let above = kernels.scores(sums, &scales, &biases, 0.37, 9.0, &mut out);
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
    (sums.to_vec(), promising, scores)
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
        let found = kernels.promising_wide_blocks(sums, &bounds, 0, 1e-4, 20.0);
        for (at, block) in sums.chunks(64).enumerate() {
            let largest = block.iter().copied().fold(0, i32::max);
            let bound = wide::score(largest, scales[at], biases[at], 1e-4);
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
        let above = kernels.wide_scores(sums, of_labels.0, of_labels.1, 1e-4, 20.0, &mut out);
        for (at, &found) in out.iter().enumerate() {
            let expected = sums
                .get(at)
                .map(|&sum| wide::score(sum, scales[at], biases[at], 1e-4));
            assert_eq!(found, expected.unwrap_or(0.0), "label {at} of {labels}");
            assert_eq!(above >> at & 1 == 1, at < labels && found >= 20.0);
        }
        scores.extend(out.map(f32::to_bits));
    }
    (sums.to_vec(), promising, scores)
}

/// 200 rows with and without rare features.
fn rows() -> PackedRows {
    let mut stream = Stream::new(9, 9);
    let mut rows = PackedRows::default();
    for _ in 0..200 {
        let mut terms = Vec::new();
        let most = stream.below(60);
        for at in 0..most {
            let id = at as u32 * 1500 + stream.below(1500) as u32;
            terms.push((id, stream.unit() as f32 - 0.3));
        }
        rows.push(&mut terms, usize::MAX);
    }
    rows
}

/// Duals, weights and bias after a few sweeps.
fn solved(kernels: &dyn OneVsRestKernels, loss: Loss, bias: Bias) -> Vec<u64> {
    let rows = rows();
    let parameters = OneVsRest {
        loss,
        bias,
        ..OneVsRest::default()
    };
    let mut scratch = SolverScratch::new(90_000);
    for row in 0..200 {
        scratch.push(&parameters, row, row % 9 == 0, 0.0);
    }
    let effort = Effort {
        sweeps: 7,
        epsilon: 1e-3,
    };
    scratch.solve(&rows, bias, effort, &mut Stream::new(1, 1), kernels);
    scratch.weights.above(0.0, &mut scratch.kept);
    assert!(
        scratch.kept.iter().any(|(id, _)| *id > 70_000),
        "rare features take part"
    );
    let duals = scratch
        .examples
        .iter()
        .map(|example| example.alpha.to_bits());
    let weights = scratch
        .kept
        .iter()
        .map(|(_, weight)| u64::from(weight.to_bits()));
    duals
        .chain(weights)
        .chain([scratch.bias.to_bits()])
        .collect()
}

/// What sweeps over rows for sixteen labels at once leave, and what is said of it.
fn block(kernels: &dyn OneVsRestKernels, loss: Loss, bias: Bias) -> Vec<u64> {
    let rows = rows();
    let parameters = OneVsRest {
        loss,
        bias,
        ..OneVsRest::default()
    };
    let carried: Vec<u16> = (0..200u16)
        .map(|row| row.wrapping_mul(331) & row.wrapping_mul(77))
        .collect();
    let of = BlockRows::new(&parameters, &rows, &carried);
    let mut order: Vec<u32> = (0..200).collect();
    let mut stream = Stream::new(2, 2);
    let mut weights = vec![[0f32; LABELS]; 90_000];
    let (mut duals, mut biases) = (vec![[0f32; LABELS]; 200], [-0.5; LABELS]);
    let mut bits = Vec::new();
    let mut left = vec![200];
    for _ in 0..5 {
        let order = &mut order[..left[left.len() - 1]];
        stream.shuffle(order);
        let met = kernels.sweep_block(&mut BlockSweep {
            of: of.clone(),
            order,
            settled: [1e-1; LABELS],
            weights: &mut weights,
            duals: &mut duals,
            biases: &mut biases,
            bias_feature: if matches!(bias, Bias::Learned(_)) {
                1.0
            } else {
                0.0
            },
        });
        bits.extend(
            [met.gaps, met.losses, met.growth, met.settled_losses]
                .as_flattened()
                .iter()
                .map(|n| u64::from(n.to_bits())),
        );
        left.push(met.open);
        bits.push(met.open as u64);
    }
    assert!(left.iter().any(|left| (1..200).contains(left)), "{left:?}");
    let mut rebuilt = vec![[0f64; LABELS]; 90_000];
    let told = kernels.rebuild_block(&of, &duals, &mut rebuilt);
    let losses = kernels.block_losses(&of, &weights, &biases);
    let squares = kernels.block_squares(&weights);
    assert!(squares.iter().all(|&square| square > 0.0));
    let single = weights
        .as_flattened()
        .iter()
        .chain(duals.as_flattened())
        .chain(&biases);
    bits.extend(single.map(|number| u64::from(number.to_bits())));
    let double = rebuilt
        .as_flattened()
        .iter()
        .chain(&told.sums)
        .chain(&told.gains);
    bits.extend(
        double
            .chain(&losses)
            .chain(&squares)
            .map(|number| number.to_bits()),
    );
    bits
}

#[test]
fn every_kernel_gives_the_portable_bits() {
    for kernels in kernels::available() {
        assert_eq!(sums(kernels), sums(&Portable), "{}", kernels.name());
        let (found, expected) = (wide_sums(kernels), wide_sums(&Portable));
        assert_eq!(found, expected, "{}", kernels.name());
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            for bias in [Bias::Fixed(-1.0), Bias::Learned(1.0)] {
                let (found, expected) =
                    (solved(kernels, loss, bias), solved(&Portable, loss, bias));
                assert_eq!(found, expected, "{}", kernels.name());
                let (found, expected) = (block(kernels, loss, bias), block(&Portable, loss, bias));
                assert!(found == expected, "{}", kernels.name());
            }
        }
    }
}
