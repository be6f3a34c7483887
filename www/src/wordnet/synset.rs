//! One meaning and its number.

use super::Gloss;
use std::fmt;

/// The part of speech of a synset, which is also the file it stands in. Satellite adjectives
/// (`s`) count as adjectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartOfSpeech {
    /// `data.noun`, letter `n`.
    Noun,
    /// `data.verb`, letter `v`.
    Verb,
    /// `data.adj`, letters `a` and `s`.
    Adjective,
    /// `data.adv`, letter `r`.
    Adverb,
}

impl PartOfSpeech {
    /// All of them, in the order in which their files are read.
    pub const ALL: [Self; 4] = [Self::Noun, Self::Verb, Self::Adjective, Self::Adverb];

    /// The name of its data file.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Noun => "data.noun",
            Self::Verb => "data.verb",
            Self::Adjective => "data.adj",
            Self::Adverb => "data.adv",
        }
    }

    /// Its letter in the data files.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Noun => 'n',
            Self::Verb => 'v',
            Self::Adjective => 'a',
            Self::Adverb => 'r',
        }
    }

    /// Its English name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Noun => "noun",
            Self::Verb => "verb",
            Self::Adjective => "adjective",
            Self::Adverb => "adverb",
        }
    }

    /// The part of speech a letter of the data files stands for.
    #[must_use]
    pub fn from_letter(letter: &str) -> Option<Self> {
        match letter {
            "n" => Some(Self::Noun),
            "v" => Some(Self::Verb),
            "a" | "s" => Some(Self::Adjective),
            "r" => Some(Self::Adverb),
            _ => None,
        }
    }
}

/// The number of a synset, unique in one release of WordNet; written as `n00001740`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SynsetId {
    /// Its part of speech.
    pub part: PartOfSpeech,
    /// Its offset in the file of its part of speech, at most eight decimal digits.
    pub offset: u32,
}

impl fmt::Display for SynsetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:08}", self.part.letter(), self.offset)
    }
}

/// One meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synset {
    /// Its number.
    pub id: SynsetId,
    /// The words that have this meaning, at least one, the most usual first. Spaces stand where
    /// the file has underscores, and markers of adjectives such as `(a)` are gone.
    pub words: Vec<String>,
    /// What it means.
    pub gloss: Gloss,
}
