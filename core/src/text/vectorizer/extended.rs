//! More or fewer words for a vectorizer whose texts are gone.

use super::{Features, Vectorizer, as_texts};
use crate::{
    array::Array,
    executor::Executor,
    float,
    names::Names,
    sparse::{SparseRows, SparseView},
    text::{
        FeatureSpace, NGrams, TokenOptions, VectorizerError,
        tokens::{TokenScratch, for_each_token},
        vocabulary::{Limits, hashed_frequencies, vocabulary},
    },
};
use alloc::{string::String, vec::Vec};

impl Vectorizer {
    /// The sum of a feature's squared values over all training texts, had each that has it one of
    /// it, before rows get length 1.
    #[must_use]
    pub(crate) fn squares(&self, feature: u32) -> f64 {
        let weight = self.inverse_frequency(feature);
        f64::from(self.frequency(feature)) * weight * weight
    }

    /// The vectorizer that knows these features alone, which rise, numbered anew; none of hashed
    /// features, or without any.
    #[must_use]
    pub(crate) fn with_features(&self, features: &[u32]) -> Option<Self> {
        let names = self.parts().vocabulary?;
        let kept = features.iter().filter_map(|&feature| names.get(feature));
        let names = Names::new(kept).ok()?;
        let of = |&feature: &u32| self.frequencies.get(feature as usize).copied();
        let frequencies: Vec<u32> = features.iter().filter_map(of).collect();
        let options = self.options.clone();
        Self::from_parts(options, self.documents, Some(names), frequencies.into()).ok()
    }

    /// What rows that `larger` made become where this vectorizer, made of it by
    /// [`Vectorizer::with_features`], reads their texts: to the rounding of values.
    #[must_use]
    pub(crate) fn rows_of(&self, larger: &Self, rows: &SparseRows) -> SparseRows {
        let names = |of: &Self| {
            (0..of.features())
                .map(|feature| of.feature_name(feature))
                .collect()
        };
        let (own, all): (Vec<_>, Vec<_>) = (names(self), names(larger));
        let mut own = own.iter().peekable();
        // Both rise in the order of the larger vocabulary.
        let numbers = all.iter().scan(0, |next, name| {
            let known = own.next_if(|&kept| kept == name).is_some();
            *next += u32::from(known);
            Some(known.then(|| *next - 1))
        });
        let numbers: Vec<Option<u32>> = numbers.collect();
        let mut made = SparseRows::new(self.features());
        for row in rows.iter() {
            let kept = row.iter().filter_map(|(feature, value)| {
                let number = numbers.get(feature as usize).copied().flatten()?;
                Some((number, f64::from(value)))
            });
            let kept: Vec<(u32, f64)> = kept.collect();
            let norm = float::sqrt(kept.iter().map(|(_, value)| value * value).sum());
            let scale = if self.options.unit_norm && norm > 0.0 {
                norm
            } else {
                1.0
            };
            let (ids, values): (Vec<u32>, Vec<f32>) = kept
                .iter()
                .map(|&(id, value)| (id, (value / scale) as f32))
                .unzip();
            made.push_checked(SparseView::from_checked(&ids, &values));
        }
        made
    }

    /// The vectorizer that knows the tokens of `texts`, too, and for each of its features the
    /// number that it has there. Known tokens stay; new ones must be within the limits that the
    /// vectorizer was fitted with, of these texts alone, and fill up to its largest number of
    /// features, the most frequent first. Frequencies count all texts.
    ///
    /// Cost: as [`Vectorizer::fit_transform`] of `texts`, and a pass over the vocabulary.
    ///
    /// # Errors
    /// If there are more texts or tokens than 32 bits count, or memory is lacking.
    pub fn extended<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        executor: &Executor,
    ) -> Result<(Self, Vec<u32>), VectorizerError> {
        let texts = &as_texts(texts)[..];
        let more = u32::try_from(texts.len()).map_err(|_| VectorizerError::TooLarge)?;
        let documents = self.documents.checked_add(more);
        let documents = documents.ok_or(VectorizerError::TooLarge)?;
        let (features, frequencies, places) = match &self.features {
            Features::Hashed(hash) => {
                let mut sums = self.frequencies.to_vec();
                if !sums.is_empty() {
                    let counts = hashed_frequencies(texts, &self.options.tokens, *hash, executor)?;
                    sums.iter_mut()
                        .zip(&counts)
                        .for_each(|(sum, count)| *sum += count);
                }
                let places = (0..hash.features()).collect();
                (Features::Hashed(*hash), sums, places)
            }
            Features::Vocabulary { names, .. } => {
                let found = self.found(texts, executor)?;
                let (names, sums, places) = self.merged(names, &found, more)?;
                (Features::Vocabulary { names, index: None }, sums, places)
            }
        };
        let vectorizer = Self {
            options: self.options.clone(),
            documents,
            features,
            frequencies: Array::from(frequencies),
        };
        Ok((vectorizer, places))
    }

    /// All tokens of `texts` in alphabetical order, and in how many texts each occurs.
    fn found(
        &self,
        texts: &[&str],
        executor: &Executor,
    ) -> Result<(Names, Vec<u32>), VectorizerError> {
        let all = Limits {
            min_documents: 1,
            max_document_share: 1.0,
            max_features: None,
        };
        match vocabulary(texts, &self.options.tokens, all, executor) {
            Err(VectorizerError::NothingKept { .. }) => {
                let none = Names::new(core::iter::empty::<&str>());
                Ok((none.map_err(|_| VectorizerError::TooLarge)?, Vec::new()))
            }
            found => found.map(|found| (found.names, found.documents)),
        }
    }

    /// Known and found tokens as one vocabulary, with their frequencies, and the places of the
    /// known ones.
    fn merged(
        &self,
        known: &Names,
        (names, counts): &(Names, Vec<u32>),
        texts: u32,
    ) -> Result<(Names, Vec<u32>, Vec<u32>), VectorizerError> {
        let FeatureSpace::Vocabulary {
            min_documents,
            max_document_share,
            max_features,
        } = self.options.features
        else {
            return Err(VectorizerError::VocabularyMismatch);
        };
        let most = max_document_share * f64::from(texts);
        let mut sums = self.frequencies.to_vec();
        let mut new = Vec::new();
        for (name, &count) in names.iter().zip(counts) {
            match known.find(&name) {
                Some(id) => sums[id as usize] += count,
                None if count >= min_documents && f64::from(count) <= most => {
                    new.push((name, count));
                }
                None => {}
            }
        }
        if let Some(limit) = max_features {
            // Stable: equals stay in alphabetical order.
            new.sort_by_key(|&(_, count)| core::cmp::Reverse(count));
            new.truncate((limit as usize).saturating_sub(known.len()));
        }
        let old = known.iter().zip(sums).enumerate();
        let old = old.map(|(id, (name, count))| (name, count, Some(id)));
        let mut all: Vec<_> = old.collect();
        all.extend(new.into_iter().map(|(name, count)| (name, count, None)));
        all.sort_unstable();
        let merged = Names::new(all.iter().map(|(name, ..)| name));
        let merged = merged.map_err(|_| VectorizerError::TooLarge)?;
        let places = (0..).zip(&all);
        let places = places.filter_map(|(place, (_, _, id))| id.map(|_| place));
        let places = places.collect();
        Ok((
            merged,
            all.iter().map(|&(_, count, _)| count).collect(),
            places,
        ))
    }
}

impl<'w> Extend<&'w str> for Vectorizer {
    /// Lets the vectorizer know these words, too, each as one that no training text has; hashed
    /// features stay as they are. Words that it takes apart are left out, as are all if there would
    /// be more than 32 bits count. Rows are to be made anew: features get other numbers, and a
    /// training text may have words that were too rare before.
    fn extend<I: IntoIterator<Item = &'w str>>(&mut self, words: I) {
        let Features::Vocabulary { names, .. } = &self.features else {
            return;
        };
        let single = TokenOptions {
            words: Some(NGrams { min: 1, max: 1 }),
            characters: None,
            ..self.options.tokens.clone()
        };
        let mut scratch = TokenScratch::default();
        let mut token_of = |word: &str| {
            let mut own = None;
            for_each_token(word, &single, &mut scratch, |token| {
                let whole = own.is_none() && (token == word || token == word.to_lowercase());
                own = Some(whole.then(|| String::from(token)));
            });
            own.flatten()
        };
        let known = names.iter().zip(self.frequencies.iter().copied());
        let mut all: Vec<(String, u32)> = known.collect();
        let new = words.into_iter().filter_map(&mut token_of);
        all.extend(
            new.filter(|word| names.find(word).is_none())
                .map(|word| (word, 0)),
        );
        all.sort_unstable();
        all.dedup_by(|word, before| word.0 == before.0);
        let Ok(names) = Names::new(all.iter().map(|(name, _)| name)) else {
            return;
        };
        let frequencies: Vec<u32> = all.iter().map(|&(_, count)| count).collect();
        self.features = Features::Vocabulary { names, index: None };
        self.frequencies = frequencies.into();
    }
}

#[cfg(test)]
mod tests {
    use super::Vectorizer;
    use crate::{
        executor::Sequential,
        text::{FeatureSpace, TextScratch, VectorizerOptions},
    };
    use alloc::{string::String, vec::Vec};

    const FIRST: [&str; 3] = ["a card was lost", "the card", "lost and found"];
    const MORE: [&str; 3] = ["the machine swallowed the card", "swallowed", "a zebra"];

    fn options(min_documents: u32, max_features: Option<u32>) -> VectorizerOptions {
        VectorizerOptions {
            features: FeatureSpace::Vocabulary {
                min_documents,
                max_document_share: 1.0,
                max_features,
            },
            ..VectorizerOptions::default()
        }
    }

    fn names(vectorizer: &Vectorizer) -> Vec<String> {
        vectorizer.parts().vocabulary.unwrap().iter().collect()
    }

    #[test]
    fn it_is_the_vectorizer_of_all_texts_where_no_word_is_left_out() {
        let first = Vectorizer::fit_transform(&FIRST, options(1, None), &Sequential)
            .unwrap()
            .0;
        let (both, places) = first.extended(&MORE, &Sequential).unwrap();
        let all = Vectorizer::fit_transform(&[FIRST, MORE].concat(), options(1, None), &Sequential)
            .unwrap()
            .0;
        assert_eq!(both, all);
        let old = names(&first);
        let new = names(&both);
        assert_eq!(places.len(), old.len());
        for (name, &place) in old.iter().zip(&places) {
            assert_eq!(*name, new[place as usize]);
        }
        let mut scratch = TextScratch::default();
        assert!(!both.transform("swallowed", &mut scratch).is_empty());
    }

    #[test]
    fn rows_of_fewer_words_are_those_of_the_texts() {
        for unit_norm in [true, false] {
            let options = VectorizerOptions {
                unit_norm,
                ..options(1, None)
            };
            let texts = [FIRST, MORE].concat();
            let (all, rows) = Vectorizer::fit_transform(&texts, options, &Sequential).unwrap();
            let kept: Vec<u32> = (0..all.features()).step_by(2).collect();
            let few = all.with_features(&kept).unwrap();
            let found = few.rows_of(&all, &rows);
            let wanted = few.transform_all(&texts, &Sequential);
            assert!(wanted.nonzeros() > 5 && wanted.nonzeros() < rows.nonzeros());
            assert_eq!(found.len(), wanted.len());
            for (found, wanted) in found.iter().zip(wanted.iter()) {
                assert_eq!(found.indices(), wanted.indices());
                for (one, other) in found.values().iter().zip(wanted.values()) {
                    assert!((one - other).abs() < 1e-6, "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn words_that_no_text_has_are_known_and_written_as_it_writes_them() {
        let first = Vectorizer::fit_transform(&FIRST, options(2, None), &Sequential);
        let first = first.unwrap().0;
        let words = ["Zebra", "zebra", "card", "a b", "found", "[lost]", ""];
        let mut more = first.clone();
        more.extend(words);
        assert_eq!(names(&more), ["card", "found", "lost", "zebra"]);
        assert_eq!(more.parts().frequencies, [2, 0, 2, 0]);
        let mut scratch = TextScratch::default();
        let row = more.transform("a Zebra was found", &mut scratch);
        assert_eq!(row.indices(), [1, 3]);
        assert_eq!(more.with_features(&[0, 2]), Some(first));
    }

    #[test]
    fn new_words_are_within_the_limits_and_old_ones_stay() {
        let first = Vectorizer::fit_transform(&FIRST, options(2, None), &Sequential)
            .unwrap()
            .0;
        assert_eq!(names(&first), ["card", "lost"]);
        let (both, places) = first.extended(&MORE, &Sequential).unwrap();
        assert_eq!(names(&both), ["card", "lost", "swallowed"]);
        assert_eq!(places, [0, 1]);
        // "the" stands twice in one text, which counts once.
        assert_eq!(both.parts().frequencies, [3, 2, 2]);
        assert_eq!(both.parts().documents, 6);
        let first = Vectorizer::fit_transform(&FIRST, options(1, Some(3)), &Sequential)
            .unwrap()
            .0;
        let (both, _) = first.extended(&MORE, &Sequential).unwrap();
        assert_eq!(names(&both), names(&first));
    }

    #[test]
    fn texts_without_words_and_hashed_words_change_counts_alone() {
        let first = Vectorizer::fit_transform(&FIRST, options(1, None), &Sequential)
            .unwrap()
            .0;
        let (both, places) = first.extended(&["?!", ""], &Sequential).unwrap();
        assert_eq!(names(&both), names(&first));
        assert_eq!(both.parts().documents, 5);
        assert_eq!(places.len(), names(&first).len());
        let hashed = VectorizerOptions {
            features: FeatureSpace::Hashed { bits: 4, seed: 1 },
            ..VectorizerOptions::default()
        };
        let first = Vectorizer::fit_transform(&FIRST, hashed.clone(), &Sequential)
            .unwrap()
            .0;
        let (both, places) = first.extended(&MORE, &Sequential).unwrap();
        let all = Vectorizer::fit_transform(&[FIRST, MORE].concat(), hashed, &Sequential)
            .unwrap()
            .0;
        assert_eq!(both, all);
        assert_eq!(places, (0..16).collect::<Vec<u32>>());
    }
}
