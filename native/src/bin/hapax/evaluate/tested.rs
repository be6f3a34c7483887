//! A model's answers to test data.

use super::{
    evaluated::{Evaluated, Known},
    repeats::{Repeats, known_rows},
    worth::Worth,
};
use crate::{
    failure::Failure,
    input::{Like, MANY_ROWS, prepare},
    output::warn,
    progress::Progress,
    resources::Stopwatch,
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        metrics::{Evaluation, EvaluationError, Options, Propensities, Report},
        model::{Model, Scratch},
        search::Scored,
        train::TrainError,
    },
    kernels,
};

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

fn refused(error: &EvaluationError) -> Failure {
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
        threads: &Executor,
    ) -> Result<Self, Failure> {
        let test = &like.rows;
        let counts = model.label_frequencies().map_err(TrainError::from)?;
        let rows = model.provenance().rows as usize;
        let of = Propensities::new(&counts, rows, Propensities::A, Propensities::B);
        let propensities = Some(of.map_err(|error| Failure::Input(error.to_string()))?);
        let cut = (model.mean_labels_per_row().round() as usize).max(1);
        let options = Options {
            propensities: propensities.as_ref(),
            cut,
        };
        let mut evaluation = Evaluation::new(ks, options).map_err(|error| refused(&error))?;
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
        let report = evaluation.finish().map_err(|error| refused(&error))?;
        let evaluated = Evaluated {
            report,
            seconds,
            cpu_seconds,
            prepare_seconds,
            threads: threads.threads(),
            unseen: unseen(model, test),
            repeats: Repeats::within(&like.marks, test.labels()),
            known: None,
            worth: Worth::of(model, test, threads),
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
        let mut evaluation = Evaluation::new(ks, options).map_err(|error| refused(&error))?;
        let mut ids = Vec::new();
        for (row, answers) in self.answers.iter().enumerate().filter(|(row, _)| of(*row)) {
            ids.clear();
            ids.extend(answers.iter().map(|answer| answer.id));
            evaluation.add_ids(&ids, self.test.labels().row(row));
        }
        evaluation.finish().map_err(|error| refused(&error))
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
