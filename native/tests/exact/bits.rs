//! Neither threads nor kernels show in a bit.

use super::clustered;
use hapax::{
    core::{
        executor::Sequential,
        kernels::{Kernels, Portable},
        parameters::{
            MultiClassLoss::{self, CrammerSinger, LeeLinWahba as Llw, WestonWatkins},
            MultiClassSvm,
        },
        train::{Alone, SharedTraining, multiclass::MultiLabel},
    },
    kernels,
    threads::Threads,
};
use std::ops::ControlFlow;

#[test]
fn threads_and_kernels_never_show_in_a_bit_of_crammer_singer() {
    never_show(CrammerSinger, 1.0, 5_000);
}

#[test]
fn nor_of_weston_watkins() {
    never_show(WestonWatkins, 1.0, 5_000);
}

#[test]
fn nor_of_lee_lin_wahba() {
    // The machine of all wrong classes has a closed form at small costs.
    never_show(Llw, 20.0, 1_500);
}

/// More rows than a single lane or block takes, so that lanes, shards and blocks all have work.
fn never_show(loss: MultiClassLoss, cost: f64, rows: usize) {
    let data = clustered(rows, 300, 60, 3);
    let parameters = MultiClassSvm {
        cost,
        gap: 1e-2,
        ..MultiClassSvm::new(loss)
    };
    let go = |_| ControlFlow::Continue(());
    let refuse = MultiLabel::Refuse;
    let plain = parameters
        .train(&data, refuse, None, &Sequential, &Portable, go)
        .unwrap();
    assert!(plain.certificate.relative_gap() <= 1e-2);
    assert!(plain.certificate.epochs > 3, "{:?}", plain.certificate);
    // Each processor on two threads, and the best on other numbers of them.
    let on_two = kernels::available().into_iter().map(|each| (2, each));
    for (threads, kernels) in on_two.chain([1, 3, 5].map(|each| (each, kernels::best()))) {
        let threads = Threads::new(threads).unwrap();
        let other = parameters
            .train(&data, refuse, None, &threads, kernels, go)
            .unwrap();
        assert_eq!(other.model, plain.model, "{}", kernels.processor().name());
        assert_eq!(other.certificate, plain.certificate);
        assert_eq!(other.stored_primal.to_bits(), plain.stored_primal.to_bits());
    }
}

#[test]
fn nor_do_they_where_bundles_of_labels_rotate() {
    let data = clustered(1_000, 200, 60, 5);
    let parameters = MultiClassSvm {
        gap: 1e-2,
        ..MultiClassSvm::new(WestonWatkins)
    };
    let train = |threads: usize, kernels: &dyn Kernels| {
        let threads = Threads::new(threads).unwrap();
        let one = MultiLabel::Refuse;
        let mut training =
            SharedTraining::new(&parameters, &data, one, (&threads, &mut Alone), &Portable)
                .unwrap();
        let mut epochs = 0;
        while let Some(report) = training.epoch(&threads, kernels, &mut Alone).unwrap() {
            epochs = report.epoch;
        }
        assert!(epochs > 3, "{epochs}");
        let machine = parameters.finish_shared(training, &data, &threads, kernels);
        machine.unwrap().unwrap()
    };
    let plain = train(1, &Portable);
    assert!(plain.certificate.relative_gap() <= 1e-2);
    for threads in [1, 2, 3] {
        for kernels in kernels::available() {
            let other = train(threads, kernels);
            assert_eq!(other.model, plain.model, "{}", kernels.processor().name());
            assert_eq!(other.certificate, plain.certificate);
        }
    }
}
