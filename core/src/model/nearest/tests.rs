//! The worked example of the paper and the original implementation's mini-cases
//! (Aoshima et al. 2018, section 3.3), with the right numbers.

use super::{Nearest, NearestScratch};
use crate::parameters::NearestParameters;
use crate::{
    data::{Dataset, LabelLists},
    model::ModelError,
    sparse::{SparseRows, SparseVec, SparseView},
    train::TrainError,
};
use alloc::{string::ToString, vec::Vec};

fn binary(features: &[u32]) -> SparseVec {
    SparseVec::from_pairs(features.iter().map(|&f| (f, 1.0))).unwrap()
}

fn data(rows: &[(SparseVec, &[u32])]) -> Dataset {
    let mut features = SparseRows::new(20);
    let mut labels = LabelLists::new(0);
    for (row, ids) in rows {
        features.push(row.view()).unwrap();
        labels.push(ids.iter().copied());
    }
    Dataset::new(features, labels, None).unwrap()
}

fn paper() -> Dataset {
    let (a, b) = (binary(&[1, 2, 4]), binary(&[1, 2, 4, 5, 8]));
    let b = (b, &[3, 5, 6][..]);
    data(&[(a, &[1, 2]), b.clone(), b.clone(), b.clone(), b])
}

fn parameters(neighbors: u32, alpha: f64, beta: f64) -> NearestParameters {
    NearestParameters {
        neighbors,
        alpha,
        beta,
        exponent: 1.0,
    }
}

fn scores(model: &Nearest, query: SparseView<'_>) -> Vec<(u32, f32)> {
    let mut scratch = NearestScratch::default();
    let best = model.predict(query, 10, &mut scratch).unwrap();
    best.iter().map(|s| (s.id, s.score)).collect()
}

#[test]
fn the_worked_example_has_these_six_outcomes() {
    let cases = [
        (1.0, 0.0, 3.098),
        (1.0, 1.0, 1.859),
        (2.0, 0.0, 2.4),
        (2.0, 1.0, 0.864),
        (1.0, 2.0, 1.115),
        (1.0, 3.0, 0.669),
    ];
    for (alpha, beta, others) in cases {
        let model = Nearest::train(parameters(5, alpha, beta), &paper()).unwrap();
        let scores = scores(&model, binary(&[1, 2, 4]).view());
        let score = |label| scores.iter().find(|s| s.0 == label).unwrap().1;
        for label in [1, 2] {
            assert!(
                (score(label) - 1.0).abs() < 1e-6,
                "alpha {alpha}, beta {beta}"
            );
        }
        for label in [3, 5, 6] {
            assert!(
                (score(label) - others).abs() < 5e-4,
                "alpha {alpha}, beta {beta}"
            );
        }
        let best: Vec<u32> = scores.iter().map(|s| s.0).collect();
        let expected = if others > 1.0 {
            [3, 5, 6, 1, 2]
        } else {
            [1, 2, 3, 5, 6]
        };
        assert_eq!(best, expected, "alpha {alpha}, beta {beta}");
    }
}

#[test]
fn no_overlap_and_negative_similarity_give_no_labels() {
    let row = SparseVec::from_pairs([(0, 1.0), (3, -1.0)]).unwrap();
    let data = data(&[(row, &[0])]);
    let model = Nearest::train(parameters(1, 1.0, 1.0), &data).unwrap();
    assert!(scores(&model, binary(&[7]).view()).is_empty());
    assert!(scores(&model, binary(&[3]).view()).is_empty());
    assert!(
        scores(&model, binary(&[0, 3]).view()).is_empty(),
        "dot product of exactly zero"
    );
    assert!(scores(&model, SparseView::default()).is_empty());
    assert_eq!(scores(&model, binary(&[0]).view()).len(), 1);
}

#[test]
fn bad_parameters_and_data_are_refused_before_any_work() {
    let train =
        |parameters, data: &Dataset| Nearest::train(parameters, data).unwrap_err().to_string();
    let good = paper();
    let cases = [
        (
            parameters(0, 1.0, 1.0),
            "neighbors is 0, but must be at least 1",
        ),
        (
            parameters(6, 1.0, 1.0),
            "neighbors is 6, but must be at most 5, the number of training rows",
        ),
        (
            parameters(1, f64::NAN, 1.0),
            "alpha is NaN, but must be a finite number",
        ),
        (
            parameters(1, 1.0, -0.5),
            "beta is -0.5, but must be at least 0",
        ),
        (
            NearestParameters {
                exponent: 0.0,
                ..parameters(1, 1.0, 1.0)
            },
            "exponent is 0, but must be more than 0",
        ),
    ];
    for (parameters, message) in cases {
        assert_eq!(train(parameters, &good), message);
    }
    let one = parameters(1, 1.0, 1.0);
    assert_eq!(train(one, &data(&[])), TrainError::NoRows.to_string());
    let empty = SparseVec::default();
    assert_eq!(
        train(one, &data(&[(empty, &[0])])),
        TrainError::NoFeatures.to_string()
    );
    assert_eq!(
        train(one, &data(&[(binary(&[0]), &[])])),
        TrainError::NoLabels.to_string()
    );
}

#[test]
fn rows_are_learned_and_forgotten() {
    let mut model = Nearest::train(parameters(1, 1.0, 1.0), &paper()).unwrap();
    let query = binary(&[1, 2, 4]);
    let id = model.learn(binary(&[9, 11]).view(), &[4, 4, 2]).unwrap();
    assert_eq!(id, 5);
    let best: Vec<u32> = scores(&model, binary(&[9, 11]).view())
        .iter()
        .map(|s| s.0)
        .collect();
    assert_eq!(best, [2, 4]);
    assert!(model.forget(0) && !model.forget(0));
    assert_eq!(
        scores(&model, query.view())[0].0,
        3,
        "the only row of labels 1 and 2 is gone"
    );
    assert_eq!(model.len(), 5);

    let folded = model.folded().unwrap();
    let mut scratch = NearestScratch::default();
    for query in [query, binary(&[9]), binary(&[5, 11])] {
        let before: Vec<_> = model
            .neighbors(query.view(), &mut scratch)
            .unwrap()
            .to_vec();
        assert_eq!(
            folded.neighbors(query.view(), &mut scratch).unwrap(),
            before
        );
    }
    let mut folded = folded;
    assert_eq!(
        folded.learn(binary(&[3]).view(), &[0]),
        Ok(6),
        "ids are never used twice"
    );
    assert!(folded.forget(5) && !folded.forget(5) && folded.forget(6) && !folded.forget(0));
    for id in 1..5 {
        assert!(folded.forget(id));
    }
    assert!(folded.is_empty());
    assert_eq!(folded.folded().unwrap_err(), ModelError::NoRows);
}

#[test]
fn evidence_names_neighbors_and_shared_features() {
    let model = Nearest::train(parameters(2, 2.0, 1.0), &paper()).unwrap();
    let mut scratch = NearestScratch::default();
    let evidence = model
        .explain(binary(&[2, 4, 8]).view(), 9, 2, &mut scratch)
        .unwrap();
    assert_eq!(
        evidence.iter().map(|e| e.row).collect::<Vec<_>>(),
        [1, 2],
        "two neighbors vote"
    );
    let first = &evidence[0];
    assert_eq!(first.labels, [3, 5, 6]);
    assert!((first.similarity - 0.6 * 3.0 / 15f32.sqrt()).abs() < 1e-6);
    assert!((first.vote - first.similarity * first.similarity).abs() < 1e-6);
    let features: Vec<u32> = first.features.iter().map(|f| f.feature).collect();
    assert_eq!(
        features,
        [2, 4],
        "equal shares: smaller features first, at most two"
    );
    assert!((first.features[0].share - 1.0 / 15f32.sqrt()).abs() < 1e-6);
}
