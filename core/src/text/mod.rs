//! Text to sparse rows: tokens, and the vectorizer that is saved with the model.

mod options;
mod scratch;
mod symbols;
mod tokens;
mod unicode;
mod unknown;
mod vectorizer;
mod vocabulary;

pub use options::{
    FeatureSpace, NGrams, TermWeight, TokenOptions, VectorizerError, VectorizerOptions,
};
pub use scratch::NoFeatures;
pub(crate) use scratch::TextScratch;
pub use vectorizer::Vectorizer;
pub(crate) use vectorizer::as_texts;
