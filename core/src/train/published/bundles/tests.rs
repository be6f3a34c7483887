use super::epochs::Tournament;
use crate::train::exchange::Alone;
use crate::{
    executor::Sequential,
    parameters::multiclass::{MultiClassLoss, MultiClassSvm},
    train::multiclass::{
        problem::{Problem, tests::random},
        trainer::Trainer,
    },
};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

impl Tournament {
    /// All duals of the solution, by row and class.
    pub(crate) fn all_duals(&self) -> Vec<Vec<f64>> {
        let (problem, many) = (self.problem(), self.bundles.len());
        let mut all = vec![vec![0.0; problem.classes()]; problem.len()];
        for (pair, duals) in self.duals.iter().enumerate() {
            let (first, second) = (&self.bundles[pair / many], &self.bundles[pair % many]);
            for (duals, own, other) in [(&duals.0, first, second), (&duals.1, second, first)] {
                for (duals, &row) in duals.iter().zip(&own.rows) {
                    for (local, &class) in (0..).zip(&other.classes) {
                        all[row as usize][class as usize] = duals.of(local);
                    }
                }
            }
        }
        for (row, duals) in all.iter_mut().enumerate() {
            duals[problem.class(row) as usize] = 0.0;
        }
        all
    }
}

fn parameters(cost: f64, gap: f64) -> MultiClassSvm {
    MultiClassSvm {
        cost,
        gap,
        max_epochs: 5000,
        normalize: false,
        ..MultiClassSvm::new(MultiClassLoss::WestonWatkins)
    }
}

fn alone(parameters: &MultiClassSvm, problem: &Problem) -> Tournament {
    let mut training = Tournament::new(parameters, problem.clone(), &Alone);
    while training
        .epoch(&Sequential, Processor::portable(), &mut Alone)
        .unwrap()
        .is_some()
    {}
    training
}

#[test]
fn the_optimum_and_the_proof_are_those_of_the_solver_of_one_process() {
    for seed in 0..6 {
        let classes = [2, 3, 4, 7, 20, 40][seed as usize];
        let problem = random(60, 8, classes, seed);
        for cost in [0.05, 0.7] {
            let chosen = parameters(cost, 1e-5);
            let proof =
                Trainer::new(&chosen, problem.clone()).run(&Sequential, Processor::portable());
            let training = alone(&chosen, &problem);
            let found = training.certificate().unwrap();
            assert!(
                found.relative_gap() <= 1e-5,
                "{classes} {cost} {found:?} {proof:?}"
            );
            assert!(
                (found.dual - proof.dual).abs() < 2e-5 * proof.primal,
                "{found:?} {proof:?}"
            );
            assert!((found.primal - proof.primal).abs() < 2e-5 * proof.primal);
        }
    }
}
