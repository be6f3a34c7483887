//! What trainers can be told of texts.

use crate::{MACHINE, errors::Thrown, options::Options, watching::Watching};
use hapax_core::{
    data::{Dataset as Rows, Documents, Source},
    kernels::Kernels,
    parameters::OneVsRest,
    text::{FeatureSpace, NGrams, Vectorizer, VectorizerOptions},
    train::one_vs_rest::{GivenFeatures, choose_features},
};
use hapax_wasm_kernels::KERNELS;
use std::borrow::Cow;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// Items as a list.
    #[wasm_bindgen(js_name = itself)]
    pub(crate) fn list(items: Vec<JsValue>) -> JsValue;
}

/// What was chosen for texts; the rest has the native command's defaults.
pub struct TextChoice {
    /// Whether scores become probabilities.
    pub calibrates: bool,
    /// None where the caller left it to the number of texts.
    min_documents: Option<u32>,
    text: VectorizerOptions,
    /// What of it the caller decided.
    given: GivenFeatures,
}

/// Rows to train on, and what made them.
pub struct Chosen<'a> {
    pub rows: Cow<'a, Rows>,
    pub vectorizer: Option<Vectorizer>,
    /// How texts become features, where that was tried.
    pub features: Option<VectorizerOptions>,
}

impl TextChoice {
    /// Throws `ParamError`.
    pub fn new(options: &Options) -> Result<Self, Thrown> {
        let (words, characters) = (options.lengths("words")?, options.lengths("characters")?);
        let punctuation = options.flag("punctuation")?;
        let min_documents = options.count("minDocuments")?;
        let given = GivenFeatures {
            characters: characters.is_some(),
            punctuation: punctuation.is_some(),
            counts: min_documents.is_some(),
        };
        let mut text = VectorizerOptions::default();
        if let Some(lengths) = words {
            text.tokens.words = ngrams(&lengths);
        }
        if let Some(lengths) = characters {
            text.tokens.characters = ngrams(&lengths);
        }
        text.tokens.punctuation = punctuation.unwrap_or_default();
        text.check()?;
        Ok(Self {
            calibrates: options.flag("calibrate")?.unwrap_or(true),
            min_documents,
            text,
            given,
        })
    }

    /// The options for so many texts.
    fn options(&self, texts: usize) -> VectorizerOptions {
        let mut features = FeatureSpace::for_texts(texts);
        if let FeatureSpace::Vocabulary { min_documents, .. } = &mut features {
            *min_documents = self.min_documents.unwrap_or(*min_documents);
        }
        VectorizerOptions {
            features,
            ..self.text.clone()
        }
    }

    /// The rows to train on, and the vectorizer that made them, if they were texts.
    pub fn rows<'a>(
        &self,
        source: &'a Source,
    ) -> Result<(Cow<'a, Rows>, Option<Vectorizer>), Thrown> {
        match source {
            Source::Rows(rows) => Ok((Cow::Borrowed(rows), None)),
            Source::Texts(texts) => {
                let (rows, vectorizer) = fitted(texts, self.options(texts.texts.len()))?;
                Ok((Cow::Owned(rows), Some(vectorizer)))
            }
        }
    }

    /// As [`TextChoice::rows`]; which n-grams of texts become features is tried on held-out texts,
    /// by one-vs-rest of these parameters, where it is not given.
    pub fn rows_choosing<'a>(
        &self,
        source: &'a Source,
        parameters: &OneVsRest,
        watching: &mut Watching,
    ) -> Result<Chosen<'a>, Thrown> {
        let texts = match source {
            Source::Texts(texts) => texts,
            Source::Rows(rows) => {
                return Ok(Chosen {
                    rows: Cow::Borrowed(rows),
                    vectorizer: None,
                    features: None,
                });
            }
        };
        let labelled = (&texts.texts[..], &texts.labels);
        let options = self.options(texts.texts.len());
        let machine: (_, &'static dyn Kernels) = (MACHINE, KERNELS);
        let tell = |done| watching.tell("features", done, 0);
        let chosen = choose_features(labelled, &options, self.given, parameters, machine, tell);
        let chosen = chosen.map_err(|error| watching.why(error))?;
        let (rows, vectorizer) = fitted(texts, chosen.options.clone())?;
        Ok(Chosen {
            rows: Cow::Owned(rows),
            vectorizer: Some(vectorizer),
            features: (!chosen.tried.is_empty()).then_some(chosen.options),
        })
    }
}

/// The rows of texts, and the vectorizer that made them.
fn fitted(texts: &Documents, options: VectorizerOptions) -> Result<(Rows, Vectorizer), Thrown> {
    let (vectorizer, rows) = Vectorizer::fit_transform(&texts.texts, options, MACHINE)?;
    let names = Some(texts.label_names.clone());
    Ok((Rows::new(rows, texts.labels.clone(), names)?, vectorizer))
}

/// Lengths of n-grams as options have them.
pub fn ngrams_of(lengths: Option<NGrams>) -> JsValue {
    let both = lengths.map_or(Vec::new(), |NGrams { min, max }| vec![min, max]);
    list(both.into_iter().map(JsValue::from).collect())
}

/// `[shortest, longest]`; none if the list is empty.
fn ngrams(lengths: &[u8]) -> Option<NGrams> {
    let (&min, &max) = (lengths.first()?, lengths.last()?);
    Some(NGrams { min, max })
}
