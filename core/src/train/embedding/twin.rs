//! The slow, plain twin of the trainer, in f64 and by classes, and what both are held to.

use super::{
    parameters::{Discriminant, RankWeight, Search, Steps, Wsabie},
    space::Space,
    trainer::Trainer,
    visit::{Outcome, Visit},
};
use crate::{
    data::{Dataset, LabelLists},
    executor::{Executor, Sequential},
    float,
    kernels::{Kernels, Portable},
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::TrainError,
};
use alloc::{vec, vec::Vec};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Rows of `classes` overlapping clouds in `features` dimensions, a third of the values left out.
pub(in crate::train) fn blobs(
    rows: usize,
    classes: u32,
    features: u32,
    most_labels: u32,
) -> Dataset {
    let mut dice = Stream::new(11, 0);
    let centers: Vec<Vec<f64>> = (0..classes)
        .map(|_| (0..features).map(|_| dice.unit() - 0.5).collect())
        .collect();
    let (mut made, mut lists) = (SparseRows::new(features), LabelLists::new(classes));
    for _ in 0..rows {
        let labels: Vec<u32> = (0..=dice.below(u64::from(most_labels)))
            .map(|_| dice.below(u64::from(classes)) as u32)
            .collect();
        let mut pairs = Vec::new();
        for feature in 0..features {
            let center: f64 = labels
                .iter()
                .map(|&l| centers[l as usize][feature as usize])
                .sum();
            if dice.below(3) > 0 {
                pairs.push((feature, (center + 0.4 * (dice.unit() - 0.5)) as f32));
            }
        }
        made.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        lists.push(labels);
    }
    Dataset::new(made, lists, None).unwrap()
}

pub(in crate::train) fn train(
    parameters: &Wsabie,
    data: &Dataset,
    executor: &impl Executor,
) -> Result<Vec<Space>, TrainError> {
    let mut trainer: Trainer<'_> = parameters.trainer(data, &Portable)?;
    while trainer.step(executor)?.is_some() {}
    trainer.finish()
}

/// The twin: one row at a time, dense vectors, all classes scored each time.
struct Twin<'a> {
    p: &'a Wsabie,
    /// W by feature.
    w: Vec<Vec<f64>>,
    beta: Vec<Vec<f64>>,
    class_sums: Vec<f64>,
    sums: Vec<f64>,
    last: Vec<Option<usize>>,
    class_at: Vec<u32>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Twin<'_> {
    fn f(&self, class: usize, z: &[f64]) -> f64 {
        let beta = &self.beta[class];
        match self.p.discriminant {
            Discriminant::Linear => dot(beta, z),
            Discriminant::Euclidean => -beta
                .iter()
                .zip(z)
                .map(|(b, z)| (b - z) * (b - z))
                .sum::<f64>(),
        }
    }

    /// Violators with their excess, and how many classes were tried.
    fn search(
        &self,
        z: &[f64],
        labels: &[u32],
        y: usize,
        dice: &mut Stream,
    ) -> (Vec<(usize, f64)>, usize) {
        let classes = self.beta.len();
        let excess = |class: usize| self.p.margin - self.f(y, z) + self.f(class, z);
        let negatives: Vec<usize> = match self.p.search {
            Search::Cyclic => {
                let start = dice.below(classes as u64) as usize;
                let order = (0..classes).map(|at| self.class_at[(start + at) % classes] as usize);
                order.filter(|&c| !labels.contains(&(c as u32))).collect()
            }
            // Only used with blocks of all classes.
            _ => (0..classes)
                .filter(|&c| !labels.contains(&(c as u32)))
                .collect(),
        };
        let mut found: Vec<(usize, f64)> = Vec::new();
        for (at, &class) in negatives.iter().enumerate() {
            if excess(class) > 0.0 {
                found.push((class, excess(class)));
                if self.p.search == Search::Cyclic {
                    return (found, at + 1);
                }
            }
        }
        (found, negatives.len())
    }

    fn row(&mut self, x: &[(usize, f64)], labels: &[u32], dice: &mut Stream, d: f64) {
        let m = self.p.dimensions as usize;
        let y = labels[dice.below(labels.len() as u64) as usize] as usize;
        let mut z = vec![0.0; m];
        for &(f, v) in x {
            (0..m).for_each(|j| z[j] += v * self.w[f][j]);
        }
        let (mut v, mut seen) = (y, vec![]);
        for _ in 0..self.p.violators {
            match self.last[v] {
                Some(next) if !labels.contains(&(next as u32)) && !seen.contains(&next) => {
                    if self.p.margin - self.f(y, &z) + self.f(next, &z) > 0.0 {
                        return;
                    }
                    seen.push(next);
                    v = next;
                }
                _ => break,
            }
        }
        let (mut found, tried) = self.search(&z, labels, y, dice);
        let violators = found.len();
        found.sort_by(|a, b| {
            self.f(b.0, &z)
                .total_cmp(&self.f(a.0, &z))
                .then(a.0.cmp(&b.0))
        });
        if let Search::Blocks { top, .. } = self.p.search {
            found.truncate(top as usize);
        }
        self.last[y] = found.first().map(|&(class, _)| class);
        if found.is_empty() {
            return;
        }
        let weight = match self.p.rank_weight {
            RankWeight::Constant => 1.0,
            RankWeight::Harmonic => {
                let rank = (self.beta.len() - labels.len()) * violators / tried;
                (1..=rank.max(1)).map(|i| 1.0 / i as f64).sum()
            }
        };
        let total: f64 = found.iter().map(|(_, excess)| excess).sum();
        let shares: Vec<(usize, f64)> = found
            .iter()
            .map(|&(c, e)| (c, weight * e / total))
            .collect();
        self.step(x, &z, y, &shares, weight, d);
    }

    /// Gradients of the loss by the prototype of y, those of the violators, and z.
    #[allow(
        clippy::type_complexity,
        reason = "three blocks of a gradient, in a test"
    )]
    fn gradients(
        &self,
        z: &[f64],
        y: usize,
        shares: &[(usize, f64)],
        weight: f64,
    ) -> (Vec<f64>, Vec<Vec<f64>>, Vec<f64>) {
        let euclid = self.p.discriminant == Discriminant::Euclidean;
        let of = |class: usize, pull: f64| -> Vec<f64> {
            let beta = &self.beta[class];
            beta.iter()
                .zip(z)
                .map(|(b, z)| {
                    if euclid {
                        2.0 * pull * (b - z)
                    } else {
                        -pull * z
                    }
                })
                .collect()
        };
        let violators = shares.iter().map(|&(c, w)| of(c, -w)).collect();
        let factor = if euclid { 2.0 } else { 1.0 };
        let by_z = (0..z.len())
            .map(|j| {
                factor
                    * shares
                        .iter()
                        .map(|&(c, w)| w * (self.beta[c][j] - self.beta[y][j]))
                        .sum::<f64>()
            })
            .collect();
        (of(y, weight), violators, by_z)
    }

    fn step(
        &mut self,
        x: &[(usize, f64)],
        z: &[f64],
        y: usize,
        shares: &[(usize, f64)],
        weight: f64,
        d: f64,
    ) {
        let (g_y, g_v, g_z) = self.gradients(z, y, shares, weight);
        let m = z.len() as f64;
        let adaptive = self.p.steps != Steps::Plain;
        let all = core::iter::once((y, &g_y)).chain(shares.iter().map(|s| s.0).zip(&g_v));
        for (class, g) in all {
            let mut size = self.p.step_size;
            if adaptive {
                self.class_sums[class] += dot(g, g) / m;
                size /= f64::max(float::sqrt(self.class_sums[class]), 1e-30);
            }
            self.beta[class]
                .iter_mut()
                .zip(g)
                .for_each(|(b, g)| *b -= size * g);
            project(&mut self.beta[class], self.p.max_norm);
        }
        let length: f64 = x.iter().map(|&(_, v)| v * v).sum::<f64>() / d;
        if self.p.steps == Steps::AdaGrad {
            self.sums
                .iter_mut()
                .zip(&g_z)
                .for_each(|(sum, g)| *sum += g * g * length);
        }
        for &(f, v) in x {
            if self.p.steps == Steps::AdaGradByFeature {
                self.sums[f] += v * v * dot(&g_z, &g_z) / m;
            }
            for (j, g) in g_z.iter().enumerate() {
                let sum = match self.p.steps {
                    Steps::Plain => 1.0,
                    Steps::AdaGrad => self.sums[j],
                    Steps::AdaGradByFeature => self.sums[f],
                };
                if sum > 0.0 {
                    self.w[f][j] -= self.p.step_size * v * g / float::sqrt(sum);
                }
            }
            project(&mut self.w[f], self.p.max_norm);
        }
    }
}

fn project(vector: &mut [f64], most: f64) {
    let length = float::sqrt(dot(vector, vector));
    if most > 0.0 && length > most {
        vector.iter_mut().for_each(|v| *v *= most / length);
    }
}

fn twin<'a>(p: &'a Wsabie, data: &Dataset) -> Twin<'a> {
    assert!(!p.normalize && !p.decay && p.rest == 0 && p.batch == 1 && p.models == 1);
    let (features, classes) = (
        data.rows().features() as usize,
        data.labels().labels() as usize,
    );
    let start = Space::new(p, features, classes, &mut Stream::new(p.seed, 1 << 61)).unwrap();
    let m = p.dimensions as usize;
    let mut twin = Twin {
        p,
        w: start
            .embedding
            .chunks(m)
            .map(|v| v.iter().map(|&v| f64::from(v)).collect())
            .collect(),
        beta: vec![vec![0.0; m]; classes],
        class_sums: vec![0.0; classes],
        sums: vec![0.0; features.max(m)],
        last: vec![None; classes],
        class_at: (0..classes as u32).collect(),
    };
    let usable = |row: usize| {
        let labels = data.labels().row(row).len();
        !data.rows().row(row).is_empty() && labels > 0 && labels < classes
    };
    let rows: Vec<usize> = (0..data.len()).filter(|&row| usable(row)).collect();
    let d = rows
        .iter()
        .map(|&row| data.rows().row(row).len())
        .sum::<usize>() as f64
        / rows.len() as f64;
    for epoch in 0..u64::from(p.epochs) {
        let mut order = rows.clone();
        let mut dice = Stream::new(p.seed, (1 << 62) + epoch);
        dice.shuffle(&mut order);
        dice.shuffle(&mut twin.class_at);
        for (at, &row) in order.iter().enumerate() {
            let x: Vec<(usize, f64)> = data
                .rows()
                .row(row)
                .iter()
                .map(|(f, v)| (f as usize, f64::from(v)))
                .collect();
            let mut dice = Stream::new(p.seed, (1 << 63) + (epoch << 32) + at as u64);
            twin.row(&x, data.labels().row(row), &mut dice, d);
        }
    }
    twin
}

fn plain(parameters: Wsabie) -> Wsabie {
    Wsabie {
        dimensions: 7,
        normalize: false,
        decay: false,
        rest: 0,
        batch: 1,
        epochs: 2,
        ..parameters
    }
}

/// Every switch, each with and without the others that matter to it.
fn every_way() -> Vec<Wsabie> {
    let all = Search::Blocks {
        classes: 64,
        top: 3,
    };
    let mut ways = vec![plain(Wsabie::published()), plain(Wsabie::plus_plus())];
    for search in [Search::Cyclic, all] {
        for discriminant in [Discriminant::Linear, Discriminant::Euclidean] {
            for (steps, step_size) in [
                (Steps::Plain, 0.02),
                (Steps::AdaGrad, 0.05),
                (Steps::AdaGradByFeature, 0.05),
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
                        ways.push(plain(way));
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

#[test]
fn gradients_of_all_blocks_are_those_of_finite_differences() {
    for discriminant in [Discriminant::Linear, Discriminant::Euclidean] {
        let p = plain(Wsabie {
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
        let parameters = plain(Wsabie {
            violators,
            ..start.clone()
        });
        let parameters = Wsabie {
            epochs: 12,
            ..parameters
        };
        let mut trainer = parameters.trainer(&data, &Portable).unwrap();
        let (mut sums, mut mutual, mut ignored) = (Vec::new(), 0, 0);
        while let Some(report) = trainer.step(&Sequential).unwrap() {
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

/// Kernels that look whether a visit without violators had none.
#[derive(Default)]
struct Watching {
    satisfied: AtomicUsize,
    missed: AtomicUsize,
}

impl Kernels for Watching {
    fn name(&self) -> &'static str {
        "watching"
    }

    fn visit(&self, visit: &mut Visit<'_>) {
        Portable.visit(visit);
        if visit.out.outcome != Outcome::Satisfied {
            return;
        }
        self.satisfied.fetch_add(1, Ordering::Relaxed);
        let score = |class: u32| {
            visit.space.score(
                visit.space.slot_of[class as usize] as usize,
                &visit.out.point,
            )
        };
        let limit = score(visit.out.positive) - visit.rule.margin;
        let violates = |class: &u32| !visit.labels.contains(class) && score(*class) > limit;
        if (0..visit.space.classes() as u32).any(|class| violates(&class)) {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }
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
            ..plain(parameters)
        };
        let kernels = Watching::default();
        let mut trainer = parameters.trainer(&data, &kernels).unwrap();
        while trainer.step(&Sequential).unwrap().is_some() {}
        drop(trainer);
        assert!(kernels.satisfied.into_inner() > 100);
        kernels.missed.into_inner()
    };
    assert_eq!(missed(Search::Cyclic), 0);
    assert_eq!(
        missed(Search::Blocks {
            classes: 32,
            top: 2
        }),
        0
    );
    assert!(missed(Search::Replacement) > 20);
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
    let data = |rows: &[(&[(u32, f32)], &[u32])], classes| {
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
