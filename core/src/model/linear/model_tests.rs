//! The linear model refuses broken parts, rule by rule, and its scorer agrees with it on many
//! labels.

use super::{
    LinearError, LinearModel, LinearParts, LinearScorer, LinearScratch, ScorerScratch,
    build::{LabelWeights, build},
    scorer::decode,
};
use crate::parameters::RowTransform;
use crate::{kernels::Portable, random::Stream, sparse::SparseVec};
use alloc::{vec, vec::Vec};

const TRANSFORM: RowTransform = RowTransform {
    exponent: 1.0,
    normalize: true,
};

/// Labels with a few weights each, every fifth never seen, each with its own bias.
fn random_model(labels: usize, features: u64, bits: u32) -> LinearModel {
    let mut stream = Stream::new(6, 6);
    let weights: Vec<LabelWeights> = (0..labels)
        .map(|label| {
            if label % 5 == 0 {
                return LabelWeights::unseen();
            }
            let mut kept = Vec::new();
            for feature in 0..features as u32 {
                if stream.below(3) == 0 {
                    kept.push((feature, stream.unit() as f32 - 0.4));
                }
            }
            LabelWeights::round(&kept, -(stream.unit() as f32), bits)
        })
        .collect();
    build(&weights, features as usize, TRANSFORM, bits).unwrap()
}

/// A row over some of these features and one beyond them.
fn random_row(stream: &mut Stream, features: u64) -> SparseVec {
    let terms = (0..1 + stream.below(9)).map(|_| {
        let feature = stream.below(features + 1) as u32;
        (feature, stream.unit() as f32 - 0.3)
    });
    let terms: alloc::collections::BTreeMap<u32, f32> = terms.collect();
    SparseVec::from_pairs(terms).unwrap()
}

#[test]
fn weights_of_sixteen_bits_score_as_sums_of_real_numbers_plain_and_prepared() {
    let model = random_model(300, 40, 16);
    let mut prepared = model.clone();
    // A weight of a tail takes 4 bytes, one of a head 2 to 16: of 64 labels of a head more than 8
    // have weights. Besides, 16 a label and 12 a feature.
    let (bytes, weights) = (prepared.prepare().unwrap(), model.nonzeros());
    let besides = 16 * 300 + 12 * 40 + 4;
    let range = 2 * weights + besides..16 * weights + besides;
    assert!(range.contains(&bytes), "{bytes} not in {range:?}");
    let (mut stream, mut scratch) = (Stream::new(4, 4), LinearScratch::default());
    for _ in 0..50 {
        let row = random_row(&mut stream, 40);
        // The twin, in 64 bits: rows are of length 1.
        let known = || row.view().iter().filter(|&(feature, _)| feature < 40);
        let length = row.view().norm();
        let mut expected: Vec<f64> = (0..300).map(|label| f64::from(model.bias(label))).collect();
        for (feature, value) in known() {
            model.visit(feature, |label, weight| {
                let weight = f64::from(weight) * f64::from(model.parts().scales[label as usize]);
                expected[label as usize] += weight * f64::from(value) / length;
            });
        }
        let found = model.predict(row.view(), 300, &mut scratch).to_vec();
        assert_eq!(found.len(), 300);
        for scored in &found {
            let (own, label) = (f64::from(scored.score), scored.id);
            let near = (own - expected[label as usize]).abs() <= 3e-4;
            assert!(near || scored.score == f32::MIN, "{label}: {own}");
        }
        assert!(found.is_sorted_by(|a, b| a.score >= b.score));
        for k in [1, 7, 300] {
            let fast = prepared.predict(row.view(), k, &mut scratch).to_vec();
            assert_eq!(fast, found[..k]);
        }
        let best = found[0];
        let parts = model.contributions(row.view(), best.id, 99, &mut scratch);
        let sum: f32 = parts.unwrap().iter().map(|part| part.score).sum();
        assert!((sum + model.bias(best.id) - best.score).abs() < 1e-5);
    }
}

#[test]
fn a_scratch_serves_models_of_both_widths_in_turn() {
    let (wide, narrow) = (random_model(90, 40, 16), random_model(90, 40, 8));
    let (mut stream, mut shared) = (Stream::new(5, 5), LinearScratch::default());
    for _ in 0..9 {
        let row = random_row(&mut stream, 40);
        for model in [&wide, &narrow, &narrow, &wide] {
            let expected = model
                .predict(row.view(), 9, &mut LinearScratch::default())
                .to_vec();
            let mut prepared = model.clone();
            prepared.prepare().unwrap();
            for model in [model, &prepared] {
                assert_eq!(model.predict(row.view(), 9, &mut shared), expected);
            }
        }
    }
}

#[test]
fn sixteen_bits_are_kept_or_made_fewer() {
    let model = random_model(60, 40, 16);
    assert_eq!(model.pruned(0.0, 16), model);
    let whole = model.fitted(model.bytes()).unwrap();
    assert_eq!((whole.bits, whole.model), (16, model.clone()));
    let smaller = model.fitted(model.bytes() * 3 / 4).unwrap();
    assert!(smaller.bits < 16 && smaller.lost < 1e-3, "{}", smaller.lost);
    assert!(smaller.model.bytes() <= model.bytes() * 3 / 4);
}

#[test]
fn pruning_by_feature_is_pruning_by_label() {
    // The twin: the weights of each label, rounded again.
    let by_label = |model: &LinearModel, prune: f32, bits| {
        let labels = decode(model).into_iter().map(|label| {
            if label.scale == 0.0 {
                return LabelWeights::unseen();
            }
            let weights = label.features.iter().zip(&label.weights);
            let real =
                weights.map(|(&feature, &weight)| (feature, f32::from(weight) * label.scale));
            let kept: Vec<(u32, f32)> = real.filter(|(_, weight)| weight.abs() > prune).collect();
            LabelWeights::round(&kept, label.bias, bits)
        });
        let labels: Vec<LabelWeights> = labels.collect();
        build(
            &labels,
            model.features() as usize,
            model.parts().transform,
            bits,
        )
        .unwrap()
    };
    for model in [random_model(60, 40, 16), random_model(90, 40, 8)] {
        for prune in [0.0, 0.05, 0.3, 0.58, f32::INFINITY] {
            for bits in [4, 6, 8, 16] {
                let found = model.pruned(prune, bits);
                assert_eq!(found, by_label(&model, prune, bits), "{prune} {bits}");
            }
        }
        let counts = [0.0, 0.3, 0.58].map(|prune| model.pruned(prune, 8).nonzeros());
        assert!(counts.is_sorted_by(|a, b| a > b), "{counts:?}");
    }
}

#[test]
fn the_scorer_agrees_beyond_one_page_of_labels() {
    let row = SparseVec::from_pairs([(0, 1.0), (3, 0.5), (4, 2.0), (9, 1.0)]).unwrap();
    let (mut plain, mut fast) = (LinearScratch::default(), ScorerScratch::default());
    for bits in [8, 16] {
        let model = random_model(70_000, 5, bits);
        let scorer = LinearScorer::new(&model).unwrap();
        for k in [0, 1, 100, 69_000] {
            let expected = model.predict(row.view(), k, &mut plain);
            assert_eq!(
                scorer.predict(row.view(), k, &Portable, &mut fast),
                expected
            );
        }
    }
}

#[test]
fn each_rule_has_its_refusal() {
    let good = random_model(7, 5, 8).parts().clone();
    assert!(LinearModel::from_parts(good.clone()).is_ok());
    let refused = |change: &dyn Fn(&mut LinearParts)| {
        let mut parts = good.clone();
        change(&mut parts);
        LinearModel::from_parts(parts).unwrap_err()
    };
    let offsets = refused(&|p| p.offsets = vec![0, u32::MAX, 1].into());
    assert!(matches!(offsets, LinearError::Offsets { .. }));
    assert!(matches!(
        refused(&|p| p.offsets = vec![].into()),
        LinearError::Offsets { feature: 0 }
    ));
    assert!(matches!(
        refused(&|p| p.bits = 7),
        LinearError::Bits { bits: 7 }
    ));
    assert!(matches!(
        refused(&|p| p.transform.exponent = f64::NAN),
        LinearError::Exponent { .. }
    ));
    assert!(matches!(
        refused(&|p| p.biases = vec![0.0].into()),
        LinearError::BiasesDiffer { .. }
    ));
    assert!(matches!(
        refused(&|p| p.bias = f32::INFINITY),
        LinearError::NotFinite { .. }
    ));
    let negative = refused(&|p| p.scales = vec![-1.0; 7].into());
    assert!(matches!(negative, LinearError::NotFinite { label: 0, .. }));
    let unseen = refused(&|p| p.scales = vec![0.0; 7].into());
    assert!(matches!(unseen, LinearError::UnseenLabel { .. }));
    let mut broken = good.records.to_vec();
    broken[0] = 255;
    let record = refused(&|p| p.records = broken.clone().into());
    assert!(matches!(record, LinearError::Record { feature: 0, .. }));
}
