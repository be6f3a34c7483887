//! What training of embeddings is held to.

use super::{
    joint::Trainer,
    twin::{Twin, blobs, train, twin},
    visit::Outcome,
};
use crate::parameters::wsabie::{Discriminant, RankWeight, ViolatorSearch, Wsabie, WsabieSteps};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    sparse::{SparseRows, SparseVec},
    train::{TrainError, Training},
};
use alloc::{vec, vec::Vec};

fn plain(parameters: &Wsabie) -> Wsabie {
    Wsabie {
        dimensions: 7,
        normalize: false,
        decay: false,
        rest: 0,
        batch: 1,
        epochs: 2,
        ..parameters.clone()
    }
}

/// Every switch, each with and without the others that matter to it.
fn every_way() -> Vec<Wsabie> {
    let all = ViolatorSearch::Blocks {
        classes: 64,
        top: 3,
    };
    let mut ways = vec![plain(&Wsabie::published()), plain(&Wsabie::plus_plus())];
    for search in [ViolatorSearch::Cyclic, all] {
        for discriminant in [Discriminant::Linear, Discriminant::Euclidean] {
            for (steps, step_size) in [
                (WsabieSteps::Plain, 0.02),
                (WsabieSteps::AdaGrad, 0.05),
                (WsabieSteps::AdaGradByFeature, 0.05),
            ] {
                for rank_weight in [RankWeight::Constant, RankWeight::Harmonic] {
                    for (violators, max_norm) in [(0, 0.0), (1, 1.5), (10, 0.0)] {
                        let way = Wsabie {
                            search,
                            discriminant,
                            steps,
                            step_size,
                            rank_weight,
                            violators,
                            max_norm,
                            margin: 0.3,
                            initial: 0.1,
                            ..Wsabie::default()
                        };
                        ways.push(plain(&way));
                    }
                }
            }
        }
    }
    ways
}

#[test]
fn the_trainer_is_its_twin_in_every_way() {
    for (rows, most_labels) in [(60, 1), (60, 3)] {
        let data = blobs(rows, 20, 9, most_labels);
        for way in every_way() {
            let fast = train(&way, &data, &Sequential).unwrap().remove(0);
            let slow = twin(&way, &data);
            let size = slow.beta.iter().flatten().fold(0f64, |a, b| a.max(b.abs()));
            assert!(size > 0.0);
            let mut prototype = [0.0; 7];
            for (class, beta) in (0..).zip(&slow.beta) {
                fast.prototype(class, &mut prototype);
                for (fast, slow) in prototype.iter().zip(beta) {
                    assert!(
                        (f64::from(*fast) - slow).abs() < 0.02 * size,
                        "{fast} for {slow}: {way:?}"
                    );
                }
            }
            for (fast, slow) in fast.embedding.iter().zip(slow.w.iter().flatten()) {
                let limit = 0.02 * way.step_size.max(way.initial).max(slow.abs());
                assert!(
                    (f64::from(*fast) - slow).abs() < limit,
                    "{fast} for {slow}: {way:?}"
                );
            }
        }
    }
}

/// Distances are measured from prototypes as they are after they were put back into the ball.
#[test]
fn lengths_of_prototypes_are_those_within_the_ball() {
    let (mut met, most) = (0, 0.2f32);
    let data = blobs(60, 20, 9, 1);
    for way in every_way() {
        if way.discriminant != Discriminant::Euclidean {
            continue;
        }
        let max_norm = f64::from(most);
        let way = Wsabie { max_norm, ..way };
        let space = train(&way, &data, &Sequential).unwrap().remove(0);
        let mut prototype = [0.0; 7];
        for class in 0..20 {
            space.prototype(class, &mut prototype);
            let square: f32 = prototype.iter().map(|beta| beta * beta).sum();
            assert!(square <= most * most * 1.001, "{square}: {way:?}");
            let known = -space.offset(class);
            assert!((square - known).abs() < 1e-5, "{square} {known}: {way:?}");
            met += usize::from(square > most * most * 0.999);
        }
    }
    assert!(met > 20, "{met} prototypes met the ball");
}

#[test]
fn gradients_of_all_blocks_are_those_of_finite_differences() {
    for discriminant in [Discriminant::Linear, Discriminant::Euclidean] {
        let p = plain(&Wsabie {
            discriminant,
            ..Wsabie::default()
        });
        let data = blobs(30, 5, 4, 1);
        let mut twin = twin(&p, &data);
        let x = [(0, 0.4), (1, -0.7), (3, 1.1)];
        let shares = [(2, 0.4), (4, 0.9)];
        let (y, m, weight) = (1, 7, 1.3);
        let embed = |t: &Twin<'_>| -> Vec<f64> {
            (0..m)
                .map(|j| x.iter().map(|&(f, v)| v * t.w[f][j]).sum())
                .collect()
        };
        // The loss within the region where all its hinges are active.
        let loss = |t: &Twin<'_>| -> f64 {
            let z = embed(t);
            shares
                .iter()
                .map(|&(c, w)| w * (p.margin + t.f(c, &z)))
                .sum::<f64>()
                - weight * t.f(y, &z)
        };
        let (g_y, g_v, g_z) = twin.gradients(&embed(&twin), y, &shares, weight);
        let h = 1e-5;
        let mut check = |get: for<'t> fn(&'t mut Twin<'_>, usize, usize) -> &'t mut f64,
                         at: usize,
                         j: usize,
                         expected: f64| {
            let before = *get(&mut twin, at, j);
            *get(&mut twin, at, j) = before + h;
            let up = loss(&twin);
            *get(&mut twin, at, j) = before - h;
            let down = loss(&twin);
            *get(&mut twin, at, j) = before;
            let found = (up - down) / (2.0 * h);
            assert!(
                (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                "{found} for {expected}"
            );
        };
        fn beta<'t>(t: &'t mut Twin<'_>, class: usize, j: usize) -> &'t mut f64 {
            &mut t.beta[class][j]
        }
        fn w<'t>(t: &'t mut Twin<'_>, feature: usize, j: usize) -> &'t mut f64 {
            &mut t.w[feature][j]
        }
        for j in 0..m {
            check(beta, y, j, g_y[j]);
            check(beta, 2, j, g_v[0][j]);
            check(beta, 4, j, g_v[1][j]);
            for (f, v) in x {
                check(w, f, j, v * g_z[j]);
            }
        }
    }
}

#[test]
fn scaled_step_margin_and_start_give_the_scaled_run_to_the_bit() {
    let data = blobs(200, 20, 9, 2);
    for base in [Wsabie::plus_plus(), Wsabie::default()] {
        let scaled = Wsabie {
            step_size: 8.0 * base.step_size,
            margin: 64.0 * base.margin,
            initial: 8.0 * base.initial,
            ..base.clone()
        };
        let (one, eight) = (
            train(&base, &data, &Sequential).unwrap().remove(0),
            train(&scaled, &data, &Sequential).unwrap().remove(0),
        );
        let same = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| 8.0 * a == *b);
        assert!(same(&one.embedding, &eight.embedding) && same(&one.panels, &eight.panels));
        assert!(one.panels.iter().any(|&weight| weight != 0.0));
    }
}

#[test]
fn classes_that_confuse_each_other_still_learn() {
    // Clouds that overlap widely: last violators are mutual all the time.
    let data = blobs(1_000, 40, 10, 1);
    let start = Wsabie {
        margin: 0.02,
        step_size: 0.05,
        initial: 0.1,
        dimensions: 10,
        epochs: 12,
        ..Wsabie::plus_plus()
    };
    for violators in 2..=8 {
        let parameters = plain(&Wsabie {
            violators,
            ..start.clone()
        });
        let parameters = Wsabie {
            epochs: 12,
            ..parameters
        };
        let mut trainer = parameters.trainer(&data, &Portable).unwrap();
        let (mut sums, mut mutual, mut ignored) = (Vec::new(), 0, 0);
        while let Some(report) = trainer.step(&Sequential) {
            ignored += report.ignored;
            sums.push(trainer.class_sums());
            let last = trainer.last_violators();
            mutual += (0..40)
                .filter(|&a| last.of(a).is_some_and(|b| last.of(b) == Some(a)))
                .count();
        }
        // Behind the last part there is no state any more.
        let (early, late) = (&sums[5], &sums[10]);
        let learning = early
            .iter()
            .zip(late)
            .filter(|(early, late)| late > early)
            .count();
        assert!(
            mutual > 10 && ignored > 1_000,
            "{mutual} mutual, {ignored} ignored"
        );
        assert_eq!(
            learning, 40,
            "Q = {violators}, {mutual} mutual, {ignored} ignored"
        );
    }
}

/// How many visits found no violator, and in how many of these there was one.
fn satisfied_and_missed(trainer: &mut Trainer<'_>) -> (usize, usize) {
    let (mut satisfied, mut missed) = (0, 0);
    for at in 0..trainer.order.len() {
        trainer.visit_all(at..at + 1, &Sequential);
        let (space, visited) = (&trainer.space, &trainer.visits[0]);
        if visited.outcome == Outcome::Satisfied {
            satisfied += 1;
            let score = |class: u32| {
                let slot = space.slot_of[class as usize] as usize;
                space.score(slot, &visited.point)
            };
            let limit = score(visited.positive) - trainer.parameters.margin as f32;
            let labels = trainer.data.labels().row(visited.row);
            let violates = |class: &u32| !labels.contains(class) && score(*class) > limit;
            missed += usize::from((0..space.classes() as u32).any(|class| violates(&class)));
        }
        trainer.learn(&Sequential);
    }
    (satisfied, missed)
}

#[test]
fn the_cyclic_search_misses_no_violator_and_draws_miss_some() {
    let data = blobs(400, 60, 9, 1);
    let missed = |search| {
        let parameters = Wsabie {
            search,
            margin: 0.01,
            step_size: 0.05,
            initial: 0.1,
            ..Wsabie::default()
        };
        let parameters = Wsabie {
            epochs: 20,
            ..plain(&parameters)
        };
        let mut trainer = parameters.trainer(&data, &Portable).unwrap();
        let (mut satisfied, mut missed) = (0, 0);
        for _ in 0..parameters.epochs {
            let of_epoch = satisfied_and_missed(&mut trainer);
            satisfied += of_epoch.0;
            missed += of_epoch.1;
            trainer.end_epoch().unwrap();
        }
        assert!(satisfied > 100);
        missed
    };
    assert_eq!(missed(ViolatorSearch::Cyclic), 0);
    assert_eq!(
        missed(ViolatorSearch::Blocks {
            classes: 32,
            top: 2
        }),
        0
    );
    assert!(missed(ViolatorSearch::Replacement) > 20);
}

#[test]
fn no_start_makes_a_number_that_is_none() {
    let data = blobs(100, 20, 9, 2);
    for mut way in every_way() {
        way.initial = 0.0;
        let spaces = train(&way, &data, &Sequential).unwrap();
        assert!(
            spaces[0]
                .panels
                .iter()
                .chain(&spaces[0].embedding)
                .all(|w| w.is_finite())
        );
    }
}

#[test]
fn what_cannot_be_learned_from_is_refused_or_left_out() {
    let row = |x: &[(u32, f32)]| SparseVec::from_pairs(x.iter().copied()).unwrap();
    type Row<'a> = (&'a [(u32, f32)], &'a [u32]);
    let data = |rows: &[Row<'_>], classes| {
        let (mut made, mut lists) = (SparseRows::new(2), LabelLists::new(classes));
        for (x, labels) in rows {
            made.push(row(x).view()).unwrap();
            lists.push(labels.iter().copied());
        }
        Dataset::new(made, lists, None).unwrap()
    };
    let refused = |data: &Dataset| train(&Wsabie::default(), data, &Sequential).err();
    assert_eq!(refused(&data(&[], 2)), Some(TrainError::NoRows));
    assert_eq!(
        refused(&data(&[(&[(0, 1.0)], &[0])], 1)),
        Some(TrainError::TooFewLabels { labels: 1 })
    );
    assert_eq!(
        refused(&data(&[(&[(0, 1.0)], &[0, 1])], 2)),
        Some(TrainError::NoNegatives)
    );
    assert_eq!(
        refused(&data(&[(&[], &[0]), (&[(0, 1.0)], &[])], 2)),
        Some(TrainError::NoNegatives)
    );
    let fine = data(
        &[
            (&[], &[0]),
            (&[(0, 1.0)], &[0]),
            (&[(1, 1.0)], &[1]),
            (&[(1, 1.0)], &[0, 1]),
        ],
        2,
    );
    let spaces = train(&Wsabie::default(), &fine, &Sequential).unwrap();
    let scores = |feature: usize, class: usize| {
        let space = &spaces[0];
        space.score(
            space.slot_of[class] as usize,
            &space.embedding[feature * 32..][..32],
        )
    };
    assert!(scores(0, 0) > scores(0, 1) && scores(1, 1) > scores(1, 0));
}

#[test]
fn ensembles_are_drawn_independently() {
    let data = blobs(100, 20, 9, 2);
    let three = Wsabie {
        models: 3,
        epochs: 2,
        ..Wsabie::default()
    };
    let spaces = train(&three, &data, &Sequential).unwrap();
    assert_eq!(spaces.len(), 3);
    assert!(
        spaces[0].embedding != spaces[1].embedding && spaces[1].embedding != spaces[2].embedding
    );
    let one = Wsabie { models: 1, ..three };
    assert_eq!(
        train(&one, &data, &Sequential).unwrap()[0].embedding,
        spaces[0].embedding
    );
}
