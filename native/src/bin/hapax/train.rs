//! `hapax train`: a model from a file of labelled texts or rows.

mod auto;
mod calibrate;
mod checkpoint;
mod dry_run;
mod embedding;
mod exact;
mod finish;
mod label_texts;
mod mach;
mod memoir;
mod nearest;
pub mod options;
mod ovr;
mod reduce;
mod sharded;
mod time;
mod vectors;
mod wsabie;

use super::{
    data_options::DataOptions,
    distributed::{Task, Work},
    evaluate::repeats::marks,
    failure::Failure,
    fit::{check_names, check_start, names_of_start, say_unknown_words, warn_of_new_labels},
    input::{Like, Origin, name_labels, read_input, read_like},
    output::output_file,
    progress::Progress,
    table::parse_bytes,
    text_options::TextOptions,
};
use calibrate::CalibrationOptions;
use checkpoint::CheckpointOptions;
use clap::{Args, Subcommand};
use hapax::{
    TextFeatures, Vectorized,
    core::{
        data::{Dataset, Source},
        executor::Executor,
        model::Model,
        parameters::{MultiClassLoss, OneVsRest},
        text::{Vectorizer, VectorizerError},
        train::{check_data, one_vs_rest::FeatureChoice},
    },
    files::{check_not_over, check_readable, check_writable},
    processes, vectorize_knowing,
};
use label_texts::LabelTextOptions;
use memoir::Variant;
use sharded::Sharded;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Train a model from a file of labelled texts or rows.
///
/// `hapax train TRAIN -o MODEL` tries methods, features and parameters on held-out rows and takes
/// the best. Name a method to train that one.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    override_usage = "hapax train [METHOD] <TRAIN> -o <MODEL> [OPTIONS]\n       hapax train --parts <DIR> [--shard <I/N>]"
)]
pub struct Train {
    #[command(subcommand)]
    pub algorithm: Option<Box<Algorithm>>,
    #[command(flatten)]
    work: Work,
}

impl Train {
    pub fn run(self) -> Result<(), Failure> {
        match self.algorithm {
            Some(algorithm) if !self.work.is_asked() => algorithm.run(),
            _ => self.work.run(),
        }
    }
}

/// The arguments of the command, `auto` put in where `train` names no method. A first word like
/// theirs that is no file, and another behind it, was meant for one: the parser says so.
pub fn with_method(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_train = arguments.get(1).is_some_and(|verb| verb == "train");
    let rest = arguments.get(2..).unwrap_or_default();
    let words = || rest.iter().filter_map(|word| word.to_str());
    let own = |word: &str| {
        ["-h", "--help", "help"].contains(&word)
            || word.starts_with("--parts")
            || word.starts_with("--shard")
    };
    let methods = Algorithm::augment_subcommands(clap::Command::new("train"));
    let named = words()
        .next()
        .is_some_and(|first| own(first) || methods.find_subcommand(first).is_some());
    let like = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let meant = match rest {
        [first, second, ..] => {
            first.as_encoded_bytes().iter().all(like)
                && !first.as_encoded_bytes().starts_with(b"-")
                && !second.as_encoded_bytes().starts_with(b"-")
                && !Path::new(first).exists()
        }
        _ => false,
    };
    if is_train && !rest.is_empty() && !named && !meant && !words().any(own) {
        arguments.insert(2, "auto".into());
    }
    arguments
}

/// The algorithms.
#[derive(Subcommand, Debug)]
pub enum Algorithm {
    /// Try methods, features and parameters on held-out rows and take the best: the same as naming
    /// no method
    #[command(override_usage = "hapax train [OPTIONS] --output <MODEL> <TRAIN>")]
    Auto(auto::TrainAuto),
    /// Sparse weighted nearest neighbors: the most similar training rows vote
    Nearest(nearest::TrainNearest),
    /// One-vs-rest: a linear model of each label, its features and parameters tuned
    Ovr(ovr::TrainOvr),
    /// Crammer-Singer: one machine for all labels, the largest violation of a row counts
    Cs(exact::TrainExact),
    /// Weston-Watkins: one machine for all labels, all violations of a row count
    Ww(exact::TrainExact),
    /// Lee-Lin-Wahba: one machine for few labels, for comparison
    Llw(exact::TrainExact),
    /// Small classifiers over hashed labels: the size does not depend on the number of labels
    Mach(Box<mach::TrainMach>),
    /// Rows and labels in one space of few dimensions: fast and small
    Wsabie(wsabie::TrainWsabie),
    /// The same by distances, which is more precise
    WsabiePp(wsabie::TrainWsabiePp),
    /// One against all by sampled steps
    OvaSgd(embedding::TrainOvaSgd),
    /// Pairs of labels by sampled steps
    Auc(embedding::TrainAuc),
    /// Each label is the mean of its rows
    NearestMean(embedding::TrainNearestMean),
    /// A multi-class margin machine by stochastic steps, weights kept small by their squares
    MemoirL2(Box<memoir::TrainMemoir>),
    /// The same, weights kept few by their sizes: smaller models
    MemoirL1(Box<memoir::TrainMemoir>),
    /// The same in few dimensions, the maximum taken by a search
    MemoirLsh(Box<memoir::TrainMemoirLsh>),
}

impl Algorithm {
    pub fn run(self) -> Result<(), Failure> {
        let started = processes::started();
        if started > 1 {
            self.check_together(started)?;
        }
        match self {
            Self::Auto(train) => train.run(),
            Self::Nearest(train) => train.run(),
            Self::Ovr(train) => train.run(),
            Self::Cs(train) => train.run(MultiClassLoss::CrammerSinger),
            Self::Ww(train) => train.run(MultiClassLoss::WestonWatkins),
            Self::Llw(train) => train.run(MultiClassLoss::LeeLinWahba),
            Self::Mach(train) => train.run(),
            Self::Wsabie(train) => train.run(),
            Self::WsabiePp(train) => train.run(),
            Self::OvaSgd(train) => train.run(),
            Self::Auc(train) => train.run(),
            Self::NearestMean(train) => train.run(),
            Self::MemoirL2(train) => train.run(Variant::L2),
            Self::MemoirL1(train) => train.run(Variant::L1),
            Self::MemoirLsh(train) => train.run(),
        }
    }

    /// Refuses to be one of several processes that would each train all of a model and write the
    /// same file.
    fn check_together(&self, started: usize) -> Result<(), Failure> {
        let instead = match self {
            Self::Cs(_) | Self::Ww(_) | Self::Llw(_) => return Ok(()),
            Self::Ovr(_) | Self::Mach(_) => {
                "its parts need no exchange, and any machines can do them: `hapax plan`, `hapax train --parts` and \
                 `hapax merge`"
            }
            _ => "start one, with more --threads where it uses them",
        };
        Err(Failure::Input(format!(
            "{started} processes were started, and each would train the same model on its own: only ww \
             --rotate-labels and llw are trained by several together; for this algorithm {instead}"
        )))
    }

    /// Does a task of a training that machines share.
    pub fn share(self, task: &Task) -> Result<(), Failure> {
        match self {
            Self::Ovr(train) => train.share(task),
            Self::Mach(train) => train.share(task),
            _ => Err(Failure::Input(
                "only ovr and mach fall into parts that machines can share".into(),
            )),
        }
    }
}

/// What every algorithm needs to know.
#[derive(Args, Debug)]
pub struct Common {
    /// The training data, perhaps compressed (xz, gzip, zstd); - is standard input
    train: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL", value_parser = output_file())]
    output: PathBuf,
    /// Score the model on this file when it is trained
    #[arg(long, value_name = "FILE")]
    test: Option<PathBuf>,
    /// The labels of that file, if it is a .npy file; like --labels
    #[arg(long, value_name = "FILE", requires = "test", help_heading = "Data")]
    test_labels: Option<PathBuf>,
    /// The seed of everything random: equal data, options and seed give equal bytes
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Fit the model into so many bytes (such as 4MB): a smaller vocabulary of texts, weights left
    /// out and rounded; says what it costs
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    max_bytes: Option<u64>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Read the data, say what there is, what is wrong with it and how much memory training would
    /// take, and end
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    calibration: CalibrationOptions,
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
    label_texts: LabelTextOptions,
    #[command(flatten)]
    text: TextOptions,
    #[command(flatten)]
    checkpoints: CheckpointOptions,
}

/// Training data as rows, and what made them of texts.
struct Training {
    data: Dataset,
    vectorizer: Option<Vectorizer>,
    origin: Origin,
    /// How the features of texts were chosen, if they were.
    features: Option<FeatureChoice>,
    /// The same data where the vectorizer knows further words, too, if there are such.
    knowing: Option<Vectorized>,
}

impl Common {
    /// Refuses what can be known to fail before any work.
    fn check(&self) -> Result<(), Failure> {
        check_writable(&self.output)?;
        let read = [&self.test, &self.test_labels, &self.label_names];
        let labels = self.data.labels_file(&self.train);
        let read = read.into_iter().flatten().map(PathBuf::as_path);
        let read = read.chain(self.label_texts.file());
        for input in read.chain(labels).chain([&*self.train]) {
            check_not_over(&self.output, input)?;
        }
        let read_later = [&self.test, &self.test_labels].into_iter().flatten();
        let mut read_later = read_later
            .map(PathBuf::as_path)
            .chain(self.label_texts.file());
        read_later.try_for_each(check_readable)?;
        let wrong = |error: VectorizerError| Failure::Input(error.to_string());
        self.text.options(usize::MAX).check().map_err(wrong)
    }

    fn read(&self, threads: &Executor) -> Result<Training, Failure> {
        self.read_choosing(None, &[], threads)
    }

    /// As [`Common::read`]; which n-grams of texts become features is chosen by held-out texts
    /// where it is not given, if there are parameters to try them with. A vectorizer that knows
    /// `words`, too, makes the data once more.
    fn read_choosing(
        &self,
        parameters: Option<&OneVsRest>,
        words: &[String],
        threads: &Executor,
    ) -> Result<Training, Failure> {
        let input = read_input(&self.train, &self.data, None, threads)?;
        let mut origin = input.origin;
        if self.test.is_some() {
            origin.marks = marks(&input.source);
        }
        let (mut source, mut texts) = (input.source, None);
        let mut features = None;
        match &mut source {
            Source::Rows(_) if self.label_texts.file().is_some() => {
                let rule = "holds rows of features, but --label-texts needs texts: leave it out";
                return Err(Failure::in_file(&self.train, rule));
            }
            Source::Rows(_) => {}
            Source::Texts(documents) => {
                let asked = TextFeatures {
                    options: self.text.options(documents.texts.len()),
                    given: self.text.given(),
                };
                features = Some(match self.max_bytes {
                    Some(most) => asked.within(most),
                    None => asked,
                });
                texts = self.label_texts.describe(documents)?;
            }
        }
        let tried_with = parameters.filter(|_| features.is_some() && !self.dry_run);
        let progress = tried_with.map(|_| Progress::new("choosing n-grams", 0));
        let tell = |done| progress.iter().for_each(|progress| progress.tried(done));
        let made = vectorize_knowing(words, source, features, tried_with, threads, tell);
        let (made, knowing) = made.map_err(|error| Failure::in_file(&self.train, error))?;
        drop(progress);
        if let Some(texts) = texts {
            texts.say_left_out(made.left_out);
        }
        let Vectorized {
            data,
            vectorizer,
            chosen: features,
            ..
        } = made;
        check_data(&data).map_err(|error| Failure::in_file(&self.train, error))?;
        Ok(Training {
            data: self.named(data)?,
            vectorizer,
            origin,
            features,
            knowing,
        })
    }

    /// Reads data as `model` would be given them, to go on from it: texts go through its
    /// vectorizer, its labels keep their ids. Refuses what shows to be of other features or labels.
    fn read_like(&self, model: &Model, threads: &Executor) -> Result<Training, Failure> {
        let path = &self.train;
        let look = |vectorizer: &Vectorizer, texts: &[String]| {
            say_unknown_words(vectorizer, texts, threads);
        };
        let like = read_like(path, &self.data, model, threads, look)?;
        let Like {
            rows,
            stated,
            columns,
            marks,
            ..
        } = like;
        let mut data = self.named(rows)?;
        check_start(path, &data, stated, model)?;
        if let (Some(names), Some(given)) = (&self.label_names, data.label_names()) {
            check_names(names, given, model)?;
        }
        warn_of_new_labels(path, &data, model);
        data.widen(model.features(), model.labels());
        if data.label_names().is_none() {
            let names = names_of_start(path, data.labels().labels(), model)?;
            if names.is_some() {
                data = Dataset::new(data.rows().clone(), data.labels().clone(), names)
                    .map_err(|error| Failure::in_file(path, error))?;
            }
        }
        Ok(Training {
            data,
            vectorizer: model.vectorizer().cloned(),
            origin: Origin {
                index_base: self.data.base_for(model),
                columns,
                marks,
            },
            features: None,
            knowing: None,
        })
    }

    fn named(&self, data: Dataset) -> Result<Dataset, Failure> {
        match &self.label_names {
            Some(path) => name_labels(&data, path, self.label_names_column as usize),
            None => Ok(data),
        }
    }
}
