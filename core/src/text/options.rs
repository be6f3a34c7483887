//! What a vectorizer does, as the model file keeps it.

use crate::{float::Decimal, hash::FeatureHash};
use core::fmt;
use serde::{Deserialize, Serialize};

/// Lengths of n-grams, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NGrams {
    /// The shortest, at least 1.
    pub min: u8,
    /// The longest, at least `min`, at most `NGrams::LONGEST`.
    pub max: u8,
}

impl NGrams {
    /// The longest n-gram there can be.
    pub(crate) const LONGEST: u8 = 16;

    fn is_valid(self) -> bool {
        1 <= self.min && self.min <= self.max && self.max <= Self::LONGEST
    }
}

/// How a text becomes tokens.
///
/// Words are those of Unicode's text segmentation (UAX 29) that hold a letter or a digit, and
/// symbols where these count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredTokens", into = "StoredTokens")]
pub struct TokenOptions {
    /// Whether characters that look alike count as one: Unicode's NFKC form is taken
    /// (`ﬁ` is `fi`, `①` is `1`, a letter and its accent are one character).
    pub normalize: bool,
    /// Whether upper and lower case count as one. The final sigma counts as a sigma.
    pub lower_case: bool,
    /// Whether symbols count: emoji, `€`, `→` and their like are words, as are `$`, `%` and
    /// `&`; `+` and `#` behind a word and a dot in front of one belong to it (`c++`, `c#`, `.net`).
    /// Models of before this existed are without.
    pub symbols: bool,
    /// Whether punctuation counts: each mark that is not blank is a word, without n-grams of
    /// characters. Models of before this existed are without.
    pub punctuation: bool,
    /// Words with fewer characters are left out, before n-grams are made; symbols and
    /// punctuation are not.
    pub min_word_length: u8,
    /// N-grams of words, joined by single spaces.
    pub words: Option<NGrams>,
    /// N-grams of the characters of each word, its ends marked by `<` and `>`, which count as
    /// characters. Written with `#` in front, so that none is ever taken for a word.
    pub characters: Option<NGrams>,
}

impl Default for TokenOptions {
    /// Normalized lower-cased words and pairs of words.
    fn default() -> Self {
        Self {
            normalize: true,
            lower_case: true,
            symbols: true,
            punctuation: false,
            min_word_length: 1,
            words: Some(NGrams { min: 1, max: 2 }),
            characters: None,
        }
    }
}

/// Token options as files have them: what was a flag of normalization holds those of symbols and
/// punctuation, too, so that files from before these existed are read, and files without them
/// written, as they were.
#[derive(Clone, Serialize, Deserialize)]
struct StoredTokens {
    /// 1 if normalized, 2 more with symbols, and 4 more with punctuation.
    flags: u8,
    lower_case: bool,
    min_word_length: u8,
    words: Option<NGrams>,
    characters: Option<NGrams>,
}

impl From<TokenOptions> for StoredTokens {
    fn from(options: TokenOptions) -> Self {
        Self {
            flags: u8::from(options.normalize)
                | u8::from(options.symbols) << 1
                | u8::from(options.punctuation) << 2,
            lower_case: options.lower_case,
            min_word_length: options.min_word_length,
            words: options.words,
            characters: options.characters,
        }
    }
}

impl TryFrom<StoredTokens> for TokenOptions {
    type Error = &'static str;

    fn try_from(stored: StoredTokens) -> Result<Self, Self::Error> {
        if stored.flags > 7 {
            return Err("a flag of tokens is unknown");
        }
        Ok(Self {
            normalize: stored.flags & 1 != 0,
            symbols: stored.flags & 2 != 0,
            punctuation: stored.flags & 4 != 0,
            lower_case: stored.lower_case,
            min_word_length: stored.min_word_length,
            words: stored.words,
            characters: stored.characters,
        })
    }
}

/// Which features tokens become.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum FeatureSpace {
    /// One feature for each token of the training texts that passes these limits, numbered in
    /// alphabetical order (by UTF-8 bytes).
    Vocabulary {
        /// Tokens in fewer texts are left out.
        min_documents: u32,
        /// Tokens in a larger share of the texts are left out; 1 keeps all.
        max_document_share: f64,
        /// Only so many tokens are kept: those in the most texts, among equals the first in
        /// alphabetical order.
        max_features: Option<u32>,
    },
    /// `2^bits` features numbered by a `FeatureHash` of the token: no table of tokens, and no
    /// names in the evidence.
    Hashed {
        /// Bits of a feature's number, `1..=31`.
        bits: u8,
        /// Seed of the hash function.
        seed: u64,
    },
}

/// Below so many texts a token that only one of them holds is more likely to matter than to be
/// noise.
const FEW_TEXTS: usize = 1000;

impl FeatureSpace {
    /// The default for `texts` training texts: the tokens that occur in at least two of them, and
    /// all tokens of less than 1,000 texts.
    #[must_use]
    pub fn for_texts(texts: usize) -> Self {
        Self::Vocabulary {
            min_documents: if texts < FEW_TEXTS { 1 } else { 2 },
            max_document_share: 1.0,
            max_features: None,
        }
    }
}

impl Default for FeatureSpace {
    /// The tokens that occur in at least two texts: [`FeatureSpace::for_texts`] of many.
    fn default() -> Self {
        Self::for_texts(usize::MAX)
    }
}

/// What a token that occurs `tf` times in a text weighs there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TermWeight {
    /// `1 + ln tf`.
    #[default]
    Logarithmic,
    /// `tf`.
    Count,
    /// 1.
    Binary,
}

/// Everything a [`Vectorizer`](super::Vectorizer) is told; saved with the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorizerOptions {
    /// How a text becomes tokens.
    pub tokens: TokenOptions,
    /// Which features tokens become.
    pub features: FeatureSpace,
    /// What a token weighs in a text.
    pub term_weight: TermWeight,
    /// Whether that weight is multiplied by `ln((1 + n) / (1 + df)) + 1`, where `df` of the `n`
    /// training texts hold the feature. For hashed features this stores `4 * 2^bits` bytes.
    pub inverse_document_frequency: bool,
    /// Whether each row is divided by its Euclidean norm.
    pub unit_norm: bool,
}

impl Default for VectorizerOptions {
    /// The weights `(1 + ln tf) * (ln((1 + n) / (1 + df)) + 1)` over a vocabulary, unit norm.
    fn default() -> Self {
        Self {
            tokens: TokenOptions::default(),
            features: FeatureSpace::default(),
            term_weight: TermWeight::default(),
            inverse_document_frequency: true,
            unit_norm: true,
        }
    }
}

/// Why there is no such vectorizer.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum VectorizerError {
    /// Lengths of n-grams are 0, out of order or too large.
    BadNGrams {
        /// The lengths.
        ngrams: NGrams,
    },
    /// Neither words nor characters make tokens.
    NoTokenKind,
    /// The number of bits of hashed features is out of range.
    BadBits {
        /// That number.
        bits: u8,
    },
    /// The largest share of texts is not above 0 and at most 1.
    BadShare {
        /// That share.
        share: f64,
    },
    /// At most 0 features were allowed.
    NoFeaturesAllowed,
    /// There are no texts to fit to.
    NoTexts,
    /// More than 2^32 - 1 texts or different tokens, or 4 GiB of tokens.
    TooLarge,
    /// No token of the texts passes the limits.
    NothingKept {
        /// Number of texts.
        documents: u32,
        /// Number of different tokens in them.
        tokens: usize,
    },
    /// A stored vectorizer lacks the table of tokens that its options need, or has one too many.
    VocabularyMismatch,
    /// A stored table of tokens is not in alphabetical order.
    NotSorted,
    /// There are more or fewer document frequencies than features.
    FrequenciesDiffer {
        /// Number of frequencies needed.
        needed: usize,
        /// Number of frequencies found.
        found: usize,
    },
    /// A feature is in more texts than there are.
    FrequencyTooHigh {
        /// The feature.
        feature: u32,
        /// Its document frequency.
        frequency: u32,
        /// Number of texts.
        documents: u32,
    },
}

impl fmt::Display for VectorizerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::BadNGrams { ngrams } => write!(
                f,
                "n-grams of length {} to {}: both must be in 1..={} and in order",
                ngrams.min,
                ngrams.max,
                NGrams::LONGEST
            ),
            Self::NoTokenKind => {
                f.write_str("neither word nor character n-grams: choose at least one")
            }
            Self::BadBits { bits } => write!(
                f,
                "{bits} bits for hashed features; must be in 1..={}",
                FeatureHash::MAX_BITS
            ),
            Self::BadShare { share } => write!(
                f,
                "a largest document share of {}; must be above 0 and at most 1",
                Decimal(share)
            ),
            Self::NoFeaturesAllowed => {
                f.write_str("at most 0 features were allowed; at least 1 is needed")
            }
            Self::NoTexts => f.write_str("no texts to fit to; at least one is needed"),
            Self::TooLarge => {
                f.write_str("more than 4294967295 texts or different tokens, or 4 GiB of tokens")
            }
            Self::NothingKept { documents, tokens } => write!(
                f,
                "none of the {tokens} different tokens of {documents} texts passes the limits; \
                 lower the least number of documents or raise the largest share"
            ),
            Self::VocabularyMismatch => {
                f.write_str("the table of tokens does not fit the kind of features")
            }
            Self::NotSorted => f.write_str("the table of tokens is not in alphabetical order"),
            Self::FrequenciesDiffer { needed, found } => {
                write!(f, "{found} document frequencies where {needed} are needed")
            }
            Self::FrequencyTooHigh {
                feature,
                frequency,
                documents,
            } => write!(
                f,
                "feature {feature} is in {frequency} texts, but there were only {documents}"
            ),
        }
    }
}

impl core::error::Error for VectorizerError {}

impl VectorizerOptions {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self) -> Result<(), VectorizerError> {
        let kinds = [self.tokens.words, self.tokens.characters];
        if kinds == [None, None] {
            return Err(VectorizerError::NoTokenKind);
        }
        if let Some(ngrams) = kinds.into_iter().flatten().find(|n| !n.is_valid()) {
            return Err(VectorizerError::BadNGrams { ngrams });
        }
        match self.features {
            FeatureSpace::Hashed { bits, seed } => match FeatureHash::new(bits, seed) {
                Some(_) => Ok(()),
                None => Err(VectorizerError::BadBits { bits }),
            },
            FeatureSpace::Vocabulary {
                max_document_share: share,
                max_features,
                ..
            } => {
                if !(share > 0.0 && share <= 1.0) {
                    Err(VectorizerError::BadShare { share })
                } else if max_features == Some(0) {
                    Err(VectorizerError::NoFeaturesAllowed)
                } else {
                    Ok(())
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NGrams, TokenOptions};
    use serde::{Deserialize, Serialize};

    /// As files were written before symbols counted.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Before {
        normalize: bool,
        lower_case: bool,
        min_word_length: u8,
        words: Option<NGrams>,
        characters: Option<NGrams>,
    }

    #[test]
    fn options_without_symbols_have_the_bytes_that_they_always_had() {
        for normalize in [false, true] {
            let before = Before {
                normalize,
                lower_case: true,
                min_word_length: 2,
                words: Some(NGrams { min: 1, max: 3 }),
                characters: None,
            };
            let bytes = postcard::to_allocvec(&before).unwrap();
            let read: TokenOptions = postcard::from_bytes(&bytes).unwrap();
            assert!(!read.symbols && !read.punctuation && read.min_word_length == 2);
            assert_eq!(read.normalize, normalize);
            assert_eq!(postcard::to_allocvec(&read).unwrap(), bytes);
            for (symbols, punctuation) in [(true, false), (false, true), (true, true)] {
                let with = TokenOptions {
                    symbols,
                    punctuation,
                    ..read.clone()
                };
                let bytes = postcard::to_allocvec(&with).unwrap();
                assert_eq!(postcard::from_bytes::<TokenOptions>(&bytes), Ok(with));
                // Releases from before refuse what they would read wrongly.
                assert!(postcard::from_bytes::<Before>(&bytes).is_err());
            }
            let unknown = [&[8], &bytes[1..]].concat();
            assert!(postcard::from_bytes::<TokenOptions>(&unknown).is_err());
        }
    }
}
