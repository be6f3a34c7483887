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
use hapax_processor::Processor;

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
            extern crate std;
            std::eprintln!("{classes} {cost} {found:?} {proof:?}");
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
