//! The certificate on problems so small that its tests take a moment, also where nothing is
//! optimized: planted errors are looked for with these.

use super::{
    certificate::{Certificate, rounding},
    proof_tests::{Case, cases_of, check_rows},
    trainer::Trainer,
    twin::Twin,
};
use crate::{
    executor::Sequential,
    parameters::multiclass::MultiClassLoss::{CrammerSinger, WestonWatkins},
    train::TrainError,
};
use alloc::string::ToString;
use hapax_processor::Processor;
use proptest::{prelude::*, test_runner::RngSeed};

/// The bound on what rounding takes of the gap is that of dense weights and duals in f64.
fn check_rounding(case: &Case) -> Result<(), TestCaseError> {
    let (problem, chosen) = (case.problem(), &case.chosen);
    let twin = Twin::new(&problem, chosen.loss, chosen.cost);
    let mut trainer = Trainer::new(chosen, problem);
    let proof = trainer.run(&Sequential, Processor::portable());
    let (state, duals) = (trainer.state(), trainer.all_duals());
    let mut weights = twin.weights(&duals);
    // Scores are those of the background, which all classes have in common, and of the rest.
    for class in &mut weights {
        for (weight, &common) in class.iter_mut().zip(&state.weights.background) {
            *weight = *weight * trainer.multiple() - f64::from(common);
        }
    }
    let unit = libm::pow(2.0, -24.0);
    let square: f64 = weights.iter().flatten().map(|w| w * w).sum();
    let mut bound = unit * (4.0 * square + 8.0 * proof.primal);
    for (row, duals) in twin.rows.iter().zip(&duals) {
        let mut most = 1.0;
        for (feature, value) in row.iter().enumerate() {
            let sizes = weights.iter().map(|class| class[feature].abs());
            most += value.abs() * sizes.fold(0.0, f64::max);
        }
        let terms = row.iter().filter(|&&value| value != 0.0).count();
        bound += 2.0 * (terms as f64 + 4.0) * unit * most * duals.iter().sum::<f64>();
    }
    let told = rounding(state, &proof);
    prop_assert!((told - bound).abs() <= 1e-5 * bound, "{told} {bound}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        rng_seed: RngSeed::Fixed(32),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn small_proofs_of_crammer_singer_are_dense_ones(case in cases_of(CrammerSinger, 2u32..12, (20, 12))) {
        check_rows(&case)?;
        check_rounding(&case)?;
    }

    #[test]
    fn small_proofs_of_weston_watkins_are_dense_ones(case in cases_of(WestonWatkins, 2u32..12, (20, 12))) {
        check_rows(&case)?;
        check_rounding(&case)?;
    }
}

#[test]
fn a_gap_below_zero_is_no_proof() {
    let proof = |primal, dual| Certificate {
        primal,
        dual,
        ..Certificate::default()
    };
    assert!(proof(18.554, 18.5541).sound(1e-3).is_ok());
    for (primal, dual, gap) in [(4.0, 3.0, 0.25), (-4.0, -5.0, 0.25), (0.0, -1e-12, 1.0)] {
        assert_eq!(proof(primal, dual).relative_gap(), gap);
    }
    let refused = proof(18.0, 18.009).sound(1e-3).unwrap_err().to_string();
    assert!(refused.contains("by 500000 parts of 10^9"), "{refused}");
    for (primal, dual) in [(18.554, 18.569), (f64::NAN, 1.0), (1.0, f64::NAN)] {
        let refused = proof(primal, dual).sound(1e-3).unwrap_err();
        assert!(matches!(refused, TrainError::Unproven { .. }), "{refused}");
    }
}
