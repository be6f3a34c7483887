//! The index against a plain search over what it stores, and its size and borders.

use super::{
    Codebook, CompactError, CompactIndex, CompactOptions, CompactParts, CompactScratch, prune,
};
use crate::{
    float,
    search::{Scored, rank},
    sparse::{SparseRows, SparseVec, order},
};
use alloc::{collections::BTreeMap, vec, vec::Vec};
use proptest::prelude::*;

type Sparse = BTreeMap<u32, f32>;

fn value(signed: bool) -> BoxedStrategy<f32> {
    let least = if signed { -8i8 } else { 1 };
    (least..9)
        .prop_filter_map("zero", |v| (v != 0).then_some(f32::from(v) * 0.25))
        .boxed()
}

fn sparse(signed: bool, most: usize) -> impl Strategy<Value = Sparse> {
    prop::collection::btree_map(0u32..40, value(signed), 0..most)
}

fn data() -> impl Strategy<Value = (Vec<Sparse>, Vec<Sparse>)> {
    any::<bool>().prop_flat_map(|signed| {
        (
            prop::collection::vec(sparse(signed, 12), 0..200),
            prop::collection::vec(sparse(signed, 20), 1..4),
        )
    })
}

fn options() -> impl Strategy<Value = CompactOptions> {
    let shares = prop::sample::select(vec![1.0, 0.3]);
    let bits = prop::sample::select(vec![4u8, 6, 8]);
    (shares, 1u8..14, 1u16..24, bits).prop_map(|(max_share, row_weights, query_features, bits)| {
        CompactOptions {
            max_share,
            row_weights,
            query_features,
            bits,
        }
    })
}

fn vector(sparse: &Sparse) -> SparseVec {
    SparseVec::from_pairs(sparse.iter().map(|(&f, &v)| (f, v))).unwrap()
}

fn rows(rows: &[Sparse]) -> SparseRows {
    let mut all = SparseRows::new(40);
    for row in rows {
        all.push(vector(row).view()).unwrap();
    }
    all
}

/// Row by row, from the restored rows, with the sums' rounding spelled out.
fn plain(index: &CompactIndex, query: &Sparse, neighbors: usize, beta: f64) -> Vec<Scored> {
    let stored = index.to_rows().unwrap();
    let held = stored.document_frequencies().unwrap();
    let mut used: Vec<(u32, f32)> = query.iter().map(|(&f, &v)| (f, v)).collect();
    used.retain(|&(feature, _)| held[feature as usize] > 0);
    order::by_size(&mut used);
    used.truncate(index.query_features().into());
    let norm = prune::norm(&used);
    let unit = f64::from(1 << 19);
    let mut found = Vec::new();
    for (id, row) in (0..).zip(stored.iter()) {
        let (mut cosine, mut shared) = (0.0, 0);
        for (feature, level) in row.iter() {
            if let Some(&(_, value)) = used.iter().find(|pair| pair.0 == feature) {
                cosine += libm::round(f64::from(value) / norm * unit * f64::from(level));
                shared += 1;
            }
        }
        let union = used.len() + row.len() - shared;
        let jaccard = float::power(shared as f64, beta) / float::power(union as f64, beta);
        let score = (cosine / unit * jaccard) as f32;
        if shared > 0 && score > 0.0 {
            found.push(Scored { id, score });
        }
    }
    found.sort_by(rank);
    found.truncate(neighbors);
    found
}

proptest! {
    #[test]
    fn search_equals_the_plain_search_over_the_stored_rows(
        (train, queries) in data(), options in options(), neighbors in 0usize..12,
        beta in prop::sample::select(vec![0.0, 0.5, 1.0, 1.7]),
    ) {
        let index = CompactIndex::build(&rows(&train), &options).unwrap();
        let mut scratch = CompactScratch::default();
        for query in queries.iter().chain(&queries) {
            let found = index.search(vector(query).view(), neighbors, beta, &[], &mut scratch).to_vec();
            prop_assert_eq!(found, plain(&index, query, neighbors, beta));
        }
    }

    #[test]
    fn size_is_as_estimated_and_parts_come_back((train, _) in data(), options in options()) {
        let train = rows(&train);
        let index = CompactIndex::build(&train, &options).unwrap();
        prop_assert_eq!(index.bytes() as u64, CompactIndex::estimate(&train, &options).unwrap());
        prop_assert_eq!(CompactIndex::from_parts(index.parts()), Ok(index));
    }

    #[test]
    fn rows_come_back_pruned_and_rounded((train, _) in data(), row_weights in 1u8..14) {
        let options = CompactOptions { max_share: 1.0, row_weights, bits: 8, ..Default::default() };
        let index = CompactIndex::build(&rows(&train), &options).unwrap();
        let restored = index.to_rows().unwrap();
        let smallest = index.codebook().value(1);
        for (row, original) in train.iter().enumerate() {
            let alone = index.row(row as u32);
            prop_assert_eq!(restored.row(row), alone.view());
            let mut heaviest: Vec<(u32, f32)> = original.iter().map(|(&f, &v)| (f, v)).collect();
            order::by_size(&mut heaviest);
            heaviest.truncate(row_weights.into());
            let norm = prune::norm(&heaviest) as f32;
            heaviest.sort_by_key(|pair| pair.0);
            prop_assert_eq!(restored.row(row).len(), heaviest.len());
            for ((feature, level), (wanted, value)) in restored.row(row).iter().zip(heaviest) {
                prop_assert_eq!(feature, wanted);
                let share = value / norm;
                let raised = level.abs() == smallest && share.abs() < smallest;
                prop_assert!(raised || (level / share - 1.0).abs() < 0.05, "{level} for {share}");
            }
        }
    }

    #[test]
    fn evidence_adds_up_to_the_cosine((train, queries) in data()) {
        let index = CompactIndex::build(&rows(&train), &CompactOptions::default()).unwrap();
        let mut scratch = CompactScratch::default();
        for query in &queries {
            let query = vector(query);
            for found in index.search(query.view(), 5, 0.0, &[], &mut scratch).to_vec() {
                let sum: f32 = index.shared(query.view(), found.id).iter().map(|part| part.score).sum();
                prop_assert!((sum - found.score).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn any_change_of_a_byte_is_refused_or_safe(
        (train, queries) in data(), at in any::<usize>(), change in 1u8..=255,
    ) {
        let index = CompactIndex::build(&rows(&train), &CompactOptions::default()).unwrap();
        let parts = index.parts();
        let change = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            let len = bytes.len();
            if len > 0 {
                bytes[at % len] ^= change;
            }
            bytes
        };
        let changed = [
            CompactParts { postings: change(&parts.postings).into(), ..parts.clone() },
            CompactParts { counts: change(&parts.counts).into(), ..parts.clone() },
            CompactParts { postings: parts.postings[..at % (parts.postings.len() + 1)].to_vec().into(), ..parts.clone() },
            CompactParts { features: at as u32, ..parts.clone() },
            CompactParts { bits: change(&[4])[0], ..parts.clone() },
        ];
        let mut scratch = CompactScratch::default();
        for parts in changed {
            if let Ok(index) = CompactIndex::from_parts(parts) {
                index.to_rows().unwrap();
                for query in &queries {
                    index.search(vector(query).view(), 5, 1.0, &[], &mut scratch);
                }
            }
        }
    }
}

#[test]
fn each_option_out_of_range_has_its_refusal() {
    let good = CompactOptions::default();
    let refusal = |options| CompactIndex::build(&SparseRows::new(3), &options).unwrap_err();
    for max_share in [0.0, -1.0, 1.5, f64::NAN] {
        let options = CompactOptions { max_share, ..good };
        assert!(matches!(refusal(options), CompactError::BadShare { .. }));
    }
    let options = CompactOptions {
        row_weights: 0,
        ..good
    };
    assert_eq!(refusal(options), CompactError::NoRowWeights);
    for query_features in [0, 1024] {
        let options = CompactOptions {
            query_features,
            ..good
        };
        assert!(matches!(
            refusal(options),
            CompactError::BadQueryFeatures { .. }
        ));
    }
    for bits in [0, 3, 5, 16] {
        let options = CompactOptions { bits, ..good };
        assert!(matches!(refusal(options), CompactError::BadBits { .. }));
    }
}

#[test]
fn frequent_features_are_dropped_and_bad_betas_find_nothing() {
    let train: Vec<Sparse> = (0..200)
        .map(|row| Sparse::from([(0, 3.0), (1 + row % 10, 1.0)]))
        .collect();
    let index = CompactIndex::build(&rows(&train), &CompactOptions::default()).unwrap();
    assert_eq!(index.list(0).words(), 0);
    assert_eq!(index.postings(), 200);
    let query = vector(&Sparse::from([(0, 1.0), (4, 1.0)]));
    let mut scratch = CompactScratch::default();
    let found: Vec<u32> = index
        .search(query.view(), 3, 1.0, &[], &mut scratch)
        .iter()
        .map(|row| row.id)
        .collect();
    assert_eq!(found, [3, 13, 23]);
    for beta in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(
            index
                .search(query.view(), 3, beta, &[], &mut scratch)
                .is_empty()
        );
    }
}

#[test]
fn hostile_levels_and_counts_are_refused() {
    let train = rows(&[Sparse::from([(2, 1.0)]), Sparse::from([(2, 1.0), (3, 1.0)])]);
    let parts = CompactIndex::build(&train, &CompactOptions::default())
        .unwrap()
        .parts();
    let levels = vec![f32::NAN; 16];
    let bad = CompactParts {
        levels: levels.clone().into(),
        ..parts.clone()
    };
    assert!(matches!(
        CompactIndex::from_parts(bad),
        Err(CompactError::BadLevel { code: 0 })
    ));
    assert!(Codebook::from_levels(levels.into(), 4).is_err());
    for counts in [vec![1u8, 1], vec![1, 3], vec![1], vec![]] {
        let bad = CompactParts {
            counts: counts.into(),
            ..parts.clone()
        };
        assert!(CompactIndex::from_parts(bad).is_err());
    }
}
