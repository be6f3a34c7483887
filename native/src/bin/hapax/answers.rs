//! Answers as they are printed: for people, as JSON Lines, and as XMC text.

use clap::ValueEnum;
use hapax::core::{
    model::{
        Method, Model,
        linear::Contribution,
        nearest::{Evidence, SharedFeature},
    },
    search::Scored,
};
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write, stdout};

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

impl Output {
    /// For people on a terminal, for programs elsewhere.
    pub fn usual() -> Self {
        if stdout().is_terminal() {
            Self::Text
        } else {
            Self::Json
        }
    }
}

/// What is printed about a row.
#[derive(Default)]
pub struct Answered {
    pub best: Vec<Scored>,
    pub evidence: Vec<Evidence>,
    /// For each of the best, what features add to its score, of linear models.
    pub contributions: Vec<Vec<Contribution>>,
    /// Why there is no answer.
    pub problem: Option<String>,
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
}

impl Printer<'_> {
    /// Whether people who read the answers see the problems there too.
    pub fn says_problems(&self) -> bool {
        self.output == Output::Text
    }

    /// Prints one answer.
    pub fn print(&self, out: &mut impl Write, answered: &Answered) -> io::Result<()> {
        match self.output {
            Output::Json => writeln!(out, "{}", json_line(self.model, answered, self.explain)),
            Output::Xmc => {
                let best = answered.best.iter();
                let pairs: Vec<_> = best.map(|s| format!("{}:{}", s.id, s.score)).collect();
                writeln!(out, "{}", pairs.join(" "))
            }
            Output::Text => print_text(out, self.model, answered),
        }
    }
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

fn json_line(model: &Model, answered: &Answered, explain: bool) -> Value {
    let best = answered.best.iter().map(|s| {
        let score = shortest(s.score);
        match model.label_name(s.id) {
            Some(name) => json!({"id": s.id, "name": name, "score": score}),
            None => json!({"id": s.id, "score": score}),
        }
    });
    let mut line = json!({"labels": best.collect::<Vec<_>>()});
    if let Some(problem) = &answered.problem {
        line["problem"] = json!(problem);
    }
    if explain {
        line["evidence"] = match model.method() {
            Method::Linear(_) => contributions_json(model, answered),
            _ => neighbors_json(model, &answered.evidence),
        };
    }
    line
}

fn neighbors_json(model: &Model, evidence: &[Evidence]) -> Value {
    let shared = |f: &SharedFeature| json!({"feature": feature(model, f.feature), "share": shortest(f.share)});
    let neighbors = evidence.iter().map(|neighbor| {
        json!({
            "row": neighbor.row,
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

fn print_text(out: &mut impl Write, model: &Model, answered: &Answered) -> io::Result<()> {
    if let Some(problem) = &answered.problem {
        writeln!(out, "({problem})")?;
    }
    for (at, scored) in answered.best.iter().enumerate() {
        writeln!(out, "{:>9.4}  {}", scored.score, label(model, scored.id))?;
        let parts = answered.contributions.get(at).into_iter().flatten();
        let parts: Vec<_> = parts
            .map(|c| format!("{} {:+.3}", feature(model, c.feature), c.score))
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
