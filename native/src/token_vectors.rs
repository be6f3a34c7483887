//! Vectors of words from elsewhere, for the words of a vectorizer: texts of word2vec and GloVe, or
//! a matrix in a safetensors file with its vocabulary beside it.

mod pieces;
mod tensors;
mod text;

use crate::{
    core::{
        data::Dataset,
        model::Model,
        sparse::{SparseRows, SparseVec},
        text::Vectorizer,
    },
    files::FileError,
};
use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    path::Path,
};

/// The vectors that a file has for the words of a vectorizer.
#[derive(Clone, Debug)]
pub struct TokenVectors {
    /// Row f is that of feature f; empty for n-grams, and for words that the file has not.
    pub vectors: SparseRows,
    /// The words that have one, rising.
    pub words: Vec<String>,
}

/// The most numbers of a vector.
const MOST: usize = 65_536;

/// Cells of rows, dimensions and labels beyond which nobody waits for prototypes: some five minutes
/// for one processor.
const MOST_CELLS: f64 = 1e11;

impl TokenVectors {
    /// How many single words `vectorizer` knows, and how many of these have a vector.
    #[must_use]
    pub fn met(&self, vectorizer: &Vectorizer) -> (usize, usize) {
        let names = (0..vectorizer.features()).filter_map(|f| vectorizer.feature_name(f));
        let known: HashSet<String> = names.filter(|name| is_word(name)).collect();
        let met = self.words.iter().filter(|&word| known.contains(word));
        (known.len(), met.count())
    }

    /// Whether prototypes of the labels of `data` over them are trained in minutes.
    #[must_use]
    pub fn serve(&self, data: &Dataset) -> bool {
        let labels = f64::from(data.labels().labels());
        data.len() as f64 * f64::from(self.vectors.features()) * labels <= MOST_CELLS
    }

    /// The memory of training them beside that of others, in bytes: points of rows, weights of
    /// prototypes, and the vectors twice.
    #[must_use]
    pub fn memory_estimate(&self, data: &Dataset) -> u64 {
        let labels = u64::from(data.labels().labels());
        let (m, words) = (u64::from(self.vectors.features()), self.words.len() as u64);
        m * (8 * data.len() as u64 + 9 * labels + 14 * words)
    }
}

/// Why a file gives no vectors.
#[derive(Debug)]
#[non_exhaustive]
pub enum VectorsError {
    /// It cannot be read.
    File(FileError),
    /// A place in a text is wrong.
    Line {
        /// From 1.
        line: u64,
        /// In characters, from 1.
        column: u64,
        /// What is wrong.
        problem: String,
    },
    /// The file as a whole, or the vocabulary beside it, is none of vectors.
    Whole(String),
    /// The vectorizer hashes words, whose names it does not know.
    Hashed,
}

impl fmt::Display for VectorsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Line {
                line,
                column,
                problem,
            } => write!(f, "{line}:{column}: {problem}"),
            Self::Whole(problem) => f.write_str(problem),
            Self::Hashed => f.write_str("vectors belong to words, but features are hashed"),
        }
    }
}

impl std::error::Error for VectorsError {}

impl From<FileError> for VectorsError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// The vectors in a file of the words that `vectorizer` knows. A file whose name ends with
/// `.safetensors` is a matrix, whose tokens are those of `tokenizer.json` or the lines of
/// `vocab.txt` beside it; others are texts, perhaps compressed, with a word and its numbers in each
/// line.
///
/// ```
/// use hapax::core::{executor::Sequential, text::Vectorizer};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("vectors.txt");
/// std::fs::write(&path, "mouse 0.1 0.9\nhouse 0.8 0.2\nzebra 0.3 0.3\n")?;
/// let texts = ["a small mouse", "the mouse", "a small house", "the house"];
/// let (vectorizer, _) = Vectorizer::fit_transform(&texts, Default::default(), &Sequential)?;
/// let found = hapax::read_vectors(&path, &vectorizer)?;
/// assert_eq!(found.words, ["house", "mouse"]);
/// assert_eq!(found.vectors.features(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A file that cannot be read or holds something else; vectors of unequal length; a number of a
/// wanted word that is not finite; a vectorizer that hashes.
pub fn read_vectors(path: &Path, vectorizer: &Vectorizer) -> Result<TokenVectors, VectorsError> {
    let words = Words::of(vectorizer)?;
    let found = match is_matrix(path) {
        true => tensors::read(path, &words)?,
        false => text::read(path, &words)?,
    };
    let mut rows = SparseRows::new(found.dimensions as u32);
    let (mut known, none) = (Vec::new(), SparseVec::default());
    let mut next = found.vectors.into_iter().peekable();
    for feature in 0..vectorizer.features() {
        let vector = match next.next_if(|(own, _)| *own == feature) {
            Some((_, vector)) => {
                known.extend(vectorizer.feature_name(feature));
                let cells = (0..).zip(vector).filter(|&(_, value)| value != 0.0);
                SparseVec::from_pairs(cells).unwrap_or_default()
            }
            None => none.clone(),
        };
        // It has no number beyond the dimensions.
        let _ = rows.push(vector.view());
    }
    Ok(TokenVectors {
        vectors: rows,
        words: known,
    })
}

/// Words that are kept though no training text has them, so that texts with them are understood.
const MOST_WORDS: usize = 20_000;

/// The words of a file of vectors that come first, at most 20,000: files have the most frequent
/// ones first. A vectorizer that is to use vectors of words that no training text has is to know
/// them ([`Extend`]).
///
/// # Errors
/// As [`read_vectors`], as far as the file is read.
pub fn first_words(path: &Path) -> Result<Vec<String>, VectorsError> {
    match is_matrix(path) {
        true => tensors::words(path, MOST_WORDS),
        false => text::words(path, MOST_WORDS),
    }
}

/// How many times vectors of words count in a model, if it has any.
#[must_use]
pub fn weight_of_vectors(model: &Model) -> Option<f64> {
    let report = &model.provenance().report;
    let weight = report.iter().find(|(name, _)| name == WEIGHT);
    Some(weight?.1)
}

/// What the record of a model calls that.
const WEIGHT: &str = "weight of given vectors";

/// Whether a feature of this name is a single word: character n-grams begin with a mark, and word
/// n-grams have blanks.
#[must_use]
pub fn is_word(name: &str) -> bool {
    !name.contains(' ') && (!name.starts_with('#') || name == "#")
}

fn is_matrix(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "safetensors")
}

/// What a file has: vectors of so many finite numbers, by feature.
struct Found {
    dimensions: usize,
    vectors: BTreeMap<u32, Vec<f32>>,
}

/// The words whose vectors are wanted.
struct Words {
    features: BTreeMap<String, u32>,
}

impl Words {
    /// The features of a vectorizer that are single words.
    fn of(vectorizer: &Vectorizer) -> Result<Self, VectorsError> {
        let mut features = BTreeMap::new();
        for feature in 0..vectorizer.features() {
            let name = vectorizer.feature_name(feature);
            let name = name.ok_or(VectorsError::Hashed)?;
            if is_word(&name) {
                features.insert(name, feature);
            }
        }
        Ok(Self { features })
    }
}
