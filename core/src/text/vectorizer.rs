//! Texts to sparse rows.

use super::{
    FeatureSpace, TermWeight, TextScratch, VectorizerError, VectorizerOptions,
    tokens::for_each_token,
};
use crate::{
    array::Array,
    executor::Executor,
    float,
    hash::FeatureHash,
    names::{Names, by_hash::NameIndex},
    sparse::{SparseRows, SparseView, inverse_document_frequency},
};
use alloc::{string::String, sync::Arc, vec::Vec};

/// Turns texts into sparse rows, always the way it was fitted: saved with the model.
///
/// A text's tokens (`for_each_token`) become features by a vocabulary or by hashing. A feature
/// that occurs `tf` times in a text weighs `1 + ln tf` there (or `tf`, or 1), times
/// `ln((1 + n) / (1 + df)) + 1` where it occurs in `df` of the `n` training texts; rows are
/// divided by their Euclidean norm. Everything is computed in `f64`, features in rising order,
/// and rounded to `f32` at the end, so rows are equal to the bit everywhere.
///
/// ```
/// use hapax_core::{executor::Sequential, text::Vectorizer};
/// let texts = ["a small mouse", "a small house", "a house of cards"];
/// let (vectorizer, _) = Vectorizer::fit_transform(&texts, Default::default(), &Sequential)?;
/// let rows = vectorizer.transform_all(&["The small house, a dream"], &Sequential);
/// let row = rows.row(0);
/// let names = row.indices().iter().flat_map(|&id| vectorizer.feature_name(id));
/// assert_eq!(names.collect::<Vec<_>>(), ["a", "house", "small"]);
/// assert!((row.norm() - 1.0).abs() < 1e-6);
/// # Ok::<(), hapax_core::text::VectorizerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vectorizer {
    options: VectorizerOptions,
    documents: u32,
    features: Features,
    /// For each feature the number of training texts that hold it; empty for hashed features
    /// without inverse document frequency.
    frequencies: Array<u32>,
}

#[derive(Clone, Debug)]
enum Features {
    Vocabulary {
        names: Names,
        /// Once it is made: shared by clones, part of no file.
        index: Option<Arc<NameIndex>>,
    },
    Hashed(FeatureHash),
}

/// What a model file stores of a [`Vectorizer`].
#[derive(Clone, Copy, Debug)]
pub struct VectorizerParts<'a> {
    /// What it was told.
    pub options: &'a VectorizerOptions,
    /// Number of training texts.
    pub documents: u32,
    /// The tokens in alphabetical order; `None` for hashed features.
    pub vocabulary: Option<&'a Names>,
    /// In how many training texts each feature occurs; empty for hashed features without
    /// inverse document frequency.
    pub frequencies: &'a [u32],
}

/// Texts turned into rows in one job.
const TEXTS_A_JOB: usize = 256;

impl Vectorizer {
    /// What a model file stores.
    #[must_use]
    pub(crate) fn parts(&self) -> VectorizerParts<'_> {
        VectorizerParts {
            options: &self.options,
            documents: self.documents,
            vocabulary: match &self.features {
                Features::Vocabulary { names, .. } => Some(names),
                Features::Hashed(_) => None,
            },
            frequencies: &self.frequencies,
        }
    }

    /// A vectorizer from stored parts, checked.
    ///
    /// # Errors
    /// If the options break a rule or the tables do not fit them.
    pub(crate) fn from_parts(
        options: VectorizerOptions,
        documents: u32,
        vocabulary: Option<Names>,
        frequencies: Array<u32>,
    ) -> Result<Self, VectorizerError> {
        options.check()?;
        if documents == 0 {
            return Err(VectorizerError::NoTexts);
        }
        let (features, needed) = match (options.features, vocabulary) {
            (FeatureSpace::Vocabulary { .. }, Some(names)) => {
                if !names.sorted {
                    return Err(VectorizerError::NotSorted);
                }
                let needed = names.len();
                (Features::Vocabulary { names, index: None }, needed)
            }
            (FeatureSpace::Hashed { bits, seed }, None) => {
                let hash = FeatureHash::new(bits, seed).ok_or(VectorizerError::BadBits { bits })?;
                let stored = options.inverse_document_frequency;
                let needed = if stored { hash.features() as usize } else { 0 };
                (Features::Hashed(hash), needed)
            }
            _ => return Err(VectorizerError::VocabularyMismatch),
        };
        let found = frequencies.len();
        if found != needed {
            return Err(VectorizerError::FrequenciesDiffer { needed, found });
        }
        for (feature, &frequency) in (0..).zip(frequencies.iter()) {
            if frequency > documents {
                return Err(VectorizerError::FrequencyTooHigh {
                    feature,
                    frequency,
                    documents,
                });
            }
        }
        Ok(Self {
            options,
            documents,
            features,
            frequencies,
        })
    }

    /// What the vectorizer was told.
    #[must_use]
    pub fn options(&self) -> &VectorizerOptions {
        &self.options
    }

    /// Number of features D of the rows.
    #[must_use]
    pub fn features(&self) -> u32 {
        match &self.features {
            Features::Vocabulary { names, .. } => names.len() as u32,
            Features::Hashed(hash) => hash.features(),
        }
    }

    /// The token that is feature `id`, for evidence; `None` for hashed features, whose tokens
    /// are not known, and beyond the last feature.
    #[must_use]
    pub fn feature_name(&self, id: u32) -> Option<String> {
        match &self.features {
            Features::Vocabulary { names, .. } => names.get(id),
            Features::Hashed(_) => None,
        }
    }

    /// In how many training texts feature `id` occurs, where that is stored; else 0.
    fn frequency(&self, id: u32) -> u32 {
        self.frequencies.get(id as usize).copied().unwrap_or(0)
    }

    /// Makes looking up words of a vocabulary fast, and returns the bytes of memory that this
    /// takes: 0 if they are lacking, and words are looked up as before. Done already, it costs
    /// nothing. Rows stay the same.
    ///
    /// Cost: about 50 ns a word.
    pub(crate) fn prepare(&mut self) -> usize {
        let Features::Vocabulary { names, index } = &mut self.features else {
            return 0;
        };
        if index.is_none() {
            *index = NameIndex::new(names).map(Arc::new);
        }
        index.as_deref().map_or(0, NameIndex::bytes)
    }

    fn index(&self) -> Option<&NameIndex> {
        match &self.features {
            Features::Vocabulary { index, .. } => index.as_deref(),
            Features::Hashed(_) => None,
        }
    }

    /// An index for one call, if it pays for so many texts.
    fn temporary_index(&self, texts: usize) -> Option<NameIndex> {
        match &self.features {
            Features::Vocabulary { names, index: None } if texts >= TEXTS_A_JOB => {
                NameIndex::new(names)
            }
            _ => None,
        }
    }

    /// The row of `text`, which stays in `scratch`; empty if no token is known (`scratch` knows
    /// why). This allocates nothing once `scratch` is large enough.
    #[must_use]
    pub(crate) fn transform<'s>(&self, text: &str, scratch: &'s mut TextScratch) -> SparseView<'s> {
        self.transform_indexed(text, self.index(), scratch)
    }

    fn transform_indexed<'s>(
        &self,
        text: &str,
        index: Option<&NameIndex>,
        scratch: &'s mut TextScratch,
    ) -> SparseView<'s> {
        let TextScratch {
            tokens,
            features,
            token_count,
            ..
        } = scratch;
        features.clear();
        *token_count = 0;
        for_each_token(text, &self.options.tokens, tokens, |token| {
            *token_count += 1;
            features.extend(self.find(token, index));
        });
        self.weigh(scratch)
    }

    fn find(&self, token: &str, index: Option<&NameIndex>) -> Option<u32> {
        match (&self.features, index) {
            (Features::Hashed(hash), _) => Some(hash.feature(token.as_bytes())),
            (Features::Vocabulary { names, .. }, Some(index)) => index.find(names, token),
            (Features::Vocabulary { names, .. }, None) => names.find(token),
        }
    }

    /// The row of a text's features, of which each stands there as often as it occurs.
    fn weigh<'s>(&self, scratch: &'s mut TextScratch) -> SparseView<'s> {
        scratch.features.sort_unstable();
        scratch.indices.clear();
        scratch.weights.clear();
        let mut squares = 0.0;
        for run in scratch.features.chunk_by(|a, b| a == b) {
            let weight = self.term_weight(run.len()) * self.inverse_frequency(run[0]);
            squares += weight * weight;
            scratch.indices.push(run[0]);
            scratch.weights.push(weight);
        }
        let norm = if self.options.unit_norm && squares > 0.0 {
            float::sqrt(squares)
        } else {
            1.0
        };
        // Weights are at least 1 and below 1e12, so no value rounds to zero or infinity.
        scratch.values.clear();
        let values = scratch.weights.iter().map(|weight| (weight / norm) as f32);
        scratch.values.extend(values);
        scratch.row()
    }

    fn term_weight(&self, count: usize) -> f64 {
        match self.options.term_weight {
            TermWeight::Binary => 1.0,
            TermWeight::Count => count as f64,
            TermWeight::Logarithmic if count == 1 => 1.0,
            TermWeight::Logarithmic => 1.0 + float::ln(count as f64),
        }
    }

    fn inverse_frequency(&self, feature: u32) -> f64 {
        if !self.options.inverse_document_frequency {
            return 1.0;
        }
        inverse_document_frequency(self.frequency(feature), f64::from(self.documents))
    }

    /// The rows of `texts` over [`Vectorizer::features`] features, in order. The result does not
    /// depend on the executor.
    #[must_use]
    pub fn transform_all<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        executor: &Executor,
    ) -> SparseRows {
        self.transform_texts(&as_texts(texts), executor)
    }

    fn transform_texts(&self, texts: &[&str], executor: &Executor) -> SparseRows {
        let temporary = self.temporary_index(texts.len());
        let index = temporary.as_ref().or(self.index());
        let jobs: Vec<&[&str]> = texts.chunks(TEXTS_A_JOB).collect();
        let parts = self.rows_of_jobs(jobs.len(), executor, &|rows, job, scratch| {
            for text in jobs[job] {
                rows.push_checked(self.transform_indexed(text, index, scratch));
            }
        });
        SparseRows::joined(self.features(), &parts)
    }

    /// What `push` makes of each job.
    fn rows_of_jobs(
        &self,
        jobs: usize,
        executor: &Executor,
        push: &(dyn Fn(&mut SparseRows, usize, &mut TextScratch) + Sync),
    ) -> Vec<SparseRows> {
        executor.map(jobs, TextScratch::default, |scratch, job| {
            let mut rows = SparseRows::new(self.features());
            push(&mut rows, job, scratch);
            rows
        })
    }
}

/// What is generic of the borders ends here: all else is compiled once.
pub(crate) fn as_texts<T: AsRef<str>>(texts: &[T]) -> Vec<&str> {
    texts.iter().map(AsRef::as_ref).collect()
}

mod extended;
mod fitting;

impl PartialEq for Vectorizer {
    /// Whether both store the same; an index makes no difference.
    fn eq(&self, other: &Self) -> bool {
        let (left, right) = (self.parts(), other.parts());
        left.options == right.options
            && left.documents == right.documents
            && left.vocabulary == right.vocabulary
            && left.frequencies == right.frequencies
    }
}

#[cfg(test)]
mod tests;
