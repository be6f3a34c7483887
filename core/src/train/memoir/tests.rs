//! MEMOIR against its slow twins: dense weights in `f64`, and Pegasos for many classes.

mod pegasos;

use super::{
    class_rows::ClassRows,
    feature_lists::FeatureLists,
    list::{Beside, soft},
    step::{Slots, Steps},
    weights::{Storage, Weights},
};
use crate::parameters::memoir::{Average, Length, Memoir, Regularizer, Truncation};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    float,
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::Training,
};
use alloc::{vec, vec::Vec};

const CLASSES: usize = 12;
const FEATURES: usize = 40;

/// Weights without a scale, without sparseness, without laziness.
struct Dense {
    weights: Vec<f64>,
    sum: Vec<f64>,
    summed: u64,
}

impl Dense {
    fn new() -> Self {
        let zeros = vec![0.0; CLASSES * FEATURES];
        Self {
            weights: zeros.clone(),
            sum: zeros,
            summed: 0,
        }
    }

    fn at(&mut self, class: u32, feature: u32) -> &mut f64 {
        &mut self.weights[class as usize * FEATURES + feature as usize]
    }

    fn length(&self) -> f64 {
        float::sqrt(self.weights.iter().map(|w| w * w).sum())
    }

    fn scale(&mut self, factor: f64) {
        self.weights.iter_mut().for_each(|w| *w *= factor);
    }

    fn truncate(&mut self, classes: &[u32], by: f64) {
        for &class in classes {
            for feature in 0..FEATURES as u32 {
                let weight = self.at(class, feature);
                *weight = (weight.abs() - by).max(0.0).copysign(*weight);
            }
        }
    }

    fn count(&mut self) {
        self.summed += 1;
        for (sum, weight) in self.sum.iter_mut().zip(&self.weights) {
            *sum += weight;
        }
    }

    fn mean(&self) -> Vec<f64> {
        self.sum.iter().map(|s| s / self.summed as f64).collect()
    }
}

/// No weights yet, by feature or by class.
fn empty(by_class: bool, beside: Beside) -> Weights {
    Weights(if by_class {
        Storage::Classes(ClassRows::new(CLASSES, 0.0, beside))
    } else {
        Storage::Features(FeatureLists::new(FEATURES, CLASSES, 0.0, beside))
    })
}

fn weights(lists: &Weights) -> Vec<f64> {
    let mut all = vec![0.0; CLASSES * FEATURES];
    lists.visit(|feature, class, weight| {
        all[class as usize * FEATURES + feature as usize] = f64::from(weight);
    });
    all
}

fn row(stream: &mut Stream) -> Vec<(u32, f32)> {
    let pairs = (0..6).map(|_| (stream.below(FEATURES as u64) as u32, stream.unit() as f32));
    let row = SparseVec::from_pairs(pairs).unwrap();
    let norm = row.view().norm() as f32;
    row.view().iter().map(|(f, v)| (f, v / norm)).collect()
}

/// Three different classes, the first pulled, the others pushed.
fn classes(stream: &mut Stream) -> [u32; 3] {
    let mut all: Vec<u32> = (0..CLASSES as u32).collect();
    stream.shuffle(&mut all);
    [all[0], all[1], all[2]]
}

#[track_caller]
fn assert_close(left: &[f64], right: &[f64], within: f64) {
    for (at, (l, r)) in left.iter().zip(right).enumerate() {
        assert!((l - r).abs() < within, "at {at}: {l} and {r}");
    }
}

/// Ten thousand steps of one row, or of batches.
fn lazy_scaling(by_class: bool, batch: usize, lambda: f64, sizes: impl Fn(u64) -> f64) {
    let mut stream = Stream::new(8, 8);
    let mut lists = empty(by_class, Beside::Nothing);
    let (mut dense, mut slots) = (Dense::new(), Slots::new(CLASSES));
    let radius = 1.0 / float::sqrt(lambda);
    for t in 1..=10_000 {
        if t == 5_001 {
            lists.begin_averaging();
        }
        let eta = sizes(t);
        let each = eta / batch as f64;
        let amounts = [each, -0.7 * each, -0.3 * each];
        let drawn: Vec<_> = (0..batch)
            .map(|_| (row(&mut stream), classes(&mut stream)))
            .collect();
        lists.shrink(1.0 - lambda * eta);
        dense.scale(1.0 - lambda * eta);
        for (row, classes) in &drawn {
            for (class, amount) in classes.iter().zip(amounts) {
                for &(feature, x) in row {
                    *dense.at(*class, feature) += amount * f64::from(x);
                }
            }
        }
        let amounts = &amounts[..];
        if batch == 1 {
            let (row, classes) = &drawn[0];
            lists.add(row, &Steps { classes, amounts }, &mut slots);
        } else {
            let draw = |number: usize, terms: &mut Vec<(u32, f32)>| {
                terms.extend_from_slice(&drawn[number].0);
                let classes = &drawn[number].1;
                Steps { classes, amounts }
            };
            lists.add_all(batch, draw, &Sequential);
        }
        lists.project(radius);
        let length = dense.length();
        if length > radius {
            dense.scale(radius / length);
        }
        lists.end_step(0.0, &[]);
        if t > 5_000 {
            dense.count();
        }
        assert!(lists.square() <= radius * radius * (1.0 + 1e-6), "step {t}");
        assert!((float::sqrt(lists.square()) - dense.length()).abs() < 1e-4 * radius);
    }
    assert_close(&weights(&lists), &dense.mean(), 1e-6);
}

#[test]
fn lazy_scaling_is_scaling() {
    for by_class in [false, true] {
        // The scale falls to its least about every 800 steps.
        lazy_scaling(by_class, 1, 0.02, |_| 0.25);
        // The theory's steps: at first the scale becomes 0.
        lazy_scaling(by_class, 1, 0.1, |t| 1.0 / (0.1 * t as f64));
        lazy_scaling(by_class, 5, 0.5, |t| 0.1 / (1.0 + 0.02 * (t - 1) as f64));
    }
}

/// l1 training, with each way to truncate, against truncation of dense weights after every step.
fn truncation(by_class: bool, ratio: bool) {
    let mut stream = Stream::new(9, 9);
    let beside = if ratio {
        Beside::Penalties {
            now: vec![0.0; CLASSES],
        }
    } else {
        Beside::Penalty { now: 0.0 }
    };
    let mut lists = empty(by_class, beside);
    let (mut dense, mut slots) = (Dense::new(), Slots::new(CLASSES));
    let everyone: Vec<u32> = (0..CLASSES as u32).collect();
    for t in 0..10_000 {
        let eta = 0.1 / (1.0 + 0.001 * f64::from(t));
        let (row, mut touched) = (row(&mut stream), classes(&mut stream));
        let amounts = [eta, -0.6 * eta, -0.4 * eta];
        lists.add(
            &row,
            &Steps {
                classes: &touched,
                amounts: &amounts,
            },
            &mut slots,
        );
        for (class, amount) in touched.iter().zip(amounts) {
            for &(feature, x) in &row {
                *dense.at(*class, feature) += amount * f64::from(x);
            }
        }
        touched.sort_unstable();
        let penalty = 0.002 * eta;
        lists.end_step(penalty, &touched);
        if ratio {
            dense.truncate(&touched, penalty * CLASSES as f64 / 3.0);
        } else {
            dense.truncate(&everyone, penalty);
        }
        if t % 1_000 == 999 {
            // Scores are of truncated weights whether or not these were looked at.
            let mut scores = vec![0.0; CLASSES];
            lists.score(&row, &mut scores);
            for class in 0..CLASSES as u32 {
                let exact: f64 = row
                    .iter()
                    .map(|&(f, x)| *dense.at(class, f) * f64::from(x))
                    .sum();
                assert!((f64::from(scores[class as usize]) - exact).abs() < 1e-6);
            }
        }
        if t % 3_000 == 2_999 {
            lists.settle();
        }
    }
    assert!(dense.weights.contains(&0.0) && dense.length() > 0.1);
    assert_close(&weights(&lists), &dense.weights, 1e-6);
}

#[test]
fn cumulative_truncation_is_truncation_after_every_step() {
    truncation(false, false);
    truncation(true, false);
}

#[test]
fn the_papers_truncation_shrinks_touched_classes_only() {
    truncation(false, true);
    truncation(true, true);
}

#[test]
fn shrinking_at_once_is_shrinking_in_parts() {
    for value in [0.5f32, -0.5, 0.1] {
        let parts = soft(soft(value, 0.1), 0.15);
        assert!((parts - soft(value, 0.25)).abs() < 1e-7);
    }
}

/// Rows of three classes with noise; about a third of the rows is close to the border.
pub(super) fn data(rows: usize) -> Dataset {
    let mut stream = Stream::new(4, 2);
    let mut sparse = SparseRows::new(FEATURES as u32);
    let mut lists = LabelLists::new(CLASSES as u32);
    for _ in 0..rows {
        let class = stream.below(CLASSES as u64 - 1) as u32;
        let value = 0.5 + stream.unit() as f32;
        let own = (0..3).map(|at| (class * 3 + at, value));
        let noise: Vec<(u32, f32)> = row(&mut stream);
        let made = SparseVec::from_pairs(own.chain(noise)).unwrap();
        sparse.push(made.view()).unwrap();
        lists.push([class]);
    }
    Dataset::new(sparse, lists, None).unwrap()
}

#[test]
fn every_row_of_a_batch_counts_the_first_included() {
    let mut sparse = SparseRows::new(8);
    let mut lists = LabelLists::new(8);
    for class in 0..8u32 {
        let one = SparseVec::from_pairs([(class, 1.0)]).unwrap();
        sparse.push(one.view()).unwrap();
        lists.push([class]);
    }
    let data = Dataset::new(sparse, lists, None).unwrap();
    for regularizer in [Regularizer::L2, Regularizer::L1(Truncation::Ratio)] {
        let parameters = Memoir {
            regularizer,
            batch: 8,
            length: Length::Iterations(1),
            average: Average::Last,
            ..Memoir::default()
        };
        let mut trainer = parameters.trainer(&data).unwrap();
        while trainer.step(&Sequential).is_some() {}
        let mut own = [0.0; 8];
        trainer.weights().visit(|feature, class, weight| {
            if feature == class {
                own[class as usize] = weight;
            }
        });
        assert!(own.iter().all(|w| (w - 0.125).abs() < 1e-3), "{own:?}");
    }
}
