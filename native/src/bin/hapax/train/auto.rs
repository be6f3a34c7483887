//! `hapax train TRAIN -o MODEL`, no method named: the methods are tried on held-out rows, and the
//! best is taken.

use super::{
    super::{
        failure::Failure, input::threads, output::note, progress::Progress, resources::Stopwatch,
        table::bytes,
    },
    Common,
    finish::{Made, Told},
    ovr,
    time::TimeOptions,
    vectors::{Given, VectorOptions},
};
use clap::Args;
use hapax::{
    core::{
        executor::{Executor, Workers},
        kernels::Kernels,
        parameters::OneVsRest,
        train::{
            TrainError,
            auto::{self, Best, Candidate},
        },
    },
    kernels, weight_of_vectors,
};
use std::{ops::ControlFlow, time::Duration};

/// Try methods, features and parameters on held-out rows and take the best.
///
/// One-vs-rest comes first: for texts its word and character n-grams are chosen, then its cost,
/// positive weight, exponent, centroids, priors, pruning, and how much of softmax regression, of an
/// embedding and of nearest neighbors is added. Nearest neighbors alone are tried on the same
/// held-out rows. Trials take longer than training what is chosen: about 2 to 7 times.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train train.tsv -o model.hapax --test test.tsv
  hapax train train.txt.xz -o model.hapax --threads 1
  hapax train train.tsv -o small.hapax --max-bytes 2MB
  hapax train train.tsv -o model.hapax --vectors glove.6B.100d.txt
  hapax train train.tsv -o model.hapax --characters 0      # words only: smaller, and not tried otherwise")]
pub struct TrainAuto {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    time: TimeOptions,
    #[command(flatten)]
    vectors: VectorOptions,
    /// The longest an answer may take, counted as on one thread of a server: neighbors, embeddings
    /// and weights that would take longer are left out
    #[arg(long, value_name = "N", value_parser = microseconds)]
    max_microseconds: Option<Duration>,
}

fn microseconds(text: &str) -> Result<Duration, String> {
    let given = text.trim().parse::<f64>().ok().filter(|&n| n > 0.0);
    let time = given.and_then(|n| Duration::try_from_secs_f64(1e-6 * n).ok());
    time.ok_or_else(|| format!("'{text}' is no number of microseconds above 0: write 20 or 2.5"))
}

impl TrainAuto {
    pub fn run(self) -> Result<(), Failure> {
        let common = &self.common;
        common.check()?;
        let why = "where no method is named: name one, such as ovr";
        common.checkpoints.refuse(why)?;
        self.vectors.check(common)?;
        let threads = self
            .time
            .limit(threads(common.threads)?, self.vectors.choices());
        let plain = OneVsRest {
            seed: common.seed,
            ..OneVsRest::default()
        };
        let watch = Stopwatch::start();
        let words = self.vectors.words()?;
        let mut training = common.read_choosing(Some(&plain), &words, &threads)?;
        let are_texts = training.vectorizer.is_some();
        let vectors = self.vectors.read(common, &mut training)?;
        let own = |given: &Given| given.found.memory_estimate(&given.data);
        let memory = auto::memory_estimate(&training.data, are_texts, threads.count())
            + vectors.as_ref().map_or(0, own);
        common.end_dry_run(&training.data, Some(memory))?;
        note(format_args!(
            "choosing a method and its parameters; one-vs-rest takes up to about {} of memory beside the data",
            bytes(memory)
        ));
        let machine: (&Executor, &'static dyn Kernels) = (&threads, kernels::best());
        let longest = self.max_microseconds;
        let budget = ((common.seed, common.max_bytes), longest);
        let mut lines: Vec<String> = training.features.iter().map(ovr::features).collect();
        let over = |given: Given| {
            told(|tell| {
                let texts = Some(given.vectorizer);
                let aim = (common.seed, common.max_bytes, &given.found.vectors);
                auto::train_best(&given.data, texts, (aim, longest), machine, tell)
            })
        };
        let found = vectors.map(over).transpose()?;
        lines.extend(found.as_ref().map(VectorOptions::worth));
        let data = &training.data;
        let mut best = match found.filter(|best| weight_of_vectors(&best.model).is_some()) {
            Some(best) => best,
            None => {
                told(|tell| auto::train_best(data, training.vectorizer, budget, machine, tell))?
            }
        };
        let held_out = best.choice.held_out;
        lines.extend(standardized(&best));
        lines.extend(methods(&best));
        if best.candidate == Candidate::OneVsRest && held_out > 0 {
            lines.push(ovr::chosen(&best.choice));
        }
        lines.extend(answer_time(&best));
        let mut told = Told {
            held_out: (held_out > 0).then_some(held_out),
            lines,
            ..Told::default()
        };
        let begun = std::mem::take(&mut best.choice.calibrating);
        common.calibrate_from(&mut best.model, (begun, data), &mut told, &threads)?;
        let made = Made {
            model: best.model,
            origin: training.origin,
            told,
        };
        common.finish(made, &watch, &threads)
    }
}

/// Trains, and shows how far it is.
fn told(
    train: impl FnOnce(&mut dyn FnMut(auto::Progress) -> ControlFlow<()>) -> Result<Best, TrainError>,
) -> Result<Best, TrainError> {
    let mut bar = Progress::new("choosing parameters", 0);
    let mut parts = ovr::Parts::default();
    train(&mut |doing| {
        match doing {
            auto::Progress::Settings(done, of) => bar.set(done, of),
            auto::Progress::Trying(method) => bar = Progress::new(method.name(), 0),
            auto::Progress::Training(_) => bar = Progress::new("training", 0),
            auto::Progress::Part(report) => return parts.tell(report),
        }
        ControlFlow::Continue(())
    })
}

/// What standardizing or weighing features is worth, where that was done.
fn standardized(best: &Best) -> Option<String> {
    let worth = match best.standardized {
        Some([before, after]) => format!(
            "P@1 of plain methods on held-out rows {:.2} with it, {:.2} without",
            100.0 * after,
            100.0 * before
        ),
        None => "rows are too few to try without".into(),
    };
    let done = best.model.rows_are()?;
    Some(format!("features {done}: {worth}"))
}

/// What the record of a model calls what an answer takes.
const ANSWER_TIME: &str = "microseconds of an answer";

/// What an answer takes, where that was limited.
fn answer_time(best: &Best) -> Option<String> {
    let report = &best.model.provenance().report;
    let (_, counted) = report.iter().find(|(name, _)| name == ANSWER_TIME)?;
    Some(format!(
        "an answer is counted as {counted} microseconds, on one thread"
    ))
}

/// The methods that were tried, and the one that was taken.
fn methods(best: &Best) -> Option<String> {
    let judged = best.choice.best()?.judged;
    let of = |tried: &auto::Tried| format!("{} {:.2}", tried.candidate.name(), 100.0 * tried.at_1);
    let tried: Vec<String> = best.tried.iter().map(of).collect();
    Some(format!(
        "chose {}: P@1 on {judged} held-out rows: {}",
        best.candidate.name(),
        tried.join(", ")
    ))
}
