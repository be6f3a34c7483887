//! `hapax train wsabie`, `wsabie-pp`, `ova-sgd`, `auc` and `nearest-mean`: prototypes of labels.

use super::{
    super::{
        failure::Failure, input::threads, output::note, progress::Progress, resources::Stopwatch,
        table::bytes,
    },
    Common,
    checkpoint::Watching,
    finish::{Made, Told},
    reduce::Reduce,
    wsabie::{TrainWsabie, TrainWsabiePp},
};
use clap::Args;
use hapax::{
    core::{
        executor::Workers,
        model::Model,
        parameters::{EmbeddingTraining, NearestMean, Sampled, SampledDraws},
        train::{EmbeddingReport, Parameters, TrainError},
    },
    kernels,
};
use serde_json::{Value, json};

/// What all of these algorithms do to rows and weights.
#[derive(Args, Debug)]
pub struct Form {
    /// The exponent of the values of features: 0 to 4
    #[arg(long, default_value_t = 1.0, help_heading = "Rows and weights")]
    exponent: f64,
    /// Take rows as they are, and do not scale them to length 1
    #[arg(long, help_heading = "Rows and weights")]
    no_normalize: bool,
    /// Bits of a stored weight: 32, 8 or 4 [default: 8; wsabie-pp: 4]
    #[arg(long, help_heading = "Rows and weights")]
    bits: Option<u32>,
    #[command(flatten)]
    pub reduce: Reduce,
}

impl Form {
    pub fn apply(&self, exponent: &mut f64, normalize: &mut bool, bits: &mut u32) {
        (*exponent, *normalize) = (self.exponent, !self.no_normalize);
        *bits = self.bits.unwrap_or(*bits);
    }
}

/// Nearest means: each label is the mean of its rows.
///
/// The fastest training there is, and the plainest: the answer is the label whose mean is nearest.
/// A prototype has a number for each feature, so this is for hundreds of features, or few labels.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train nearest-mean train.tsv -o model.hapax --test test.tsv
  hapax train nearest-mean rows.svm -o model.hapax --no-normalize --bits 4")]
pub struct TrainNearestMean {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    form: Form,
}

impl TrainNearestMean {
    pub fn run(self) -> Result<(), Failure> {
        let mut mean = NearestMean::default();
        self.form
            .apply(&mut mean.exponent, &mut mean.normalize, &mut mean.bits);
        run(
            &self.common,
            &EmbeddingTraining::NearestMean(mean),
            &self.form.reduce,
        )
    }
}

/// One against all by sampled steps.
///
/// Each label is a linear machine, trained on its rows and on rows drawn from the others. The
/// published rival of Wsabie++; `hapax train ovr` is more precise. (Gupta, Bengio, Weston 2014.)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train ova-sgd train.tsv -o model.hapax --test test.tsv
  hapax train ova-sgd train.tsv -o model.hapax --balance 1")]
pub struct TrainOvaSgd {
    #[command(flatten)]
    common: Common,
    /// How many labels that a row does not carry are drawn for each that it carries
    #[arg(long, default_value_t = 64, help_heading = "One against all")]
    balance: u32,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    form: Form,
}

/// Pairs of labels by sampled steps: the area under the curve.
///
/// A label of a row and one that it does not carry are drawn, and both step if the first is not
/// ahead by the margin. The published rival of Wsabie. (Gupta, Bengio, Weston 2014.)
#[derive(Args, Debug)]
#[command(after_help = "Example: hapax train auc train.tsv -o model.hapax --test test.tsv")]
pub struct TrainAuc {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    sampling: Sampling,
    #[command(flatten)]
    form: Form,
}

/// Options of sampled steps.
#[derive(Args, Debug)]
struct Sampling {
    /// By how much a score must be right: above 0 [default: 1]
    #[arg(long, help_heading = "Training", allow_negative_numbers = true)]
    margin: Option<f64>,
    /// The length of a step: above 0
    #[arg(long, help_heading = "Training", allow_negative_numbers = true)]
    step_size: Option<f64>,
    /// The longest prototype; 0 for no limit [default: 0]
    #[arg(long, help_heading = "Training", allow_negative_numbers = true)]
    max_norm: Option<f64>,
    /// Passes over the rows
    #[arg(long, help_heading = "Training")]
    epochs: Option<u32>,
}

impl Sampling {
    fn apply(&self, base: &Sampled, form: &Form, seed: u64) -> EmbeddingTraining {
        let mut sampled = Sampled {
            margin: self.margin.unwrap_or(base.margin),
            step_size: self.step_size.unwrap_or(base.step_size),
            max_norm: self.max_norm.unwrap_or(base.max_norm),
            epochs: self.epochs.unwrap_or(base.epochs),
            seed,
            ..base.clone()
        };
        form.apply(
            &mut sampled.exponent,
            &mut sampled.normalize,
            &mut sampled.bits,
        );
        EmbeddingTraining::Sampled(sampled)
    }
}

impl TrainOvaSgd {
    pub fn run(self) -> Result<(), Failure> {
        let base = Sampled {
            draws: SampledDraws::Balance(self.balance),
            ..Sampled::one_vs_all()
        };
        let training = self.sampling.apply(&base, &self.form, self.common.seed);
        run(&self.common, &training, &self.form.reduce)
    }
}

impl TrainAuc {
    pub fn run(self) -> Result<(), Failure> {
        let training = self
            .sampling
            .apply(&Sampled::auc(), &self.form, self.common.seed);
        run(&self.common, &training, &self.form.reduce)
    }
}

impl TrainWsabie {
    pub fn run(self) -> Result<(), Failure> {
        let training = EmbeddingTraining::Wsabie(self.parameters());
        run(self.common(), &training, self.reduce())
    }
}

impl TrainWsabiePp {
    pub fn run(self) -> Result<(), Failure> {
        let training = EmbeddingTraining::Wsabie(self.parameters());
        run(self.common(), &training, self.reduce())
    }
}

/// Trains, and tells of it.
fn run(common: &Common, training: &EmbeddingTraining, reduce: &Reduce) -> Result<(), Failure> {
    common.check()?;
    training.check().map_err(TrainError::from)?;
    if matches!(training, EmbeddingTraining::NearestMean(_)) {
        let why = "of nearest-mean, which goes over the rows once";
        common.checkpoints.refuse(why)?;
    }
    reduce.check()?;
    let threads = threads(common.threads)?;
    let read = common.read(&threads)?;
    let watch = Stopwatch::start();
    let data = &read.data;
    let projection = reduce.fit(data, training.transform(), common.seed, &threads)?;
    let memory = training.memory_estimate(projection.as_ref(), data, threads.count());
    common.end_dry_run(data, Some(memory))?;
    note(format_args!(
        "training {}; this takes up to about {} of memory beside the data",
        training.name(),
        bytes(memory)
    ));
    let origin = read.origin;
    let mut epochs = Epochs::default();
    let mut watching = Watching::new(
        common.checkpoints.keeper()?,
        (
            training.name(),
            (training, reduce.reduction(common.seed)),
            data,
        ),
        |report| epochs.tell(report),
    );
    let (projection, texts) = (projection.as_ref(), read.vectorizer);
    let best = kernels::best();
    let made = Model::train_embedding(
        training,
        projection,
        data,
        texts,
        &threads,
        best,
        &mut watching,
    );
    let mut model = watching.outcome(made)?;
    let mut told = Told {
        epochs: epochs
            .progress
            .is_some()
            .then_some(u64::from(epochs.last.epochs)),
        lines: epochs.line().into_iter().collect(),
        ..Told::default()
    };
    drop(epochs);
    common.calibrate(&mut model, data, &mut told, &threads)?;
    let made = Made {
        model,
        origin,
        told,
    };
    common.finish(made, &watch, &threads)
}

/// The progress of the epochs, and what became of the rows of the last one.
#[derive(Default)]
struct Epochs {
    progress: Option<Progress>,
    last: EmbeddingReport,
}

impl Epochs {
    fn tell(&mut self, report: EmbeddingReport) {
        const STEPS: usize = 100;
        let total = report.epochs as usize * STEPS;
        let progress = self
            .progress
            .get_or_insert_with(|| Progress::new("training", total));
        let part = report.done * STEPS / report.of.max(1);
        progress.set(report.epoch as usize * STEPS + part, total);
        let (violated, ignored) = if report.epoch == self.last.epoch {
            (
                self.last.violated + report.violated,
                self.last.ignored + report.ignored,
            )
        } else {
            (report.violated, report.ignored)
        };
        self.last = EmbeddingReport {
            violated,
            ignored,
            ..report
        };
    }

    fn line(&self) -> Option<String> {
        self.progress.as_ref()?;
        let EmbeddingReport {
            violated,
            ignored,
            of,
            ..
        } = self.last;
        Some(format!(
            "the last epoch visited {of} rows, made {violated} steps and ignored {ignored} rows for \
             last violators"
        ))
    }
}

/// Parameters for programs.
pub fn parameters_json(training: &EmbeddingTraining) -> Value {
    match training {
        EmbeddingTraining::NearestMean(p) => {
            json!({"exponent": p.exponent, "normalize": p.normalize, "bits": p.bits})
        }
        EmbeddingTraining::Sampled(p) => {
            let balance = match p.draws {
                SampledDraws::Balance(balance) => Some(balance),
                SampledDraws::Pairs => None,
            };
            json!({
                "balance": balance, "margin": p.margin, "step_size": p.step_size,
                "max_norm": p.max_norm, "epochs": p.epochs, "exponent": p.exponent,
                "normalize": p.normalize, "bits": p.bits,
            })
        }
        EmbeddingTraining::Wsabie(p) => super::wsabie::parameters_json(p),
        EmbeddingTraining::Memoir(p) => super::memoir::parameters_json(p),
        EmbeddingTraining::GivenVectors { seed } => json!({"seed": seed}),
        _ => Value::Null,
    }
}
