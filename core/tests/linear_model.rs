//! The linear model refuses broken parts, rule by rule, and its scorer agrees with it on many labels.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not fail")]

use hapax_core::{
    kernels::Portable,
    model::{
        linear::build::{LabelWeights, build},
        linear::query::RowTransform,
        linear::scorer::{LinearScorer, ScorerScratch},
        linear::{LinearError, LinearModel, LinearParts, LinearScratch},
    },
    random::Stream,
    sparse::SparseVec,
};

const TRANSFORM: RowTransform = RowTransform {
    exponent: 1.0,
    normalize: true,
};

/// Labels with a few weights each, every fifth never seen, each with its own bias.
fn random_model(labels: usize, features: u64) -> LinearModel {
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
            LabelWeights::round(&kept, -(stream.unit() as f32), 8)
        })
        .collect();
    build(&weights, features as usize, TRANSFORM, 8).unwrap()
}

#[test]
fn the_scorer_agrees_beyond_one_page_of_labels() {
    let model = random_model(70_000, 5);
    let scorer = LinearScorer::new(&model).unwrap();
    let row = SparseVec::from_pairs([(0, 1.0), (3, 0.5), (4, 2.0), (9, 1.0)]).unwrap();
    let (mut plain, mut fast) = (LinearScratch::default(), ScorerScratch::default());
    for k in [0, 1, 100, 69_000] {
        let expected = model.predict(row.view(), k, &mut plain);
        assert_eq!(
            scorer.predict(row.view(), k, &Portable, &mut fast),
            expected
        );
    }
}

#[test]
fn each_rule_has_its_refusal() {
    let good = random_model(7, 5).parts().clone();
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
