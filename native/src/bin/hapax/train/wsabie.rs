//! The options of `hapax train wsabie` and `hapax train wsabie-pp`.

use super::{Common, embedding::Form, reduce::Reduce};
use clap::{Args, ValueEnum};
use hapax::core::parameters::{Discriminant, RankWeight, ViolatorSearch, Wsabie, WsabieSteps};
use serde_json::{Value, json};

/// Wsabie: rows and labels in one space of few dimensions.
///
/// An embedding of the features and a prototype of each label are trained jointly, so that the
/// labels of a row are ahead of all others. Fast to train and small: a number of bytes for each
/// feature and label that --dimensions sets. Defaults are what was best on held-out rows. The
/// algorithm of the paper, with weights by rank, vectors within a ball and plain steps, is --set
/// as-published=true. (Weston, Bengio, Usunier 2011.)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train wsabie train.tsv -o model.hapax --test test.tsv
  hapax train wsabie train.tsv -o small.hapax --dimensions 32 --bits 4
  hapax train wsabie train.tsv -o model.hapax --set as-published=true --rank-weight constant")]
pub struct TrainWsabie {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    form: Form,
}

/// Wsabie++: rows and labels in one space, by distances.
///
/// A label answers by the distance of its prototype, steps are AdaGrad's, violations have one
/// weight. With --violators Q rows are ignored whose violator is among the last Q of a chain, as
/// labels too confusable to learn from: on text that loses precision, so it is off by default. The
/// margin, step size, search and chains of the paper are --set as-published=true. (Gupta, Bengio,
/// Weston 2014.)
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train wsabie-pp train.tsv -o model.hapax --test test.tsv
  hapax train wsabie-pp train.tsv -o model.hapax --violators 1 --margin 0.1
  hapax train wsabie-pp train.tsv -o model.hapax --set as-published=true")]
pub struct TrainWsabiePp {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    form: Form,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Training")]
struct Options {
    /// Begin with the published settings; other options change them
    #[arg(long)]
    as_published: bool,
    /// Dimensions of the embedding, of each model [default: 32]
    #[arg(long)]
    dimensions: Option<u32>,
    /// By how much the labels of a row must be ahead of others: above 0
    #[arg(long, allow_negative_numbers = true)]
    margin: Option<f64>,
    /// The length of a step: above 0
    #[arg(long, allow_negative_numbers = true)]
    step_size: Option<f64>,
    /// How long steps are
    #[arg(long, value_enum)]
    steps: Option<StepsName>,
    /// What a violation counts
    #[arg(long, value_enum)]
    rank_weight: Option<RankWeightName>,
    /// The longest prototype and the longest vector of a feature; 0 for no limit
    #[arg(long, allow_negative_numbers = true)]
    max_norm: Option<f64>,
    /// Links of the chain of last violators for which a row is ignored; 0 for none
    #[arg(long, value_name = "Q")]
    violators: Option<u32>,
    /// How violators are found
    #[arg(long, value_enum)]
    search: Option<SearchName>,
    /// Labels of a block, where the search is by blocks [default: 256]
    #[arg(long)]
    block: Option<u32>,
    /// How many violators of a block count, at most [default: 5]
    #[arg(long)]
    top: Option<u32>,
    /// Passes over the rows
    #[arg(long)]
    epochs: Option<u32>,
    /// Rows drawn from one state of the weights; 0 lets the data decide
    #[arg(long)]
    batch: Option<u32>,
    /// Models trained from different draws, whose scores add up [default: 1; wsabie-pp: 2]
    #[arg(long)]
    models: Option<u32>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum StepsName {
    /// The step size times the gradient
    Plain,
    /// AdaGrad with a sum for each label and each dimension, as published
    Adagrad,
    /// AdaGrad with a sum for each label and each feature
    AdagradByFeature,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RankWeightName {
    /// 1
    Constant,
    /// 1 + 1/2 + … + 1/r for the estimated rank r (WARP)
    Harmonic,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SearchName {
    /// The first violator in a random order
    Cyclic,
    /// The first violator of labels drawn with replacement
    Replacement,
    /// The worst violators of a block of labels
    Blocks,
}

impl Options {
    fn parameters(&self, base: &Wsabie, form: &Form, seed: u64) -> Wsabie {
        let blocks = ViolatorSearch::Blocks {
            classes: self.block.unwrap_or(256),
            top: self.top.unwrap_or(5),
        };
        let by_block = self.block.is_some() || self.top.is_some();
        let mut parameters = Wsabie {
            dimensions: self.dimensions.unwrap_or(base.dimensions),
            margin: self.margin.unwrap_or(base.margin),
            step_size: self.step_size.unwrap_or(base.step_size),
            steps: self.steps.map_or(base.steps, |steps| match steps {
                StepsName::Plain => WsabieSteps::Plain,
                StepsName::Adagrad => WsabieSteps::AdaGrad,
                StepsName::AdagradByFeature => WsabieSteps::AdaGradByFeature,
            }),
            rank_weight: self
                .rank_weight
                .map_or(base.rank_weight, |weight| match weight {
                    RankWeightName::Constant => RankWeight::Constant,
                    RankWeightName::Harmonic => RankWeight::Harmonic,
                }),
            max_norm: self.max_norm.unwrap_or(base.max_norm),
            violators: self.violators.unwrap_or(base.violators),
            search: match self.search {
                Some(SearchName::Cyclic) => ViolatorSearch::Cyclic,
                Some(SearchName::Replacement) => ViolatorSearch::Replacement,
                Some(SearchName::Blocks) => blocks,
                None if by_block => blocks,
                None => base.search,
            },
            epochs: self.epochs.unwrap_or(base.epochs),
            batch: self.batch.unwrap_or(base.batch),
            models: self.models.unwrap_or(base.models),
            seed,
            ..base.clone()
        };
        let Wsabie {
            exponent,
            normalize,
            bits,
            ..
        } = &mut parameters;
        form.apply(exponent, normalize, bits);
        parameters
    }
}

impl TrainWsabie {
    pub fn common(&self) -> &Common {
        &self.common
    }

    pub fn reduce(&self) -> &Reduce {
        &self.form.reduce
    }

    pub fn parameters(&self) -> Wsabie {
        let base = if self.options.as_published {
            Wsabie::published()
        } else {
            Wsabie::default()
        };
        self.options.parameters(&base, &self.form, self.common.seed)
    }
}

impl TrainWsabiePp {
    pub fn common(&self) -> &Common {
        &self.common
    }

    pub fn reduce(&self) -> &Reduce {
        &self.form.reduce
    }

    pub fn parameters(&self) -> Wsabie {
        let base = if self.options.as_published {
            Wsabie::plus_plus()
        } else {
            Wsabie::distances()
        };
        self.options.parameters(&base, &self.form, self.common.seed)
    }
}

/// Parameters of joint training for programs.
pub fn parameters_json(p: &Wsabie) -> Value {
    let search = match p.search {
        ViolatorSearch::Replacement => json!("replacement"),
        ViolatorSearch::Cyclic => json!("cyclic"),
        ViolatorSearch::Blocks { classes, top } => json!({"block": classes, "top": top}),
    };
    let steps = match p.steps {
        WsabieSteps::Plain => "plain",
        WsabieSteps::AdaGrad => "adagrad",
        WsabieSteps::AdaGradByFeature => "adagrad-by-feature",
    };
    json!({
        "dimensions": p.dimensions, "euclidean": p.discriminant == Discriminant::Euclidean,
        "margin": p.margin, "step_size": p.step_size, "steps": steps, "decay": p.decay,
        "harmonic": p.rank_weight == RankWeight::Harmonic, "max_norm": p.max_norm,
        "violators": p.violators, "search": search, "rest": p.rest, "epochs": p.epochs,
        "batch": p.batch, "initial": p.initial, "models": p.models, "exponent": p.exponent,
        "normalize": p.normalize, "bits": p.bits,
    })
}
