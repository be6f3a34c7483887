//! The rows on which a model is most surely wrong.

use super::Tested;
use crate::{
    answers::{Answered, Output, Printer},
    failure::Failure,
    output::{print, shown},
};
use hapax::{
    core::{executor::Executor, model::Scratch, search::Scored},
    kernels,
};
use serde_json::{Value, json};

/// So many answers are searched for a right label.
const DEPTH: usize = 100;
/// How many answers are shown, of how many neighbors and features they come.
const SHOWN: usize = 3;
const EVIDENCE: (usize, usize) = (3, 5);
/// So many characters of a text are printed; JSON holds all.
const CHARACTERS: usize = 300;

/// A row without a right label among its first answers.
pub struct Miss {
    pub row: usize,
    /// The score of the first answer less that of the best right label, or less that of the last
    /// answer looked at, which is a lower bound, where no right label is among them.
    pub margin: f64,
    /// The place of the best right label among the answers, from 1.
    pub rank: Option<usize>,
    pub answered: Answered,
}

/// The rows with the largest margins, and how many there are.
pub struct Worst {
    /// How many first answers hold no right label.
    pub k: usize,
    pub misses: usize,
    /// Rows that no answer can get right: without labels, or only with new ones.
    pub unanswerable: usize,
    pub rows: Vec<Miss>,
}

impl Worst {
    /// The `count` rows with the largest margins among those without a right label in their first
    /// `k` answers; of equals the first.
    ///
    /// Cost: an answer of depth [`DEPTH`] for each such row whose right label is not known yet.
    pub fn of(
        tested: &Tested,
        k: usize,
        count: usize,
        threads: &Executor,
    ) -> Result<Self, Failure> {
        let known = tested.model.labels();
        let (mut missed, mut unanswerable) = (Vec::new(), 0);
        for (row, truth) in tested.test.labels().iter().enumerate() {
            if !truth.iter().any(|&id| id < known) {
                unanswerable += 1;
            } else if place(&tested.answers[row], truth).is_none_or(|place| place >= k) {
                missed.push(row);
            }
        }
        let scratch = || Scratch::new(kernels::best());
        let rows = threads.map(missed.len(), scratch, |scratch, job| {
            miss(tested, missed[job], scratch)
        });
        let mut rows = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
        rows.sort_by(|a, b| b.margin.total_cmp(&a.margin).then(a.row.cmp(&b.row)));
        rows.truncate(count);
        let explained = threads.map(rows.len(), scratch, |scratch, job| {
            explain(tested, &rows[job], scratch)
        });
        for (row, answered) in rows.iter_mut().zip(explained) {
            row.answered = answered?;
        }
        Ok(Self {
            k,
            misses: missed.len(),
            unanswerable,
            rows,
        })
    }

    pub fn json(&self, tested: &Tested) -> Value {
        let printer = printer(tested, Output::Jsonl);
        let rows = self.rows.iter().map(|miss| {
            let mut line = printer.json_line(&miss.answered);
            line["row"] = json!(miss.row + 1);
            line["margin"] = json!(miss.margin);
            line["rank"] = json!(miss.rank);
            line["text"] = json!(tested.texts.get(miss.row));
            line["truth"] = json!(tested.truth(miss.row));
            line
        });
        rows.collect()
    }

    pub fn print(&self, tested: &Tested) -> Result<(), Failure> {
        let among = match self.k {
            1 => "whose first answer is wrong".to_string(),
            k => format!("without a right label in the first {k} answers"),
        };
        print(format_args!(
            "\n{} rows {among}; those with the largest margin of the first answer over the best right label:\n",
            self.misses
        ))?;
        if self.unanswerable > 0 {
            print(format_args!(
                "({} rows have no label that the model knows, and are left out)\n",
                self.unanswerable
            ))?;
        }
        let printer = printer(tested, Output::Text);
        for miss in &self.rows {
            let (row, margin) = (miss.row + 1, miss.margin);
            let place = place_in_words(miss);
            print(format_args!("row {row}   margin {margin:.4}, {place}"))?;
            if let Some(text) = tested.texts.get(miss.row) {
                print(format_args!("  text   {}", beginning(text)))?;
            }
            let truth = tested.truth(miss.row).join(", ");
            print(format_args!("  truth  {}", shown(&truth)))?;
            let mut lines = Vec::new();
            printer.print(&mut lines, &miss.answered)?;
            print(String::from_utf8_lossy(&lines).trim_end_matches('\n'))?;
            print("")?;
        }
        Ok(())
    }
}

/// Where the best right label stands.
pub fn place_in_words(miss: &Miss) -> String {
    match miss.rank {
        Some(rank) => format!("right label at {rank}"),
        None => format!("or more: no right label in the first {DEPTH}"),
    }
}

/// The beginning of a text, as a terminal may get it.
pub fn beginning(text: &str) -> String {
    let text = text.trim();
    let mut start: String = text.chars().take(CHARACTERS).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    shown(&start).into_owned()
}

fn printer<'a>(tested: &Tested<'a>, output: Output) -> Printer<'a> {
    Printer {
        model: tested.model,
        output,
        explain: true,
        k: SHOWN,
        kept: Vec::new(),
        ids: false,
    }
}

/// The position of the first answer that is a label of the row.
fn place(answers: &[Scored], truth: &[u32]) -> Option<usize> {
    answers.iter().position(|answer| truth.contains(&answer.id))
}

fn miss(tested: &Tested, row: usize, scratch: &mut Scratch) -> Result<Miss, Failure> {
    let truth = tested.test.labels().row(row);
    let mut answers = tested.answers[row].to_vec();
    if place(&answers, truth).is_none() {
        let features = tested.test.rows().row(row);
        answers = tested.model.predict(features, DEPTH, scratch)?.to_vec();
    }
    // What training never saw scores this, and is no answer.
    answers.retain(|answer| answer.score > f32::MIN);
    let right = place(&answers, truth);
    let other = right.map_or(answers.last(), |place| answers.get(place));
    let margin = match (answers.first(), other) {
        (Some(first), Some(other)) => f64::from(first.score) - f64::from(other.score),
        _ => 0.0,
    };
    let mut best: Vec<Scored> = answers.iter().take(SHOWN).copied().collect();
    if let Some(place) = right.filter(|&place| place >= SHOWN) {
        best.push(answers[place]);
    }
    Ok(Miss {
        row,
        margin,
        rank: right.map(|place| place + 1),
        answered: Answered {
            best,
            ..Answered::default()
        },
    })
}

/// The answers of a row with what they come from.
fn explain(tested: &Tested, miss: &Miss, scratch: &mut Scratch) -> Result<Answered, Failure> {
    let row = tested.test.rows().row(miss.row);
    let (neighbors, features) = EVIDENCE;
    let model = tested.model;
    let mut answered = Answered {
        best: miss.answered.best.clone(),
        evidence: model.explain(row, neighbors, features, scratch)?,
        ..Answered::default()
    };
    for label in &answered.best {
        let parts = model.contributions(row, label.id, features, scratch)?;
        answered.contributions.push(parts);
    }
    Ok(answered)
}
