//! `hapax train`: a model from a file of labelled texts or rows.

mod finish;
mod memoir;
mod nearest;
mod ovr;

use super::{
    failure::Failure,
    input::{DataOptions, name_labels, read_input},
    table::parse_bytes,
    text_options::TextOptions,
};
use clap::{Args, Subcommand};
use hapax::{
    core::{
        data::{Dataset, IndexBase, Source},
        text::{Vectorizer, VectorizerError},
    },
    files::{check_readable, check_writable},
    threads::Threads,
};
use memoir::Variant;
use std::path::PathBuf;

/// The algorithms.
#[derive(Subcommand, Debug)]
pub enum Algorithm {
    /// Sparse weighted nearest neighbors: the most similar training rows vote
    Nearest(nearest::TrainNearest),
    /// One-vs-rest with mined negatives: a linear model of each label
    Ovr(ovr::TrainOvr),
    /// A multi-class margin machine by stochastic steps, weights kept small by their squares
    MemoirL2(memoir::TrainMemoir),
    /// The same, weights kept few by their sizes: smaller models
    MemoirL1(memoir::TrainMemoir),
}

impl Algorithm {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Self::Nearest(train) => train.run(),
            Self::Ovr(train) => train.run(),
            Self::MemoirL2(train) => train.run(Variant::L2),
            Self::MemoirL1(train) => train.run(Variant::L1),
        }
    }
}

/// What every algorithm needs to know.
#[derive(Args, Debug)]
pub struct Common {
    /// The training data, perhaps compressed (xz, gzip, zstd); - is standard input
    train: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL")]
    output: PathBuf,
    /// Score the model on this file when it is trained
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// The seed of everything random: equal data, options and seed give equal bytes
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Fit the model into so many bytes (such as 4MB): prunes and rounds, and says what it costs
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    max_bytes: Option<u64>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOptions,
    /// Names for labels that are numbers: a file whose line i (from 0) names label i
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    label_names: Option<PathBuf>,
    /// The column of that file that holds the names, from 1
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Data",
          value_parser = clap::value_parser!(u32).range(1..))]
    label_names_column: u32,
    #[command(flatten)]
    text: TextOptions,
}

/// Training data as rows, and what made them of texts.
struct Training {
    data: Dataset,
    vectorizer: Option<Vectorizer>,
    index_base: Option<IndexBase>,
}

impl Common {
    /// Refuses what can be known to fail before any work.
    fn check(&self) -> Result<(), Failure> {
        check_writable(&self.output)?;
        if let Some(test) = &self.test {
            check_readable(test)?;
        }
        let wrong = |error: VectorizerError| Failure::Input(error.to_string());
        self.text.options().check().map_err(wrong)
    }

    fn read(&self, threads: &Threads) -> Result<Training, Failure> {
        let input = read_input(&self.train, &self.data.for_training(), threads)?;
        let index_base = input.index_base;
        let (data, vectorizer) = match input.source {
            Source::Rows(data) => (data, None),
            Source::Texts(documents) => {
                let options = self.text.options();
                let fitted = Vectorizer::fit_transform(&documents.texts, options, threads);
                let (vectorizer, rows) =
                    fitted.map_err(|error| Failure::in_file(&self.train, error))?;
                let data = Dataset::new(rows, documents.labels, Some(documents.label_names));
                (
                    data.map_err(|error| Failure::in_file(&self.train, error))?,
                    Some(vectorizer),
                )
            }
        };
        Ok(Training {
            data: self.named(data)?,
            vectorizer,
            index_base,
        })
    }

    fn named(&self, data: Dataset) -> Result<Dataset, Failure> {
        match &self.label_names {
            Some(path) => name_labels(&data, path, self.label_names_column as usize),
            None => Ok(data),
        }
    }
}
