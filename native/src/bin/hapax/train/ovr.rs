//! `hapax train ovr`: one-vs-rest with mined negatives.

mod proof;
mod shared;
mod telling;

use super::{
    super::{
        failure::Failure,
        fit::say_kept_labels,
        input::{load_model, threads},
        progress::Progress,
        resources::Stopwatch,
    },
    Common, Training,
    finish::{Made, Told},
    time::TimeOptions,
};
use clap::{Args, ValueEnum};
use hapax::{
    Fuse, LeftOut,
    core::{
        executor::{Executor, Workers},
        model::{Method, Model},
        parameters::{Bias, Loss, Negatives, OneVsRest},
        train::{
            MemoryEstimate, Parameters, TrainError,
            one_vs_rest::{Choice, Given},
        },
    },
    kernels,
};
use serde_json::{Value, json};
use std::{ops::ControlFlow, path::PathBuf};
use telling::say_what_comes;
pub use telling::{Parts, chosen, features};
use xxhash_rust::xxh3::xxh3_64;

/// One-vs-rest: a linear machine for each label.
///
/// Trains each label against all other rows or, where that would take long, against those that it
/// wrongly claims. Slower to train than nearest neighbors, more precise on most data, and smaller.
/// Any of cost, positive weight, exponent, centroid, prior, prune, softmax and embedding that you
/// leave unset is tuned on held-out training rows, as is whether nearest neighbors vote beside the
/// machines.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train ovr train.tsv -o model.hapax --test test.tsv
  hapax train ovr train.txt.xz -o model.hapax --cost 0.3 --positive-weight 3
  hapax train ovr train.tsv -o small.hapax --max-bytes 2MB
  hapax train ovr train.txt.xz -o model.hapax --fuse nearest
  hapax train ovr more.tsv -o newer.hapax --from model.hapax      (its other labels stay)
  hapax train ovr records.tsv -o model.hapax --columns id,text,labels --label-separator ';'")]
pub struct TrainOvr {
    #[command(flatten)]
    common: Common,
    /// The price of errors against the size of weights: above 0 [default: chosen by the data]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    cost: Option<f64>,
    /// How many times dearer errors on rows with the label are [default: chosen by the data]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    positive_weight: Option<f64>,
    /// The exponent of the values of features: 0 or more [default: chosen by the data]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    exponent: Option<f64>,
    /// Against which rows a label is trained
    #[arg(long, value_enum, default_value_t = Against::Auto, help_heading = "One-vs-rest")]
    negatives: Against,
    /// How often labels are solved with mined negatives [default: 2]
    #[arg(long, help_heading = "One-vs-rest")]
    rounds: Option<u32>,
    /// How many random rows every label is held against while negatives are mined [default: 5000,
    /// from 65,536 labels on 2000, each of which counts as several]
    #[arg(long, help_heading = "One-vs-rest")]
    pool: Option<u32>,
    /// How many labels are proposed for each row when mining [default: 100]
    #[arg(long, help_heading = "One-vs-rest")]
    mine: Option<u32>,
    /// The score that every label begins with, in place of one learned for each; with --learn-bias
    /// the value of the constant feature whose weight is learned [default: 1]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    bias: Option<f64>,
    /// Learn the bias of each label as the weight of a constant feature
    /// [default: yes, unless --bias is given]
    #[arg(long, help_heading = "One-vs-rest")]
    learn_bias: bool,
    /// The loss of a row whose margin is too small
    #[arg(long, value_enum, default_value_t = LossName::SquaredHinge, help_heading = "One-vs-rest")]
    loss: LossName,
    /// What votes beside the machines
    #[arg(long, value_enum, default_value_t = Fuse::Auto, help_heading = "One-vs-rest")]
    fuse: Fuse,
    /// How many times the direction of the mean of its rows is added to a label's weights: 0 or
    /// more [default: chosen by the data]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    centroid: Option<f64>,
    #[command(flatten)]
    time: TimeOptions,
    /// Hold back labels of few rows (above 0: add so many times ln(2 n / (n + 1)) to the score of a
    /// label of n rows) or of many (below 0: add so many times ln n) [default: chosen by the data]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    prior: Option<f64>,
    /// Add so many times the weights of softmax regression over the weights that are stored: 0 or
    /// more; the file keeps its size [default: chosen by the data]
    #[arg(
        long,
        help_heading = "One-vs-rest",
        allow_negative_numbers = true,
        conflicts_with = "gap"
    )]
    softmax: Option<f64>,
    /// Add so many times the scores of an embedding, as `wsabie-pp` trains it: 0 or more; it is
    /// stored beside the weights [default: chosen by the data]
    #[arg(
        long,
        value_name = "WEIGHT",
        help_heading = "One-vs-rest",
        allow_negative_numbers = true,
        conflicts_with_all = ["gap", "from"]
    )]
    embedding: Option<f64>,
    /// Start from this linear model: its wrong answers are the first negatives. Its labels without
    /// rows in the data keep their weights, and texts are read with its words. Rows must have as
    /// many features as it, and its labels, which others may follow
    #[arg(
        long,
        value_name = "MODEL",
        help_heading = "One-vs-rest",
        conflicts_with_all = ["fuse", "gap", "label_texts", "TextOptions"]
    )]
    from: Option<PathBuf>,
    /// Weights up to this size are left out [default: chosen by the data]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    prune: Option<f32>,
    /// How many bits a stored weight has: 4, 5, 6, 8 or 16. With 16, and --prune 0, the gap as
    /// stored is nearly that of the proof
    #[arg(long, default_value_t = 8, help_heading = "One-vs-rest")]
    bits: u32,
    /// Labels are solved until their gap is estimated at this share of their objective: smaller is
    /// more exact [default: 0.03]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// Solve all labels until their gap is at most this share of their objective, and prove it;
    /// needs --negatives all
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    gap: Option<f64>,
    /// How often the rows of a label are gone over at most in the last round
    /// [default: 15, or 10000 with --gap]
    #[arg(long, help_heading = "One-vs-rest")]
    max_epochs: Option<u32>,
}

/// Against which rows a label is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Against {
    /// A random pool, then the rows that wrongly rank the label high
    Mined,
    /// All rows
    All,
    /// All where that is cheap, else mined
    Auto,
}

/// The loss of a row whose margin is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LossName {
    /// What is missing
    Hinge,
    /// Its square
    SquaredHinge,
}

impl TrainOvr {
    /// The parameters that are not chosen by the data.
    fn fixed(&self) -> OneVsRest {
        let base = OneVsRest::default();
        OneVsRest {
            loss: match self.loss {
                LossName::Hinge => Loss::Hinge,
                LossName::SquaredHinge => Loss::SquaredHinge,
            },
            negatives: match self.negatives {
                Against::Mined => Negatives::Mined,
                Against::All => Negatives::All,
                Against::Auto => Negatives::Auto,
            },
            rounds: self.rounds.unwrap_or(base.rounds),
            max_epochs: self.max_epochs.unwrap_or(base.max_epochs),
            bits: self.bits,
            seed: self.common.seed,
            ..base
        }
    }

    /// What the user decided of that which the data would choose.
    fn given(&self) -> Result<Given, Failure> {
        let value = self
            .bias
            .unwrap_or(if self.learn_bias { 1.0 } else { -1.0 });
        let bias = match self.learn_bias {
            true => Bias::Learned(value),
            false => Bias::Fixed(value),
        };
        let decided = self.learn_bias || self.bias.is_some();
        let mut given = Given {
            cost: self.cost,
            positive_weight: self.positive_weight,
            exponent: self.exponent,
            bias: decided.then_some(bias),
            prune: self.prune,
            centroid: self.centroid,
            prior: self.prior,
            softmax: self.softmax,
            pool: self.pool,
            mine: self.mine,
            epsilon: self.epsilon,
            embedding: self.embedding,
            neighbors: None,
            max_bytes: self.common.max_bytes,
        };
        self.fuse.apply(&mut given).map_err(|left_out| {
            let LeftOut { by, what, weight } = left_out;
            Failure::Input(format!(
                "--fuse {by} leaves out what --{what} {weight} adds: give one of the two"
            ))
        })?;
        if self.gap.is_some() {
            // A proof is of the machines alone.
            given.softmax = Some(0.0);
        }
        if self.gap.is_some() || self.from.is_some() {
            // Nor do neighbors go on from a model, and of labels without rows an embedding knows
            // nothing.
            (given.embedding, given.neighbors) = (Some(0.0), Some(false));
        }
        Ok(given)
    }

    /// Refuses what was given and cannot go together.
    fn check(&self) -> Result<(), Failure> {
        let plain = self.given()?.over(&self.fixed());
        Ok(plain.check().map_err(TrainError::from)?)
    }

    pub fn run(self) -> Result<(), Failure> {
        self.common.check()?;
        self.check()?;
        let (fixed, mut given) = (self.fixed(), self.given()?);
        if self.gap.is_some() && self.negatives != Against::All {
            let rule = "--gap needs --negatives all: mined negatives prove nothing of all rows";
            return Err(Failure::Input(rule.into()));
        }
        let threads = self.time.limit(threads(self.common.threads)?, 1);
        let start = self.from.as_deref().map(load_model).transpose()?;
        let mut training = match &start {
            Some(model) => {
                let training = self.common.read_like(model, &threads)?;
                say_kept_labels(&self.common.train, &training.data, model);
                training
            }
            None => {
                let plain = given.over(&fixed);
                self.common.read_choosing(Some(&plain), &[], &threads)?
            }
        };
        if let Some(Method::Linear(linear)) = start.as_ref().map(Model::method) {
            // Only with the same exponent do its weights fit the rows.
            given.exponent = given
                .exponent
                .or(Some(linear.parameters().transform().exponent));
        }
        let plain = given.over(&fixed);
        let memory = plain.memory_estimate(&training.data, threads.count());
        self.common.end_dry_run(&training.data, Some(memory))?;
        let watch = Stopwatch::start();
        let mut choice = choose(&fixed, &given, &training, &threads)?;
        say_what_comes(&choice, self.gap, &training.data, &threads);
        let kinds = training.features.iter().map(features);
        let settings = (choice.held_out > 0).then(|| chosen(&choice));
        let mut told = Told {
            held_out: (choice.held_out > 0).then_some(choice.held_out),
            lines: kinds.chain(settings).collect(),
            ..Told::default()
        };
        if let Some(gap) = self.gap {
            return proof::run_to_gap(&self, gap, &choice.parameters, training, &watch, &threads);
        }
        let origin = training.origin.clone();
        let mut model = self.train(&choice, start.as_ref(), &mut training, &threads)?;
        if start.is_none() {
            let begun = (std::mem::take(&mut choice.calibrating), &training.data);
            self.common
                .calibrate_from(&mut model, begun, &mut told, &threads)?;
        }
        let made = Made {
            model,
            origin,
            told,
        };
        self.common.finish(made, &watch, &threads)
    }

    fn train(
        &self,
        choice: &Choice,
        start: Option<&Model>,
        training: &mut Training,
        threads: &Executor,
    ) -> Result<Model, Failure> {
        let vectorizer = training.vectorizer.take();
        let data = &training.data;
        let (parameters, kernels) = (&choice.parameters, kernels::best());
        let mut parts = Parts::default();
        let keeper = self.common.checkpoints.keeper()?;
        let mut trainer = parameters.trainer(data, threads, kernels)?;
        let start = start.map(Model::weights_to_start_from).transpose()?;
        if let Some(model) = start {
            trainer.start_from(model)?;
        }
        let identity = (
            parameters,
            parameters.softmax,
            start.map(|model| xxh3_64(&model.parts().records)),
        );
        let belonging = ("ovr", &identity, data);
        let tell = |report| _ = parts.tell(report);
        let linear = keeper.train(trainer, belonging, threads, tell)?;
        let rows = (data, vectorizer);
        Ok(choice
            .fused
            .model(linear, parameters, rows, threads, kernels)?)
    }
}

/// Chooses the parameters that were not given.
fn choose(
    fixed: &OneVsRest,
    given: &Given,
    training: &Training,
    threads: &Executor,
) -> Result<Choice, TrainError> {
    let are_texts = training.vectorizer.is_some();
    let progress = Progress::new("choosing parameters", 1);
    let (data, best) = (&training.data, kernels::best());
    fixed.choose(given, data, threads, best, are_texts, |done, of| {
        progress.set(done, of);
        ControlFlow::Continue(())
    })
}

/// Parameters of one-vs-rest for programs.
pub fn parameters_json(parameters: &OneVsRest) -> Value {
    let (Bias::Fixed(bias) | Bias::Learned(bias)) = parameters.bias;
    let negatives = match parameters.negatives {
        Negatives::All => "all",
        Negatives::Mined => "mined",
        Negatives::Auto => "auto",
    };
    json!({
        "cost": parameters.cost, "positive_weight": parameters.positive_weight,
        "exponent": parameters.exponent, "negatives": negatives, "rounds": parameters.rounds,
        "pool": parameters.pool, "mine": parameters.mine, "bias": bias,
        "bias_learned": matches!(parameters.bias, Bias::Learned(_)),
        "loss": if parameters.loss == Loss::Hinge { "hinge" } else { "squared-hinge" },
        "centroid": parameters.centroid, "prior": parameters.prior, "softmax": parameters.softmax,
        "prune": parameters.prune, "bits": parameters.bits, "epsilon": parameters.epsilon,
        "max_epochs": parameters.max_epochs,
    })
}
