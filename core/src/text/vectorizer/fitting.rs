//! Fitting a vectorizer to texts, which become rows with it.

use super::{Features, Vectorizer, as_texts};
use crate::{
    executor::Executor,
    hash::FeatureHash,
    sparse::SparseRows,
    text::{
        FeatureSpace, VectorizerError, VectorizerOptions,
        vocabulary::{Limits, Occurrences, hashed_frequencies, vocabulary},
    },
};
use alloc::vec::Vec;
use core::iter::repeat_n;

impl Vectorizer {
    /// Finds the features of `texts` and in how many texts each occurs, and turns the texts into
    /// rows: those that [`Vectorizer::transform_all`] gives.
    ///
    /// The result does not depend on the executor. Time: one pass over the texts (two where
    /// features are hashed and their frequencies count) and a sort of the different tokens; memory:
    /// all different tokens once, about 40 bytes each, and 16 bytes a value of the rows.
    ///
    /// # Errors
    /// Bad options, no texts, or no token within the limits.
    pub fn fit_transform<T: AsRef<str> + Sync>(
        texts: &[T],
        options: VectorizerOptions,
        executor: &Executor,
    ) -> Result<(Self, SparseRows), VectorizerError> {
        Self::fit_texts(&as_texts(texts), options, executor)
    }

    fn fit_texts(
        texts: &[&str],
        options: VectorizerOptions,
        executor: &Executor,
    ) -> Result<(Self, SparseRows), VectorizerError> {
        options.check()?;
        let documents = u32::try_from(texts.len()).map_err(|_| VectorizerError::TooLarge)?;
        if documents == 0 {
            return Err(VectorizerError::NoTexts);
        }
        let (features, frequencies, known) = match options.features {
            FeatureSpace::Vocabulary {
                min_documents,
                max_document_share,
                max_features,
            } => {
                let limits = Limits {
                    min_documents,
                    max_document_share,
                    max_features,
                };
                let found = vocabulary(texts, &options.tokens, limits, executor)?;
                let (names, index) = (found.names, None);
                let known = Some((found.texts, found.places));
                (
                    Features::Vocabulary { names, index },
                    found.documents,
                    known,
                )
            }
            FeatureSpace::Hashed { bits, seed } => {
                let hash = FeatureHash::new(bits, seed).ok_or(VectorizerError::BadBits { bits })?;
                let counts = if options.inverse_document_frequency {
                    hashed_frequencies(texts, &options.tokens, hash, executor)?
                } else {
                    Vec::new()
                };
                (Features::Hashed(hash), counts, None)
            }
        };
        let fitted = Self {
            options,
            documents,
            features,
            frequencies: frequencies.into(),
        };
        let rows = match known {
            Some((found, places)) => fitted.weigh_all(found, &places, executor),
            None => fitted.transform_texts(texts, executor),
        };
        Ok((fitted, rows))
    }

    /// The rows of texts whose tokens are known by number; `places` has the feature of each.
    fn weigh_all(
        &self,
        texts: Vec<Occurrences>,
        places: &[Option<u32>],
        executor: &Executor,
    ) -> SparseRows {
        let parts = self.rows_of_jobs(texts.len(), executor, &|rows, job, scratch| {
            for tokens in texts[job].iter() {
                scratch.features.clear();
                for &(number, times) in tokens {
                    if let Some(feature) = places[number as usize] {
                        scratch.features.extend(repeat_n(feature, times as usize));
                    }
                }
                rows.push_checked(self.weigh(scratch));
            }
        });
        drop(texts);
        SparseRows::joined(self.features(), &parts)
    }
}
