//! How texts become features: the options of training on texts.

use clap::Args;
use hapax::core::text::{FeatureSpace, NGrams, TermWeight, TokenOptions, VectorizerOptions};

/// How texts become features; saved with the model.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Texts")]
pub struct TextOptions {
    /// Lengths of word n-grams, such as 1 or 1-2; 0 for none [default: 1-2]
    #[arg(long, value_name = "N-M", value_parser = parse_ngrams, default_value = "1-2", hide_default_value = true)]
    words: Lengths,
    /// Lengths of character n-grams within words, such as 3-5, for texts with misspellings
    /// [default: none]
    #[arg(long, value_name = "N-M", value_parser = parse_ngrams, default_value = "0", hide_default_value = true)]
    characters: Lengths,
    /// Leave out words in fewer texts [default: 2, of less than 1000 texts 1]
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
type Lengths = Option<NGramsArgument>;

#[derive(Clone, Copy, Debug)]
struct NGramsArgument(NGrams);

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
    Ok(if max == 0 {
        None
    } else {
        Some(NGramsArgument(NGrams { min, max }))
    })
}

impl TextOptions {
    /// The options for so many training texts as the vectorizer takes them, which checks them.
    pub fn options(&self, texts: usize) -> VectorizerOptions {
        VectorizerOptions {
            tokens: TokenOptions {
                lower_case: !self.case_sensitive,
                words: self.words.map(|lengths| lengths.0),
                characters: self.characters.map(|lengths| lengths.0),
                ..TokenOptions::default()
            },
            features: self.features(texts),
            term_weight: TermWeight::default(),
            ..VectorizerOptions::default()
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
