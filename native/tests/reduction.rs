//! The reduction to few dimensions with threads, and models made there.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not fail")]

use hapax::{
    core::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::{Model, Scratch},
        parameters::{EmbeddingTraining, NearestMean, RowTransform, Sampled, Wsabie},
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::{Parameters, Projection, Reduction},
    },
    kernels,
    threads::Threads,
};
use std::ops::ControlFlow::Continue;

const NORMAL: RowTransform = RowTransform {
    exponent: 1.0,
    normalize: true,
};

/// Rows of 12 classes: 10 of a row's 16 features are of the 40 of its class, among 900.
fn data(part: u64) -> Dataset {
    let (mut rows, mut labels) = (SparseRows::new(900), LabelLists::new(12));
    for row in 0..600u64 {
        let mut dice = Stream::new(part, row);
        let class = dice.below(12) as u32;
        let pairs = (0..16).map(|at| {
            let own = u64::from(class) * 40 + dice.below(40);
            let feature = if at < 10 { own } else { dice.below(900) };
            (feature as u32, dice.unit() as f32 + 0.1)
        });
        rows.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        labels.push([class]);
    }
    Dataset::new(rows, labels, None).unwrap()
}

fn projection(data: &Dataset, threads: usize) -> Projection {
    let reduction = Reduction {
        dimensions: 37,
        ..Reduction::default()
    };
    let threads = Threads::new(threads).unwrap();
    reduction.fit(data, NORMAL, &threads).unwrap()
}

fn model(training: &EmbeddingTraining, data: &Dataset, threads: usize) -> Model {
    let projection = projection(data, threads);
    let threads = Threads::new(threads).unwrap();
    Model::train_embedding(
        training,
        Some(&projection),
        data,
        None,
        &threads,
        kernels::best(),
        &mut |_| Continue(()),
    )
    .unwrap()
}

fn accuracy(model: &Model, test: &Dataset) -> f64 {
    let mut scratch = Scratch::new(&Portable);
    let right = test.rows().iter().zip(test.labels().iter()).filter(|case| {
        let best = model.predict(case.0, 1, &mut scratch).unwrap();
        case.1.contains(&best[0].id)
    });
    right.count() as f64 / test.len() as f64
}

fn trainings() -> [EmbeddingTraining; 4] {
    [
        EmbeddingTraining::Wsabie(Wsabie::distances()),
        EmbeddingTraining::Wsabie(Wsabie::default()),
        EmbeddingTraining::Sampled(Sampled::one_vs_all()),
        EmbeddingTraining::NearestMean(NearestMean::default()),
    ]
}

#[test]
fn threads_change_no_bit_of_the_projection_nor_of_models() {
    let data = data(1);
    let one = projection(&data, 1);
    let plain = Reduction {
        dimensions: 37,
        ..Reduction::default()
    };
    assert_eq!(one, plain.fit(&data, NORMAL, &Sequential).unwrap());
    for threads in [2, 3, 5] {
        assert_eq!(one, projection(&data, threads), "{threads} threads");
    }
    for training in trainings() {
        let bytes = model(&training, &data, 1).to_bytes().unwrap();
        let again = model(&training, &data, 3).to_bytes().unwrap();
        assert_eq!(bytes, again, "{}", training.name());
    }
}

#[test]
fn models_made_in_few_dimensions_answer_sparse_rows_from_their_files() {
    let (train, test) = (data(1), data(2));
    for training in trainings() {
        let made = model(&training, &train, 1);
        let read = Model::from_bytes(made.to_bytes().unwrap()).unwrap();
        assert_eq!(
            read.provenance().report,
            [("reduced to".to_string(), 37.0)],
            "{}",
            training.name()
        );
        let share = accuracy(&read, &test);
        assert!(share > 0.9, "{}: {share}", training.name());
    }
}

#[test]
fn nearest_means_in_all_dimensions_are_those_of_the_rows() {
    // 16 orthonormal directions of 16 features are a turn, which leaves distances as they are.
    let (mut rows, mut labels) = (SparseRows::new(16), LabelLists::new(5));
    for row in 0..200u64 {
        let mut dice = Stream::new(9, row);
        let class = row as u32 % 5;
        let pairs = (0..16).map(|at| {
            let lean = if at % 5 == class { 0.6 } else { 0.0 };
            (at, (dice.unit() + lean) as f32)
        });
        rows.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        labels.push([class]);
    }
    let data = Dataset::new(rows, labels, None).unwrap();
    let mean = EmbeddingTraining::NearestMean(NearestMean {
        bits: 32,
        ..NearestMean::default()
    });
    let reduction = Reduction {
        dimensions: 16,
        ..Reduction::default()
    };
    let projection = reduction.fit(&data, NORMAL, &Sequential).unwrap();
    let turned = Model::train_embedding(
        &mean,
        Some(&projection),
        &data,
        None,
        &Sequential,
        &Portable,
        &mut |_| Continue(()),
    )
    .unwrap();
    let plain = Model::train_embedding(
        &mean,
        None,
        &data,
        None,
        &Sequential,
        &Portable,
        &mut |_| Continue(()),
    )
    .unwrap();
    let (mut one, mut other) = (Scratch::new(&Portable), Scratch::new(&Portable));
    for row in data.rows().iter() {
        let a = turned.predict(row, 5, &mut one).unwrap();
        let b = plain.predict(row, 5, &mut other).unwrap();
        for (a, b) in a.iter().zip(b) {
            assert!((a.score - b.score).abs() < 1e-5, "{a:?} {b:?}");
        }
    }
}
