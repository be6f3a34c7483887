//! `hapax predict`: labels for rows and texts, as they come.

use super::{
    answers::{Answered, Output, Printer},
    data_options::DataOptions,
    failure::Failure,
    fit::warn_of_features,
    input::{MANY_ROWS, load_model, prepare, threads},
    output::note,
    questions::{Query, Question, Questions},
    sure::{Sure, keep_sure},
};
use clap::Args;
use hapax::{
    core::{
        executor::Executor,
        model::{Model, PredictError, Scratch},
    },
    files::{FileError, open_text},
    kernels, npy,
    tables::{Line, next_line, peek},
    thresholds::Thresholds,
};
use std::{
    fmt::Display,
    io::{self, BufRead, BufWriter, IsTerminal, StdoutLock, Write, stdin, stdout},
    mem::take,
    path::PathBuf,
    sync::mpsc,
    thread,
};

/// Suggest labels for texts or rows.
///
/// Reads one text or row a line, or one row of a table, and answers in the same order as soon as
/// they come. For a model of texts a line is a text, perhaps with a tab and its labels, which are
/// ignored. CSV and JSON Lines are read by the columns that the model was trained on, or those that
/// --text names; their id and the columns of --keep stand in the output. For a model of rows a line
/// is a row of XMC or svmlight data, whose labels are ignored.
///
/// Labels that training never saw are no answers, but fill the lines of XMC. A row without a known
/// word gets an empty answer and its reason. So does a row that cannot be read or is longer than
/// --max-line: the others are answered, and the exit status is 3.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  echo 'who pays for damaged luggage' | hapax predict model.hapax
  hapax predict model.hapax texts.csv --keep title --output csv > answers.csv
  hapax predict model.hapax texts.txt -k 10 --output jsonl > answers.jsonl
  hapax predict model.hapax rows.txt.xz --output xmc > answers.txt
  hapax predict model.hapax texts.txt --above 0.5 --at-most 3
  hapax predict model.hapax --explain        (type texts; each is answered at once)

JSON Lines hold {\"labels\": [{\"id\", \"name\", \"score\", \"probability\"}], \"none\"}, the latter
two of calibrated models: none is the probability that none of the first five is right; of tables
also \"id\" (or \"line\") and, with --keep, \"columns\"; \"problem\" where there is no answer; and with
--explain \"evidence\": the neighbors with their similarity, vote, labels and shared features, or of
a linear model for each label the features that add most to its score or take most from it. XMC
lines hold id:score pairs.")]
pub struct Predict {
    /// The model
    model: PathBuf,
    /// The texts or rows, perhaps compressed; - is standard input
    #[arg(default_value = "-")]
    input: PathBuf,
    /// How many labels to suggest at most [default: 5, or 20 with --above]
    #[arg(short, long = "at-most", visible_alias = "answers", value_name = "K")]
    k: Option<usize>,
    #[command(flatten)]
    sure: Sure,
    /// How to print answers [default: text on a terminal, json elsewhere]
    #[arg(long, value_enum)]
    output: Option<Output>,
    /// Columns of a table to hand through to the output, by name or by number
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    keep: Vec<String>,
    /// Say why: the neighbors that voted and the features they share, or of a linear model what
    /// each feature adds to a label's score
    #[arg(long)]
    explain: bool,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    #[command(flatten)]
    data: DataOptions,
}

/// How many lines are answered together at most.
const BATCH: usize = 4096;
/// So many problems are told on standard error, too.
const TOLD: usize = 20;
/// How many neighbors, and features of each, an explanation shows.
const EVIDENCE: (usize, usize) = (5, 8);
/// How many labels a row gets at most where a probability says how many.
const MANY: usize = 20;

impl Predict {
    pub fn run(self) -> Result<(), Failure> {
        if self.k == Some(0) {
            return Err(PredictError::ZeroAnswers.into());
        }
        let threads = threads(self.threads)?;
        let model = load_model(&self.model)?;
        let limits = self.sure.limits(&model, &self.model)?;
        let typed = self.input.as_os_str() == "-" && stdin().is_terminal();
        if typed {
            note("Type a line and press Enter; Ctrl-D ends.");
        }
        let most = usize::try_from(self.data.max_line).unwrap_or(usize::MAX);
        let input = open_text(&self.input).map_err(|error| self.unopened(error))?;
        let (sample, input) = peek(input, most).map_err(|error| self.unreadable(error))?;
        if sample.starts_with(npy::MARK) {
            return self.run_dense(input, model, limits, &threads);
        }
        let mut questions = Questions::new(&self.input, &self.data, &self.keep, &model, &sample)?;
        let lines = lines(input, most);
        let mut answering = Answering::new(&self, model, limits, &threads);
        let mut more = true;
        // Blocks for one line, then takes what else is there.
        while more {
            let mut batch = Vec::new();
            let mut failure = None;
            let first = lines.recv();
            more = first.is_ok();
            for line in first.into_iter().chain(lines.try_iter().take(BATCH - 1)) {
                let line = line.map_err(|error| self.unreadable(error));
                match line.and_then(|line| questions.take(line, &answering.model)) {
                    Ok(Some(question)) if typed && matches!(question.query, Query::Blank) => {}
                    Ok(question) => batch.extend(question),
                    Err(wrong) => {
                        failure = Some(wrong);
                        break;
                    }
                }
            }
            if !more {
                batch.extend(questions.end()?);
            }
            // What stands before a mistake is answered, whatever came together with it.
            answering.look(&questions);
            answering.answer(&batch)?;
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
        answering.end()
    }

    fn unreadable(&self, error: io::Error) -> Failure {
        FileError::reading(&self.input, error).into()
    }

    /// A name with spaces that is no file may be meant as a text.
    fn unopened(&self, error: FileError) -> Failure {
        let has_spaces = self.input.to_string_lossy().contains(char::is_whitespace);
        match error.is_absent() && has_spaces {
            true => Failure::Input(format!(
                "{error}; a text comes by standard input: echo 'a text' | hapax predict MODEL"
            )),
            false => error.into(),
        }
    }

    /// Answers the rows of a .npy file, which is read as a whole.
    fn run_dense(
        &self,
        mut input: Box<dyn BufRead + Send>,
        model: Model,
        limits: Thresholds,
        threads: &Executor,
    ) -> Result<(), Failure> {
        let wrong = |error: &dyn Display| Failure::in_file(&self.input, error);
        if model.vectorizer().is_some() && self.data.format.is_none() {
            return Err(wrong(
                &"holds rows of features, but the model was trained on texts",
            ));
        }
        let mut bytes = Vec::new();
        input
            .read_to_end(&mut bytes)
            .map_err(|error| wrong(&error))?;
        let rows = npy::rows(&bytes).map_err(|error| wrong(&error))?;
        drop(bytes);
        let features = rows.features();
        warn_of_features(&self.input, features, Some(features), &model);
        let mut answering = Answering::new(self, model, limits, threads);
        for first in (0..rows.len()).step_by(BATCH) {
            let batch = first..(first + BATCH).min(rows.len());
            let question = |row: usize| Question {
                line: row as u64 + 1,
                query: Query::Features(rows.row(row).to_owned()),
                row: None,
            };
            let batch: Vec<_> = batch.map(question).collect();
            answering.answer(&batch)?;
        }
        answering.end()
    }
}

/// Answers questions and prints the answers.
struct Answering<'a> {
    predict: &'a Predict,
    model: Model,
    limits: Thresholds,
    threads: &'a Executor,
    out: BufWriter<StdoutLock<'static>>,
    kept: Vec<String>,
    ids: bool,
    begun: bool,
    rows: u64,
    unread: u64,
    /// How many problems were told on standard error.
    told: usize,
}

impl<'a> Answering<'a> {
    fn new(predict: &'a Predict, model: Model, limits: Thresholds, threads: &'a Executor) -> Self {
        Self {
            predict,
            model,
            limits,
            threads,
            out: BufWriter::new(stdout().lock()),
            kept: predict.keep.clone(),
            ids: false,
            begun: false,
            rows: 0,
            unread: 0,
            told: 0,
        }
    }

    /// Takes over what the first rows have shown of a table.
    fn look(&mut self, questions: &Questions) {
        if !self.begun {
            self.ids = questions.has_ids();
            let kept = questions.kept_names();
            self.kept = if kept.is_empty() {
                take(&mut self.kept)
            } else {
                kept
            };
        }
    }

    fn answer(&mut self, batch: &[Question]) -> Result<(), Failure> {
        let before = self.rows;
        self.rows += batch.len() as u64;
        if before < MANY_ROWS as u64 && self.rows >= MANY_ROWS as u64 {
            prepare(&mut self.model);
        }
        let answers = self
            .predict
            .answer(&self.model, self.limits, batch, self.threads);
        let printer = Printer {
            model: &self.model,
            output: self.predict.output.unwrap_or_else(Output::usual),
            explain: self.predict.explain,
            k: self.predict.k().min(self.model.labels() as usize),
            kept: self.kept.clone(),
            ids: self.ids,
        };
        if !self.begun {
            printer.print_header(&mut self.out)?;
            self.begun = true;
        }
        for (question, answered) in batch.iter().zip(&answers) {
            if let (Some(problem), false) = (&answered.problem, printer.says_problems()) {
                let path = self.predict.input.display();
                match &question.query {
                    _ if self.told >= TOLD => {}
                    Query::Unread(_) => note(format_args!("{path}:{problem}")),
                    _ => note(format_args!("{path}:{}: {problem}", question.line)),
                }
                self.told += 1;
                if self.told == TOLD {
                    note("further problems are in the output alone");
                }
            }
            self.unread += u64::from(matches!(question.query, Query::Unread(_)));
            printer.print(&mut self.out, answered)?;
        }
        Ok(self.out.flush()?)
    }

    /// Says at the end how many rows could not be read.
    fn end(self) -> Result<(), Failure> {
        match (self.unread, self.rows) {
            (0, _) => Ok(()),
            (unread, rows) => Err(Failure::Unread { unread, rows }),
        }
    }
}

impl Predict {
    /// How many labels a row gets at most.
    fn k(&self) -> usize {
        self.k.unwrap_or(if self.sure.above() { MANY } else { 5 })
    }

    fn answer(
        &self,
        model: &Model,
        limits: Thresholds,
        batch: &[Question],
        threads: &Executor,
    ) -> Vec<Answered> {
        let scratch = || Scratch::new(kernels::best());
        threads.map(batch.len(), scratch, |scratch, job| {
            let answered = self.answer_one(model, limits, &batch[job].query, scratch);
            let answered = answered.unwrap_or_else(|problem| Answered::none(problem.to_string()));
            Answered {
                row: batch[job].row.clone(),
                ..answered
            }
        })
    }

    fn answer_one(
        &self,
        model: &Model,
        limits: Thresholds,
        query: &Query,
        scratch: &mut Scratch,
    ) -> Result<Answered, PredictError> {
        let made;
        let row = match query {
            Query::Features(row) => row.view(),
            Query::Blank => {
                return Ok(Answered::none("the line is blank".into()));
            }
            Query::Unread(problem) => return Ok(Answered::none(problem.clone())),
            Query::Text(text) => {
                made = model.row(text, scratch)?;
                made.view()
            }
        };
        // The first answer's probability depends on the second's score.
        let k = self.k();
        let best = model.predict(row, k.max(2), scratch)?;
        let (probabilities, none) = match model.calibration() {
            Some(c) => (c.probabilities(best).take(k).collect(), Some(c.none(best))),
            None => (Vec::new(), None),
        };
        let mut best = best[..k.min(best.len())].to_vec();
        if self.output != Some(Output::Xmc) {
            // What training never saw scores this, and is no answer. Lines of XMC hold k pairs
            // each.
            best.retain(|scored| scored.score > f32::MIN);
        }
        let mut answered = Answered {
            best,
            probabilities,
            none,
            ..Answered::default()
        };
        keep_sure(limits, &mut answered);
        if self.explain {
            let (neighbors, features) = EVIDENCE;
            answered.evidence = model.explain(row, neighbors, features, scratch)?;
            for label in &answered.best {
                let parts = model.contributions(row, label.id, features, scratch)?;
                answered.contributions.push(parts);
            }
        }
        Ok(answered)
    }
}

/// Reads lines ahead, on a thread of its own, so that answers do not wait for lines to come.
fn lines(mut input: Box<dyn BufRead + Send>, most: usize) -> mpsc::Receiver<io::Result<Line>> {
    let (sender, receiver) = mpsc::sync_channel(2 * BATCH);
    thread::spawn(move || {
        loop {
            let Some(read) = next_line(input.as_mut(), most).transpose() else {
                return;
            };
            let failed = read.is_err();
            if sender.send(read).is_err() || failed {
                return;
            }
        }
    });
    receiver
}
