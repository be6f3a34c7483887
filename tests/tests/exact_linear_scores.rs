//! Promise: exact unless asked otherwise. A linear model that is prepared for speed answers as the
//! plain walk over its stored weights does, to the bit, by every kernel.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

use crate::shared_data::part;
use hapax::{
    core::{
        data::{Dataset, LabelLists},
        executor::{Executor, Sequential},
        kernels::Portable,
        model::{Model, Scratch},
        parameters::{Negatives, OneVsRest},
        search::Scored,
        sparse::{SparseRows, SparseVec},
    },
    kernels,
    threads::Threads,
};
use std::ops::ControlFlow;

fn trained(data: &Dataset, executor: &Executor) -> Model {
    // Any weights do: those that are soon there.
    let parameters = OneVsRest {
        negatives: Negatives::Mined,
        pool: 300,
        mine: 10,
        rounds: 1,
        max_epochs: 3,
        prune: 0.1,
        ..OneVsRest::default()
    };
    let go_on = |_| ControlFlow::Continue(());
    Model::train_ovr(&parameters, data, None, executor, kernels::best(), go_on).unwrap()
}

/// Training and test rows, one of each `step`: ids and bits of scores.
fn equals_the_walk(set: &str, step: usize) {
    let threads: &Executor = &Threads::new(0).unwrap();
    let (Some(train), Some(test)) = (part(set, "train", threads), part(set, "test", threads))
    else {
        return;
    };
    let few: Vec<usize> = (0..train.len()).step_by(step).collect();
    let plain = trained(&train.select(&few), threads);
    let mut fast = plain.clone();
    assert!(fast.prepare().unwrap() > 0);
    let scratch = || {
        let by_kernels = kernels::available()
            .into_iter()
            .map(|kernels| Scratch::new(kernels));
        (Scratch::default(), by_kernels.collect::<Vec<_>>())
    };
    let wrong = threads.map(test.len() / step, scratch, |(walk, by_kernels), row| {
        let row = test.rows().row(row * step);
        let expected = bits(plain.predict(row, 7, walk).unwrap());
        by_kernels
            .iter_mut()
            .position(|scratch| bits(fast.predict(row, 7, scratch).unwrap()) != expected)
    });
    let different = wrong.iter().position(Option::is_some);
    assert_eq!(different, None, "{set}: of every {step}th test row");
}

fn bits(found: &[Scored]) -> Vec<(u32, u32)> {
    found.iter().map(|s| (s.id, s.score.to_bits())).collect()
}

#[test]
fn eurlex57k() {
    equals_the_walk("eurlex57k", 5);
}

#[test]
fn cpv_it() {
    equals_the_walk("cpv-it", 1);
}

#[test]
fn bibtex() {
    equals_the_walk("bibtex", 1);
}

/// Rows of three features; of each label's rows the first feature that is its own.
fn small(labels: u32, rows: &[&[u32]]) -> Dataset {
    let (mut features, mut lists) = (SparseRows::new(3), LabelLists::new(labels));
    for (at, own) in rows.iter().enumerate() {
        let pairs = own.iter().map(|label| (label % 3, 1.0 + at as f32));
        let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        features.push(row.view()).unwrap();
        lists.push(own.to_vec());
    }
    Dataset::new(features, lists, None).unwrap()
}

/// The answers of a model, the same plain and prepared.
fn answers(model: &Model, row: &SparseVec, k: usize) -> Vec<Scored> {
    let plain = model
        .predict(row.view(), k, &mut Scratch::default())
        .unwrap()
        .to_vec();
    let mut fast = model.clone();
    fast.prepare().unwrap();
    for kernels in kernels::available() {
        let mut scratch = Scratch::new(kernels);
        let found = fast.predict(row.view(), k, &mut scratch).unwrap();
        assert_eq!(bits(found), bits(&plain), "{}", kernels.processor().name());
    }
    plain
}

#[test]
fn labels_without_training_rows_come_last() {
    // Labels 2 to 69 have no rows: more than a block of labels.
    let model = trained(&small(70, &[&[0], &[1], &[0, 1], &[0]]), &Sequential);
    let row = SparseVec::from_pairs([(1, 1.0), (2, 5.0)]).unwrap();
    let found = answers(&model, &row, 70);
    assert_eq!(found.len(), 70);
    assert_eq!(found[0].id, 1);
    assert!(found[..2].iter().all(|s| s.score > f32::MIN));
    assert!(found[2..].iter().all(|s| s.score == f32::MIN));
    let unseen: Vec<u32> = found[2..].iter().map(|s| s.id).collect();
    assert_eq!(unseen, (2..70).collect::<Vec<_>>(), "equals by rising id");
}

#[test]
fn rows_without_known_features_get_the_biases() {
    let model = trained(&small(3, &[&[0], &[1], &[0, 1], &[2]]), &Sequential);
    let empty = answers(&model, &SparseVec::default(), 3);
    let strange = SparseVec::from_pairs([(3, 1.0), (u32::MAX - 1, 1.0)]).unwrap();
    assert_eq!(answers(&model, &strange, 3), empty);
    assert!(empty.iter().all(|s| s.score.is_finite()));
    assert_eq!(empty.len(), 3);
}

#[test]
fn one_label_is_a_model() {
    let data = small(1, &[&[0], &[0]]);
    let go_on = |_| ControlFlow::Continue(());
    let parameters = OneVsRest::default();
    let model = Model::train_ovr(&parameters, &data, None, &Sequential, &Portable, go_on).unwrap();
    let row = SparseVec::from_pairs([(0, 1.0)]).unwrap();
    let found = answers(&model, &row, 5);
    assert_eq!(found.len(), 1, "no more answers than labels");
    assert_eq!(found[0].id, 0);
}
