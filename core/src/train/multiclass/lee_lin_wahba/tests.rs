use super::{LANES, LeeLinWahba};
use crate::{
    executor::Sequential,
    parameters::multiclass::{MultiClassLoss, MultiClassSvm},
    train::{
        exchange::Alone,
        multiclass::{
            problem::{Problem, tests::random},
            trainer::Trainer,
            twin::Twin,
        },
        state::Resumable,
    },
};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

impl LeeLinWahba {
    /// All duals of the solution, by row and class.
    pub(crate) fn all_duals(&self) -> Vec<Vec<f64>> {
        let classes = self.problem.classes();
        let rows = self.duals.chunks(classes.div_ceil(LANES));
        rows.map(|duals| duals.as_flattened()[..classes].to_vec())
            .collect()
    }
}

fn solve(problem: &Problem, cost: f64, gap: f64) -> LeeLinWahba {
    let parameters = MultiClassSvm {
        cost,
        gap,
        max_epochs: 50_000,
        normalize: false,
        ..MultiClassSvm::new(MultiClassLoss::LeeLinWahba)
    };
    let mut solver = LeeLinWahba::new(
        &parameters,
        problem.clone(),
        &Sequential,
        Processor::portable(),
    )
    .unwrap();
    solver.run(&Sequential, Processor::portable());
    solver
}

#[test]
fn the_optimum_is_the_twins() {
    for seed in 0..6 {
        let problem = random(16, 5, 2 + seed as u32 % 4, seed);
        let twin = Twin::new(&problem, MultiClassLoss::LeeLinWahba, 0.6);
        let best = twin.dual(&twin.solve(4000));
        let solver = solve(&problem, 0.6, 1e-7);
        let proof = solver.certificate().unwrap();
        assert!(proof.relative_gap() <= 1e-7, "{proof:?}");
        assert!((proof.dual - best).abs() < 1e-3 * best, "{proof:?} {best}");
        let duals = solver.all_duals();
        assert!((twin.dual(&duals) - proof.dual).abs() < 1e-9 * best);
        assert!((twin.primal(&twin.weights(&duals)) - proof.primal).abs() < 1e-9 * best);
        for feature in 0..problem.features() {
            assert!(solver.weights(feature).sum::<f64>().abs() < 1e-9);
        }
    }
}

#[test]
fn a_small_cost_needs_one_epoch_and_has_its_closed_form() {
    let problem = random(30, 6, 4, 9);
    let solver = solve(&problem, 1e-3, 1e-9);
    let proof = solver.certificate().unwrap();
    assert_eq!((proof.epochs, proof.duals), (1, 90));
    assert!(proof.relative_gap() < 1e-12, "{proof:?}");
    for feature in 0..problem.features() {
        let mut sums = vec![0.0; 4];
        for row in 0..problem.len() {
            let terms = problem.row(row);
            for (&id, &value) in terms.features.iter().zip(terms.values) {
                if id as usize == feature {
                    sums[problem.class(row) as usize] += 1e-3 * f64::from(value);
                }
            }
        }
        let mean = sums.iter().sum::<f64>() / 4.0;
        for (weight, sum) in solver.weights(feature).zip(&sums) {
            assert!((weight - (sum - mean)).abs() < 1e-12);
        }
    }
}

#[test]
fn neither_parts_of_the_classes_nor_what_was_saved_by_others_show_in_a_bit() {
    let parameters = MultiClassSvm {
        cost: 3.0,
        gap: 1e-5,
        ..MultiClassSvm::new(MultiClassLoss::LeeLinWahba)
    };
    let begin = |parts| {
        let (problem, processor) = (random(60, 20, 7, 3), Processor::portable());
        LeeLinWahba::divided(
            &parameters,
            problem,
            parts,
            (&Sequential, &mut Alone),
            processor,
        )
        .unwrap()
    };
    let mut whole = begin(1);
    let proof = whole.run(&Sequential, Processor::portable());
    let expected = whole.to_bytes().unwrap();
    for parts in [2, 3, 7, 50] {
        let mut solver = begin(parts);
        assert_eq!(solver.parts.len(), parts.min(7));
        for _ in 0..proof.epochs / 2 {
            solver.epoch(&Sequential, Processor::portable());
        }
        let half = solver.to_bytes().unwrap();
        solver.run(&Sequential, Processor::portable());
        let mut other = begin(4);
        other.resume(&half).unwrap();
        other.run(&Sequential, Processor::portable());
        for solver in [solver, other] {
            assert!(solver.to_bytes().unwrap() == expected, "{parts} parts");
            for feature in 0..20 {
                assert!(solver.weights(feature).eq(whole.weights(feature)));
            }
        }
    }
}

/// The paper's schedule: duals for a fixed mean, which is renewed ten times an epoch.
#[test]
fn the_papers_schedule_ends_at_the_same_optimum() {
    let problem = random(24, 5, 3, 4);
    let (classes, cost) = (3, 0.4);
    let exact = solve(&problem, cost, 1e-7).certificate().unwrap().dual;
    let twin = Twin::new(&problem, MultiClassLoss::LeeLinWahba, cost);
    let mut duals = vec![vec![0.0; classes]; problem.len()];
    let mut weights = twin.weights(&duals);
    for pass in 0..3000 {
        for row in 0..problem.len() {
            for class in (0..classes).filter(|&c| c != twin.classes[row]) {
                let x = &twin.rows[row];
                let score: f64 = weights[class].iter().zip(x).map(|(w, x)| w * x).sum();
                let old = duals[row][class];
                let next = f64::clamp(old + (1.0 + score) / problem.square(row), 0.0, cost);
                duals[row][class] = next;
                for (weight, x) in weights[class].iter_mut().zip(x) {
                    *weight -= (next - old) * x;
                }
            }
            let tenth = problem.len().div_ceil(10);
            if (pass * problem.len() + row).is_multiple_of(tenth) {
                weights = twin.weights(&duals);
            }
        }
    }
    assert!((twin.dual(&duals) - exact).abs() < 1e-4 * exact);
}

/// With two classes both losses are the binary machine: the weights of Lee-Lin-Wahba at 4 C are
/// twice those of Weston-Watkins at C.
#[test]
fn two_classes_make_the_losses_one() {
    let problem = random(80, 30, 2, 5);
    for cost in [0.5, 2.0] {
        let parameters = MultiClassSvm {
            cost,
            gap: 1e-6,
            max_epochs: 100_000,
            normalize: false,
            ..MultiClassSvm::new(MultiClassLoss::WestonWatkins)
        };
        let mut pairs = Trainer::new(&parameters, problem.clone());
        let first = pairs.run(&Sequential, Processor::portable());
        let sums = solve(&problem, 4.0 * cost, 1e-9);
        let second = sums.certificate().unwrap();
        assert!(
            (4.0 * first.dual / second.dual - 1.0).abs() < 1e-5,
            "{first:?} {second:?}"
        );
        for feature in 0..problem.features() {
            let mut ours = [0f64; 2];
            let weights = &pairs.state().weights;
            weights.visit(feature, |class, weight| {
                ours[class as usize] = f64::from(weight);
            });
            let mean = (ours[0] + ours[1]) / 2.0;
            for (ours, theirs) in ours.iter().zip(sums.weights(feature)) {
                assert!(
                    (2.0 * (ours - mean) - theirs).abs() < 5e-3,
                    "{ours} {theirs}"
                );
            }
        }
    }
}
