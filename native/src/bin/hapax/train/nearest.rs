//! `hapax train nearest`: sparse weighted nearest neighbors.

use super::{
    super::{
        failure::Failure,
        input::threads,
        progress::Progress,
        resources::Stopwatch,
        table::{count, percent},
    },
    Common,
    finish::{Made, Told},
};
use clap::Args;
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        parameters::NearestParameters,
        train::{
            Parameters, TrainError,
            nearest::{Grid, TuneReport},
        },
    },
    kernels,
};
use serde_json::{Value, json};

/// Sparse weighted nearest neighbors.
///
/// A row's similarity to a query is J^beta * cos: the Jaccard index of their features and the
/// cosine of their values. The most similar rows vote for their labels with similarity^alpha.
/// Training builds an index and is over in a second; the model can learn and forget single rows,
/// and explains its answers by the neighbors that voted. (Aoshima, Kobayashi, Minami 2018.)
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
}

impl TrainNearest {
    fn parameters(&self, rows: usize) -> NearestParameters {
        let default = NearestParameters::default().within(rows);
        NearestParameters {
            neighbors: self.neighbors.unwrap_or(default.neighbors),
            alpha: self.alpha.unwrap_or(default.alpha),
            beta: self.beta.unwrap_or(default.beta),
            exponent: self.exponent.unwrap_or(default.exponent),
        }
    }

    pub fn run(self) -> Result<(), Failure> {
        self.common.check()?;
        self.common
            .checkpoints
            .refuse("of nearest, which is trained in a second")?;
        let parameters = self.parameters(usize::MAX);
        parameters.check().map_err(TrainError::from)?;
        let threads = threads(self.common.threads)?;
        let training = self.common.read(&threads)?;
        self.common.end_dry_run(&training.data, None)?;
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
        let mut model = Model::train_nearest(parameters, &training.data, training.vectorizer)?;
        let mut told = Told {
            held_out: tuned.as_ref().map(|report| report.held_out),
            lines: tuned.as_ref().map(best_of).into_iter().collect(),
            ..Told::default()
        };
        self.common
            .calibrate(&mut model, &training.data, &mut told, &threads)?;
        let made = Made {
            model,
            origin: training.origin,
            told,
        };
        self.common.finish(made, &watch, &threads)
    }

    /// The best parameters on held-out rows.
    fn tuned(&self, data: &Dataset, threads: &Executor) -> Result<TuneReport, Failure> {
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

/// The settings that tuning chose.
fn best_of(report: &TuneReport) -> String {
    let NearestParameters {
        neighbors,
        alpha,
        beta,
        exponent,
    } = report.best.parameters;
    format!(
        "best of {} settings on {} held-out rows: --neighbors {neighbors} --alpha {alpha} \
         --beta {beta} --exponent {exponent}, P@1 {}",
        report.tried.len(),
        count(report.held_out as u64),
        percent(report.best.precision.at_1),
    )
}

/// Parameters of nearest neighbors for programs.
pub fn parameters_json(parameters: NearestParameters) -> Value {
    let NearestParameters {
        neighbors,
        alpha,
        beta,
        exponent,
    } = parameters;
    json!({"neighbors": neighbors, "alpha": alpha, "beta": beta, "exponent": exponent})
}
