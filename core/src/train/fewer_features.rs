//! Leaving features out of a linear model of texts.
//!
//! Problem: of D features keep n, so that the scores of the training texts change little. Feature f
//! adds `df_f idf_f^2 sum_l w_lf^2` to their squares (before rows get length 1), where df_f is in
//! how many texts it occurs and w_lf its weight for label l. The n features of the largest sums
//! stay. Cost: a pass over the weights, and a sort of D numbers.

use super::compacted::{Compacted, CompactionError};
use crate::{
    format::FormatError,
    model::{Method, Model, linear::Linear},
};
use alloc::vec::Vec;

/// Bytes of a file for each feature with which fewer features are tried.
const BYTES_A_FEATURE: [u64; 4] = [20, 30, 45, 70];

impl Model {
    /// What keeps most of the squares of scores: the model `made` of all features, or one of fewer,
    /// where each leaves room for more weights.
    pub(super) fn with_fewer_words(
        &self,
        made: Result<Compacted, CompactionError>,
        max_bytes: u64,
    ) -> Result<Compacted, CompactionError> {
        let Some(least) = self.with_fewer_features(1) else {
            return made;
        };
        let fitted = |model: &Self, max_bytes| match &model.method {
            Method::Linear(linear) => {
                let fixed = model.fixed_bytes() + 4 * linear.frequencies().len() as u64;
                model.with_fewer_weights(linear, fixed, max_bytes)
            }
            _ => Err(FormatError::NothingToWrite.into()),
        };
        // What one feature without weights takes, each byte beyond which may hold more.
        let smallest = match fitted(&least, 0) {
            Err(CompactionError::TooSmall { smallest, .. }) => smallest,
            other => return made.or(other),
        };
        let Some(room) = max_bytes.checked_sub(smallest) else {
            return made.or(Err(CompactionError::TooSmall {
                max_bytes,
                smallest,
            }));
        };
        let mut best = made.or_else(|_| fitted(&least, max_bytes));
        let all = self.all_squares_of_scores();
        for bytes in BYTES_A_FEATURE {
            let count = usize::try_from(room / bytes).unwrap_or(usize::MAX);
            let Some(Ok(mut other)) = self
                .with_fewer_features(count)
                .map(|fewer| fitted(&fewer, max_bytes))
            else {
                continue;
            };
            let kept = other.model.all_squares_of_scores();
            if best
                .as_ref()
                .is_ok_and(|best| best.model.all_squares_of_scores() < kept)
            {
                if let Some(weights) = &mut other.weights {
                    weights.lost = 1.0 - kept / all;
                    weights.features = Some(other.model.features);
                }
                best = Ok(other);
            }
        }
        best
    }

    /// What each feature adds to the squares of scores; none if there is no vocabulary.
    fn squares_of_scores(&self, linear: &Linear) -> Option<Vec<f64>> {
        let vectorizer = self.vectorizer.as_ref()?;
        vectorizer.parts().vocabulary?;
        let squares = (0..).zip(linear.model().squares());
        let of_scores = squares.map(|(feature, square)| square * vectorizer.squares(feature));
        Some(of_scores.collect())
    }

    /// What all features add to the squares of scores; 0 if there is no vocabulary.
    fn all_squares_of_scores(&self) -> f64 {
        match &self.method {
            Method::Linear(linear) => {
                let squares = self.squares_of_scores(linear).unwrap_or_default();
                squares.iter().sum()
            }
            _ => 0.0,
        }
    }

    /// The model with `count` features; none if it has no more, or no vocabulary.
    fn with_fewer_features(&self, count: usize) -> Option<Self> {
        let Method::Linear(linear) = &self.method else {
            return None;
        };
        let squares = self.squares_of_scores(linear)?;
        if count == 0 || count >= squares.len() {
            return None;
        }
        let mut features: Vec<u32> = (0..self.features).collect();
        // Stable: equals stay in their order.
        features.sort_by(|&a, &b| squares[b as usize].total_cmp(&squares[a as usize]));
        features.truncate(count);
        features.sort_unstable();
        let vectorizer = self.vectorizer.as_ref()?.with_features(&features)?;
        let linear = linear.with_model(linear.model().with_features(&features));
        Some(Self {
            features: features.len() as u32,
            vectorizer: Some(vectorizer),
            method: Method::Linear(linear),
            ..self.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        data::{Dataset, Documents},
        executor::Sequential,
        kernels::Portable,
        model::Scratch,
        parameters::OneVsRest,
        text::{FeatureSpace, NGrams, TokenOptions, Vectorizer, VectorizerOptions},
    };
    use alloc::format;
    use core::ops::ControlFlow;

    fn trained(features: FeatureSpace) -> Model {
        let text = |id: usize| (format!("label{} common rare{id}", id % 5), [id % 5]);
        let rows = (0..60)
            .map(text)
            .map(|(text, [of])| (text, [format!("{of}")]));
        let documents = Documents::new(rows).unwrap();
        let tokens = TokenOptions {
            words: Some(NGrams { min: 1, max: 1 }),
            ..TokenOptions::default()
        };
        let options = VectorizerOptions {
            features,
            tokens,
            ..VectorizerOptions::default()
        };
        let made = Vectorizer::fit_transform(&documents.texts, options, &Sequential).unwrap();
        let (vectorizer, rows) = made;
        let names = Some(documents.label_names);
        let data = Dataset::new(rows, documents.labels, names).unwrap();
        let parameters = OneVsRest::default();
        let go_on = |_| ControlFlow::Continue(());
        let words = Some(vectorizer);
        Model::train_ovr(&parameters, &data, words, &Sequential, &Portable, go_on).unwrap()
    }

    #[test]
    fn the_features_that_decide_stay_and_answer_as_before() {
        let whole = trained(FeatureSpace::Vocabulary {
            min_documents: 1,
            max_document_share: 1.0,
            max_features: None,
        });
        let fewer = whole.with_fewer_features(5).unwrap();
        let vectorizer = fewer.vectorizer().unwrap();
        let names = (0..5).map(|id| vectorizer.feature_name(id).unwrap());
        assert_eq!(
            names.collect::<Vec<_>>(),
            (0..5).map(|of| format!("label{of}")).collect::<Vec<_>>()
        );
        let read = Model::from_bytes(fewer.to_bytes().unwrap()).unwrap();
        let mut scratch = Scratch::new(&Portable);
        for of in 0..5 {
            let text = format!("something of label{of}");
            let best = read.predict_text(&text, 1, &mut scratch).unwrap();
            assert_eq!(best[0].name, Some(format!("{of}")));
        }
        let (kept, all) = (read.all_squares_of_scores(), whole.all_squares_of_scores());
        assert!(0.3 * all < kept && kept < all, "{kept} of {all}");
        for none in [0, whole.features as usize] {
            assert!(whole.with_fewer_features(none).is_none());
        }
    }

    #[test]
    fn hashed_features_stay() {
        let hashed = trained(FeatureSpace::Hashed { bits: 8, seed: 0 });
        assert!(hashed.with_fewer_features(5).is_none());
        assert!(hashed.all_squares_of_scores() == 0.0);
    }
}
