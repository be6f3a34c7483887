//! Linear models with other parts beside them.

use super::{sparse, survive};
use crate::{
    data::Dataset,
    executor::Sequential,
    kernels::Portable,
    model::{
        Method, Model, Scratch,
        embedding::{EmbeddingError, EmbeddingModel},
    },
    parameters::one_vs_rest::OneVsRest,
    sparse::{SparseRows, SparseVec},
    train::one_vs_rest::FusedWeights,
};
use core::ops::ControlFlow;

#[test]
fn changed_sections_of_a_fused_model() {
    let go_on = |_| ControlFlow::Continue(());
    let (data, parameters) = (sparse(false), OneVsRest::default());
    let linear = parameters.train(&data, &Sequential, &Portable, go_on);
    let linear = linear.unwrap();
    for (neighbors, embedding) in [(0.35, 0.0), (0.0, 0.1), (0.35, 0.1)] {
        let fused = FusedWeights {
            neighbors,
            embedding,
        };
        let rows = (&data, None);
        let model = fused.model(linear.clone(), &parameters, rows, &Sequential, &Portable);
        survives_fused(&model.unwrap(), &data);
    }
    let vectors = every_other(&data);
    for (neighbors, embedding) in [(0.0, 0.0), (0.35, 0.1)] {
        let fused = FusedWeights {
            neighbors,
            embedding,
        };
        let (vectors, machine) = (
            Some((&vectors as _, 0.2)),
            (&Sequential as _, &Portable as _),
        );
        let made = fused.model_with(linear.clone(), &parameters, (&data, None), vectors, machine);
        survives_fused(&made.unwrap(), &data);
    }
}

/// A vector of three numbers for every other feature.
fn every_other(data: &Dataset) -> SparseRows {
    let mut vectors = SparseRows::new(3);
    for feature in 0..data.rows().features() {
        let size = (1 - feature % 2) as f32;
        let own = [(0, size), (1, size * (feature % 5) as f32), (2, 0.5 * size)];
        vectors
            .push(SparseVec::from_pairs(own).unwrap().view())
            .unwrap();
    }
    vectors
}

#[test]
fn features_with_vectors_that_do_not_rise_are_refused_with_their_place() {
    let go_on = |_| ControlFlow::Continue(());
    let (data, parameters) = (sparse(false), OneVsRest::default());
    let linear = parameters.train(&data, &Sequential, &Portable, go_on);
    let (vectors, machine) = (every_other(&data), (&Sequential as _, &Portable as _));
    let fused = FusedWeights::default();
    let vectors = Some((&vectors as _, 0.2));
    let made = fused.model_with(
        linear.unwrap(),
        &parameters,
        (&data, None),
        vectors,
        machine,
    );
    let model = made.unwrap();
    let Method::Linear(linear) = &model.method else {
        panic!("a linear model");
    };
    let parts = linear
        .vectors()
        .unwrap()
        .embedding()
        .model()
        .parts()
        .clone();
    for (at, wrong) in [(1, 0), (4, data.rows().features())] {
        let mut parts = parts.clone();
        let table = parts.embedding.as_mut().unwrap();
        let mut features = table.features.as_ref().unwrap().to_vec();
        features[at] = wrong;
        table.features = Some(features.into());
        let error = EmbeddingModel::from_parts(parts).unwrap_err();
        assert_eq!(error, EmbeddingError::Feature { position: at });
    }
}

fn survives_fused(model: &Model, data: &Dataset) {
    let whole = model.to_bytes().unwrap();
    let read = Model::from_bytes(whole.clone()).unwrap();
    assert_eq!(read.to_bytes().unwrap(), whole);
    let mut scratch = Scratch::default();
    for row in data.rows().iter().take(50) {
        let expected = model.predict(row, 5, &mut scratch).unwrap().to_vec();
        assert_eq!(read.predict(row, 5, &mut scratch).unwrap(), expected);
    }
    survive(model, 500);
    let small = model.compacted(whole.len() as u64 / 2, 1, &Sequential, &Portable);
    let small = small.unwrap();
    assert!(small.bytes <= whole.len() as u64 / 2);
    assert!(!small.weights.unwrap().without.is_empty());
    let read = Model::from_bytes(small.model.to_bytes().unwrap()).unwrap();
    for row in data.rows().iter().take(50) {
        let expected = small.model.predict(row, 5, &mut scratch).unwrap().to_vec();
        assert_eq!(read.predict(row, 5, &mut scratch).unwrap(), expected);
    }
}
