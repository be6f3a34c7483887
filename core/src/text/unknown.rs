//! Words that a vectorizer was not fitted to.

use super::{
    NGrams, TokenOptions, Vectorizer,
    tokens::{TokenScratch, for_each_token},
};
use crate::{executor::Executor, interner::Interner};

/// Texts looked at in one job.
const TEXTS_A_JOB: usize = 512;

impl Vectorizer {
    /// How many different words of `texts` belong to no feature, so that rows say nothing of them.
    /// `None` where the question makes no sense: features are hashed, or n-grams of characters or
    /// of several words alone.
    ///
    /// Time: one pass over the texts; memory: the unknown words, and a hash table of the
    /// vocabulary.
    #[must_use]
    pub fn unknown_words<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        executor: &Executor,
    ) -> Option<usize> {
        let known = Interner::from_names(self.parts().vocabulary?);
        let asked = &self.options().tokens;
        if asked.characters.is_some() || asked.words?.min != 1 {
            return None;
        }
        let single = TokenOptions {
            words: Some(NGrams { min: 1, max: 1 }),
            punctuation: false,
            ..asked.clone()
        };
        let parts = executor.map(
            texts.len().div_ceil(TEXTS_A_JOB),
            TokenScratch::default,
            |scratch, job| {
                let mut unknown = Interner::new();
                for text in texts.iter().skip(job * TEXTS_A_JOB).take(TEXTS_A_JOB) {
                    for_each_token(text.as_ref(), &single, scratch, |word| {
                        if known.find(word).is_none() {
                            unknown.intern(word);
                        }
                    });
                }
                unknown
            },
        );
        let mut unknown = Interner::new();
        for part in &parts {
            for word in part.iter() {
                unknown.intern(word);
            }
        }
        Some(unknown.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        executor::Sequential,
        text::{FeatureSpace, NGrams, TokenOptions, Vectorizer, VectorizerOptions},
    };

    #[test]
    fn words_that_are_no_feature_are_counted_once() {
        let fitted = |tokens, features| {
            let options = VectorizerOptions {
                tokens,
                features,
                ..VectorizerOptions::default()
            };
            let texts = ["the card is lost", "the card is new"];
            Vectorizer::fit_transform(&texts, options, &Sequential)
                .unwrap()
                .0
        };
        let all = FeatureSpace::for_texts(2);
        let tokens = TokenOptions::default();
        let plain = fitted(tokens.clone(), all);
        let unknown = |texts: &[&str]| plain.unknown_words(texts, &Sequential);
        assert_eq!(unknown(&["The lost card!", ""]), Some(0));
        assert_eq!(unknown(&["an old card", "an older one"]), Some(4));
        // The same words in more texts than a job has.
        let many: alloc::vec::Vec<&str> =
            ["a x", "b the"].into_iter().cycle().take(1_500).collect();
        assert_eq!(unknown(&many), Some(3));
        let hashed = fitted(tokens.clone(), FeatureSpace::Hashed { bits: 8, seed: 0 });
        let characters = TokenOptions {
            characters: Some(NGrams { min: 3, max: 3 }),
            ..tokens
        };
        for vectorizer in [hashed, fitted(characters, all)] {
            assert_eq!(vectorizer.unknown_words(&["unheard"], &Sequential), None);
        }
    }
}
