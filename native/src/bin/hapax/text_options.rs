//! How texts become features: the options of training on texts.

use clap::Args;
use hapax::core::{
    text::{FeatureSpace, NGrams, TermWeight, TokenOptions, VectorizerOptions},
    train::one_vs_rest::GivenFeatures,
};

/// Options that name features which were chosen.
pub fn arguments(options: &VectorizerOptions) -> Vec<String> {
    let lengths = |lengths: Option<NGrams>| match lengths {
        Some(NGrams { min, max }) if min == max => format!("{min}"),
        Some(NGrams { min, max }) => format!("{min}-{max}"),
        None => "0".into(),
    };
    let tokens = &options.tokens;
    let mut arguments = vec![
        format!("--words={}", lengths(tokens.words)),
        format!("--characters={}", lengths(tokens.characters)),
        format!("--punctuation={}", tokens.punctuation),
    ];
    if let FeatureSpace::Vocabulary { min_documents, .. } = options.features {
        arguments.push(format!("--min-documents={min_documents}"));
    }
    arguments
}

/// How texts become features; saved with the model.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Texts")]
pub struct TextOptions {
    /// Lengths of word n-grams, such as 1 or 1-2; 0 for none [default: 1-2]
    #[arg(long, value_name = "N-M", value_parser = parse_ngrams)]
    words: Option<Lengths>,
    /// Lengths of character n-grams within words, such as 3-5, for short texts, compounds,
    /// inflected and misspelled words; 0 for none [default: ovr tries some, none otherwise]
    #[arg(long, value_name = "N-M", value_parser = parse_ngrams)]
    characters: Option<Lengths>,
    /// Whether punctuation marks count as words [default: ovr tries both, false otherwise]
    #[arg(long, value_name = "BOOL")]
    punctuation: Option<bool>,
    /// Leave out words and n-grams in fewer texts
    /// [default: 2, of less than 1000 texts 1; ovr may raise it]
    #[arg(long, value_name = "N")]
    min_documents: Option<u32>,
    /// Leave out words in a larger share of the texts
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    max_document_share: f64,
    /// Keep at most so many words, the most frequent
    #[arg(long, value_name = "N")]
    max_features: Option<u32>,
    /// Hash words to 2^BITS features instead of keeping a vocabulary
    #[arg(long, value_name = "BITS", conflicts_with_all = ["min_documents", "max_document_share", "max_features"])]
    hash_bits: Option<u8>,
    /// Tell upper from lower case
    #[arg(long)]
    case_sensitive: bool,
}

/// Lengths of n-grams; none for 0.
#[derive(Clone, Copy, Debug)]
struct Lengths(Option<NGrams>);

fn parse_ngrams(text: &str) -> Result<Lengths, String> {
    let number = |part: &str| {
        part.trim()
            .parse::<u8>()
            .map_err(|_| format!("'{part}' is no number from 0 to 16"))
    };
    let (min, max) = match text.split_once('-') {
        Some((min, max)) => (number(min)?, number(max)?),
        None => (number(text)?, number(text)?),
    };
    Ok(Lengths((max > 0).then_some(NGrams { min, max })))
}

impl TextOptions {
    /// The options for so many training texts as the vectorizer takes them, which checks them.
    pub fn options(&self, texts: usize) -> VectorizerOptions {
        let default = TokenOptions::default();
        let lengths = |given: Option<Lengths>, default| given.map_or(default, |given| given.0);
        VectorizerOptions {
            tokens: TokenOptions {
                lower_case: !self.case_sensitive,
                words: lengths(self.words, default.words),
                characters: lengths(self.characters, default.characters),
                punctuation: self.punctuation.unwrap_or(default.punctuation),
                ..default
            },
            features: self.features(texts),
            term_weight: TermWeight::default(),
            ..VectorizerOptions::default()
        }
    }

    /// Options that name those chosen features that are not named already.
    pub fn named(&self, options: &VectorizerOptions) -> Vec<String> {
        let given = self.given();
        let named = [
            self.words.is_some(),
            given.characters,
            given.punctuation,
            given.counts,
        ];
        let chosen = arguments(options).into_iter().zip(named);
        chosen
            .filter(|(_, named)| !named)
            .map(|(option, _)| option)
            .collect()
    }

    /// What is not left to be chosen.
    pub fn given(&self) -> GivenFeatures {
        GivenFeatures {
            characters: self.characters.is_some(),
            punctuation: self.punctuation.is_some(),
            counts: self.min_documents.is_some()
                || self.max_features.is_some()
                || self.hash_bits.is_some(),
        }
    }

    fn features(&self, texts: usize) -> FeatureSpace {
        if let Some(bits) = self.hash_bits {
            return FeatureSpace::Hashed { bits, seed: 0 };
        }
        let mut features = FeatureSpace::for_texts(texts);
        if let FeatureSpace::Vocabulary {
            min_documents,
            max_document_share,
            max_features,
        } = &mut features
        {
            *min_documents = self.min_documents.unwrap_or(*min_documents);
            *max_document_share = self.max_document_share;
            *max_features = self.max_features;
        }
        features
    }
}
