//! Answers as they are printed: for people, as JSON Lines, as CSV, and as XMC text.

use super::output::{shown, shown_json};
use clap::ValueEnum;
use hapax::core::{
    model::{Contribution, Evidence, Method, Model, SharedFeature},
    search::Scored,
};
use serde_json::{Value, json};
use std::{
    io::{self, IsTerminal, Write, stdout},
    iter::repeat_n,
};

/// How to print answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people
    Text,
    /// One JSON object a line
    #[value(alias = "json")]
    Jsonl,
    /// A table: id or line, the columns of --keep, then each label and its score
    Csv,
    /// `id:score id:score …`
    Xmc,
}

impl Output {
    /// For people on a terminal, for programs elsewhere.
    pub fn usual() -> Self {
        if stdout().is_terminal() {
            Self::Text
        } else {
            Self::Jsonl
        }
    }
}

/// What is printed about a row.
#[derive(Default)]
pub struct Answered {
    pub best: Vec<Scored>,
    /// Of each of them, of calibrated models.
    pub probabilities: Vec<f32>,
    /// The probability that none of the first five is right, of calibrated models.
    pub none: Option<f32>,
    /// Whether the first answer was not sure enough to be given.
    pub abstained: bool,
    pub evidence: Vec<Evidence>,
    /// For each of the best, what features add to its score, of linear models.
    pub contributions: Vec<Vec<Contribution>>,
    /// Why there is no answer.
    pub problem: Option<String>,
    /// What stood in the row of a table, to be handed through.
    pub row: Option<Passed>,
}

/// What is handed through from a row of a table.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    pub line: u64,
    pub id: Option<Value>,
    pub kept: Vec<Value>,
}

impl Answered {
    /// No answer, and why.
    pub fn none(problem: String) -> Self {
        Self {
            problem: Some(problem),
            ..Self::default()
        }
    }
}

/// Prints the answers of a model.
pub struct Printer<'a> {
    pub model: &'a Model,
    pub output: Output,
    pub explain: bool,
    /// How many labels a row gets at most.
    pub k: usize,
    /// The names of the columns that are handed through, and whether rows have ids.
    pub kept: Vec<String>,
    pub ids: bool,
}

impl Printer<'_> {
    /// Whether people who read the answers see the problems there too.
    pub fn says_problems(&self) -> bool {
        self.output == Output::Text
    }

    /// Prints one answer.
    pub fn print(&self, out: &mut impl Write, answered: &Answered) -> io::Result<()> {
        match self.output {
            Output::Jsonl => writeln!(out, "{}", shown_json(&self.json_line(answered))),
            Output::Csv => self.print_csv(out, self.csv_row(answered)),
            Output::Xmc => {
                let best = answered.best.iter();
                let pairs: Vec<_> = best.map(|s| format!("{}:{}", s.id, s.score)).collect();
                writeln!(out, "{}", pairs.join(" "))
            }
            Output::Text => self.print_text(out, answered),
        }
    }

    /// Prints what stands before all answers: the header of CSV.
    pub fn print_header(&self, out: &mut impl Write) -> io::Result<()> {
        if self.output != Output::Csv {
            return Ok(());
        }
        let mut header = vec![if self.ids { "id" } else { "line" }.to_string()];
        header.extend(self.kept.iter().cloned());
        for at in 1..=self.k {
            header.extend([format!("label_{at}"), format!("score_{at}")]);
            if self.model.calibration().is_some() {
                header.push(format!("probability_{at}"));
            }
        }
        header.push("problem".into());
        self.print_csv(out, header)
    }

    fn csv_row(&self, answered: &Answered) -> Vec<String> {
        let plain = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            value => value.to_string(),
        };
        let passed = answered.row.clone().unwrap_or_default();
        let mut row = vec![match &passed.id {
            Some(id) => plain(id),
            None if self.ids => String::new(),
            None => passed.line.to_string(),
        }];
        let kept = passed.kept.iter().map(plain);
        row.extend(
            kept.chain(repeat_n(String::new(), self.kept.len()))
                .take(self.kept.len()),
        );
        for at in 0..self.k {
            match answered.best.get(at) {
                Some(best) => row.extend([label(self.model, best.id), best.score.to_string()]),
                None => row.extend([String::new(), String::new()]),
            }
            if self.model.calibration().is_some() {
                let probability = answered.probabilities.get(at);
                row.push(probability.map_or_else(String::new, |p| format!("{p:.4}")));
            }
        }
        let problem = match answered.abstained {
            true => Some(UNSURE.to_string()),
            false => answered.problem.clone(),
        };
        row.push(problem.unwrap_or_default());
        row
    }

    /// Prints a row of CSV; to a terminal without what would act on it.
    fn print_csv(&self, out: &mut impl Write, row: Vec<String>) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        match stdout().is_terminal() {
            true => writer.write_record(row.iter().map(|field| shown(field).into_owned())),
            false => writer.write_record(row),
        }?;
        writer.flush()
    }

    pub fn json_line(&self, answered: &Answered) -> Value {
        let model = self.model;
        let best = answered.best.iter().enumerate().map(|(at, s)| {
            let score = shortest(s.score);
            let mut one = match model.label_name(s.id) {
                Some(name) => json!({"id": s.id, "name": name, "score": score}),
                None => json!({"id": s.id, "score": score}),
            };
            if let Some(&probability) = answered.probabilities.get(at) {
                one["probability"] = rounded(probability);
            }
            one
        });
        let mut line = json!({"labels": best.collect::<Vec<_>>()});
        if let Some(none) = answered.none {
            line["none"] = rounded(none);
        }
        if answered.abstained {
            line["abstained"] = json!(true);
        }
        if let Some(passed) = &answered.row {
            match &passed.id {
                Some(id) => line["id"] = id.clone(),
                None => line["line"] = json!(passed.line),
            }
            if !self.kept.is_empty() {
                let kept = self.kept.iter().cloned().zip(passed.kept.iter().cloned());
                line["columns"] = Value::Object(kept.collect());
            }
        }
        if let Some(problem) = &answered.problem {
            line["problem"] = json!(problem);
        }
        if self.explain {
            line["evidence"] = match model.method() {
                Method::Linear(_) => contributions_json(model, answered),
                _ => neighbors_json(model, &answered.evidence),
            };
        }
        line
    }

    fn print_text(&self, out: &mut impl Write, answered: &Answered) -> io::Result<()> {
        let model = self.model;
        if let Some(passed) = &answered.row {
            print_passed(out, passed, &self.kept)?;
        }
        if let Some(problem) = &answered.problem {
            writeln!(out, "({})", shown(problem))?;
        }
        if answered.abstained {
            writeln!(out, "({UNSURE})")?;
        }
        for (at, scored) in answered.best.iter().enumerate() {
            let name = label(model, scored.id);
            let (score, name) = (scored.score, shown(&name));
            match answered.probabilities.get(at) {
                Some(p) => writeln!(out, "{score:>9.4} {:>4.0}%  {name}", 100.0 * p)?,
                None => writeln!(out, "{score:>9.4}  {name}")?,
            }
            let parts = answered.contributions.get(at).into_iter().flatten();
            let parts: Vec<_> = parts
                .map(|c| format!("{} {:+.3}", shown(&feature(model, c.feature)), c.score))
                .collect();
            if !parts.is_empty() {
                writeln!(out, "             from {}", parts.join(", "))?;
            }
        }
        for neighbor in &answered.evidence {
            let labels: Vec<_> = neighbor.labels.iter().map(|&l| label(model, l)).collect();
            let shared: Vec<_> = neighbor
                .features
                .iter()
                .map(|f| {
                    let name = feature(model, f.feature);
                    format!("{} {:.0}%", shown(&name), 100.0 * f.share)
                })
                .collect();
            let similarity = neighbor.similarity;
            let row = match neighbor.label_text {
                true => "text of label".into(),
                false => format!("row {}", neighbor.row),
            };
            writeln!(
                out,
                "           {row} ({similarity:.3}): {}",
                shown(&labels.join(", "))
            )?;
            writeln!(out, "             shares {}", shared.join(", "))?;
        }
        writeln!(out)
    }
}

/// What stands for the answers of a row whose first was not sure enough.
const UNSURE: &str = "not sure enough";

/// A probability to four places.
fn rounded(probability: f32) -> Value {
    json!((f64::from(probability) * 1e4).round() / 1e4)
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

/// The shortest decimal that reads back as this very `f32`.
fn shortest(value: f32) -> Value {
    match value.to_string().parse::<f64>() {
        Ok(decimal) => json!(decimal),
        Err(_) => json!(value),
    }
}

fn neighbors_json(model: &Model, evidence: &[Evidence]) -> Value {
    let shared = |f: &SharedFeature| json!({"feature": feature(model, f.feature), "share": shortest(f.share)});
    let neighbors = evidence.iter().map(|neighbor| {
        json!({
            "row": neighbor.row,
            "label_text": neighbor.label_text,
            "similarity": shortest(neighbor.similarity),
            "vote": shortest(neighbor.vote),
            "labels": neighbor.labels.iter().map(|&l| label(model, l)).collect::<Vec<_>>(),
            "features": neighbor.features.iter().map(shared).collect::<Vec<_>>(),
        })
    });
    neighbors.collect()
}

fn contributions_json(model: &Model, answered: &Answered) -> Value {
    let part = |c: &Contribution| json!({"feature": feature(model, c.feature), "score": shortest(c.score)});
    let labels = answered.best.iter().zip(&answered.contributions);
    let labels = labels.map(|(scored, parts)| {
        json!({
            "label": label(model, scored.id),
            "features": parts.iter().map(part).collect::<Vec<_>>(),
        })
    });
    labels.collect()
}

/// The id or the line of a row of a table, and its columns that are handed through.
fn print_passed(out: &mut impl Write, passed: &Passed, kept: &[String]) -> io::Result<()> {
    let plain = |value: &Value| match value {
        Value::String(text) => shown(text).into_owned(),
        value => shown_json(value),
    };
    match &passed.id {
        Some(id) => writeln!(out, "{}", plain(id))?,
        None => writeln!(out, "line {}", passed.line)?,
    }
    for (name, value) in kept.iter().zip(&passed.kept) {
        writeln!(out, "  {}: {}", shown(name), plain(value))?;
    }
    Ok(())
}
