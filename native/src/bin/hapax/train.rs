//! `hapax train`: a model from a file of labelled texts or rows.

mod ovr;

use super::{
    compact::{print_report, report_json, too_small},
    evaluate::evaluate,
    failure::Failure,
    input::{DataOptions, name_labels, read_for_model, read_input, threads},
    output::print,
    progress::Progress,
    resources::{Stopwatch, peak_rss_bytes},
    table::{bytes, count, percent, table},
    text_options::TextOptions,
};
use clap::{Args, Subcommand};
use hapax::{
    core::{
        data::{Dataset, Source},
        executor::Executor,
        model::{
            Compacted, Method, Model, NearestParameters,
            nearest::{Grid, TuneReport},
        },
        text::{Vectorizer, VectorizerError},
        train::TrainError,
    },
    files::{check_readable, check_writable, write_whole},
    kernels,
    threads::Threads,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The algorithms.
#[derive(Subcommand, Debug)]
pub enum Algorithm {
    /// Sparse weighted nearest neighbors: the most similar training rows vote
    Nearest(TrainNearest),
    /// One-vs-rest with mined negatives: a linear model of each label
    Ovr(ovr::TrainOvr),
}

impl Algorithm {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Self::Nearest(train) => train.run(),
            Self::Ovr(train) => train.run(),
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

    /// Tells what was trained, with the figures of the test file if one was given.
    fn report(&self, trained: &Trained, fitted: bool, threads: &Threads) -> Result<(), Failure> {
        let model = &trained.compacted.model;
        let size = trained.compacted.bytes.len() as u64;
        let tested = match &self.test {
            Some(path) => {
                let test = read_for_model(path, &self.data, model, threads)?;
                Some(evaluate(model, &test, &[1, 3, 5], threads)?)
            }
            None => None,
        };
        if self.json {
            let mut line = trained.json(threads);
            line["test"] = json!(tested.as_ref().map(|tested| tested.json(size)));
            return print(line);
        }
        trained.print()?;
        if fitted {
            print_report(&trained.compacted)?;
        }
        if let Some(tested) = tested {
            print("")?;
            tested.print(size)?;
        }
        print(format_args!("wrote {}", self.output.display()))
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
        let tuned = if self.tune {
            Some(self.tuned(&training.data, &threads)?)
        } else {
            None
        };
        let parameters = match &tuned {
            Some(report) => report.best.parameters,
            None => self.parameters(training.data.len()),
        };
        let mut model =
            Model::train_nearest(parameters, &training.data, training.vectorizer, &threads)?;
        let made = model.provenance_mut();
        made.index_base = training.index_base;
        made.seed = self.common.seed;
        let compacted = match self.max_bytes {
            Some(max_bytes) => model
                .compacted(max_bytes, self.common.seed, &threads, kernels::best())
                .map_err(|error| too_small(&error))?,
            None => Compacted {
                bytes: model.to_bytes()?,
                model,
                report: None,
                weights: None,
            },
        };
        let (seconds, cpu_seconds) = (watch.seconds(), watch.cpu_seconds());
        write_whole(&self.common.output, &compacted.bytes)?;
        let trained = Trained {
            tuned,
            compacted,
            seconds,
            cpu_seconds,
        };
        self.common
            .report(&trained, self.max_bytes.is_some(), &threads)
    }

    /// The best parameters on held-out rows.
    fn tuned(&self, data: &Dataset, threads: &Threads) -> Result<TuneReport, Failure> {
        let progress = Progress::new("tuning", 0);
        let seed = self.common.seed;
        let grid = Grid::default();
        let tell = |done, rounds| progress.set(done, rounds);
        Ok(NearestParameters::tune(
            data,
            &grid,
            seed,
            threads,
            kernels::best(),
            tell,
        )?)
    }
}

/// A trained model and what training it cost.
struct Trained {
    tuned: Option<TuneReport>,
    compacted: Compacted,
    seconds: f64,
    cpu_seconds: f64,
}

impl Trained {
    fn json(&self, threads: &Threads) -> Value {
        let made = self.compacted.model.provenance();
        json!({
            "algorithm": made.algorithm, "seconds": self.seconds, "cpu_seconds": self.cpu_seconds,
            "threads": threads.threads(), "peak_rss_bytes": peak_rss_bytes(),
            "model_bytes": self.compacted.bytes.len(), "n": made.rows, "d": made.features,
            "l": made.labels, "seed": made.seed, "epochs": null, "objective": null, "gap": null,
            "parameters": parameters_json(&self.compacted.model),
            "held_out": self.tuned.as_ref().map(|report| report.held_out),
            "compacted": report_json(&self.compacted),
        })
    }

    fn print(&self) -> Result<(), Failure> {
        let made = self.compacted.model.provenance();
        let mut lines = table(&["", ""]);
        lines.add_row(["rows", &count(made.rows)]);
        lines.add_row(["features", &count(u64::from(made.features))]);
        lines.add_row(["labels", &count(u64::from(made.labels))]);
        lines.add_row(["seconds", &format!("{:.2}", self.seconds)]);
        lines.add_row(["model", &bytes(self.compacted.bytes.len() as u64)]);
        print(lines)?;
        let Some(report) = &self.tuned else {
            return Ok(());
        };
        let NearestParameters {
            neighbors,
            alpha,
            beta,
            exponent,
        } = report.best.parameters;
        print(format_args!(
            "best of {} settings on {} held-out rows: --neighbors {neighbors} --alpha {alpha} \
             --beta {beta} --exponent {exponent}, P@1 {}",
            report.tried.len(),
            count(report.held_out as u64),
            percent(report.best.precision.at_1),
        ))
    }
}

fn parameters_json(model: &Model) -> Value {
    match model.method() {
        Method::Nearest(nearest) => {
            let NearestParameters {
                neighbors,
                alpha,
                beta,
                exponent,
            } = nearest.parameters();
            json!({"neighbors": neighbors, "alpha": alpha, "beta": beta, "exponent": exponent})
        }
        Method::Linear(linear) => ovr::parameters_json(linear.parameters()),
        _ => Value::Null,
    }
}
