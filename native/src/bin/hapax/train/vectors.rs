//! Vectors of words that were trained elsewhere: `--vectors`.

use super::{
    super::{
        failure::Failure,
        output::{note, warn},
        table::count,
    },
    Common, Training,
};
use clap::Args;
use hapax::{
    TokenVectors, VectorsError,
    core::{
        data::Dataset,
        text::{FeatureSpace, Vectorizer},
        train::auto::Best,
    },
    files::{check_not_over, check_readable},
    first_words, read_vectors, weight_of_vectors,
};
use std::path::{Path, PathBuf};

/// Vectors of words.
#[derive(Args, Clone, Debug)]
pub struct VectorOptions {
    /// Vectors of words, such as GloVe's: a word and its numbers in each line, or a .safetensors
    /// file with tokenizer.json or vocab.txt beside it. What they add is weighed on held-out texts;
    /// the model keeps those of its own words and of the 20,000 that come first in the file
    #[arg(long, value_name = "FILE", help_heading = "Texts")]
    vectors: Option<PathBuf>,
}

impl VectorOptions {
    /// Refuses what can be known to fail before any work.
    pub fn check(&self, common: &Common) -> Result<(), Failure> {
        let Some(path) = &self.vectors else {
            return Ok(());
        };
        check_readable(path)?;
        check_not_over(&common.output, path)?;
        match common.text.options(usize::MAX).features {
            FeatureSpace::Hashed { .. } => Err(Failure::Input(
                "--vectors belong to words, which --hash-bits does not keep: leave one of them out"
                    .into(),
            )),
            FeatureSpace::Vocabulary { .. } => Ok(()),
        }
    }

    /// How often is chosen at most: with vectors and, if they gain too little, without.
    pub fn choices(&self) -> u32 {
        if self.vectors.is_some() { 2 } else { 1 }
    }

    /// Words that the vectorizer is to know though no training text has them.
    pub fn words(&self) -> Result<Vec<String>, Failure> {
        match &self.vectors {
            Some(path) => first_words(path).map_err(|error| wrong(path, error)),
            None => Ok(Vec::new()),
        }
    }

    /// The vectors of words, if a file of them is given and has any of the training texts, and the
    /// data where these are known; says how many.
    pub fn read(&self, common: &Common, training: &mut Training) -> Result<Option<Given>, Failure> {
        let Some(path) = &self.vectors else {
            return Ok(None);
        };
        let knowing = training.knowing.take();
        let Some((data, vectorizer)) = knowing.and_then(|made| Some((made.data, made.vectorizer?)))
        else {
            let rule = "holds rows of features, but --vectors needs texts: leave it out";
            return Err(Failure::in_file(&common.train, rule));
        };
        let data = common.named(data)?;
        let found = read_vectors(path, &vectorizer).map_err(|error| wrong(path, error))?;
        let path = path.display();
        let (known, met) = match &training.vectorizer {
            Some(vectorizer) => found.met(vectorizer),
            None => (0, 0),
        };
        let known = count(known as u64);
        if met == 0 {
            warn(format_args!(
                "{path}: none of the {known} words of the training texts has a vector there; trained without"
            ));
            return Ok(None);
        }
        let numbers = found.vectors.features();
        if !found.serve(&data) {
            let labels = u64::from(data.labels().labels());
            warn(format_args!(
                "{path}: {} texts and {} labels are too many for vectors of {numbers} numbers, which would take long; \
                 trained without",
                count(data.len() as u64),
                count(labels),
            ));
            return Ok(None);
        }
        note(format_args!(
            "{path}: vectors of {numbers} numbers for {} of {known} words of the training texts and {} others",
            count(met as u64),
            count((found.words.len() - met) as u64)
        ));
        Ok(Some(Given {
            found,
            data,
            vectorizer,
        }))
    }

    /// What became of them.
    pub fn worth(best: &Best) -> String {
        match weight_of_vectors(&best.model) {
            Some(weight) => format!("vectors of words count {weight} times"),
            None if best.choice.held_out == 0 => {
                "vectors of words are left out: texts are too few to hold some out".into()
            }
            None => "vectors of words gain too little on held-out texts and are left out".into(),
        }
    }
}

/// Vectors with the data whose vectorizer knows their words.
pub struct Given {
    pub found: TokenVectors,
    pub data: Dataset,
    pub vectorizer: Vectorizer,
}

fn wrong(path: &Path, error: VectorsError) -> Failure {
    match error {
        VectorsError::File(error) => error.into(),
        error @ VectorsError::Line { .. } => Failure::Input(format!("{}:{error}", path.display())),
        error => Failure::in_file(path, error),
    }
}
