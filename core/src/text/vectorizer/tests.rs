//! The vectorizer against weights computed the obvious way, and by hand.

use crate::{
    array::Array,
    executor::{Sequential, tests::Many},
    names::Names,
    text::{
        FeatureSpace, NGrams, NoFeatures, TermWeight, TextScratch, TokenOptions, Vectorizer,
        VectorizerError, VectorizerOptions,
        tokens::{TokenScratch, for_each_token},
    },
};
use alloc::{
    borrow::ToOwned,
    collections::{BTreeMap, BTreeSet},
    format,
    string::{String, ToString},
    vec::Vec,
};
use proptest::prelude::*;

fn tokens(text: &str, options: &TokenOptions) -> Vec<String> {
    let mut list = Vec::new();
    for_each_token(text, options, &mut TokenScratch::default(), |t| {
        list.push(t.to_owned());
    });
    list
}

/// Vocabulary and rows in the most obvious way.
fn plain(texts: &[String], options: &VectorizerOptions) -> (Vec<String>, Vec<Vec<(u32, f32)>>) {
    let FeatureSpace::Vocabulary {
        min_documents,
        max_document_share,
        max_features,
    } = options.features
    else {
        panic!("a vocabulary")
    };
    let documents: Vec<Vec<String>> = texts.iter().map(|t| tokens(t, &options.tokens)).collect();
    let mut counts: BTreeMap<&String, u32> = BTreeMap::new();
    for document in &documents {
        for token in document.iter().collect::<BTreeSet<_>>() {
            *counts.entry(token).or_default() += 1;
        }
    }
    let n = texts.len() as f64;
    counts.retain(|_, df| *df >= min_documents && f64::from(*df) <= max_document_share * n);
    let mut ranked: Vec<(&String, u32)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(_, df)| core::cmp::Reverse(df));
    ranked.truncate(max_features.map_or(usize::MAX, |most| most as usize));
    ranked.sort();
    let row = |document: &Vec<String>| {
        let weights: Vec<(u32, f64)> = (0u32..)
            .zip(&ranked)
            .filter_map(|(id, &(token, df))| {
                let tf = document.iter().filter(|other| *other == token).count();
                let idf = libm::log((1.0 + n) / (1.0 + f64::from(df))) + 1.0;
                let term = match options.term_weight {
                    TermWeight::Logarithmic => 1.0 + libm::log(tf as f64),
                    TermWeight::Count => tf as f64,
                    TermWeight::Binary => 1.0,
                };
                let idf = if options.inverse_document_frequency {
                    idf
                } else {
                    1.0
                };
                (tf > 0).then_some((id, term * idf))
            })
            .collect();
        let norm = weights.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
        let norm = if options.unit_norm { norm } else { 1.0 };
        weights
            .iter()
            .map(|&(id, w)| (id, (w / norm) as f32))
            .collect()
    };
    let rows = documents.iter().map(row).collect();
    (
        ranked.into_iter().map(|(token, _)| token.clone()).collect(),
        rows,
    )
}

prop_compose! {
    fn options()(
        characters in prop::option::of(Just(NGrams { min: 2, max: 3 })),
        min_documents in 0u32..3,
        max_document_share in prop::sample::select(&[0.5, 0.9, 1.0][..]),
        max_features in prop::option::of(1u32..12),
        term_weight in prop::sample::select(
            &[TermWeight::Logarithmic, TermWeight::Count, TermWeight::Binary][..]
        ),
        inverse_document_frequency: bool,
        unit_norm: bool,
    ) -> VectorizerOptions {
        VectorizerOptions {
            tokens: TokenOptions { characters, ..TokenOptions::default() },
            features: FeatureSpace::Vocabulary { min_documents, max_document_share, max_features },
            term_weight,
            inverse_document_frequency,
            unit_norm,
        }
    }
}

proptest! {
    #[test]
    fn rows_equal_those_made_the_obvious_way(
        texts in prop::collection::vec("([abAé]{1,2} ){0,8}", 1..12),
        options in options(),
    ) {
        let (names, rows) = plain(&texts, &options);
        let fitted = Vectorizer::fit_transform(&texts, options, &Sequential);
        let Ok((vectorizer, matrix)) = fitted else {
            prop_assert!(names.is_empty(), "{:?}", fitted);
            return Ok(());
        };
        let vocabulary: Vec<String> = vectorizer.parts().vocabulary.unwrap().iter().collect();
        prop_assert_eq!(&vocabulary, &names);
        let mut prepared = vectorizer.clone();
        let bytes = prepared.prepare();
        prop_assert!(bytes >= 4 * names.len());
        prop_assert_eq!(prepared.prepare(), bytes);
        let mut scratch = TextScratch::default();
        for (at, expected) in rows.iter().enumerate() {
            prop_assert_eq!(&matrix.row(at).iter().collect::<Vec<_>>(), expected);
            for vectorizer in [&vectorizer, &prepared] {
                let row = vectorizer.transform(&texts[at], &mut scratch);
                prop_assert_eq!(row, matrix.row(at));
                prop_assert_eq!(scratch.no_features().is_some(), expected.is_empty());
            }
        }
    }

    #[test]
    fn threads_never_show(seed in 0usize..1000, threads in 2usize..5, hashed: bool) {
        let texts: Vec<String> = (0..3000)
            .map(|i| format!("w{} w{} w{}", i * seed % 17, i % 29, i * i % 31))
            .collect();
        let options = VectorizerOptions {
            features: if hashed {
                FeatureSpace::Hashed { bits: 9, seed: 1 }
            } else {
                FeatureSpace::default()
            },
            ..VectorizerOptions::default()
        };
        let one = Vectorizer::fit_transform(&texts, options.clone(), &Sequential).unwrap();
        let many = Vectorizer::fit_transform(&texts, options, &Many(threads)).unwrap();
        prop_assert_eq!(&one.1, &one.0.transform_all(&texts, &Sequential));
        prop_assert_eq!(one, many);
    }

    #[test]
    fn stored_parts_make_the_same_vectorizer(
        texts in prop::collection::vec("([ab]{1,2} ){1,8}", 2..12),
        hashed: bool,
        inverse_document_frequency: bool,
    ) {
        let options = VectorizerOptions {
            features: if hashed {
                FeatureSpace::Hashed { bits: 5, seed: 9 }
            } else {
                FeatureSpace::Vocabulary {
                    min_documents: 1,
                    max_document_share: 1.0,
                    max_features: None,
                }
            },
            inverse_document_frequency,
            ..VectorizerOptions::default()
        };
        let fitted = Vectorizer::fit_transform(&texts, options, &Sequential).unwrap().0;
        let parts = fitted.parts();
        let bytes = postcard::to_allocvec(parts.options).unwrap();
        let stored = Vectorizer::from_parts(
            postcard::from_bytes(&bytes).unwrap(),
            parts.documents,
            parts.vocabulary.cloned(),
            parts.frequencies.to_vec().into(),
        );
        prop_assert_eq!(stored.as_ref(), Ok(&fitted));
    }
}

#[test]
fn weights_by_hand() {
    let texts = ["b a a", "b", "c"];
    let options = VectorizerOptions {
        tokens: TokenOptions {
            words: Some(NGrams { min: 1, max: 1 }),
            ..TokenOptions::default()
        },
        features: FeatureSpace::Vocabulary {
            min_documents: 1,
            max_document_share: 1.0,
            max_features: None,
        },
        unit_norm: false,
        ..VectorizerOptions::default()
    };
    let (vectorizer, rows) = Vectorizer::fit_transform(&texts, options, &Sequential).unwrap();
    assert_eq!(vectorizer.parts().frequencies, [1, 2, 1]);
    // (1 + ln 2) (ln(4/2) + 1) = 1.693147^2 and ln(4/3) + 1.
    assert_eq!(rows.row(0).values(), [2.866_747_3, 1.287_682]);
    assert_eq!(vectorizer.feature_name(2).as_deref(), Some("c"));
    assert_eq!(vectorizer.feature_name(3), None);
}

#[test]
fn hashed_features_are_those_of_the_hash() {
    let options = VectorizerOptions {
        features: FeatureSpace::Hashed { bits: 20, seed: 7 },
        inverse_document_frequency: false,
        ..VectorizerOptions::default()
    };
    let vectorizer = Vectorizer::fit_transform(&["x"], options, &Sequential)
        .unwrap()
        .0;
    let mut scratch = TextScratch::default();
    let row = vectorizer.transform("mouse house", &mut scratch);
    let hash = crate::hash::FeatureHash::new(20, 7).unwrap();
    let expected: BTreeSet<u32> = [&b"mouse"[..], b"house", b"mouse house"]
        .map(|t| hash.feature(t))
        .into();
    assert_eq!(row.indices(), expected.into_iter().collect::<Vec<_>>());
    assert!(vectorizer.parts().frequencies.is_empty());
    assert_eq!(
        (vectorizer.features(), vectorizer.feature_name(3)),
        (1 << 20, None)
    );
}

#[test]
fn an_empty_row_has_its_reason() {
    let vectorizer =
        Vectorizer::fit_transform(&["a b", "a"], VectorizerOptions::default(), &Sequential)
            .unwrap()
            .0;
    let mut scratch = TextScratch::default();
    for (text, reason) in [
        ("a", None),
        ("?!", Some(NoFeatures::NoTokens)),
        ("x y", Some(NoFeatures::NoKnownTokens { tokens: 3 })),
    ] {
        assert_eq!(
            vectorizer.transform(text, &mut scratch).is_empty(),
            reason.is_some()
        );
        assert_eq!(scratch.no_features(), reason);
    }
    assert_eq!(
        NoFeatures::NoKnownTokens { tokens: 3 }.to_string(),
        "none of the 3 tokens of the text is known to the model"
    );
}

#[test]
fn each_rule_has_its_refusal() {
    let good = VectorizerOptions::default;
    let fit = |options| Vectorizer::fit_transform(&["a b", "a"], options, &Sequential).unwrap_err();
    let vocabulary = |min_documents, max_document_share, max_features| VectorizerOptions {
        features: FeatureSpace::Vocabulary {
            min_documents,
            max_document_share,
            max_features,
        },
        ..good()
    };
    let mut none = good();
    none.tokens.words = None;
    assert_eq!(fit(none), VectorizerError::NoTokenKind);
    for (min, max) in [(0, 1), (2, 1), (1, 17)] {
        let mut bad = good();
        bad.tokens.words = Some(NGrams { min, max });
        assert_eq!(
            fit(bad),
            VectorizerError::BadNGrams {
                ngrams: NGrams { min, max }
            }
        );
    }
    for bits in [0, 32] {
        let features = FeatureSpace::Hashed { bits, seed: 0 };
        assert_eq!(
            fit(VectorizerOptions { features, ..good() }),
            VectorizerError::BadBits { bits }
        );
    }
    for share in [0.0, -1.0, 1.5, f64::INFINITY] {
        assert_eq!(
            fit(vocabulary(1, share, None)),
            VectorizerError::BadShare { share }
        );
    }
    assert!(matches!(
        fit(vocabulary(1, f64::NAN, None)),
        VectorizerError::BadShare { .. }
    ));
    assert_eq!(
        fit(vocabulary(1, 1.0, Some(0))),
        VectorizerError::NoFeaturesAllowed
    );
    let nothing = VectorizerError::NothingKept {
        documents: 2,
        tokens: 3,
    };
    assert_eq!(fit(vocabulary(3, 1.0, None)), nothing);
    let empty: [&str; 0] = [];
    assert_eq!(
        Vectorizer::fit_transform(&empty, good(), &Sequential),
        Err(VectorizerError::NoTexts)
    );
}

#[test]
fn damaged_parts_are_refused() {
    let stored = |options, documents, names: Option<&[&str]>, frequencies: &[u32]| {
        let names = names.map(|list| Names::new(list).unwrap());
        let frequencies = Array::from(frequencies.to_vec());
        Vectorizer::from_parts(options, documents, names, frequencies).map(|_| ())
    };
    let good = VectorizerOptions::default;
    let hashed = VectorizerOptions {
        features: FeatureSpace::Hashed { bits: 1, seed: 0 },
        ..good()
    };
    assert_eq!(stored(good(), 2, Some(&["a", "b"]), &[1, 2]), Ok(()));
    assert_eq!(stored(hashed.clone(), 2, None, &[1, 2]), Ok(()));
    assert_eq!(
        stored(good(), 0, Some(&[]), &[]),
        Err(VectorizerError::NoTexts)
    );
    assert_eq!(
        stored(good(), 2, None, &[1]),
        Err(VectorizerError::VocabularyMismatch)
    );
    assert_eq!(
        stored(hashed.clone(), 2, Some(&[]), &[]),
        Err(VectorizerError::VocabularyMismatch)
    );
    assert_eq!(
        stored(good(), 2, Some(&["b", "a"]), &[1, 1]),
        Err(VectorizerError::NotSorted)
    );
    assert_eq!(
        stored(good(), 2, Some(&["a", "a"]), &[1, 1]),
        Err(VectorizerError::NotSorted)
    );
    let differ = Err(VectorizerError::FrequenciesDiffer {
        needed: 2,
        found: 1,
    });
    assert_eq!(stored(hashed, 2, None, &[1]), differ);
    assert_eq!(
        stored(good(), 2, Some(&["a"]), &[3]),
        Err(VectorizerError::FrequencyTooHigh {
            feature: 0,
            frequency: 3,
            documents: 2
        })
    );
}
