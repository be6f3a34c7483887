//! Machines that begin with the duals of another one, or with a model.

use super::clustered;
use hapax::{
    core::{
        executor::Sequential,
        parameters::{
            MultiClassLoss::{CrammerSinger, WestonWatkins},
            MultiClassSvm,
        },
        train::multiclass::{Machine, MultiLabel, Start},
    },
    kernels,
};
use std::ops::ControlFlow;

#[test]
fn a_warm_start_begins_nearer_to_the_same_optimum() {
    let data = clustered(2_000, 200, 40, 4);
    for loss in [CrammerSinger, WestonWatkins] {
        let train = |cost: f64, start: Option<&Machine>| {
            let parameters = MultiClassSvm {
                cost,
                ..MultiClassSvm::new(loss)
            };
            let start = start
                .and_then(|machine| machine.duals.as_ref())
                .map(Start::Duals);
            let (refuse, mut first) = (MultiLabel::Refuse, None);
            let machine = parameters.train(
                &data,
                refuse,
                start,
                &Sequential,
                kernels::best(),
                |report| {
                    if report.full && first.is_none() {
                        first = Some(report.gap);
                    }
                    ControlFlow::Continue(())
                },
            );
            (machine.unwrap(), first.unwrap())
        };
        let low = train(0.5, None).0;
        let ((cold, far), (warm, near)) = (train(1.0, None), train(1.0, Some(&low)));
        assert!(near < far, "{loss:?} {near} {far}");
        assert!(warm.certificate.relative_gap() <= 1e-3);
        assert!((warm.certificate.dual / cold.certificate.dual - 1.0).abs() < 2e-3);
    }
}

/// A model tells no duals, but which classes rows should list: the first full pass finds less to
/// do.
#[test]
fn an_earlier_model_of_another_loss_is_a_start() {
    let data = clustered(2_000, 200, 40, 4);
    let refuse = MultiLabel::Refuse;
    let earlier = MultiClassSvm {
        gap: 0.3,
        ..MultiClassSvm::new(CrammerSinger)
    };
    let go = |_| ControlFlow::Continue(());
    let earlier = earlier.train(&data, refuse, None, &Sequential, kernels::best(), go);
    let earlier = earlier.unwrap().model;
    for loss in [CrammerSinger, WestonWatkins] {
        let train = |start: Option<Start<'_>>| {
            let mut passes = Vec::new();
            let tell = |report: hapax::core::train::multiclass::Report| {
                passes.push((report.full, report.gap));
                ControlFlow::Continue(())
            };
            let parameters = MultiClassSvm::new(loss);
            let best = kernels::best();
            let machine = parameters.train(&data, refuse, start, &Sequential, best, tell);
            let first = passes.iter().find(|pass| pass.0).unwrap().1;
            (machine.unwrap().certificate, first)
        };
        let ((cold, far), (warm, near)) = (train(None), train(Some(Start::Model(&earlier))));
        // All violations count for Weston-Watkins, and most are of classes that a row does not
        // list.
        let share = if loss == CrammerSinger { 0.5 } else { 1.0 };
        assert!(near < share * far, "{loss:?} {near} {far}");
        assert!(warm.relative_gap() <= 1e-3);
        assert!((warm.dual / cold.dual - 1.0).abs() < 2e-3);
    }
    let other = clustered(200, 100, 40, 4);
    let misfit = MultiClassSvm::new(CrammerSinger).train(
        &other,
        refuse,
        Some(Start::Model(&earlier)),
        &Sequential,
        kernels::best(),
        go,
    );
    assert!(misfit.unwrap_err().to_string().contains("200 features"));
}
