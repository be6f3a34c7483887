//! `hapax evaluate`: how good a model's answers are.

mod evaluated;
mod labels;
mod pictures;
pub mod repeats;
mod report;
mod tested;
mod worst;
mod worth;

pub use tested::Tested;

use super::{
    data_options::DataOptions,
    failure::Failure,
    input::{load_model, read_for_model, read_input, threads},
    output::{print, shown_json, warn},
    table::count,
};
use clap::Args;
use hapax::{
    core::executor::Executor,
    core::{data::Source, model::Model},
    files::{check_not_over, check_writable},
};
use repeats::{Marks, marks};
use std::path::{Path, PathBuf};
use worst::Worst;

/// Score a model on a test file.
///
/// Prints precision, recall, R-precision, nDCG, coverage and their propensity-scored kin at each k,
/// then accuracy and F1. The predicted set of a row is its first answers, as many as training rows
/// have labels in the mean. A row without labels counts as 0; labels that training never saw count
/// as misses.
///
/// Of a calibrated model also F1 at the stored thresholds, the calibration error of first answers,
/// and how many rows have how sure an answer, with the share of right ones.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax evaluate model.hapax test.txt
  hapax evaluate model.hapax test.tsv.xz -k 1,5,10 --json
  hapax evaluate model.hapax test.csv --per-label labels.csv --report report.html
  hapax evaluate model.hapax test.csv --worst 50 | less")]
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
    /// Write a line of CSV for each label: support, precision, recall, F1, most confused with
    #[arg(long, value_name = "FILE")]
    per_label: Option<PathBuf>,
    /// Write a page (HTML) with pictures, confused labels and a model card
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Show so many rows without a right label in the first answers (the smallest k), surest first
    #[arg(long, value_name = "N")]
    worst: Option<usize>,
    /// The training data, to tell how many test rows occur there, and precision without them
    #[arg(long, value_name = "FILE")]
    train: Option<PathBuf>,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataOptions,
}

impl Evaluate {
    pub fn run(self) -> Result<(), Failure> {
        self.check()?;
        let threads = threads(self.threads)?;
        let mut model = load_model(&self.model)?;
        let mut test = read_for_model(&self.test, &self.data, &model, &threads)?;
        if self.worst.is_none() {
            test.texts = Vec::new();
        }
        let training = match &self.train {
            Some(path) => self.training(path, &model, &threads)?,
            None => Marks::new(),
        };
        let mut tested = Tested::new(&mut model, &test, &self.k, &threads)?;
        tested.look_for(&training)?;
        let worst = match (self.worst, self.k.iter().min()) {
            (Some(rows), Some(&k)) => Some(Worst::of(&tested, k, rows, &threads)?),
            _ => None,
        };
        let size = std::fs::metadata(&self.model).map_or(0, |metadata| metadata.len());
        if self.per_label.is_some() || self.report.is_some() {
            let (labels, confusions) = labels::by_label(&tested);
            if let Some(path) = &self.per_label {
                labels::write_csv(path, &tested, &labels)?;
            }
            if let Some(path) = &self.report {
                let page = report::Page {
                    model: &self.model,
                    test: &self.test,
                    bytes: size,
                    tested: &tested,
                    labels: &labels,
                    confusions: &confusions,
                    worst: worst.as_ref(),
                };
                page.write(path)?;
            }
        }
        if self.json {
            let mut line = tested.evaluated.json(size);
            if let Some(worst) = &worst {
                line["worst"] = worst.json(&tested);
            }
            return print(shown_json(&line));
        }
        tested.evaluated.print(size)?;
        worst.map_or(Ok(()), |worst| worst.print(&tested))
    }

    /// Refuses outputs that cannot be written, or would be written over what is read or each other.
    fn check(&self) -> Result<(), Failure> {
        let outputs = [&self.per_label, &self.report].map(Option::as_deref);
        for output in outputs.into_iter().flatten() {
            check_writable(output)?;
            let inputs = [Some(&*self.model), Some(&*self.test), self.train.as_deref()];
            for input in inputs.into_iter().flatten() {
                check_not_over(output, input)?;
            }
        }
        match outputs {
            [Some(labels), Some(page)] if labels == page => {
                let rule = "is named by both --per-label and --report; name two files";
                Err(Failure::in_file(labels, rule))
            }
            _ => Ok(()),
        }
    }

    /// The marks of the training data. Says so if they are not as many rows as the model has seen.
    fn training(&self, path: &Path, model: &Model, threads: &Executor) -> Result<Marks, Failure> {
        let source = read_input(path, &self.data, Some(model), threads)?.source;
        if matches!(source, Source::Texts(_)) != model.vectorizer().is_some() {
            let rule =
                "holds texts where the model was trained on rows of features, or the reverse";
            return Err(Failure::in_file(path, rule));
        }
        let marks = marks(&source);
        let (rows, seen) = (marks.len() as u64, model.provenance().rows);
        if rows != seen {
            warn(format_args!(
                "{}: has {} rows, but the model was trained on {}",
                path.display(),
                count(rows),
                count(seen)
            ));
        }
        Ok(marks)
    }
}
