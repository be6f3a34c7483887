//! What trainers can be told of texts.

use crate::errors::Thrown;
use hapax_core::{
    data::{Dataset as Rows, Source},
    executor::Sequential,
    text::{FeatureSpace, NGrams, Vectorizer, VectorizerOptions},
};
use std::borrow::Cow;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// The first of the options that is none of the known names, which stand apart by spaces.
    #[wasm_bindgen(js_name = unknownOption)]
    fn unknown_option(options: &TextOptions, known: &str) -> Option<String>;
}

#[wasm_bindgen]
extern "C" {
    /// `TextOptions` of `package/values.d.ts`.
    #[wasm_bindgen(typescript_type = "TextOptions")]
    pub type TextOptions;
    #[wasm_bindgen(method, getter, js_name = minDocuments)]
    fn min_documents(this: &TextOptions) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn calibrate(this: &TextOptions) -> Option<bool>;
    #[wasm_bindgen(method, getter)]
    fn words(this: &TextOptions) -> Option<Vec<u8>>;
    #[wasm_bindgen(method, getter)]
    fn characters(this: &TextOptions) -> Option<Vec<u8>>;
}

/// What was chosen for texts; the rest has the native command's defaults.
pub struct TextChoice {
    /// Whether scores become probabilities.
    pub calibrates: bool,
    /// None where the caller left it to the number of texts.
    min_documents: Option<u32>,
    text: VectorizerOptions,
}

impl Default for TextChoice {
    fn default() -> Self {
        Self {
            calibrates: true,
            min_documents: None,
            text: VectorizerOptions::default(),
        }
    }
}

impl TextChoice {
    /// `known` are the names of all options there are. Throws `ParamError`.
    pub fn new(options: &TextOptions, known: &str) -> Result<Self, Thrown> {
        if let Some(name) = unknown_option(options, known) {
            return Err(Thrown::no_such_option(&name, known));
        }
        let mut text = VectorizerOptions::default();
        if let Some(lengths) = options.words() {
            text.tokens.words = ngrams(&lengths);
        }
        if let Some(lengths) = options.characters() {
            text.tokens.characters = ngrams(&lengths);
        }
        text.check()?;
        Ok(Self {
            calibrates: options.calibrate().unwrap_or(true),
            min_documents: options.min_documents(),
            text,
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
                let options = self.options(texts.texts.len());
                let fitted = Vectorizer::fit_transform(&texts.texts, options, &Sequential);
                let (vectorizer, rows) = fitted?;
                let names = Some(texts.label_names.clone());
                let rows = Rows::new(rows, texts.labels.clone(), names)?;
                Ok((Cow::Owned(rows), Some(vectorizer)))
            }
        }
    }
}

/// `[shortest, longest]`; none if the list is empty.
fn ngrams(lengths: &[u8]) -> Option<NGrams> {
    let (&min, &max) = (lengths.first()?, lengths.last()?);
    Some(NGrams { min, max })
}
