//! Training on from pruned weights.

use super::{
    Trainer,
    step::{Rates, Step},
    tests::{data, parameters},
};
use crate::parameters::mach::{MachParameters, Optimizer};
use crate::{
    executor::{Sequential, tests::Many},
    kernels::{Portable, Term},
    model::mach::{Mach, head_weights::HeadWeights},
    random::Stream,
    train::Training,
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;
use hapax_processor::Processor;

/// Weights after one step from `start`.
fn after(start: &[f32], rates: Rates, sparse: bool) -> Vec<f32> {
    let (buckets, heads) = (21, 3);
    let mut weights = start.to_vec();
    let squares = match rates {
        Rates::Features => heads,
        Rates::Same => 0,
    };
    let terms = [(0, 0.7f32), (2, -1.3), (3, 0.4), (1, 0.2), (4, 1.0)];
    Processor::portable().run(Step {
        weights: &mut weights,
        squares: &mut vec![0.0; 5 * squares],
        buckets,
        terms: &terms.map(|(row, value)| Term { row, value }),
        targets: &[3, 0, 20],
        softmax: true,
        rates,
        rate: 0.3,
        sparse,
        gradient: &mut vec![0.0; buckets * heads],
        sizes: &mut [0.0; 3],
        steps: &mut [0.0; 3 * 5],
        loss: &mut [0.0; 3],
    });
    weights
}

#[test]
fn weights_of_zero_stay_and_the_others_move_as_ever() {
    let mut dice = Stream::new(3, 3);
    let start: Vec<f32> = (0..5 * 63)
        .map(|_| match dice.below(3) {
            0 => dice.unit() as f32 - 0.5,
            _ => 0.0,
        })
        .collect();
    for rates in [Rates::Features, Rates::Same] {
        let (sparse, plain) = (after(&start, rates, true), after(&start, rates, false));
        for ((from, sparse), plain) in start.iter().zip(&sparse).zip(&plain) {
            let expected = if *from == 0.0 { 0.0 } else { *plain };
            assert_eq!(sparse.to_bits(), expected.to_bits(), "{rates:?}");
        }
        assert!(plain.iter().filter(|w| **w == 0.0).count() < 9);
    }
}

fn stored(weights: &HeadWeights) -> Vec<Vec<f32>> {
    let mut row = Vec::new();
    (0..weights.records())
        .map(|record| {
            weights.row_into(record, &mut row);
            row.clone()
        })
        .collect()
}

#[test]
fn a_pruned_model_trained_on_is_better_and_no_larger() {
    let data = data(600, 11, false, 9);
    let go_on = |_| ControlFlow::Continue(());
    for bits in [4, 8] {
        let p = MachParameters {
            repetitions: 8,
            bits,
            keep: 0.12,
            ..parameters(Optimizer::Sgd)
        };
        let pruned: Mach = p.train(&data, &Sequential, &Portable, go_on).unwrap();
        let to_the_end = |trainer: &mut Trainer<'_>| {
            while trainer.step(&Sequential).is_some() {}
            Ok(())
        };
        let refined = pruned
            .refined(&data, &Sequential, &Portable, to_the_end)
            .unwrap();
        let [before, after] = [&pruned, &refined].map(|mach| stored(mach.weights()));
        for (before, after) in before.iter().flatten().zip(after.iter().flatten()) {
            assert!(*before != 0.0 || *after == 0.0);
        }
        assert!(before != after && refined.bytes() <= pruned.bytes());
        let [worse, better] =
            [&pruned, &refined].map(|mach| mach.judge(&data, &Sequential, &Portable).at_1);
        assert!(
            better > worse,
            "{bits} bits: {worse} before, {better} after"
        );
        for threads in [2, 8] {
            let many = pruned.refined(&data, &Many(threads), &Portable, to_the_end);
            assert!(
                stored(many.unwrap().weights()) == after,
                "{threads} threads"
            );
        }
    }
}
