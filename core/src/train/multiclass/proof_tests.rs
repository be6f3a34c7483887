//! Proofs against a dense computation in f64, on random problems: up to 300 classes, of which most
//! share one dual in most rows, and costs from 1/1000 to 1000.

use super::{
    by_feature::{ByFeature, Stored},
    lee_lin_wahba::LeeLinWahba,
    problem::{MultiLabel, Problem, tests::random_data},
    trainer::Trainer,
    twin::Twin,
};
use crate::{
    executor::{Executor, Sequential},
    model::linear::LinearModel,
    parameters::multiclass::{
        MultiClassLoss::{self, CrammerSinger, LeeLinWahba as Simplex, WestonWatkins},
        MultiClassSvm, Shrinking,
    },
    train::{
        TrainError, exchange::Alone, multiclass::certificate::Certificate,
        published::bundles::epochs::Tournament,
    },
};
use alloc::{string::ToString, vec, vec::Vec};
use hapax_processor::Processor;
use proptest::{prelude::*, test_runner::RngSeed};

/// A problem and how it is solved.
#[derive(Clone, Debug)]
pub(super) struct Case {
    rows: usize,
    features: u32,
    classes: u32,
    seed: u64,
    pub chosen: MultiClassSvm,
}

impl Case {
    pub(super) fn problem(&self) -> Problem {
        let data = random_data(self.rows, self.features, self.classes, self.seed);
        Problem::new(&data, &self.chosen, MultiLabel::Refuse).unwrap()
    }
}

/// Problems of each size, left after some epochs: most are far from their optimum, some at it.
fn cases(loss: MultiClassLoss) -> impl Strategy<Value = Case> {
    let classes = prop_oneof![2u32..8, 8u32..70, 70u32..=300];
    cases_of(loss, classes, (120, 60))
}

/// Problems of so many classes, of less than so many rows more and left after less epochs.
pub(super) fn cases_of(
    loss: MultiClassLoss,
    classes: impl Strategy<Value = u32>,
    (rows, epochs): (usize, u32),
) -> impl Strategy<Value = Case> {
    let shrinking = prop_oneof![
        Just(Shrinking::Bounds),
        Just(Shrinking::Counter(2)),
        Just(Shrinking::Off)
    ];
    let data = (classes, 0..rows, 1u32..14, any::<u64>());
    let chosen = (
        -3f64..3.0,
        1..epochs,
        any::<bool>(),
        any::<bool>(),
        shrinking,
    );
    (data, chosen).prop_map(move |(data, chosen)| {
        let (classes, more, features, seed) = data;
        let (power, max_epochs, bias, normalize, shrinking) = chosen;
        Case {
            rows: classes as usize + more,
            features,
            classes,
            seed,
            chosen: MultiClassSvm {
                cost: libm::pow(10.0, power),
                bias: if bias { 0.7 } else { 0.0 },
                gap: 1e-6,
                max_epochs,
                normalize,
                shrinking,
                prune: 0.0,
                bits: 16,
                ..MultiClassSvm::new(loss)
            },
        }
    })
}

/// What f32 can lose of a primal objective: a millionth of it and, of every shortfall that is about
/// 0 or above it, some units of the scores by weights up to `largest`. Stored weights and those of
/// the solver may all have something in common, which rounding feels and objectives do not.
fn slack(twin: &Twin, weights: &[Vec<f64>], largest: f64, objective: f64) -> f64 {
    let unit = 2e-6 * largest.max(1.0);
    let mut counted = 0;
    for (short, &own) in twin.shortfalls(weights).iter().zip(&twin.classes) {
        let wrong = short.iter().enumerate().filter(|&(class, _)| class != own);
        let open = wrong.filter(|&(_, &short)| short > -unit).count();
        counted += if twin.loss == CrammerSinger {
            open.min(1)
        } else {
            open
        };
    }
    1e-6 * objective + twin.cost * counted as f64 * unit
}

/// The largest of some weights in size.
fn largest<'w>(weights: impl IntoIterator<Item = &'w f64>) -> f64 {
    weights.into_iter().fold(0.0, |most, w| most.max(w.abs()))
}

/// Both objectives of a proof are those of the duals, whose weights are multiplied by `multiple`.
fn check_proof(
    twin: &Twin,
    duals: &[Vec<f64>],
    (multiple, most_weight): (f64, f64),
    proof: Certificate,
) -> Result<(), TestCaseError> {
    let sums = duals.iter().map(|row| row.iter().sum::<f64>());
    let most = match twin.loss {
        CrammerSinger => sums.fold(0.0, f64::max),
        _ => duals.iter().flatten().copied().fold(0.0, f64::max),
    };
    prop_assert!(most <= twin.cost * (1.0 + 1e-9), "a dual of {most}");
    prop_assert!(duals.iter().flatten().all(|&dual| dual >= 0.0));
    let mut weights = twin.weights(duals);
    let size: f64 =
        duals.iter().flatten().sum::<f64>() + weights.iter().flatten().map(|w| w * w).sum::<f64>();
    let dual = twin.dual(duals);
    prop_assert!((dual - proof.dual).abs() <= 1e-9 * size, "{dual} {proof:?}");
    let all = weights.iter_mut().flatten();
    all.for_each(|weight| *weight *= multiple);
    let primal = twin.primal(&weights);
    let slack = slack(twin, &weights, most_weight, primal);
    prop_assert!(
        (primal - proof.primal).abs() <= slack,
        "{primal} {proof:?} {slack}"
    );
    prop_assert!(primal >= dual - 1e-8 * size, "{primal} {dual}");
    Ok(())
}

/// The objective of stored weights, which are shifted so that those of each feature add up to 0, is
/// that of the machine.
fn check_stored(
    twin: &Twin,
    problem: &Problem,
    model: &LinearModel,
    told: f64,
) -> Result<(), TestCaseError> {
    let stored = Stored::new(problem, model);
    let mut weights = vec![vec![0.0; problem.features()]; problem.classes()];
    let mut most_weight = 0f64;
    for feature in 0..problem.features() {
        stored.visit_feature(feature, |class, weight| {
            weights[class as usize][feature] = f64::from(weight);
        });
        let of_feature = weights.iter().map(|class| &class[feature]);
        most_weight = largest(of_feature).max(most_weight);
        let sum: f64 = weights.iter().map(|class| class[feature]).sum();
        for class in &mut weights {
            class[feature] -= sum / problem.classes() as f64;
        }
    }
    let primal = twin.primal(&weights);
    let slack = slack(twin, &weights, most_weight, primal);
    prop_assert!(
        (primal - told).abs() <= slack,
        "stored: {primal} {told} {slack}"
    );
    Ok(())
}

pub(super) fn check_rows(case: &Case) -> Result<(), TestCaseError> {
    let (problem, chosen) = (case.problem(), &case.chosen);
    let twin = Twin::new(&problem, chosen.loss, chosen.cost);
    let mut trainer = Trainer::new(chosen, problem.clone());
    let proof = trainer.run(&Sequential, Processor::portable());
    let weights: Vec<f64> = trainer
        .state()
        .weights
        .all()
        .0
        .iter()
        .map(|&w| w.into())
        .collect();
    let scale = (trainer.multiple(), largest(&weights));
    check_proof(&twin, &trainer.all_duals(), scale, proof)?;
    let machine: (&Executor, _) = (&Sequential, Processor::portable());
    let made = chosen.machine_by_rows(trainer, case.classes as usize, machine);
    let made = made.map_err(|error| TestCaseError::fail(error.to_string()))?;
    check_stored(&twin, &problem, &made.model, made.stored_primal)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        // The same problems every time: tolerances are those of rounding.
        rng_seed: RngSeed::Fixed(32),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn proofs_of_crammer_singer_are_those_of_a_dense_computation(case in cases(CrammerSinger)) {
        check_rows(&case)?;
    }

    #[test]
    fn proofs_of_weston_watkins_are_those_of_a_dense_computation(case in cases(WestonWatkins)) {
        check_rows(&case)?;
    }

    #[test]
    fn proofs_of_lee_lin_wahba_are_those_of_a_dense_computation(case in cases(Simplex)) {
        let (problem, chosen) = (case.problem(), &case.chosen);
        let twin = Twin::new(&problem, chosen.loss, chosen.cost);
        let machine: (&Executor, _) = (&Sequential, Processor::portable());
        let mut solver = LeeLinWahba::new(chosen, problem.clone(), machine.0, machine.1).unwrap();
        let proof = solver.run(machine.0, machine.1);
        check_proof(&twin, &solver.all_duals(), (1.0, 1.0), proof)?;
        let made = chosen.lee_lin_wahba_machine(&solver, case.classes as usize, machine);
        let made = made.map_err(|error| TestCaseError::fail(error.to_string()))?;
        check_stored(&twin, &problem, &made.model, made.stored_primal)?;
    }

    #[test]
    fn proofs_of_bundles_are_those_of_a_dense_computation(case in cases(WestonWatkins)) {
        let (problem, chosen) = (case.problem(), &case.chosen);
        let twin = Twin::new(&problem, chosen.loss, chosen.cost);
        let mut training = Tournament::new(chosen, problem, &Alone);
        while training.epoch(&Sequential, Processor::portable(), &mut Alone).unwrap().is_some() {}
        let proof = training.certificate().unwrap();
        check_proof(&twin, &training.all_duals(), (1.0, 1.0), proof)?;
        prop_assert!(proof.sound(super::certificate::ROUNDING * proof.primal).is_ok());
    }
}

/// Training ends with an error where the dual objective comes out above the primal one.
#[test]
fn training_whose_proof_fails_makes_no_machine() {
    let chosen = MultiClassSvm {
        cost: 0.05,
        gap: 1e-4,
        normalize: false,
        ..MultiClassSvm::new(WestonWatkins)
    };
    let data = random_data(60, 8, 40, 1);
    let problem = Problem::new(&data, &chosen, MultiLabel::Refuse).unwrap();
    let machine: (&Executor, _) = (&Sequential, Processor::portable());
    let solved = |spoil: bool| {
        let mut trainer = Trainer::new(&chosen, problem.clone());
        trainer.run(machine.0, machine.1);
        if spoil {
            trainer.spoil_proof(1.002);
        }
        chosen.machine_by_rows(trainer, 40, machine)
    };
    let proof = solved(false).unwrap().certificate;
    assert!((0.0..1e-4).contains(&proof.relative_gap()), "{proof:?}");
    let refused = solved(true).unwrap_err();
    assert!(matches!(refused, TrainError::Unproven { .. }), "{refused}");
}

/// With two classes all losses are the binary machine: Crammer-Singer and Weston-Watkins are the
/// same, and Lee-Lin-Wahba at 4 C has twice their weights and four times their objective.
#[test]
fn two_classes_are_one_machine_to_a_millionth() {
    let data = random_data(60, 40, 2, 5);
    for cost in [0.01, 0.5, 2.0] {
        let chosen = |loss, cost, gap| MultiClassSvm {
            cost,
            gap,
            max_epochs: 300_000,
            normalize: false,
            ..MultiClassSvm::new(loss)
        };
        let machine: (&Executor, _) = (&Sequential, Processor::portable());
        let parameters = chosen(Simplex, 4.0 * cost, 1e-14);
        let problem = Problem::new(&data, &parameters, MultiLabel::Refuse).unwrap();
        let mut sums =
            LeeLinWahba::new(&parameters, problem.clone(), machine.0, machine.1).unwrap();
        let objective = sums.run(machine.0, machine.1).dual / 4.0;
        for loss in [CrammerSinger, WestonWatkins] {
            let mut pairs = Trainer::new(&chosen(loss, cost, 5e-7), problem.clone());
            let proof = pairs.run(machine.0, machine.1);
            let ratio = proof.dual / objective;
            assert!((ratio - 1.0).abs() < 1e-6, "{loss:?} {cost}: {ratio}");
        }
        let exact = chosen(WestonWatkins, cost, 1e-14);
        let mut training = Tournament::new(&exact, problem.clone(), &Alone);
        while training
            .epoch(machine.0, machine.1, &mut Alone)
            .unwrap()
            .is_some()
        {}
        for feature in 0..problem.features() {
            let mut ours = [0f64; 2];
            training.visit(feature, |class, weight| ours[class as usize] = weight);
            let mean = (ours[0] + ours[1]) / 2.0;
            ours = ours.map(|weight| weight - mean);
            for (ours, theirs) in ours.iter().zip(sums.weights(feature)) {
                let away = (2.0 * ours - theirs).abs();
                let proofs = (training.certificate(), sums.certificate());
                assert!(away < 1e-6, "{cost}: {ours} {theirs} {proofs:?}");
            }
        }
    }
}
