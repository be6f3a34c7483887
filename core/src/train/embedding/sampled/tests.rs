//! Sampled steps against a slow twin: dense vectors in f64, one draw after the other, prototypes as
//! they are and not as weights with a factor.

use crate::{
    data::Dataset,
    executor::Sequential,
    parameters::sampled::{Sampled, SampledDraws},
    random::Stream,
    train::{Training, embedding::twin::blobs},
};
use alloc::{vec, vec::Vec};

struct Twin<'a> {
    parameters: &'a Sampled,
    prototypes: Vec<Vec<f64>>,
    sums: Vec<f64>,
    /// The mean number of stored values of a row.
    mean: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Twin<'_> {
    /// A step of a label along a row, put back into the ball.
    fn step(&mut self, label: usize, sign: f64, x: &[f64]) {
        self.sums[label] += dot(x, x) / self.mean;
        let size = sign * self.parameters.step_size / self.sums[label].sqrt();
        let prototype = &mut self.prototypes[label];
        prototype
            .iter_mut()
            .zip(x)
            .for_each(|(b, x)| *b += size * x);
        let (length, most) = (dot(prototype, prototype).sqrt(), self.parameters.max_norm);
        if most > 0.0 && length > most {
            prototype.iter_mut().for_each(|b| *b *= most / length);
        }
    }

    /// One label of a row, and the labels drawn for it.
    fn visit(&mut self, x: &[f64], own: usize, drawn: &[usize]) {
        let margin = self.parameters.margin;
        let score = |twin: &Self, label: usize| dot(&twin.prototypes[label], x);
        if self.parameters.draws == SampledDraws::Pairs {
            if margin - score(self, own) + score(self, drawn[0]) > 0.0 {
                self.step(own, 1.0, x);
                self.step(drawn[0], -1.0, x);
            }
            return;
        }
        if margin - score(self, own) > 0.0 {
            self.step(own, 1.0, x);
        }
        for &label in drawn {
            if margin + score(self, label) > 0.0 {
                self.step(label, -1.0, x);
            }
        }
    }
}

fn twin<'a>(parameters: &'a Sampled, data: &Dataset) -> Twin<'a> {
    let (features, labels) = (data.rows().features() as usize, data.labels().labels());
    let usable = |&row: &u32| {
        let own = data.labels().row(row as usize).len();
        !data.rows().row(row as usize).is_empty() && own > 0 && own < labels as usize
    };
    let rows: Vec<u32> = (0..data.len() as u32).filter(usable).collect();
    let stored: usize = rows
        .iter()
        .map(|&row| data.rows().row(row as usize).len())
        .sum();
    let mut twin = Twin {
        parameters,
        prototypes: vec![vec![0.0; features]; labels as usize],
        sums: vec![0.0; labels as usize],
        mean: stored as f64 / rows.len() as f64,
    };
    let draws = match parameters.draws {
        SampledDraws::Balance(draws) => draws,
        SampledDraws::Pairs => 1,
    };
    for epoch in 0..u64::from(parameters.epochs) {
        let mut order = rows.clone();
        let mut dice = Stream::new(parameters.seed, (1 << 62) + epoch);
        dice.shuffle(&mut order);
        for row in order {
            let mut x = vec![0.0; features];
            for (feature, value) in data.rows().row(row as usize).iter() {
                x[feature as usize] = f64::from(value);
            }
            if parameters.normalize {
                let length = dot(&x, &x).sqrt();
                x.iter_mut().for_each(|value| *value /= length);
            }
            let own = data.labels().row(row as usize);
            for &label in own {
                let mut drawn = Vec::new();
                while drawn.len() < draws as usize {
                    let other = dice.below(u64::from(labels)) as u32;
                    if !own.contains(&other) {
                        drawn.push(other as usize);
                    }
                }
                twin.visit(&x, label as usize, &drawn);
            }
        }
    }
    twin
}

#[test]
fn the_trainer_is_its_twin() {
    for (most_labels, normalize) in [(1, true), (3, false)] {
        let data = blobs(80, 12, 9, most_labels);
        for draws in [
            SampledDraws::Balance(1),
            SampledDraws::Balance(5),
            SampledDraws::Pairs,
        ] {
            for max_norm in [0.0, 0.4] {
                let parameters = Sampled {
                    draws,
                    max_norm,
                    normalize,
                    epochs: 3,
                    ..Sampled::one_vs_all()
                };
                let mut trainer = parameters.trainer(&data).unwrap();
                while trainer.step(&Sequential).is_some() {}
                let fast = trainer.finish(&Sequential).unwrap();
                let slow = twin(&parameters, &data);
                let length = |of: &Vec<f64>| dot(of, of).sqrt();
                let longest = slow.prototypes.iter().map(length).fold(0.0, f64::max);
                assert!(longest > 0.1);
                assert!(max_norm == 0.0 || (longest - max_norm).abs() < 1e-6);
                let slow = slow.prototypes.iter().flatten();
                for (fast, slow) in fast.prototypes.iter().zip(slow) {
                    let away = (f64::from(*fast) - slow).abs();
                    assert!(away < 1e-4 * longest, "{fast} for {slow}: {parameters:?}");
                }
            }
        }
    }
}
