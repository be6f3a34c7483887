//! The slow, plain twin of the trainer, in f64 and by classes, and what both are held to.

use super::{joint::Trainer, space::Space};
use crate::parameters::wsabie::{Discriminant, RankWeight, ViolatorSearch, Wsabie, WsabieSteps};
use crate::{
    data::{Dataset, LabelLists},
    executor::Executor,
    float,
    kernels::Portable,
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::{TrainError, Training},
};
use alloc::{vec, vec::Vec};

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
    executor: &Executor,
) -> Result<Vec<Space>, TrainError> {
    let mut trainer: Trainer<'_> = parameters.trainer(data, &Portable)?;
    while trainer.step(executor).is_some() {}
    trainer.finish(executor)
}

/// The twin: one row at a time, dense vectors, all classes scored each time.
pub(super) struct Twin<'a> {
    pub(super) p: &'a Wsabie,
    /// W by feature.
    pub(super) w: Vec<Vec<f64>>,
    pub(super) beta: Vec<Vec<f64>>,
    pub(super) class_sums: Vec<f64>,
    pub(super) sums: Vec<f64>,
    pub(super) last: Vec<Option<usize>>,
    pub(super) class_at: Vec<u32>,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Twin<'_> {
    pub(super) fn f(&self, class: usize, z: &[f64]) -> f64 {
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
            ViolatorSearch::Cyclic => {
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
                if self.p.search == ViolatorSearch::Cyclic {
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
        if let ViolatorSearch::Blocks { top, .. } = self.p.search {
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
    pub(super) fn gradients(
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
        let adaptive = self.p.steps != WsabieSteps::Plain;
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
        if self.p.steps == WsabieSteps::AdaGrad {
            self.sums
                .iter_mut()
                .zip(&g_z)
                .for_each(|(sum, g)| *sum += g * g * length);
        }
        for &(f, v) in x {
            if self.p.steps == WsabieSteps::AdaGradByFeature {
                self.sums[f] += v * v * dot(&g_z, &g_z) / m;
            }
            for (j, g) in g_z.iter().enumerate() {
                let sum = match self.p.steps {
                    WsabieSteps::Plain => 1.0,
                    WsabieSteps::AdaGrad => self.sums[j],
                    WsabieSteps::AdaGradByFeature => self.sums[f],
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

pub(super) fn twin<'a>(p: &'a Wsabie, data: &Dataset) -> Twin<'a> {
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
