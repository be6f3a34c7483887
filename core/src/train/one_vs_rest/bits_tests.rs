//! Every instruction set gives the portable bits.

use super::{
    label_block::{BlockRows, BlockSweep, LABELS, block_losses, block_squares, rebuild_block},
    label_solver::{Effort, SolverScratch},
    packed_rows::PackedRows,
};
use crate::parameters::one_vs_rest::{Bias, Loss, OneVsRest};
use crate::random::Stream;
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

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
fn solved(processor: Processor, loss: Loss, bias: Bias) -> Vec<u64> {
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
    scratch.solve(&rows, bias, effort, &mut Stream::new(1, 1), processor);
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
fn block(processor: Processor, loss: Loss, bias: Bias) -> Vec<u64> {
    let rows = rows();
    let parameters = OneVsRest {
        loss,
        bias,
        ..OneVsRest::default()
    };
    let carried: Vec<u32> = (0..200u32)
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
        let met = processor.run(BlockSweep {
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
    let told = processor.run(|| rebuild_block(&of, &duals, &mut rebuilt));
    let losses = processor.run(|| block_losses(&of, &weights, &biases));
    let squares = processor.run(|| block_squares(&weights));
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
fn every_instruction_set_gives_the_portable_bits() {
    let portable = Processor::portable();
    for processor in Processor::available() {
        for loss in [Loss::Hinge, Loss::SquaredHinge] {
            for bias in [Bias::Fixed(-1.0), Bias::Learned(1.0)] {
                let name = processor.name();
                let (found, expected) =
                    (solved(processor, loss, bias), solved(portable, loss, bias));
                assert_eq!(found, expected, "{name}");
                let (found, expected) = (block(processor, loss, bias), block(portable, loss, bias));
                assert!(found == expected, "{name}");
            }
        }
    }
}
