//! `hapax evaluate`: how good a model's answers are.

use super::{
    data_options::DataOptions,
    failure::Failure,
    input::{MANY_ROWS, load_model, prepare, read_for_model, threads},
    output::{print, warn},
    progress::Progress,
    resources::Stopwatch,
    table::{bytes, percent, table},
};
use clap::Args;
use hapax::core::{
    data::Dataset,
    executor::Executor,
    metrics::{Evaluation, Options, Propensities, Report},
    model::{Model, Scratch},
};
use hapax::{kernels, threads::Threads};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Score a model on a test file.
///
/// Prints precision, recall, nDCG, coverage and their propensity-scored kin at each k, then
/// accuracy and F1. A row without labels counts as 0; labels that training never saw count as
/// misses. Says so if the data have other numbers of features or labels than the model.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax evaluate model.hapax test.txt
  hapax evaluate model.hapax test.tsv.xz -k 1,5,10 --json")]
pub struct Evaluate {
    /// The model
    model: PathBuf,
    /// The test data, perhaps compressed (xz, gzip, zstd); - is standard input
    test: PathBuf,
    /// At how many answers to look
    #[arg(
        short,
        long = "answers",
        value_name = "K,K,…",
        value_delimiter = ',',
        default_value = "1,3,5"
    )]
    k: Vec<usize>,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOptions,
}

/// An evaluation and what it cost.
pub struct Evaluated {
    pub report: Report,
    pub seconds: f64,
    pub cpu_seconds: f64,
    /// Of making the model ready, not among the others.
    pub prepare_seconds: f64,
    pub threads: usize,
    /// How many labels of the rows training never saw, and how many there are in all.
    pub unseen: (usize, usize),
}

impl Evaluate {
    pub fn run(self) -> Result<(), Failure> {
        let threads = threads(self.threads)?;
        let mut model = load_model(&self.model)?;
        let test = read_for_model(&self.test, &self.data, &model, &threads)?;
        let evaluated = evaluate(&mut model, &test, &self.k, &threads)?;
        let size = std::fs::metadata(&self.model).map_or(0, |metadata| metadata.len());
        if self.json {
            print(evaluated.json(size))
        } else {
            evaluated.print(size)
        }
    }
}

/// Answers every row of `test` and compares the answers with its labels. The model is made ready
/// for speed first if there are rows enough; its answers stay the same.
pub fn evaluate(
    model: &mut Model,
    test: &Dataset,
    ks: &[usize],
    threads: &Threads,
) -> Result<Evaluated, Failure> {
    let wrong = |error: &dyn std::error::Error| Failure::Input(error.to_string());
    let propensities = match model.label_frequencies() {
        Some(counts) => {
            let rows = model.provenance().rows as usize;
            let of = Propensities::new(&counts, rows, Propensities::A, Propensities::B);
            Some(of.map_err(|error| wrong(&error))?)
        }
        None => None,
    };
    let cut = (model.mean_labels_per_row().round() as usize).max(1);
    let options = Options {
        propensities: propensities.as_ref(),
        cut,
    };
    let mut evaluation = Evaluation::new(ks, options).map_err(|error| wrong(&error))?;
    let depth = evaluation.depth();
    let watch = Stopwatch::start();
    if test.len() >= MANY_ROWS {
        prepare(model);
    }
    let model = &*model;
    let prepare_seconds = watch.seconds();
    let progress = Progress::new("evaluating", test.len());
    let watch = Stopwatch::start();
    let scratch = || Scratch::new(kernels::best());
    evaluation.add_all(test.labels(), threads, scratch, |scratch, row, answers| {
        answers.clear();
        // Fails only for zero answers, and the depth is at least the smallest k.
        if let Ok(best) = model.predict(test.rows().row(row), depth, scratch) {
            answers.extend_from_slice(best);
        }
        progress.advance(1);
    });
    let (seconds, cpu_seconds) = (watch.seconds(), watch.cpu_seconds());
    let report = evaluation.finish().map_err(|error| wrong(&error))?;
    Ok(Evaluated {
        report,
        seconds,
        cpu_seconds,
        prepare_seconds,
        threads: threads.threads(),
        unseen: unseen(model, test),
    })
}

/// How many labels of the rows the model does not know, of how many; said where it is all of them.
fn unseen(model: &Model, test: &Dataset) -> (usize, usize) {
    let labels = test.labels();
    let all = labels.total();
    let known = labels.iter().flatten().filter(|&&id| id < model.labels());
    let unseen = all - known.count();
    if unseen == all && all > 0 {
        warn("no label of the test data is known to the model: are they named differently?");
    }
    (unseen, all)
}

impl Evaluated {
    pub fn microseconds_per_point(&self) -> f64 {
        1e6 * self.seconds / self.report.rows as f64
    }

    pub fn json(&self, model_bytes: u64) -> Value {
        let report = &self.report;
        let by_k = |figures: &[f64]| -> Map<String, Value> {
            report
                .ks
                .iter()
                .zip(figures)
                .map(|(k, &figure)| (k.to_string(), json!(figure)))
                .collect()
        };
        json!({
            "n": report.rows,
            "k": report.ks,
            "precision": by_k(&report.precision),
            "attainable_precision": by_k(&report.attainable_precision),
            "ndcg": by_k(&report.ndcg),
            "recall": by_k(&report.recall),
            "coverage": by_k(&report.coverage),
            "psp": report.psp.as_deref().map(by_k),
            "psndcg": report.psndcg.as_deref().map(by_k),
            "accuracy": report.accuracy,
            "micro_f1": report.micro_f1,
            "macro_f1": report.macro_f1,
            "cut": report.cut,
            "labels_unseen": self.unseen.0,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "prepare_seconds": self.prepare_seconds,
            "microseconds_per_point": self.microseconds_per_point(),
            "threads": self.threads,
            "model_bytes": model_bytes,
        })
    }

    pub fn print(&self, model_bytes: u64) -> Result<(), Failure> {
        let report = &self.report;
        let mut header = vec!["percent".to_string()];
        header.extend(report.ks.iter().map(|k| format!("@{k}")));
        let mut figures = table(&header.iter().map(String::as_str).collect::<Vec<_>>());
        let mut line = |name: &str, values: &[f64]| {
            let values = values.iter().map(|&value| percent(value));
            figures.add_row(std::iter::once(name.to_string()).chain(values));
        };
        line("precision", &report.precision);
        line("  attainable", &report.attainable_precision);
        line("recall", &report.recall);
        line("nDCG", &report.ndcg);
        line("coverage", &report.coverage);
        if let (Some(psp), Some(psndcg)) = (&report.psp, &report.psndcg) {
            line("PSP", psp);
            line("PSnDCG", psndcg);
        }
        print(figures)?;
        print(format_args!(
            "accuracy {}   micro-F1 {}   macro-F1 {}   (F1 of the first {} of each row)",
            percent(report.accuracy),
            percent(report.micro_f1),
            percent(report.macro_f1),
            report.cut,
        ))?;
        let (unseen, all) = self.unseen;
        if unseen > 0 {
            let share = percent(unseen as f64 / all as f64);
            print(format_args!(
                "{unseen} of {all} labels ({share} percent) are new: training never saw them"
            ))?;
        }
        print(format_args!(
            "{} rows in {:.2} s, {:.0} us a row on {} threads; the model has {}",
            report.rows,
            self.seconds,
            self.microseconds_per_point(),
            self.threads,
            bytes(model_bytes),
        ))
    }
}
