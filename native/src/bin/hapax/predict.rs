//! `hapax predict`: labels for rows and texts, as they come.

use super::{
    failure::Failure,
    input::{DataOptions, load_model, threads},
};
use clap::{Args, ValueEnum};
use hapax::{
    core::{
        data::{Format, LineReader, Row},
        executor::Executor,
        model::{Model, PredictError, Scratch, nearest::Evidence},
        search::Scored,
        sparse::SparseVec,
    },
    files::open_text,
    kernels,
    threads::Threads,
};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufWriter, IsTerminal, Write, stdout},
    path::PathBuf,
    sync::mpsc,
    thread,
};

/// Suggest labels for texts or rows.
///
/// Reads one text or row a line and answers in the same order, as soon as lines come. For a model of
/// texts a line is a text (what follows a tab is ignored); for a model of rows it is a row of XMC
/// or svmlight data, whose labels are ignored.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  echo 'who pays for damaged luggage' | hapax predict model.hapax
  hapax predict model.hapax texts.txt -k 10 --output json > answers.jsonl
  hapax predict model.hapax rows.txt.xz --output xmc > answers.txt
  hapax predict model.hapax --explain        (type texts; each is answered at once)

JSON Lines hold {\"labels\": [{\"id\", \"name\", \"score\"}]}, with --explain also \"evidence\": the
neighbors with their similarity, vote, labels and shared features. XMC lines hold id:score pairs.")]
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
    /// Say why: the neighbors that voted, and the features they share
    #[arg(long)]
    explain: bool,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    #[command(flatten)]
    data: DataOptions,
}

/// How to print answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people
    Text,
    /// One JSON object a line
    Json,
    /// `id:score id:score …`
    Xmc,
}

/// How many lines are answered together at most.
const BATCH: usize = 4096;
/// How many neighbors, and features of each, an explanation shows.
const EVIDENCE: (usize, usize) = (5, 8);

/// A row to answer: given as features, or made of a text.
enum Query {
    Features(SparseVec),
    Text(String),
}

/// What is printed about a row.
struct Answered {
    best: Vec<Scored>,
    evidence: Vec<Evidence>,
    problem: Option<PredictError>,
}

impl Predict {
    pub fn run(self) -> Result<(), Failure> {
        if self.k == 0 {
            return Err(PredictError::ZeroAnswers.into());
        }
        let threads = threads(self.threads)?;
        let model = load_model(&self.model)?;
        let mut input = open_text(&self.input)?;
        let format = self.input_format(&model, input.as_mut())?;
        let mut options = self.data.for_model(&model);
        options.labels_optional = true;
        let mut reader = LineReader::new(format, &options);
        let lines = lines(input);
        let mut out = BufWriter::new(stdout().lock());
        let mut number = 0;
        // Blocks for one line, then takes what else is there.
        while let Ok(first) = lines.recv() {
            let batch: Vec<_> = std::iter::once(first)
                .chain(lines.try_iter().take(BATCH - 1))
                .collect();
            let mut queries = Vec::with_capacity(batch.len());
            for line in batch {
                let line = line.map_err(|error| Failure::in_file(&self.input, error))?;
                number += 1;
                let row = reader
                    .read(&line)
                    .map_err(|error| Failure::Input(format!("{}:{error}", self.input.display())))?;
                match row {
                    Some(Row::Features { features, .. }) => {
                        queries.push((number, Query::Features(features.to_owned())));
                    }
                    Some(Row::Text { text, .. }) => {
                        queries.push((number, Query::Text(text.to_owned())));
                    }
                    None => {}
                }
            }
            let answers = self.answer(&model, &queries, &threads);
            for ((line, _), answered) in queries.iter().zip(&answers) {
                if let Some(problem) = &answered.problem {
                    eprintln!("{}:{line}: {problem}", self.input.display());
                }
                self.print(&mut out, &model, answered)?;
            }
            out.flush()?;
        }
        Ok(())
    }

    fn input_format(&self, model: &Model, input: &mut dyn BufRead) -> Result<Format, Failure> {
        if let Some(format) = self.data.format {
            return Ok(format.into());
        }
        let first = input
            .fill_buf()
            .map_err(|error| Failure::in_file(&self.input, error))?;
        if model.vectorizer().is_some() {
            let marked = first.trim_ascii_start().starts_with(b"__label__");
            return Ok(if marked {
                Format::FastText
            } else {
                Format::Tsv
            });
        }
        // The last line may be cut off where the buffer ends.
        let end = first
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(first.len(), |at| at + 1);
        if first.trim_ascii().is_empty() {
            return Ok(Format::Xmc);
        }
        Format::detect(&first[..end]).map_err(|error| {
            Failure::Input(format!(
                "{}:{error} (or say it with --format)",
                self.input.display()
            ))
        })
    }

    fn answer(&self, model: &Model, queries: &[(u64, Query)], threads: &Threads) -> Vec<Answered> {
        let scratch = || Scratch::new(kernels::best());
        threads.map(queries.len(), scratch, |scratch, job| {
            self.answer_one(model, &queries[job].1, scratch)
                .unwrap_or_else(|problem| Answered {
                    best: Vec::new(),
                    evidence: Vec::new(),
                    problem: Some(problem),
                })
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
            Query::Text(text) => {
                made = model.row(text, scratch)?;
                made.view()
            }
        };
        let best = model.predict(row, self.k, scratch)?.to_vec();
        let (neighbors, features) = EVIDENCE;
        let evidence = if self.explain {
            model.explain(row, neighbors, features, scratch)?
        } else {
            Vec::new()
        };
        Ok(Answered {
            best,
            evidence,
            problem: None,
        })
    }

    fn print(
        &self,
        out: &mut impl Write,
        model: &Model,
        answered: &Answered,
    ) -> Result<(), Failure> {
        let default = if stdout().is_terminal() {
            Output::Text
        } else {
            Output::Json
        };
        match self.output.unwrap_or(default) {
            Output::Json => writeln!(out, "{}", json_line(model, answered, self.explain))?,
            Output::Xmc => {
                let pairs = answered
                    .best
                    .iter()
                    .map(|s| format!("{}:{}", s.id, s.score));
                writeln!(out, "{}", pairs.collect::<Vec<_>>().join(" "))?;
            }
            Output::Text => print_text(out, model, answered)?,
        }
        Ok(())
    }
}

/// Reads lines ahead, on a thread of its own, so that answers do not wait for lines to come.
fn lines(mut input: Box<dyn BufRead + Send>) -> mpsc::Receiver<std::io::Result<Vec<u8>>> {
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

/// The name of a label, or its number where labels have no names.
fn label(model: &Model, id: u32) -> String {
    model.label_name(id).unwrap_or_else(|| id.to_string())
}

fn feature(model: &Model, id: u32) -> String {
    model
        .vectorizer()
        .and_then(|v| v.feature_name(id))
        .unwrap_or_else(|| id.to_string())
}

fn json_line(model: &Model, answered: &Answered, explain: bool) -> Value {
    let best = answered.best.iter().map(|s| match model.label_name(s.id) {
        Some(name) => json!({"id": s.id, "name": name, "score": s.score}),
        None => json!({"id": s.id, "score": s.score}),
    });
    let mut line = json!({"labels": best.collect::<Vec<_>>()});
    if let Some(problem) = &answered.problem {
        line["problem"] = json!(problem.to_string());
    }
    if explain {
        let evidence = answered.evidence.iter().map(|neighbor| {
            let shared = neighbor.features.iter();
            json!({
                "row": neighbor.row,
                "similarity": neighbor.similarity,
                "vote": neighbor.vote,
                "labels": neighbor.labels.iter().map(|&l| label(model, l)).collect::<Vec<_>>(),
                "features": shared
                    .map(|f| json!({"feature": feature(model, f.feature), "share": f.share}))
                    .collect::<Vec<_>>(),
            })
        });
        line["evidence"] = evidence.collect();
    }
    line
}

fn print_text(out: &mut impl Write, model: &Model, answered: &Answered) -> std::io::Result<()> {
    if let Some(problem) = &answered.problem {
        writeln!(out, "({problem})")?;
    }
    for scored in &answered.best {
        writeln!(out, "{:>9.4}  {}", scored.score, label(model, scored.id))?;
    }
    for neighbor in &answered.evidence {
        let labels: Vec<_> = neighbor.labels.iter().map(|&l| label(model, l)).collect();
        let shared: Vec<_> = neighbor
            .features
            .iter()
            .map(|f| format!("{} {:.0}%", feature(model, f.feature), 100.0 * f.share))
            .collect();
        let similarity = neighbor.similarity;
        writeln!(
            out,
            "           row {} ({similarity:.3}): {}",
            neighbor.row,
            labels.join(", ")
        )?;
        writeln!(out, "             shares {}", shared.join(", "))?;
    }
    writeln!(out)
}
