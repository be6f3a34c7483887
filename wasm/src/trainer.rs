//! Training.

use crate::{dataset::Dataset, errors::Thrown, model::Model};
use hapax_core::{
    data::{Dataset as Rows, Source},
    executor::Sequential,
    model::{Model as Core, NearestParameters},
    text::{FeatureSpace, NGrams, Vectorizer, VectorizerOptions},
    train::{ParamError, ParamRule},
};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `TrainerOptions` of `package/values.d.ts`.
    #[wasm_bindgen(typescript_type = "TrainerOptions")]
    pub type TrainerOptions;
    #[wasm_bindgen(method, getter)]
    fn neighbors(this: &TrainerOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn alpha(this: &TrainerOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn beta(this: &TrainerOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter)]
    fn exponent(this: &TrainerOptions) -> Option<f64>;
    #[wasm_bindgen(method, getter, js_name = minDocuments)]
    fn min_documents(this: &TrainerOptions) -> Option<u32>;
    #[wasm_bindgen(method, getter)]
    fn words(this: &TrainerOptions) -> Option<Vec<u8>>;
    #[wasm_bindgen(method, getter)]
    fn characters(this: &TrainerOptions) -> Option<Vec<u8>>;
}

/// The native command's default.
const SEED: u64 = 42;

/// Trains nearest neighbors: the same data and options give the same bytes as the native command.
#[wasm_bindgen]
pub struct Trainer {
    /// None where the caller left it to the number of rows.
    neighbors: Option<u32>,
    parameters: NearestParameters,
    /// None where the caller left it to the number of texts.
    min_documents: Option<u32>,
    text: VectorizerOptions,
}

#[wasm_bindgen]
impl Trainer {
    /// Throws `ParamError`.
    #[wasm_bindgen(constructor)]
    pub fn new(options: Option<TrainerOptions>) -> Result<Self, Thrown> {
        let mut trainer = Self {
            neighbors: None,
            parameters: NearestParameters::default(),
            min_documents: None,
            text: VectorizerOptions::default(),
        };
        if let Some(options) = options {
            trainer.set(&options)?;
        }
        trainer.parameters.check()?;
        trainer.text.check()?;
        Ok(trainer)
    }

    /// Trains on `data`, which stays as it is. Throws `ParamError`, `TrainError`.
    pub fn train(&self, data: &Dataset) -> Result<Model, Thrown> {
        let made;
        let (rows, vectorizer) = match &data.source {
            Source::Rows(rows) => (rows, None),
            Source::Texts(texts) => {
                let options = self.text_options(texts.texts.len());
                let (vectorizer, rows) =
                    Vectorizer::fit_transform(&texts.texts, options, &Sequential)?;
                let names = Some(texts.label_names.clone());
                made = Rows::new(rows, texts.labels.clone(), names)?;
                (&made, Some(vectorizer))
            }
        };
        let parameters = self.parameters_for(rows.len());
        let mut model = Core::train_nearest(parameters, rows, vectorizer, &Sequential)?;
        // Nothing is drawn at random; the file says which seed there would have been.
        model.provenance_mut().seed = SEED;
        Ok(model.into())
    }
}

impl Trainer {
    fn parameters_for(&self, rows: usize) -> NearestParameters {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let usual = self.parameters.neighbors.min(rows).max(1);
        NearestParameters {
            neighbors: self.neighbors.unwrap_or(usual),
            ..self.parameters
        }
    }

    fn text_options(&self, texts: usize) -> VectorizerOptions {
        let mut features = FeatureSpace::for_texts(texts);
        if let FeatureSpace::Vocabulary { min_documents, .. } = &mut features {
            *min_documents = self.min_documents.unwrap_or(*min_documents);
        }
        VectorizerOptions {
            features,
            ..self.text.clone()
        }
    }

    fn set(&mut self, options: &TrainerOptions) -> Result<(), Thrown> {
        let parameters = &mut self.parameters;
        if let Some(neighbors) = options.neighbors() {
            ParamError::check("neighbors", neighbors, ParamRule::AtLeast(1.0))?;
            // Fractions are cut off, and what is beyond u32 is its largest number.
            self.neighbors = Some(neighbors as u32);
        }
        parameters.alpha = options.alpha().unwrap_or(parameters.alpha);
        parameters.beta = options.beta().unwrap_or(parameters.beta);
        parameters.exponent = options.exponent().unwrap_or(parameters.exponent);
        self.min_documents = options.min_documents();
        if let Some(lengths) = options.words() {
            self.text.tokens.words = ngrams(&lengths);
        }
        if let Some(lengths) = options.characters() {
            self.text.tokens.characters = ngrams(&lengths);
        }
        Ok(())
    }
}

/// `[shortest, longest]`; none if the list is empty.
fn ngrams(lengths: &[u8]) -> Option<NGrams> {
    let (&min, &max) = (lengths.first()?, lengths.last()?);
    Some(NGrams { min, max })
}
