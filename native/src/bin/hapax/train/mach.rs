//! `hapax train mach`: classifiers over hashed labels.

mod budget;
mod shared;
mod stepwise;

use super::{
    super::{failure::Failure, input::threads, output::note, resources::Stopwatch, table::bytes},
    Common,
    finish::{Made, Told},
};
use budget::within;
use clap::{Args, ValueEnum};
use hapax::core::{
    data::Dataset,
    parameters::{BucketHash, Estimator, HeadLoss, MachParameters, Optimizer},
    train::{MemoryEstimate, Parameters, TrainError},
};
use serde_json::{Value, json};
use stepwise::Epochs;

/// MACH: small classifiers over hashed labels.
///
/// R hash functions put the labels into B buckets each, and R linear classifiers learn the buckets;
/// a label's score is made of its R buckets. The size of the model does not depend on the number of
/// labels, and it stands pruning and rounding well. What is not given is chosen by the counts of
/// the data. (Huang, Wang, Medini, Shrivastava 2018.)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train mach train.tsv -o model.hapax --test test.tsv
  hapax train mach train.txt.xz -o model.hapax --buckets 32 --repetitions 25 --estimator mean
  hapax train mach train.tsv -o small.hapax --max-bytes 1MB")]
pub struct TrainMach {
    #[command(flatten)]
    common: Common,
    /// Buckets of each classifier
    /// [default: 64; 32 below 1000 labels; 128 where labels have few rows]
    #[arg(long, value_name = "B", help_heading = "MACH")]
    buckets: Option<u32>,
    /// How many classifiers [default: 32, or 16 where labels have few rows]
    #[arg(long, value_name = "R", help_heading = "MACH")]
    repetitions: Option<u32>,
    /// The hash functions
    #[arg(long, value_enum, default_value_t = Hash::Permutation, help_heading = "MACH")]
    hash: Hash,
    /// What classifiers learn
    #[arg(long, value_enum, default_value_t = Loss::Auto, help_heading = "MACH")]
    loss: Loss,
    /// How weights are changed [default: chosen by the data]
    #[arg(long, value_enum, help_heading = "MACH")]
    optimizer: Option<Steps>,
    /// The rate of the first step [default: chosen by the data]
    #[arg(long, help_heading = "MACH", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// How often the rows are gone over [default: 5, or 10 below 1000 labels]
    #[arg(long, help_heading = "MACH")]
    epochs: Option<u32>,
    /// The weights are the mean of those at the ends of so many epochs, the last ones
    /// [default: 3 with `AdaGrad`, else 1]
    #[arg(long, value_name = "N", help_heading = "MACH")]
    averaged_epochs: Option<u32>,
    /// The share of a row's values that each step leaves out
    /// [default: 0.15 below 1000 labels, one a row; else 0]
    #[arg(
        long,
        value_name = "SHARE",
        help_heading = "MACH",
        allow_negative_numbers = true
    )]
    dropout: Option<f64>,
    /// How a label's buckets make its score
    #[arg(long, value_enum, default_value_t = Scores::LogitSum, help_heading = "MACH")]
    estimator: Scores,
    /// The exponent of the values of features: 0 or more [default: chosen by the data]
    #[arg(long, help_heading = "MACH", allow_negative_numbers = true)]
    exponent: Option<f64>,
    /// Bits of a stored weight: 32, 8 or 4 [default: 4]
    #[arg(long, help_heading = "MACH")]
    bits: Option<u32>,
    /// The share of weights that are stored, unless they have 32 bits [default: 0.2]
    #[arg(long, help_heading = "MACH", allow_negative_numbers = true)]
    keep: Option<f64>,
    /// How many of the best labels are compared with their mean row; 0 for none
    /// [default: 100 where labels have few rows]
    #[arg(long, value_name = "K", help_heading = "MACH")]
    rerank: Option<u32>,
    /// What that comparison counts beside the buckets [default: 8]
    #[arg(long, help_heading = "MACH", allow_negative_numbers = true)]
    rerank_weight: Option<f64>,
    /// How many entries of a mean row are kept [default: 32]
    #[arg(long, help_heading = "MACH")]
    centroid_entries: Option<u32>,
}

/// Hash functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Hash {
    /// Random permutations: buckets differ by at most one label
    Permutation,
    /// Multiply and add modulo a prime
    CarterWegman,
    /// The label itself: with as many buckets as labels, plain softmax regression
    Identity,
}

/// What classifiers learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Loss {
    /// Which bucket
    Softmax,
    /// Each bucket by itself
    Sigmoid,
    /// Sigmoid where rows have several labels
    Auto,
}

/// How weights are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Steps {
    /// `AdaGrad` with one sum for each feature in each classifier
    Adagrad,
    /// The same rate for all weights, falling to nothing
    Sgd,
}

/// How a label's buckets make its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scores {
    /// The mean of their probabilities, as in the paper
    Mean,
    /// The least
    Min,
    /// The median
    Median,
    /// The mean of their logarithms
    LogMean,
    /// The mean of their logits
    LogitSum,
}

impl TrainMach {
    /// The given values in place of those of `base`.
    fn parameters(&self, base: &MachParameters) -> MachParameters {
        let optimizer = self.optimizer.map_or(base.optimizer, |given| match given {
            Steps::Adagrad => Optimizer::FeatureAdaGrad,
            Steps::Sgd => Optimizer::Sgd,
        });
        let base = base.clone().with_optimizer(optimizer);
        MachParameters {
            buckets: self.buckets.unwrap_or(base.buckets),
            repetitions: self.repetitions.unwrap_or(base.repetitions),
            hash: match self.hash {
                Hash::Permutation => BucketHash::Permutation,
                Hash::CarterWegman => BucketHash::CarterWegman,
                Hash::Identity => BucketHash::Identity,
            },
            loss: match self.loss {
                Loss::Softmax => HeadLoss::Softmax,
                Loss::Sigmoid => HeadLoss::Sigmoid,
                Loss::Auto => HeadLoss::Auto,
            },
            learning_rate: self.learning_rate.unwrap_or(base.learning_rate),
            epochs: self.epochs.unwrap_or(base.epochs),
            averaged_epochs: self.averaged_epochs.unwrap_or(base.averaged_epochs),
            dropout: self.dropout.unwrap_or(base.dropout),
            estimator: self.estimator(),
            exponent: self.exponent.unwrap_or(base.exponent),
            bits: self.bits.unwrap_or(base.bits),
            keep: self.keep.unwrap_or(base.keep),
            rerank: self.rerank.unwrap_or(base.rerank),
            rerank_weight: self.rerank_weight.unwrap_or(base.rerank_weight),
            centroid_entries: self.centroid_entries.unwrap_or(base.centroid_entries),
            seed: self.common.seed,
            ..base
        }
    }

    fn estimator(&self) -> Estimator {
        match self.estimator {
            Scores::Mean => Estimator::Mean,
            Scores::Min => Estimator::Min,
            Scores::Median => Estimator::Median,
            Scores::LogMean => Estimator::LogMean,
            Scores::LogitSum => Estimator::LogitSum,
        }
    }

    /// Refuses what can be known to be wrong before any work.
    fn check(&self) -> Result<(), Failure> {
        self.common.check()?;
        let given = self.parameters(&MachParameters::default());
        given.check().map_err(TrainError::from)?;
        Ok(())
    }

    /// The parameters for these data.
    fn chosen(&self, data: &Dataset) -> MachParameters {
        self.parameters(&MachParameters::automatic(data))
    }

    pub fn run(self) -> Result<(), Failure> {
        self.check()?;
        let threads = threads(self.common.threads)?;
        let mut training = self.common.read(&threads)?;
        let watch = Stopwatch::start();
        let origin = training.origin.clone();
        let parameters = self.chosen(&training.data);
        say_what_comes(&parameters, &training.data);
        let memory = parameters.memory_estimate(&training.data, 1);
        self.common.end_dry_run(&training.data, Some(memory))?;
        let mut told = Told {
            epochs: Some(u64::from(parameters.epochs)),
            ..Told::default()
        };
        let mut epochs = Epochs::default();
        let mut model = match self.common.max_bytes {
            None => self.by_parts(&parameters, &mut training, &threads, &mut epochs)?,
            Some(most) => {
                let how = (self.common.checkpoints.keeper()?, |report| {
                    epochs.tell(report);
                });
                within(&parameters, most, &mut training, &threads, how, &mut told)?
            }
        };
        told.objective = epochs.loss;
        drop(epochs);
        self.common
            .calibrate(&mut model, &training.data, &mut told, &threads)?;
        let made = Made {
            model,
            origin,
            told,
        };
        self.common.finish(made, &watch, &threads)
    }
}

/// Says the parameters that training will have, and how much memory it will need.
fn say_what_comes(parameters: &MachParameters, data: &Dataset) {
    let MachParameters {
        buckets,
        repetitions,
        learning_rate,
        epochs,
        averaged_epochs,
        dropout,
        exponent,
        rerank,
        ..
    } = parameters;
    let memory = bytes(parameters.memory_estimate(data, 1));
    note(format_args!(
        "training with --buckets {buckets} --repetitions {repetitions} --learning-rate {learning_rate} \
         --epochs {epochs} --averaged-epochs {averaged_epochs} --dropout {dropout} --exponent {exponent} --rerank {rerank}; this takes {memory} of memory beside the data"
    ));
}

/// Parameters of MACH for programs.
pub fn parameters_json(parameters: &MachParameters) -> Value {
    let hash = match parameters.hash {
        BucketHash::Permutation => "permutation",
        BucketHash::CarterWegman => "carter-wegman",
        BucketHash::Identity => "identity",
    };
    json!({
        "buckets": parameters.buckets, "repetitions": parameters.repetitions, "hash": hash,
        "learning_rate": parameters.learning_rate, "epochs": parameters.epochs,
        "averaged_epochs": parameters.averaged_epochs, "dropout": parameters.dropout,
        "exponent": parameters.exponent,
        "bits": parameters.bits, "keep": parameters.keep, "rerank": parameters.rerank,
        "rerank_weight": parameters.rerank_weight,
        "centroid_entries": parameters.centroid_entries,
    })
}
