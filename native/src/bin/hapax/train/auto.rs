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
};
use clap::Args;
use hapax::{
    core::{
        executor::{Executor, Workers},
        kernels::Kernels,
        parameters::OneVsRest,
        train::auto::{self, Best, Candidate},
    },
    kernels,
};
use std::ops::ControlFlow;

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
  hapax train train.tsv -o model.hapax --characters 0      # words only: smaller, and not tried otherwise")]
pub struct TrainAuto {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    time: TimeOptions,
}

impl TrainAuto {
    pub fn run(self) -> Result<(), Failure> {
        let common = &self.common;
        common.check()?;
        let why = "where no method is named: name one, such as ovr";
        common.checkpoints.refuse(why)?;
        let threads = self.time.limit(threads(common.threads)?);
        let plain = OneVsRest {
            seed: common.seed,
            ..OneVsRest::default()
        };
        let watch = Stopwatch::start();
        let training = common.read_choosing(Some(&plain), &threads)?;
        let are_texts = training.vectorizer.is_some();
        let memory = auto::memory_estimate(&training.data, are_texts, threads.count());
        common.end_dry_run(&training.data, Some(memory))?;
        note(format_args!(
            "choosing a method and its parameters; one-vs-rest takes up to about {} of memory beside the data",
            bytes(memory)
        ));
        let (data, vectorizer) = (&training.data, training.vectorizer);
        let mut bar = Progress::new("choosing parameters", 0);
        let mut parts = ovr::Parts::default();
        let tell = |doing| {
            match doing {
                auto::Progress::Settings(done, of) => bar.set(done, of),
                auto::Progress::Trying(method) => bar = Progress::new(method.name(), 0),
                auto::Progress::Training(_) => bar = Progress::new("training", 0),
                auto::Progress::Part(report) => return parts.tell(report),
            }
            ControlFlow::Continue(())
        };
        let machine: (&Executor, &'static dyn Kernels) = (&threads, kernels::best());
        let budget = (common.seed, common.max_bytes);
        let mut best = auto::train_best(data, vectorizer, budget, machine, tell)?;
        drop((bar, parts));
        let held_out = best.choice.held_out;
        let mut lines: Vec<String> = training.features.iter().map(ovr::features).collect();
        lines.extend(standardized(&best));
        lines.extend(methods(&best));
        if best.candidate == Candidate::OneVsRest && held_out > 0 {
            lines.push(ovr::chosen(&best.choice));
        }
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
