//! `hapax evaluate`: how good a model's answers are.

mod labels;
mod pictures;
pub mod repeats;
mod report;
mod worst;

use super::{
    data_options::DataOptions,
    failure::Failure,
    input::{Like, MANY_ROWS, load_model, prepare, read_for_model, read_input, threads},
    output::{print, shown_json, warn},
    progress::Progress,
    resources::Stopwatch,
    table::{bytes, count, percent, table},
};
use clap::Args;
use hapax::{
    core::{
        data::{Dataset, Source},
        executor::Executor,
        metrics::{Evaluation, EvaluationError, Options, Propensities, Report},
        model::{Model, Scratch},
        search::Scored,
    },
    files::{check_not_over, check_writable},
    kernels,
    threads::Threads,
};
use repeats::{Marks, Repeats, known_rows, marks};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use worst::Worst;

/// Score a model on a test file.
///
/// Prints precision, recall, R-precision, nDCG, coverage and their propensity-scored kin at each k,
/// then accuracy and F1. The predicted set of a row is its first answers, as many as training rows
/// have labels in the mean. A row without labels counts as 0; labels that training never saw count
/// as misses.
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
    pub repeats: Repeats,
    /// What is known of test rows that occur in the training data.
    pub known: Option<Known>,
}

/// Test rows that occur in the training data, and precision at each k on the others, if any.
pub struct Known {
    pub rows: usize,
    pub precision_of_others: Option<Vec<f64>>,
}

/// A model, test data, and the answers of the one to the other.
pub struct Tested<'a> {
    pub model: &'a Model,
    pub test: &'a Dataset,
    /// The texts of the rows, where they were texts.
    pub texts: &'a [String],
    pub marks: &'a [u128],
    /// Of each row, best first.
    pub answers: Vec<Box<[Scored]>>,
    /// How many first answers are the predicted set of a row.
    pub cut: usize,
    pub evaluated: Evaluated,
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
    fn training(&self, path: &Path, model: &Model, threads: &Threads) -> Result<Marks, Failure> {
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

fn refused(error: EvaluationError) -> Failure {
    Failure::Input(error.to_string())
}

impl<'a> Tested<'a> {
    /// Answers every row of `test` and compares the answers with its labels. The model is made
    /// ready for speed first if there are rows enough; its answers stay the same.
    ///
    /// Memory: 8 bytes for each answer, of which a row has as many as the largest of `ks`.
    pub fn new(
        model: &'a mut Model,
        like: &'a Like,
        ks: &[usize],
        threads: &Threads,
    ) -> Result<Self, Failure> {
        let test = &like.rows;
        let propensities = match model.label_frequencies() {
            Some(counts) => {
                let rows = model.provenance().rows as usize;
                let of = Propensities::new(&counts, rows, Propensities::A, Propensities::B);
                Some(of.map_err(|error| Failure::Input(error.to_string()))?)
            }
            None => None,
        };
        let cut = (model.mean_labels_per_row().round() as usize).max(1);
        let options = Options {
            propensities: propensities.as_ref(),
            cut,
        };
        let mut evaluation = Evaluation::new(ks, options).map_err(refused)?;
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
        let answers: Vec<Box<[Scored]>> = threads.map(test.len(), scratch, |scratch, row| {
            // Fails only for zero answers, and the depth is at least the smallest k.
            let best = model.predict(test.rows().row(row), depth, scratch);
            progress.advance(1);
            best.map_or_else(|_| Box::default(), Box::from)
        });
        evaluation.add_all(
            test.labels(),
            threads,
            || (),
            |(), row, to| {
                to.clear();
                to.extend_from_slice(&answers[row]);
            },
        );
        let (seconds, cpu_seconds) = (watch.seconds(), watch.cpu_seconds());
        let report = evaluation.finish().map_err(refused)?;
        let evaluated = Evaluated {
            report,
            seconds,
            cpu_seconds,
            prepare_seconds,
            threads: threads.threads(),
            unseen: unseen(model, test),
            repeats: Repeats::within(&like.marks, test.labels()),
            known: None,
        };
        Ok(Self {
            model,
            test,
            texts: &like.texts,
            marks: &like.marks,
            answers,
            cut,
            evaluated,
        })
    }

    /// Looks for the rows among those of the training data, if their marks are given.
    pub fn look_for(&mut self, training: &[u128]) -> Result<(), Failure> {
        if training.is_empty() {
            return Ok(());
        }
        let known = known_rows(self.marks, training);
        let rows = known.iter().filter(|&&known| known).count();
        let others = |row: usize| !known[row];
        let precision_of_others = match rows < known.len() {
            true => Some(self.report_at(&self.evaluated.report.ks, others)?.precision),
            false => None,
        };
        self.evaluated.known = Some(Known {
            rows,
            precision_of_others,
        });
        Ok(())
    }

    /// The figures of some rows at other k, without propensities.
    pub fn report_at(&self, ks: &[usize], of: impl Fn(usize) -> bool) -> Result<Report, Failure> {
        let options = Options {
            propensities: None,
            cut: self.cut,
        };
        let mut evaluation = Evaluation::new(ks, options).map_err(refused)?;
        let mut ids = Vec::new();
        for (row, answers) in self.answers.iter().enumerate().filter(|(row, _)| of(*row)) {
            ids.clear();
            ids.extend(answers.iter().map(|answer| answer.id));
            evaluation.add_ids(&ids, self.test.labels().row(row));
        }
        evaluation.finish().map_err(refused)
    }

    /// The labels that a row is taken to get, each once.
    pub fn predicted_set(&self, row: usize) -> Vec<u32> {
        let mut set = Vec::with_capacity(self.cut);
        for answer in self.answers[row].iter().take(self.cut) {
            if !set.contains(&answer.id) {
                set.push(answer.id);
            }
        }
        set
    }

    /// The name of a label of the model or the test data, or its number where labels have no names.
    pub fn name(&self, id: u32) -> String {
        let own = || self.test.label_names()?.get(id);
        let name = self.model.label_name(id).or_else(own);
        name.unwrap_or_else(|| id.to_string())
    }

    /// The names of the labels of a row.
    pub fn truth(&self, row: usize) -> Vec<String> {
        let truth = self.test.labels().row(row);
        truth.iter().map(|&id| self.name(id)).collect()
    }
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
            "r_precision": by_k(&report.r_precision),
            "ndcg": by_k(&report.ndcg),
            "recall": by_k(&report.recall),
            "coverage": by_k(&report.coverage),
            "psp": report.psp.as_deref().map(by_k),
            "psndcg": report.psndcg.as_deref().map(by_k),
            "accuracy": report.accuracy,
            "micro_f1": report.micro_f1,
            "macro_f1": report.macro_f1,
            "example_f1": report.example_f1,
            "cut": report.cut,
            "labels_unseen": self.unseen.0,
            "repeated_rows": self.repeats.rows,
            "repeated_with_other_labels": self.repeats.other_labels,
            "rows_in_training": self.known.as_ref().map(|known| known.rows),
            "precision_of_new_rows": self.known.as_ref().and_then(|known| known.precision_of_others.as_deref().map(by_k)),
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
        line("R-precision", &report.r_precision);
        line("nDCG", &report.ndcg);
        line("coverage", &report.coverage);
        if let (Some(psp), Some(psndcg)) = (&report.psp, &report.psndcg) {
            line("PSP", psp);
            line("PSnDCG", psndcg);
        }
        print(figures)?;
        print(format_args!(
            "accuracy {}   micro-F1 {}   macro-F1 {}   example-F1 {}   (F1 of the first {} of each row)",
            percent(report.accuracy),
            percent(report.micro_f1),
            percent(report.macro_f1),
            percent(report.example_f1),
            report.cut,
        ))?;
        self.notes().iter().try_for_each(print)?;
        print(format_args!(
            "{} rows in {:.2} s, {:.0} us a row on {} threads; the model has {}",
            report.rows,
            self.seconds,
            self.microseconds_per_point(),
            self.threads,
            bytes(model_bytes),
        ))
    }

    /// What the user should know of the data, a line each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let rows = self.report.rows;
        let (unseen, all) = self.unseen;
        if unseen > 0 {
            let share = percent(unseen as f64 / all as f64);
            notes.push(format!(
                "{unseen} of {all} labels ({share} percent) are new: training never saw them"
            ));
        }
        let Repeats {
            rows: repeated,
            other_labels,
        } = self.repeats;
        if repeated > 0 {
            notes.push(format!(
                "{repeated} of {rows} rows repeat an earlier row of the test data, {other_labels} of them with other labels"
            ));
        }
        if let Some(known) = &self.known {
            let mut note = format!("{} of {rows} rows occur in the training data", known.rows);
            if let (Some(precision), 1..) = (&known.precision_of_others, known.rows) {
                let (k, precision) = (self.report.ks[0], percent(precision[0]));
                note += &format!("; precision@{k} of the others is {precision}");
            }
            notes.push(note);
        }
        notes
    }
}
