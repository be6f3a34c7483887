//! WordNet: where its files are, what they say, and the task made of them.
//!
//! A *synset* is one meaning: the words that have it and a gloss, a definition, often followed by
//! examples. [`dict_folder`] finds the four data files or has npm install them, [`WordNet::read`]
//! reads them, and [`ReverseDictionary`] is the task.
//!
//! The format is described in WordNet's manual page wndb(5WN).

mod database;
mod folder;
mod gloss;
mod held_out;
mod held_out_meanings;
mod line;
mod reverse_dictionary;
mod synset;
mod words;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod package_tests;

pub use database::{ReadError, WordNet, license};
pub use folder::{FolderError, dict_folder, has_data_files, package_dict};
pub use gloss::Gloss;
pub use held_out::is_held_out;
pub use held_out_meanings::HeldOutMeanings;
pub use line::{LineError, parse_line};
pub use reverse_dictionary::ReverseDictionary;
pub use synset::{PartOfSpeech, Synset, SynsetId};
pub use words::{DistinctWords, fold};

use hapax_core::data::NamesError;
use std::fmt;

/// Which part of a gloss is the text of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentText {
    /// The definition alone.
    #[default]
    Definition,
    /// The definition, then the examples, separated by `"; "`.
    DefinitionAndExamples,
}

impl DocumentText {
    /// The text of a document about `synset`.
    #[must_use]
    pub fn of(self, synset: &Synset) -> String {
        let gloss = &synset.gloss;
        match self {
            Self::Definition => gloss.definition.clone(),
            Self::DefinitionAndExamples => {
                let parts = std::iter::once(&gloss.definition).chain(&gloss.examples);
                parts.map(String::as_str).collect::<Vec<_>>().join("; ")
            }
        }
    }
}

/// Why WordNet does not make a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskError {
    /// There is no row to train on.
    NothingToTrainOn,
    /// The names of the labels do not fit a table.
    Names(NamesError),
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingToTrainOn => f.write_str(
                "no definition is left to train on: is the folder the whole of WordNet?",
            ),
            Self::Names(error) => write!(f, "the names of the labels: {error}"),
        }
    }
}

impl std::error::Error for TaskError {}

impl From<NamesError> for TaskError {
    fn from(error: NamesError) -> Self {
        Self::Names(error)
    }
}
