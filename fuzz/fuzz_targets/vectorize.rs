//! Any texts under any options: fitting gives a vectorizer or an error,
//! and rows are the same with and without an index.
#![no_main]

use arbitrary::Arbitrary;
use hapax_core::{
    executor::Sequential,
    text::{FeatureSpace, NGrams, TermWeight, TokenOptions, Vectorizer, VectorizerOptions},
};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Job {
    texts: Vec<String>,
    query: String,
    normalize: bool,
    symbols: bool,
    punctuation: bool,
    lower_case: bool,
    min_word_length: u8,
    words: Option<(u8, u8)>,
    characters: Option<(u8, u8)>,
    /// Hashed to so many bits, or a vocabulary.
    bits: Option<u8>,
    min_documents: u8,
    max_document_share: f64,
    max_features: Option<u32>,
    weights: (u8, bool, bool),
}

fn options(job: &Job) -> VectorizerOptions {
    let lengths = |pair: Option<(u8, u8)>| pair.map(|(min, max)| NGrams { min, max });
    VectorizerOptions {
        tokens: TokenOptions {
            normalize: job.normalize,
            symbols: job.symbols,
            punctuation: job.punctuation,
            lower_case: job.lower_case,
            min_word_length: job.min_word_length,
            words: lengths(job.words),
            characters: lengths(job.characters),
        },
        features: match job.bits {
            // Refused, or small: 2^31 counts would take 8 GiB.
            Some(bits) => FeatureSpace::Hashed {
                bits: if bits < 32 { bits % 16 } else { bits },
                seed: 3,
            },
            None => FeatureSpace::Vocabulary {
                min_documents: u32::from(job.min_documents),
                max_document_share: job.max_document_share,
                max_features: job.max_features,
            },
        },
        term_weight: match job.weights.0 % 3 {
            0 => TermWeight::Logarithmic,
            1 => TermWeight::Count,
            _ => TermWeight::Binary,
        },
        inverse_document_frequency: job.weights.1,
        unit_norm: job.weights.2,
    }
}

fuzz_target!(|job: Job| {
    let Ok((fitted, rows)) = Vectorizer::fit_transform(&job.texts, options(&job), &Sequential)
    else {
        return;
    };
    assert_eq!(fitted.transform_all(&job.texts, &Sequential), rows);
    let query = std::slice::from_ref(&job.query);
    let found = fitted.transform_all(query, &Sequential);
    assert_eq!(fitted.transform_all(query, &Sequential), found);
});
