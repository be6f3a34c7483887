//! `hapax predict`: labels for rows and texts, as they come.

use super::{
    answers::{Answered, Output, Printer},
    columns::warn_of_columns,
    failure::Failure,
    fit::warn_of_features,
    input::{DataOptions, MANY_ROWS, MODEL_MARK, load_model, prepare, threads},
    output::note,
};
use clap::Args;
use hapax::{
    core::{
        data::{Format, LineReader, Row},
        executor::Executor,
        model::{Model, PredictError, Scratch},
        sparse::SparseVec,
    },
    files::open_text,
    kernels, npy,
    threads::Threads,
};
use std::{
    fmt::Display,
    io::{self, BufRead, BufWriter, IsTerminal, Write, stdin, stdout},
    iter::once,
    path::PathBuf,
    sync::mpsc,
    thread,
};

/// Suggest labels for texts or rows.
///
/// Reads one text or row a line and answers in the same order, one answer a line, as soon as lines
/// come. For a model of texts a line is a text, perhaps with a tab and its labels, which are ignored (other columns are
/// named by --columns); for a model of rows it is a row of XMC or svmlight data, whose labels are ignored.
/// Labels that training never saw are no answers, but fill the lines of XMC. A line that cannot be answered, such as
/// one without a known word, gets an empty answer and its reason.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  echo 'who pays for damaged luggage' | hapax predict model.hapax
  hapax predict model.hapax texts.txt -k 10 --output json > answers.jsonl
  hapax predict model.hapax rows.txt.xz --output xmc > answers.txt
  hapax predict model.hapax --explain        (type texts; each is answered at once)

JSON Lines hold {\"labels\": [{\"id\", \"name\", \"score\"}]}, with --explain also \"evidence\": the
neighbors with their similarity, vote, labels and shared features, or of a linear model for each label
the features that add most to its score or take most from it; and \"problem\" where there is no
answer. XMC lines hold id:score pairs.")]
pub struct Predict {
    /// The model
    model: PathBuf,
    /// The texts or rows, perhaps compressed; - is standard input
    #[arg(default_value = "-")]
    input: PathBuf,
    /// How many labels to suggest
    #[arg(short, long = "answers", value_name = "K", default_value_t = 5)]
    k: usize,
    /// How to print answers [default: text on a terminal, json elsewhere]
    #[arg(long, value_enum)]
    output: Option<Output>,
    /// Say why: the neighbors that voted and the features they share, or of a linear model what each
    /// feature adds to a label's score
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
/// How many neighbors, and features of each, an explanation shows.
const EVIDENCE: (usize, usize) = (5, 8);

/// A row to answer: given as features, or made of a text.
enum Query {
    Features(SparseVec),
    Text(String),
    /// A blank line, answered so that answers stay beside their lines.
    Blank,
}

impl Predict {
    pub fn run(self) -> Result<(), Failure> {
        if self.k == 0 {
            return Err(PredictError::ZeroAnswers.into());
        }
        let threads = threads(self.threads)?;
        let mut model = load_model(&self.model)?;
        let typed = self.input.as_os_str() == "-" && stdin().is_terminal();
        if typed {
            note("Type a line and press Enter; Ctrl-D ends.");
        }
        let mut input = open_text(&self.input)?;
        if self.begins_like_npy(input.as_mut())? {
            return self.run_dense(input, &mut model, &threads);
        }
        let format = self.input_format(&model, input.as_mut())?;
        let mut options = self.data.for_training();
        options.index_base = self.data.base_for(&model);
        options.labels_optional = true;
        let mut reader = LineReader::new(format, &options);
        let lines = lines(input);
        let mut out = BufWriter::new(stdout().lock());
        let mut number = 0;
        let mut asked = 0;
        // Blocks for one line, then takes what else is there.
        while let Ok(first) = lines.recv() {
            let mut queries = Vec::new();
            let mut failure = None;
            for line in once(first).chain(lines.try_iter().take(BATCH - 1)) {
                number += 1;
                let query = self.query(&mut reader, line);
                if let (1, Some(features)) = (number, reader.features()) {
                    warn_of_features(&self.input, features, Some(features), &model);
                }
                match query {
                    Ok(Some(Query::Blank)) if typed => {}
                    Ok(Some(query)) => queries.push((number, query)),
                    Ok(None) => {}
                    Err(wrong) => {
                        failure = Some(wrong);
                        break;
                    }
                }
            }
            let before = asked;
            asked += queries.len();
            if before < MANY_ROWS && asked >= MANY_ROWS {
                prepare(&mut model);
            }
            // What stands before a mistake is answered, whatever came together with it.
            self.print_answers(&mut out, &model, &queries, &threads)?;
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Answers queries, each with the number of its line, and prints the answers.
    fn print_answers(
        &self,
        out: &mut impl Write,
        model: &Model,
        queries: &[(u64, Query)],
        threads: &Threads,
    ) -> Result<(), Failure> {
        let printer = Printer {
            model,
            output: self.output.unwrap_or_else(Output::usual),
            explain: self.explain,
        };
        let answers = self.answer(model, queries, threads);
        for ((line, _), answered) in queries.iter().zip(&answers) {
            if let (Some(problem), false) = (&answered.problem, printer.says_problems()) {
                note(format_args!("{}:{line}: {problem}", self.input.display()));
            }
            printer.print(out, answered)?;
        }
        Ok(out.flush()?)
    }

    fn begins_like_npy(&self, input: &mut dyn BufRead) -> Result<bool, Failure> {
        let first = input.fill_buf();
        let first = first.map_err(|error| Failure::in_file(&self.input, error))?;
        Ok(first.starts_with(npy::MARK))
    }

    /// Answers the rows of a .npy file, which is read as a whole.
    fn run_dense(
        &self,
        mut input: Box<dyn BufRead + Send>,
        model: &mut Model,
        threads: &Threads,
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
        warn_of_features(&self.input, features, Some(features), model);
        if rows.len() >= MANY_ROWS {
            prepare(model);
        }
        let mut out = BufWriter::new(stdout().lock());
        for first in (0..rows.len()).step_by(BATCH) {
            let batch = first..(first + BATCH).min(rows.len());
            let query = |row: usize| (row as u64 + 1, Query::Features(rows.row(row).to_owned()));
            let queries: Vec<_> = batch.map(query).collect();
            self.print_answers(&mut out, &*model, &queries, threads)?;
        }
        Ok(())
    }

    /// What a line asks; `None` for a header or a comment.
    fn query(
        &self,
        reader: &mut LineReader,
        line: io::Result<Vec<u8>>,
    ) -> Result<Option<Query>, Failure> {
        let line = line.map_err(|error| Failure::in_file(&self.input, error))?;
        let row = reader
            .read(&line)
            .map_err(|error| Failure::in_data(&self.input, &error))?;
        Ok(match row {
            Some(Row::Features { features, .. }) => Some(Query::Features(features.to_owned())),
            Some(Row::Text { text, .. }) => Some(Query::Text(text.to_owned())),
            None if line.trim_ascii().is_empty() => Some(Query::Blank),
            None => None,
        })
    }

    /// The format of the input: what `--format` says, else text for a model of texts and what the first
    /// lines look like for a model of rows.
    fn input_format(&self, model: &Model, input: &mut dyn BufRead) -> Result<Format, Failure> {
        let first = input
            .fill_buf()
            .map_err(|error| Failure::in_file(&self.input, error))?;
        if first.starts_with(MODEL_MARK) {
            let rule = "is a model; the model comes first, then the texts or rows";
            return Err(Failure::in_file(&self.input, rule));
        }
        let texts = model.vectorizer().is_some();
        let format = match self.data.format {
            Some(format) => format.into(),
            None if texts && begins_like_fasttext(first) => Format::FastText,
            None if texts => Format::Tsv,
            None if first.trim_ascii().is_empty() => Format::Xmc,
            None => {
                // The last line may be cut off where the buffer ends.
                let end = first.iter().rposition(|&byte| byte == b'\n');
                let whole = &first[..end.map_or(first.len(), |at| at + 1)];
                Format::detect(whole).map_err(|error| {
                    let rule = "the model answers rows of features, as xmc or svmlight";
                    Failure::Input(format!("{}:{error}; {rule}", self.input.display()))
                })?
            }
        };
        match format {
            Format::Tsv | Format::FastText if !texts => Err(Failure::in_file(
                &self.input,
                format_args!(
                    "holds texts ({format}), but the model was trained on rows of features"
                ),
            )),
            Format::Tsv => {
                warn_of_columns(&self.input, first, self.data.columns);
                Ok(format)
            }
            _ => Ok(format),
        }
    }

    fn answer(&self, model: &Model, queries: &[(u64, Query)], threads: &Threads) -> Vec<Answered> {
        let scratch = || Scratch::new(kernels::best());
        threads.map(queries.len(), scratch, |scratch, job| {
            self.answer_one(model, &queries[job].1, scratch)
                .unwrap_or_else(|problem| Answered::none(problem.to_string()))
        })
    }

    fn answer_one(
        &self,
        model: &Model,
        query: &Query,
        scratch: &mut Scratch,
    ) -> Result<Answered, PredictError> {
        let made;
        let row = match query {
            Query::Features(row) => row.view(),
            Query::Blank => {
                return Ok(Answered::none("the line is blank".into()));
            }
            Query::Text(text) => {
                made = model.row(text, scratch)?;
                made.view()
            }
        };
        let mut best = model.predict(row, self.k, scratch)?.to_vec();
        if self.output != Some(Output::Xmc) {
            // What training never saw scores this, and is no answer. Lines of XMC hold k pairs each.
            best.retain(|scored| scored.score > f32::MIN);
        }
        let mut answered = Answered {
            best,
            ..Answered::default()
        };
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

fn begins_like_fasttext(first: &[u8]) -> bool {
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    text.trim_ascii_start().starts_with(b"__label__")
}

/// Reads lines ahead, on a thread of its own, so that answers do not wait for lines to come.
fn lines(mut input: Box<dyn BufRead + Send>) -> mpsc::Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::sync_channel(2 * BATCH);
    thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            let read = match input.read_until(b'\n', &mut line) {
                Ok(0) => return,
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            let failed = read.is_err();
            if sender.send(read).is_err() || failed {
                return;
            }
        }
    });
    receiver
}
