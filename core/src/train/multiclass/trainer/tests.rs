use super::Trainer;
use crate::{
    executor::Sequential,
    parameters::multiclass::{
        MultiClassLoss::{self, CrammerSinger, WestonWatkins},
        MultiClassSvm, Shrinking,
    },
    train::multiclass::{problem::tests::random, twin::Twin},
};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

fn parameters(loss: MultiClassLoss, cost: f64) -> MultiClassSvm {
    MultiClassSvm {
        cost,
        gap: 1e-5,
        max_epochs: 20_000,
        normalize: false,
        ..MultiClassSvm::new(loss)
    }
}

impl Trainer {
    /// Makes the dual objective of the proof wrong, which an error in the solver could.
    pub(crate) fn spoil_proof(&mut self, factor: f64) {
        if let Some(proof) = &mut self.certificate {
            proof.dual *= factor;
        }
    }

    /// All duals of the solution, by row and class.
    pub(crate) fn all_duals(&self) -> Vec<Vec<f64>> {
        let state = self.state();
        let classes = state.weights.classes;
        let of = |row: usize| {
            let duals = &state.duals[row];
            let mut all = vec![duals.shared; classes];
            all[state.problem.class(row) as usize] = 0.0;
            for (&class, &alpha) in duals.classes.iter().zip(&duals.alphas) {
                all[class as usize] = alpha;
            }
            all
        };
        (0..state.problem.len()).map(of).collect()
    }
}

#[test]
fn solutions_and_certificates_are_those_of_the_twin() {
    for seed in 0..6 {
        let classes = 2 + seed as u32 % 4;
        let problem = random(20, 6, classes, seed);
        for loss in [CrammerSinger, WestonWatkins] {
            for cost in [0.05, 0.7] {
                let twin = Twin::new(&problem, loss, cost);
                let best = twin.dual(&twin.solve(1500));
                let mut trainer = Trainer::new(&parameters(loss, cost), problem.clone());
                let proof = trainer.run(&Sequential, Processor::portable());
                let what = (seed, loss, cost, best, proof);
                assert!(proof.relative_gap() <= 1e-5, "{what:?}");
                let duals = trainer.all_duals();
                let mut weights = twin.weights(&duals);
                let all = weights.iter_mut().flatten();
                all.for_each(|weight| *weight *= trainer.multiple());
                assert!(
                    (twin.dual(&duals) - proof.dual).abs() < 1e-9 * best,
                    "{what:?}"
                );
                assert!(
                    (twin.primal(&weights) - proof.primal).abs() < 1e-6 * best,
                    "{what:?}"
                );
                assert!((proof.dual - best).abs() < 2e-3 * best, "{what:?}");
                assert!(proof.dual <= twin.primal(&twin.weights(&twin.solve(1500))) + 1e-9);
            }
        }
    }
}

#[test]
fn shrinking_does_not_change_the_optimum() {
    let problem = random(60, 8, 6, 77);
    for loss in [CrammerSinger, WestonWatkins] {
        let of = |shrinking| {
            let chosen = MultiClassSvm {
                shrinking,
                ..parameters(loss, 0.5)
            };
            Trainer::new(&chosen, problem.clone())
                .run(&Sequential, Processor::portable())
                .dual
        };
        let plain = of(Shrinking::Off);
        for shrinking in [
            Shrinking::Bounds,
            Shrinking::Counter(3),
            Shrinking::Counter(1),
        ] {
            assert!(
                (of(shrinking) - plain).abs() < 2e-5 * plain,
                "{loss:?} {shrinking:?}"
            );
        }
    }
}

/// With only epsilon given, every projected gradient of a full recomputation is that small.
#[test]
fn epsilon_is_kept_by_every_dual() {
    let problem = random(40, 6, 5, 5);
    for loss in [CrammerSinger, WestonWatkins] {
        let chosen = MultiClassSvm {
            gap: 0.0,
            epsilon: 1e-3,
            ..parameters(loss, 0.3)
        };
        let mut trainer = Trainer::new(&chosen, problem.clone());
        let proof = trainer.run(&Sequential, Processor::portable());
        assert!(proof.violation <= 1e-3, "{proof:?}");
        let twin = Twin::new(&problem, loss, 0.3);
        let duals = trainer.all_duals();
        let short = twin.shortfalls(&twin.weights(&duals));
        for (row, (duals, short)) in duals.iter().zip(&short).enumerate() {
            let own = problem.class(row) as usize;
            let wrong = (0..problem.classes()).filter(|&c| c != own);
            let largest = wrong.clone().map(|c| short[c]).fold(0.0, f64::max);
            for class in wrong {
                let (dual, short) = (duals[class], short[class]);
                let slack = match loss {
                    CrammerSinger if dual > 0.0 => largest - short,
                    CrammerSinger => 0.0,
                    _ if dual == 0.0 => short.max(0.0),
                    _ if dual == 0.3 => (-short).max(0.0),
                    _ => short.abs(),
                };
                assert!(
                    slack <= 1.01e-3,
                    "{loss:?} row {row} class {class}: {dual} {short}"
                );
            }
        }
    }
}
