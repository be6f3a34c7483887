//! Training from begin to end.

use super::tests::{data, parameters, run};
use crate::parameters::mach::{Estimator, HeadLoss, MachParameters, Optimizer};
use crate::{
    data::Dataset,
    executor::{Executor, Sequential, tests::Many},
    kernels::Portable,
    model::mach::Mach,
    train::TrainError,
};
use alloc::vec::Vec;
use core::ops::ControlFlow;

#[test]
fn heads_trained_together_are_heads_trained_alone() {
    for several in [false, true] {
        let data = data(200, 9, several, 6);
        for optimizer in [Optimizer::Sgd, Optimizer::FeatureAdaGrad] {
            let p = parameters(optimizer);
            let together = run(&p, &data, 1);
            for groups in [2, 3, 4, 8] {
                assert!(run(&p, &data, groups) == together, "{groups} groups");
            }
        }
    }
}

fn train(p: &MachParameters, data: &Dataset, executor: &Executor) -> Result<Mach, TrainError> {
    p.train(data, executor, &Portable, |_| ControlFlow::Continue(()))
}

#[test]
fn any_number_of_threads_makes_the_same_model() {
    let data = data(200, 9, false, 7);
    for bits in [32, 4, 8] {
        let p = MachParameters {
            bits,
            rerank: 5,
            averaged_epochs: 2,
            dropout: 0.1,
            ..parameters(Optimizer::FeatureAdaGrad)
        };
        let one = train(&p, &data, &Many(1)).unwrap();
        for threads in [2, 8] {
            let many = train(&p, &data, &Many(threads)).unwrap();
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for record in 0..one.weights().records() {
                one.weights().row_into(record, &mut a);
                many.weights().row_into(record, &mut b);
                assert!(a == b, "record {record} of {threads} threads");
            }
        }
    }
}

#[test]
fn what_was_learned_is_answered() {
    for several in [false, true] {
        let data = data(600, 11, several, 9);
        for estimator in [
            Estimator::Mean,
            Estimator::Min,
            Estimator::Median,
            Estimator::LogMean,
            Estimator::LogitSum,
        ] {
            for bits in [32, 8, 4] {
                let p = MachParameters {
                    buckets: 4,
                    repetitions: 8,
                    estimator,
                    bits,
                    keep: 0.5,
                    epochs: 6,
                    ..parameters(Optimizer::FeatureAdaGrad)
                };
                let right = train(&p, &data, &Sequential)
                    .unwrap()
                    .judge(&data, &Sequential, &Portable)
                    .at_1;
                let least = if estimator == Estimator::Min {
                    0.5
                } else {
                    0.75
                };
                assert!(
                    right > least,
                    "{estimator:?} {bits} bits several {several}: {right}"
                );
            }
        }
    }
}

#[test]
fn progress_can_stop_training() {
    let data = data(300, 9, false, 10);
    let p = parameters(Optimizer::FeatureAdaGrad);
    let stopped = p.train(&data, &Sequential, &Portable, |_| ControlFlow::Break(()));
    assert_eq!(stopped.err(), Some(TrainError::Stopped));
}

#[test]
fn a_budget_is_kept_and_one_too_small_says_the_smallest() {
    let data = data(400, 11, false, 12);
    let p = MachParameters {
        rerank: 5,
        ..parameters(Optimizer::Sgd)
    };
    let within = |budget| {
        let mut watch = |_| ControlFlow::Continue(());
        p.train_within(&data, budget, &Sequential, &Portable, &mut watch)
    };
    let (mach, fit) = within(1500).unwrap();
    assert!(mach.bytes() <= 1500 && fit.tried.iter().all(|step| step.bytes <= 1500));
    let chosen = fit.tried[fit.chosen].precision;
    assert!(chosen.mean() > 0.2);
    assert!(
        fit.tried
            .iter()
            .all(|step| step.precision.mean() <= chosen.mean())
    );
    // Three tenths of 400 rows, and the share of them that each way was right on.
    assert_eq!(fit.held_out, 120);
    for step in &fit.tried {
        let right = 120.0 * step.precision.at_1;
        assert!(
            (right - f64::from((right + 0.5) as u32)).abs() < 1e-9,
            "{right}"
        );
    }
    let Err(TrainError::Budget { smallest, .. }) = within(10) else {
        panic!("10 bytes cannot be enough");
    };
    let (mach, _) = within(smallest).unwrap();
    assert_eq!(mach.bytes() as u64, smallest);
    assert!(within(smallest - 1).is_err());
}

/// The bytes of weights and all that stands beside them say whether two models are one.
fn told(mach: &Mach) -> (Vec<Vec<f32>>, usize, f64) {
    let weights = mach.weights();
    let rows = (0..weights.records()).map(|record| {
        let mut row = Vec::new();
        weights.row_into(record, &mut row);
        row
    });
    let weight = mach.parameters().rerank_weight;
    (rows.collect(), mach.bytes(), weight)
}

#[test]
fn packed_again_of_the_same_rows_is_the_same_model() {
    let data = data(400, 11, false, 12);
    let mut seen = [false; 2];
    for (rerank, repetitions, budget) in [(0, 3, 900), (0, 8, 700), (5, 3, 1300), (5, 8, 1500)] {
        let p = MachParameters {
            rerank,
            repetitions,
            ..parameters(Optimizer::FeatureAdaGrad)
        };
        let mut watch = |_| ControlFlow::Continue(());
        let made = p.train_within(&data, budget, &Sequential, &Portable, &mut watch);
        let (mach, fit) = made.unwrap();
        let refined = fit.tried[fit.chosen].refined;
        seen[usize::from(refined)] = true;
        let again = mach
            .packed_again(refined, &data, &Sequential, &Portable)
            .unwrap();
        assert!(told(&again) == told(&mach), "{budget} bytes");
    }
    // Chosen were both: with the weights that were kept trained on, and without.
    assert_eq!(seen, [true; 2]);
}

#[test]
fn wrong_parameters_and_data_are_refused_before_any_work() {
    let good = parameters(Optimizer::Sgd);
    let fine = data(50, 9, false, 1);
    let refused = |p: &MachParameters, data: &Dataset| train(p, data, &Sequential).err();
    for bad in [
        MachParameters {
            buckets: 1,
            ..good.clone()
        },
        MachParameters {
            buckets: 10,
            ..good.clone()
        },
        MachParameters {
            repetitions: 0,
            ..good.clone()
        },
        MachParameters {
            epochs: 0,
            ..good.clone()
        },
        MachParameters {
            learning_rate: f64::NAN,
            ..good.clone()
        },
        MachParameters {
            learning_rate: f64::INFINITY,
            ..good.clone()
        },
        MachParameters {
            bits: 5,
            ..good.clone()
        },
        MachParameters {
            keep: 0.0,
            ..good.clone()
        },
        MachParameters {
            dropout: -0.1,
            ..good.clone()
        },
    ] {
        assert!(
            matches!(refused(&bad, &fine), Some(TrainError::Parameter(_))),
            "{bad:?}"
        );
    }
    assert_eq!(refused(&good, &fine.select(&[])), Some(TrainError::NoRows));
    let sigmoid = MachParameters {
        loss: HeadLoss::Sigmoid,
        learning_rate: 1e6,
        normalize: false,
        ..good
    };
    let wild = train(&sigmoid, &fine, &Sequential);
    assert!(wild.is_ok() || wild.err() == Some(TrainError::Diverged));
}

#[test]
fn the_memory_that_is_stated_is_the_memory_that_is_held() {
    let data = data(400, 11, false, 12);
    for optimizer in [Optimizer::Sgd, Optimizer::FeatureAdaGrad] {
        let p = MachParameters {
            repetitions: 30,
            averaged_epochs: 1 + u32::from(optimizer == Optimizer::FeatureAdaGrad),
            ..parameters(optimizer)
        };
        let held = p.trainer(&data, 1, &Portable).unwrap().bytes() as u64;
        let stated = p.memory_estimate(&data);
        assert!(
            held <= stated && stated < 2 * held + 40_000,
            "{held} held, {stated} stated"
        );
    }
}
