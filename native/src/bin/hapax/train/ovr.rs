//! `hapax train ovr`: one-vs-rest with mined negatives.

use super::{
    super::{
        failure::Failure,
        input::threads,
        output::note,
        progress::Progress,
        resources::Stopwatch,
        table::{bytes, count},
    },
    Common, Training,
    finish::{Made, Told},
};
use clap::{Args, ValueEnum};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::Model,
        train::{
            TrainError,
            dual::{
                one_vs_rest::{Report, Stage},
                parameters::{Bias, Negatives, OneVsRest},
            },
        },
    },
    kernels,
    threads::Threads,
};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// One-vs-rest with mined negatives.
///
/// Trains one linear machine for each label on its own rows and on the few others that it wrongly claims.
/// Slower to train than nearest neighbors, more precise on most data, and smaller. What is not given is chosen
/// by the counts of the data: cost, weight of positives and exponent.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train ovr train.tsv -o model.hapax --test test.tsv
  hapax train ovr train.txt.xz -o model.hapax --cost 0.3 --positive-weight 3
  hapax train ovr train.tsv -o small.hapax --max-bytes 2MB")]
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
    /// How often labels are solved with mined negatives [default: 3]
    #[arg(long, help_heading = "One-vs-rest")]
    rounds: Option<u32>,
    /// How many random rows all labels begin with [default: 1000]
    #[arg(long, help_heading = "One-vs-rest")]
    pool: Option<u32>,
    /// How many labels are proposed for each row when mining [default: 20]
    #[arg(long, help_heading = "One-vs-rest")]
    mine: Option<u32>,
    /// The fixed score a label begins with [default: -1]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    bias: Option<f64>,
    /// Weights up to this size are left out [default: 0.11]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    prune: Option<f32>,
    /// How exactly labels are solved, at most: smaller is more exact [default: 0.5]
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// Solve every label until its gap is at most this share of its objective, and prove it; needs
    /// --negatives all
    #[arg(long, help_heading = "One-vs-rest", allow_negative_numbers = true)]
    gap: Option<f64>,
    /// How often the rows of a label are gone over at most in the last round [default: 15, or 10000 with --gap]
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

impl TrainOvr {
    /// The given values in place of those of `base`.
    fn parameters(&self, base: &OneVsRest) -> OneVsRest {
        OneVsRest {
            cost: self.cost.unwrap_or(base.cost),
            positive_weight: self.positive_weight.unwrap_or(base.positive_weight),
            exponent: self.exponent.unwrap_or(base.exponent),
            negatives: match self.negatives {
                Against::Mined => Negatives::Mined,
                Against::All => Negatives::All,
                Against::Auto => Negatives::Auto,
            },
            rounds: self.rounds.unwrap_or(base.rounds),
            pool: self.pool.unwrap_or(base.pool),
            mine: self.mine.unwrap_or(base.mine),
            bias: self.bias.map_or(base.bias, Bias::Fixed),
            prune: self.prune.unwrap_or(base.prune),
            epsilon: self.epsilon.unwrap_or(base.epsilon),
            max_epochs: self.max_epochs.unwrap_or(base.max_epochs),
            seed: self.common.seed,
            ..base.clone()
        }
    }

    pub fn run(self) -> Result<(), Failure> {
        self.common.check()?;
        let given = self.parameters(&OneVsRest::default());
        given.check().map_err(TrainError::from)?;
        if self.gap.is_some() && self.negatives != Against::All {
            let rule = "--gap needs --negatives all: mined negatives prove nothing of all rows";
            return Err(Failure::Input(rule.into()));
        }
        let threads = threads(self.common.threads)?;
        let training = self.common.read(&threads)?;
        let watch = Stopwatch::start();
        let parameters = self.parameters(&OneVsRest::automatic(&training.data));
        say_what_comes(&parameters, &training.data, &threads);
        if let Some(gap) = self.gap {
            return self.run_to_gap(gap, &parameters, training, &watch, &threads);
        }
        let mut parts = Parts::default();
        let model = Model::train_ovr(
            &parameters,
            &training.data,
            training.vectorizer,
            &threads,
            kernels::best(),
            |report| parts.tell(report),
        )?;
        drop(parts);
        let made = Made {
            model,
            index_base: training.index_base,
            told: Told::default(),
        };
        self.common.finish(made, &watch, &threads)
    }
}

impl TrainOvr {
    /// Trains every label to a gap and tells the proof.
    fn run_to_gap(
        &self,
        gap: f64,
        parameters: &OneVsRest,
        training: Training,
        watch: &Stopwatch,
        threads: &Threads,
    ) -> Result<(), Failure> {
        let parameters = OneVsRest {
            max_epochs: self.max_epochs.unwrap_or(10_000),
            ..parameters.clone()
        };
        let progress = Progress::new("proving labels", 0);
        let tell = |done, of| {
            progress.set(done, of);
            ControlFlow::Continue(())
        };
        let kernels = kernels::best();
        let made = parameters.train_to_gap(&training.data, gap, threads, kernels, tell)?;
        drop(progress);
        let proof = made.certificate;
        let told = Told {
            epochs: Some(u64::from(proof.epochs)),
            objective: Some(proof.primal),
            gap: Some(proof.relative_gap()),
            lines: vec![format!(
                "proof after at most {} epochs a label, before pruning and rounding: primal {:.6}, dual {:.6}, \
                 relative gap {:.2e}; {} weights other than 0",
                proof.epochs,
                proof.primal,
                proof.dual,
                proof.relative_gap(),
                count(proof.nonzeros),
            )],
            ..Told::default()
        };
        let model = Model::from_proven_ovr(made, &parameters, &training.data, training.vectorizer);
        let index_base = training.index_base;
        self.common.finish(
            Made {
                model,
                index_base,
                told,
            },
            watch,
            threads,
        )
    }
}

/// Says the parameters that training will have, and about how much memory it will need.
fn say_what_comes(parameters: &OneVsRest, data: &Dataset, threads: &Threads) {
    let OneVsRest {
        cost,
        positive_weight,
        exponent,
        ..
    } = parameters;
    let memory = bytes(parameters.memory_estimate(data, threads.threads()));
    note(format_args!(
        "training with --cost {cost} --positive-weight {positive_weight} --exponent {exponent}; this takes \
         up to about {memory} of memory beside the data"
    ));
}

/// The progress of the parts of training, one after the other.
#[derive(Default)]
struct Parts(Option<(u32, Stage, Progress)>);

impl Parts {
    fn tell(&mut self, report: Report) -> ControlFlow<()> {
        let (round, stage) = (report.round, report.stage);
        let same = matches!(&self.0, Some((r, s, _)) if (*r, *s) == (round, stage));
        if !same {
            let what = match stage {
                Stage::Solve => "solving labels",
                Stage::Mine => "mining rows",
            };
            self.0 = Some((round, stage, Progress::new(what, report.of)));
        }
        if let Some((_, _, progress)) = &self.0 {
            progress.set(report.done, report.of);
        }
        ControlFlow::Continue(())
    }
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
        "prune": parameters.prune, "epsilon": parameters.epsilon,
        "max_epochs": parameters.max_epochs,
    })
}
