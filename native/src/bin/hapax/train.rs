//! `hapax train`: a model from a file of labelled texts or rows.

use super::{
    evaluate::evaluate,
    failure::Failure,
    input::{DataOptions, name_labels, read_for_model, read_input, threads},
    output::print,
    resources::{Stopwatch, peak_rss_bytes},
    table::{bytes, count, table},
    text_options::TextOptions,
};
use clap::{Args, Subcommand};
use hapax::{
    core::{
        data::{Dataset, Source},
        executor::Executor,
        model::{Model, NearestParameters},
        text::{Vectorizer, VectorizerError},
        train::TrainError,
    },
    files::{check_readable, check_writable, write_whole},
    threads::Threads,
};
use serde_json::json;
use std::path::PathBuf;

/// The algorithms.
#[derive(Subcommand, Debug)]
pub enum Algorithm {
    /// Sparse weighted nearest neighbors: the most similar training rows vote
    Nearest(TrainNearest),
}

impl Algorithm {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Self::Nearest(train) => train.run(),
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

/// Sparse weighted nearest neighbors.
///
/// A row's similarity to a query is J^beta * cos: the Jaccard index of their features and the
/// cosine of their values. The most similar rows vote for their labels with similarity^alpha. Training
/// builds an index and is over in a second; the model can learn and forget single rows, and explains its
/// answers by the neighbors that voted. (Aoshima, Kobayashi, Minami 2018.)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train nearest train.tsv -o model.hapax
  hapax train nearest train.txt.xz -o model.hapax --test test.txt.xz --neighbors 75
  hapax train nearest train.tsv -o small.hapax --max-bytes 4MB
  hapax train nearest train.tsv -o model.hapax --tune --test test.tsv")]
pub struct TrainNearest {
    #[command(flatten)]
    common: Common,
    /// How many neighbors vote [default: 20, or as many as there are rows]
    #[arg(long, value_name = "S", help_heading = "Nearest neighbors")]
    neighbors: Option<u32>,
    /// The exponent of a vote, similarity^alpha: any number [default: 2]
    #[arg(
        long,
        help_heading = "Nearest neighbors",
        allow_negative_numbers = true
    )]
    alpha: Option<f64>,
    /// The exponent of the Jaccard index: 0 or more [default: 1]
    #[arg(
        long,
        help_heading = "Nearest neighbors",
        allow_negative_numbers = true
    )]
    beta: Option<f64>,
    /// The exponent of the values of features: above 0 [default: 1]
    #[arg(
        long,
        help_heading = "Nearest neighbors",
        allow_negative_numbers = true
    )]
    exponent: Option<f64>,
    /// Choose neighbors, alpha, beta and exponent on a held-out tenth of the training rows
    #[arg(long, conflicts_with_all = ["neighbors", "alpha", "beta", "exponent"],
          help_heading = "Nearest neighbors")]
    tune: bool,
    /// Fit the model into so many bytes (such as 4MB): prunes and rounds, and says what it costs
    #[arg(long, value_name = "BYTES", value_parser = super::table::parse_bytes)]
    max_bytes: Option<u64>,
}

/// Training data as rows, and what made them of texts.
struct Training {
    data: Dataset,
    vectorizer: Option<Vectorizer>,
    index_base: Option<hapax::core::data::IndexBase>,
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

impl TrainNearest {
    fn parameters(&self, rows: usize) -> NearestParameters {
        let default = NearestParameters::default();
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        NearestParameters {
            neighbors: self.neighbors.unwrap_or(default.neighbors.min(rows)),
            alpha: self.alpha.unwrap_or(default.alpha),
            beta: self.beta.unwrap_or(default.beta),
            exponent: self.exponent.unwrap_or(default.exponent),
        }
    }

    fn run(self) -> Result<(), Failure> {
        self.common.check()?;
        let parameters = self.parameters(usize::MAX);
        parameters.check().map_err(TrainError::from)?;
        let threads = threads(self.common.threads)?;
        let training = self.common.read(&threads)?;
        let watch = Stopwatch::start();
        let parameters = self.parameters(training.data.len());
        let mut model =
            Model::train_nearest(parameters, &training.data, training.vectorizer, &threads)?;
        model.provenance_mut().index_base = training.index_base;
        let written = model.to_bytes()?;
        let (seconds, cpu_seconds) = (watch.seconds(), watch.cpu_seconds());
        write_whole(&self.common.output, &written)?;
        self.report(
            &model,
            &threads,
            (seconds, cpu_seconds),
            written.len() as u64,
        )
    }

    fn report(
        &self,
        model: &Model,
        threads: &Threads,
        (seconds, cpu_seconds): (f64, f64),
        size: u64,
    ) -> Result<(), Failure> {
        let tested = match &self.common.test {
            Some(path) => {
                let test = read_for_model(path, &self.common.data, model, threads)?;
                Some(evaluate(model, &test, &[1, 3, 5], threads)?)
            }
            None => None,
        };
        let made = model.provenance();
        if self.common.json {
            let mut line = json!({
                "algorithm": made.algorithm, "seconds": seconds, "cpu_seconds": cpu_seconds,
                "threads": threads.threads(), "peak_rss_bytes": peak_rss_bytes(),
                "model_bytes": size, "n": made.rows, "d": made.features, "l": made.labels,
                "seed": made.seed, "epochs": null, "objective": null, "gap": null,
            });
            if let Some(tested) = &tested {
                line["test"] = tested.json(size);
            }
            return print(line);
        }
        let mut lines = table(&["", ""]);
        lines.add_row(["rows", &count(made.rows)]);
        lines.add_row(["features", &count(u64::from(made.features))]);
        lines.add_row(["labels", &count(u64::from(made.labels))]);
        lines.add_row(["seconds", &format!("{seconds:.2}")]);
        lines.add_row(["model", &bytes(size)]);
        print(lines)?;
        if let Some(tested) = tested {
            tested.print(size)?;
        }
        print(format_args!("wrote {}", self.common.output.display()))
    }
}
