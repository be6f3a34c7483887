//! `hapax train memoir-l2`, `memoir-l1` and `memoir-lsh`: margin machines by stochastic steps.

mod oracle;
mod telling;

use super::{
    super::{failure::Failure, input::threads, resources::Stopwatch},
    Common,
    checkpoint::Watching,
    finish::Made,
    reduce::Reduce,
};
use clap::{Args, ValueEnum};
use hapax::core::{
    data::Dataset,
    executor::{Executor, Workers},
    model::Model,
    parameters::{
        Average, EmbeddingTraining, Length, LinearTraining, Memoir, MemoirDraws, MemoirSteps,
        Regularizer, Repro, SeveralLabels, Silent,
    },
    text::Vectorizer,
    train::{MemoryEstimate, Parameters, Projection, Reduction, TrainError, Trained},
};
use oracle::{OracleOptions, oracle_json};
use serde_json::{Value, json};
use telling::{Telling, say_what_comes};

/// Which size of the weights is kept small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    L2,
    L1,
    /// L2, and codes of signs for the maximum.
    Lsh,
}

/// MEMOIR: a multi-class margin machine by stochastic steps.
///
/// Each row pulls the weights of its class and pushes away the wrong classes that come too close,
/// found by scoring all classes. Weights stay sparse all the way. One label a row; what is not
/// given is chosen by the counts of the data. (Belyy, Sholokhov 2018.)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train memoir-l2 train.tsv -o model.hapax --test test.tsv
  hapax train memoir-l1 train.tsv -o small.hapax --report
  hapax train memoir-l2 train.txt.xz -o model.hapax --multilabel replicate --epochs 3
  hapax train memoir-l2 train.txt.xz -o model.hapax --oracle rare-features --report
  hapax train memoir-l2 train.txt.xz -o model.hapax --set repro=code --iterations 40")]
pub struct TrainMemoir {
    #[command(flatten)]
    common: Common,
    /// The price of the size of weights: above 0 [default: 0.5 / rows, of few classes 0.75 / rows;
    /// for l1 less]
    #[arg(long, help_heading = "MEMOIR", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// How often the rows are gone over [default: 5; 10 for up to 500 classes]
    #[arg(long, help_heading = "MEMOIR", conflicts_with = "iterations")]
    epochs: Option<u32>,
    /// How many steps to do, each of one batch
    #[arg(long, help_heading = "MEMOIR")]
    iterations: Option<u64>,
    /// Rows of a step: more than one lets threads share the work, and needs more epochs
    /// [default: 1]
    #[arg(long, help_heading = "MEMOIR")]
    batch_size: Option<u32>,
    /// The first step's size; at most 1 / lambda [default: 1]
    #[arg(long, help_heading = "MEMOIR", allow_negative_numbers = true)]
    step_size: Option<f64>,
    /// How fast steps become smaller: that of step t is size / (1 + decay (t - 1))
    /// [default: lambda]
    #[arg(long, help_heading = "MEMOIR", allow_negative_numbers = true)]
    step_decay: Option<f64>,
    /// Which rows a step sees
    #[arg(long, value_enum, help_heading = "MEMOIR")]
    draws: Option<DrawsName>,
    /// How classes are compared in the end: by dot products, perhaps tempered by the length of
    /// their weights, or by cosines [default: chosen by the data]
    #[arg(long, value_enum, help_heading = "MEMOIR")]
    scoring: Option<ScoringName>,
    /// Most wrong classes that a row pushes away [default: 20; 5 for up to 500 classes]
    #[arg(long, help_heading = "MEMOIR")]
    violators: Option<u32>,
    /// The exponent of the values of features: 0 or more [default: 1; 0.8 for up to 500 classes]
    #[arg(long, help_heading = "MEMOIR", allow_negative_numbers = true)]
    exponent: Option<f64>,
    /// Weights up to this share of their class's largest are left out
    /// [default: 0; of l1 0.09 for more than 500 classes]
    #[arg(long, help_heading = "MEMOIR", allow_negative_numbers = true)]
    prune: Option<f32>,
    /// Do what was published instead: by the paper, or by its authors' program
    #[arg(long, value_enum, help_heading = "MEMOIR")]
    repro: Option<ReproName>,
    /// What to do with rows of several labels
    #[arg(long, value_enum, default_value_t = SeveralName::Refuse, help_heading = "MEMOIR")]
    multilabel: SeveralName,
    /// Tell of each epoch, on a sample of rows, how many still move weights, the loss, the
    /// objective, how often the oracle finds the best wrong class and by how much it misses the
    /// margin; and the size of the weights
    #[arg(long, help_heading = "MEMOIR")]
    report: bool,
    #[command(flatten)]
    oracle: OracleOptions,
}

/// MEMOIR-LSH: memoir-l2, the maximum taken by codes of signs.
///
/// Codes of signs, or another --oracle, propose the classes to push away. Rows are taken as they
/// are, or with --reduce in the directions in which they extend most. On sparse rows memoir-l2,
/// which scores all classes, is faster.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train memoir-lsh train.tsv -o model.hapax --test test.tsv
  hapax train memoir-lsh train.txt.xz -o model.hapax --reduce 512 --oracle graph --report
  hapax train memoir-lsh rows.npy -o model.hapax")]
pub struct TrainMemoirLsh {
    #[command(flatten)]
    memoir: TrainMemoir,
    #[command(flatten)]
    reduce: Reduce,
}

impl TrainMemoirLsh {
    pub fn run(self) -> Result<(), Failure> {
        self.memoir.train(Variant::Lsh, &self.reduce)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DrawsName {
    /// All rows equally often
    Uniform,
    /// All classes equally often
    Balanced,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScoringName {
    Dot,
    Cosine,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReproName {
    Paper,
    Code,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SeveralName {
    /// Refuse the data and name the row
    Refuse,
    /// Count the row once for each of its labels
    Replicate,
    /// Take the label with the smallest id
    First,
}

impl TrainMemoir {
    /// The given values in place of those of `base`.
    fn parameters(&self, base: Memoir, variant: Variant, classes: u32) -> Memoir {
        let mut made = if variant == Variant::L1 {
            base.with_l1(classes)
        } else {
            base
        };
        if let Some(repro) = self.repro {
            let repro = match repro {
                ReproName::Paper => Repro::Paper,
                ReproName::Code => Repro::Code,
            };
            made = made.reproduced(repro, classes);
        }
        made.lambda = self.lambda.unwrap_or(made.lambda);
        if let MemoirSteps::Decaying { first, decay } = &mut made.steps {
            *first = self.step_size.unwrap_or(*first);
            let given = self
                .lambda
                .filter(|_| self.repro.is_none() && variant != Variant::L1);
            *decay = self.step_decay.or(given).unwrap_or(*decay);
        }
        if let Some(epochs) = self.epochs {
            made.length = Length::Epochs(epochs);
        }
        if let Some(iterations) = self.iterations {
            made.length = Length::Iterations(iterations);
        }
        made.batch = self.batch_size.unwrap_or(made.batch);
        made.violators = self.violators.unwrap_or(made.violators);
        made.exponent = self.exponent.unwrap_or(made.exponent);
        made.prune = self.prune.unwrap_or(made.prune);
        made.seed = self.common.seed;
        let default = if variant == Variant::Lsh {
            self.oracle.sign_codes()
        } else {
            made.oracle
        };
        made.oracle = self.oracle.oracle(default);
        self.named(&mut made);
        made
    }

    /// The choices that have names.
    fn named(&self, made: &mut Memoir) {
        match self.draws {
            None => {}
            Some(DrawsName::Uniform) => made.draws = MemoirDraws::Uniform,
            Some(DrawsName::Balanced) => made.draws = MemoirDraws::Balanced,
        }
        match self.scoring {
            None => {}
            Some(ScoringName::Dot) => made.norm_power = 0.0,
            Some(ScoringName::Cosine) => made.norm_power = 1.0,
        }
        made.several = match self.multilabel {
            SeveralName::Refuse => SeveralLabels::Refuse,
            SeveralName::Replicate => SeveralLabels::Replicate,
            SeveralName::First => SeveralLabels::First,
        };
    }

    pub fn run(self, variant: Variant) -> Result<(), Failure> {
        self.train(variant, &Reduce::default())
    }

    fn train(self, variant: Variant, reduce: &Reduce) -> Result<(), Failure> {
        self.common.check()?;
        reduce.check()?;
        let given = self.parameters(Memoir::default(), variant, 2);
        given.check().map_err(TrainError::from)?;
        let threads = threads(self.common.threads)?;
        let training = self.common.read(&threads)?;
        let watch = Stopwatch::start();
        let data = &training.data;
        let mut parameters =
            self.parameters(Memoir::automatic(data), variant, data.labels().labels());
        let reduces = reduce
            .dimensions()
            .is_some_and(|dimensions| dimensions < data.rows().features());
        if variant == Variant::Lsh {
            let oracle = parameters.oracle;
            parameters = parameters.with_codes(oracle, data);
        }
        if variant == Variant::Lsh && reduces {
            // Reduced rows have all features.
            parameters.create = 0.0;
        }
        let projection = if reduces {
            let transform = LinearTraining::Memoir(parameters.clone()).transform();
            reduce.fit(data, transform, parameters.seed, &threads)?
        } else {
            None
        };
        let memory = match &projection {
            None => parameters.memory_estimate(data, threads.count()),
            projection => EmbeddingTraining::Memoir(parameters.clone()).memory_estimate(
                projection.as_ref(),
                data,
                threads.count(),
            ),
        };
        say_what_comes(&parameters, memory);
        self.common.end_dry_run(data, Some(memory))?;
        let mut telling = Telling::new(&watch);
        let texts = training.vectorizer;
        let mut model = match &projection {
            None => self.by_parts(&parameters, data, texts, &threads, &mut telling)?,
            Some(projection) => {
                let reduction = reduce.reduction(parameters.seed);
                let identity = (&parameters, reduction);
                self.projected(identity, projection, data, texts, &threads, &mut telling)?
            }
        };
        let mut told = telling.told();
        self.common
            .calibrate(&mut model, data, &mut told, &threads)?;
        let made = Made {
            model,
            origin: training.origin,
            told,
        };
        self.common.finish(made, &watch, &threads)
    }

    /// The same in few dimensions.
    fn projected(
        &self,
        identity: (&Memoir, Option<Reduction>),
        projection: &Projection,
        data: &Dataset,
        texts: Option<Vectorizer>,
        threads: &Executor,
        telling: &mut Telling<'_>,
    ) -> Result<Model, Failure> {
        let keeper = self.common.checkpoints.keeper()?;
        let belonging = ("memoir in few dimensions", &identity, data);
        let mut watching = Watching::new(keeper, belonging, |report| telling.tell(report));
        let made = Model::train_projected_memoir(
            identity.0,
            projection,
            data,
            texts,
            threads,
            self.report,
            &mut watching,
        );
        watching.outcome(made)
    }

    /// Trains part by part, keeping checkpoints where they were asked for.
    fn by_parts(
        &self,
        parameters: &Memoir,
        data: &Dataset,
        texts: Option<Vectorizer>,
        threads: &Executor,
        telling: &mut Telling<'_>,
    ) -> Result<Model, Failure> {
        let keeper = self.common.checkpoints.keeper()?;
        let belonging = (parameters.name(), parameters, data);
        let trainer = parameters.trainer(data)?.measuring(self.report);
        let weights = keeper.train(trainer, belonging, threads, |report| telling.tell(report))?;
        Ok(Model::made(
            Trained::Memoir(weights, parameters),
            data,
            texts,
        ))
    }
}

/// Parameters of MEMOIR for programs.
pub fn parameters_json(parameters: &Memoir) -> Value {
    let (epochs, iterations) = match parameters.length {
        Length::Epochs(epochs) => (Some(epochs), None),
        Length::Iterations(iterations) => (None, Some(iterations)),
    };
    json!({
        "lambda": parameters.lambda, "epochs": epochs, "iterations": iterations,
        "batch_size": parameters.batch, "violators": parameters.violators,
        "balanced": parameters.draws == MemoirDraws::Balanced, "norm_power": parameters.norm_power,
        "gate": parameters.gate, "random_silent": parameters.silent == Silent::Random,
        "averaged": parameters.average == Average::SecondHalf && parameters.regularizer == Regularizer::L2,
        "oracle": oracle_json(parameters.oracle),
        "exponent": parameters.exponent, "bias": parameters.bias, "prune": parameters.prune,
    })
}
