use super::solve::{Rows, Scratch};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{
        Embedding, Method, Model,
        linear::{FusedEmbedding, build::LabelWeights},
    },
    parameters::{
        embedding::EmbeddingTraining,
        one_vs_rest::{Bias, Loss, OneVsRest},
        wsabie::Wsabie,
    },
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::{TrainError, one_vs_rest::FusedWeights},
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow::Continue;

const FEATURES: u32 = 12;

/// Rows of random values, each with a label that its largest feature decides.
fn random(seed: u64, rows: usize, labels: u32) -> Dataset {
    let mut stream = Stream::new(seed, 1);
    let (mut all, mut lists) = (SparseRows::new(FEATURES), LabelLists::new(labels));
    for _ in 0..rows {
        let label = (stream.below(u64::from(labels))) as u32;
        let mut pairs = vec![(label, 1.0)];
        for _ in 0..4 {
            let id = (stream.below(u64::from(FEATURES))) as u32;
            pairs.push((id, (stream.below(100)) as f32 / 90.0 + 0.01));
        }
        all.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        lists.push([label]);
    }
    Dataset::new(all, lists, None).unwrap()
}

fn exact() -> OneVsRest {
    OneVsRest {
        prune: 0.0,
        bits: 16,
        centroid: 0.0,
        ..OneVsRest::default()
    }
}

/// The objective of the module's text, and its gradient, for label 0.
fn objective(
    data: &Dataset,
    parameters: &OneVsRest,
    before: (&[f64], f64),
    (v, c): (&[f64], f64),
    strength: f64,
) -> (f64, Vec<f64>, f64) {
    let Bias::Learned(beta) = parameters.bias else {
        unreachable!("these tests learn the bias")
    };
    let mut value = 0.5 * (v.iter().map(|v| v * v).sum::<f64>() + (c / beta) * (c / beta));
    let (mut slope, mut bias_slope) = (v.to_vec(), c / (beta * beta));
    let mut values = Vec::new();
    for (row, labels) in data.rows().iter().zip(data.labels().iter()) {
        values.clear();
        parameters.transform().apply(row, &mut values);
        let y = if labels.contains(&0) { 1.0 } else { -1.0 };
        let weight = if y > 0.0 {
            parameters.positive_weight
        } else {
            1.0
        };
        let cost = strength * parameters.cost * weight;
        let products = row.indices().iter().zip(&values);
        let score: f64 = before.1
            + c
            + products
                .clone()
                .map(|(&id, &x)| (before.0[id as usize] + v[id as usize]) * f64::from(x))
                .sum::<f64>();
        let missing = (1.0 - y * score).max(0.0);
        value += cost * missing * missing;
        for (&id, &x) in products {
            slope[id as usize] -= 2.0 * cost * missing * y * f64::from(x);
        }
        bias_slope -= 2.0 * cost * missing * y;
    }
    (value, slope, bias_slope)
}

#[test]
fn the_change_is_the_least_that_gradient_descent_finds() {
    for (seed, strength) in [(1, 1.0), (2, 0.3), (3, 0.1)] {
        let data = random(seed, 60, 3);
        let parameters = OneVsRest {
            positive_weight: 2.0,
            bias: Bias::Learned(1.5),
            ..exact()
        };
        let old: Vec<(u32, f32)> = (0..FEATURES)
            .map(|id| (id, 0.1 * id as f32 - 0.4))
            .collect();
        let before = LabelWeights::round(&old, -0.3, 16);
        let mut dense = vec![0.0; FEATURES as usize];
        for (&id, &weight) in before.features.iter().zip(&before.weights) {
            dense[id as usize] = f64::from(weight) * f64::from(before.scale);
        }
        let start = (&dense[..], f64::from(before.bias));
        // The twin: plain gradient descent with small steps.
        let (mut v, mut c) = (vec![0.0; FEATURES as usize], 0.0);
        for _ in 0..20_000 {
            let (_, slope, bias_slope) = objective(&data, &parameters, start, (&v, c), strength);
            v.iter_mut().zip(&slope).for_each(|(v, s)| *v -= 2e-3 * s);
            c -= 2e-3 * bias_slope;
        }
        let (least, ..) = objective(&data, &parameters, start, (&v, c), strength);
        let rows = Rows::new(&data, &parameters);
        let mut scratch = Scratch::new(FEATURES as usize, data.len());
        for _ in 0..2 {
            // Twice, as memory is used again.
            let solved = scratch.solve(&rows, rows.of(0), (&before, strength), &parameters);
            let mut change = dense.iter().map(|w| -w).collect::<Vec<f64>>();
            for (&id, &weight) in solved.features.iter().zip(&solved.weights) {
                change[id as usize] += f64::from(weight) * f64::from(solved.scale);
            }
            let moved = f64::from(solved.bias) - start.1;
            let (found, ..) = objective(&data, &parameters, start, (&change, moved), strength);
            let start_value = objective(&data, &parameters, start, (&[0.0; 12], 0.0), strength).0;
            assert!(
                found < least * 1.002 + 1e-3,
                "{found} after {least} from {start_value}"
            );
            assert!(found > least * 0.999 - 1e-6, "{found} before {least}");
        }
    }
}

fn trained(data: &Dataset, parameters: &OneVsRest) -> Model {
    Model::train_ovr(parameters, data, None, &Sequential, &Portable, |_| {
        Continue(())
    })
    .unwrap()
}

#[test]
fn labels_without_rows_keep_every_bit_and_new_ones_are_learned() {
    let parameters = OneVsRest::default();
    let model = trained(&random(5, 200, 4), &parameters);
    // Label 0 has rows, 1 to 3 have none, 5 is new, and 4 was never seen.
    let mut lists = LabelLists::new(6);
    let rows = random(6, 60, 2);
    (0..60).for_each(|row| lists.push([5 * rows.labels().row(row)[0]]));
    let data = Dataset::new(rows.rows().clone(), lists, None).unwrap();
    let learned = model
        .learn_all(&data, None, &Sequential, &Portable)
        .unwrap();
    let strength = learned.strength.unwrap();
    assert!((0.0..=1.0).contains(&strength));
    let made = learned.model;
    assert_eq!((made.labels(), made.provenance().rows), (6, 260));
    let scores = |model: &Model, row: usize| {
        let mut scratch = crate::model::Scratch::default();
        let best = model
            .predict(data.rows().row(row), 6, &mut scratch)
            .unwrap();
        let mut scores = vec![f32::MIN; 6];
        best.iter().for_each(|s| scores[s.id as usize] = s.score);
        scores
    };
    let mut right = 0;
    for row in 0..60 {
        let (before, after) = (scores(&model, row), scores(&made, row));
        assert_eq!(before[1..4], after[1..4]);
        assert_eq!(after[4], f32::MIN);
        if data.labels().row(row) == [5] {
            right += usize::from(after[5] > after[0]);
        }
    }
    assert!(right > 20, "{right}");
    let frequencies = made.label_frequencies().unwrap();
    let before = model.label_frequencies().unwrap();
    assert_eq!(frequencies[1..4], before[1..4]);
    assert!(frequencies[0] > before[0] && frequencies[4] == 0 && frequencies[5] > 20);
    let again = Model::from_bytes(made.to_bytes().unwrap()).unwrap();
    assert_eq!(again.to_bytes().unwrap(), made.to_bytes().unwrap());
}

#[test]
fn hinge_and_fixed_bias_go_on_too() {
    let parameters = OneVsRest {
        loss: Loss::Hinge,
        bias: Bias::Fixed(-1.0),
        ..exact()
    };
    let model = trained(&random(7, 100, 3), &parameters);
    let learned = model
        .learn_all(&random(8, 50, 3), None, &Sequential, &Portable)
        .unwrap();
    assert_eq!(learned.model.labels(), 3);
}

#[test]
fn what_cannot_go_on_is_refused() {
    let model = trained(&random(5, 50, 4), &OneVsRest::default());
    let fewer = random(5, 50, 3);
    assert!(matches!(
        model.learn_all(&fewer, None, &Sequential, &Portable),
        Err(TrainError::StartDiffers { what: "labels", .. })
    ));
    let mut wider = random(5, 50, 4);
    wider.widen(FEATURES + 1, 4);
    let made = model.learn_all(&wider, None, &Sequential, &Portable);
    assert!(made.is_ok(), "new features may follow");
    let mut narrow = SparseRows::new(2);
    let mut lists = LabelLists::new(4);
    narrow
        .push(SparseVec::from_pairs([(1, 1.0)]).unwrap().view())
        .unwrap();
    lists.push([1]);
    let narrow = Dataset::new(narrow, lists, None).unwrap();
    assert!(matches!(
        model.learn_all(&narrow, None, &Sequential, &Portable),
        Err(TrainError::StartDiffers {
            what: "features",
            ..
        })
    ));
}

/// A model whose label 2 was never seen, with biases that differ and parts beside the weights.
fn fused(data: &Dataset, weights: FusedWeights) -> Model {
    let parameters = OneVsRest {
        bias: Bias::Learned(1.0),
        ..OneVsRest::default()
    };
    let go_on = |_| Continue(());
    let linear = parameters.train(data, &Sequential, &Portable, go_on);
    let rows = (data, None);
    let model = weights.model(linear.unwrap(), &parameters, rows, &Sequential, &Portable);
    model.unwrap()
}

/// `data` with label l as `labels[l]`, of `of` labels.
fn relabelled(data: &Dataset, labels: &[u32], of: u32) -> Dataset {
    let mut lists = LabelLists::new(of);
    for own in data.labels().iter() {
        lists.push(own.iter().map(|&label| labels[label as usize]));
    }
    Dataset::new(data.rows().clone(), lists, None).unwrap()
}

#[test]
fn what_stands_beside_the_weights_learns_too() {
    let old = relabelled(&random(9, 300, 4), &[0, 1, 3, 4], 5);
    let more = relabelled(&random(10, 120, 5), &[0, 1, 3, 4, 5], 6);
    for (neighbors, embedding) in [(0.4, 0.0), (0.0, 0.3), (0.4, 0.3), (0.0, 0.0)] {
        let weights = FusedWeights {
            neighbors,
            embedding,
        };
        let model = fused(&old, weights);
        let learned = model
            .learn_all(&more, None, &Sequential, &Portable)
            .unwrap();
        assert!(learned.strength.is_some());
        assert_eq!(learned.pull.is_some(), embedding > 0.0);
        let made = learned.model;
        let Method::Linear(linear) = made.method() else {
            panic!("a linear model");
        };
        let rows = linear.nearest().map(|fused| fused.nearest().len());
        assert_eq!(rows, (neighbors > 0.0).then_some(420));
        if let Some(fused) = linear.embedding() {
            assert_eq!(fused.weight(), embedding);
            assert_eq!(fused.embedding().frequencies(), linear.frequencies());
        }
        // What was never seen is no answer, and the file is one that can be read.
        let bytes = made.to_bytes().unwrap();
        let read = Model::from_bytes(bytes.clone()).unwrap();
        assert_eq!(read.to_bytes().unwrap(), bytes);
        let mut scratch = crate::model::Scratch::default();
        let mut hits = [0; 6];
        for (row, own) in more.rows().iter().zip(more.labels().iter()) {
            let best = made.predict(row, 6, &mut scratch).unwrap().to_vec();
            assert_eq!(best, read.predict(row, 6, &mut scratch).unwrap());
            hits[own[0] as usize] += usize::from(best[0].id == own[0]);
            assert_eq!(best[5].id, 2);
        }
        let counts = more.labels().frequencies();
        let (right, all) = (hits[5], counts[5] as usize);
        assert!(
            10 * right > 6 * all,
            "{right} of {all} rows of the new label"
        );
    }
}

/// Labelled rows that are all held out at once leave nothing to choose by.
#[test]
fn rows_that_cannot_be_held_out_are_learned_without_a_choice() {
    let weights = FusedWeights {
        neighbors: 0.0,
        embedding: 0.3,
    };
    let model = fused(&random(9, 200, 4), weights);
    let rows = random(10, 80, 4);
    let mut lists = LabelLists::new(4);
    for (at, own) in rows.labels().iter().enumerate() {
        let labelled = at % 4 == 2;
        lists.push(own.iter().copied().filter(|_| labelled));
    }
    let data = Dataset::new(rows.rows().clone(), lists, None).unwrap();
    let learned = model.learn_all(&data, None, &Sequential, &Portable);
    assert_eq!(learned.unwrap().skipped, 60);
}

#[test]
fn an_embedding_of_other_steps_cannot_learn() {
    let data = random(9, 100, 4);
    let published = EmbeddingTraining::Wsabie(Wsabie {
        epochs: 1,
        ..Wsabie::plus_plus()
    });
    let mut go_on = |_| Continue(());
    let beside =
        Embedding::train(&published, None, &data, &Sequential, &Portable, &mut go_on).unwrap();
    let mut model = fused(&data, FusedWeights::default());
    let Method::Linear(linear) = &model.method else {
        panic!("a linear model");
    };
    let beside = FusedEmbedding::new(beside, 0.5);
    model.method = Method::Linear(linear.clone().with(None, beside.into_iter().collect()));
    let refused = model.learn_all(&data, None, &Sequential, &Portable);
    assert_eq!(refused.unwrap_err(), TrainError::CannotLearn);
}
