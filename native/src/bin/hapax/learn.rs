//! `hapax learn` and `hapax forget`: models that change without being trained anew.

use super::{
    data_options::DataOptions,
    failure::Failure,
    fit::{check_start, names_of_start, say_kept_labels, say_new_labels},
    input::{Reading, load_model, read_input, threads},
    output::{note, output_file, print},
    table::{bytes, count, facts_table},
};
use clap::Args;
use hapax::{
    ModelFile,
    core::{
        data::{Dataset, Source},
        executor::Executor,
        model::{Method, Model},
        text::Vectorizer,
        train::{Learned, TrainError},
    },
    files::{check_not_over, check_writable},
    kernels, weight_of_vectors,
};
use serde_json::json;
use std::{fs, ops::RangeInclusive, path::PathBuf};

/// Teach a model more rows, words and labels.
///
/// The rows that the model was trained on are not needed. A model of nearest neighbors gets the new
/// rows beside its own. In a model of ovr, labels with new rows move as little as these need, by a
/// strength that is chosen on held-out new rows; labels without new rows stay as they are; new
/// labels are trained on the new rows. Neighbors and an embedding beside it learn, too. New words
/// of texts become features. Other models cannot learn: train them again on all rows.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax learn model.hapax more.csv -o newer.hapax
  hapax learn model.hapax more.tsv -o model.hapax       (in place; the old model is replaced at the end)

Of nearest neighbors the numbers of the new rows are printed, by which `hapax forget` takes them out.")]
pub struct Learn {
    /// The model
    model: PathBuf,
    /// The new rows, perhaps compressed; - is standard input
    data: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL", value_parser = output_file())]
    output: PathBuf,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    options: DataOptions,
}

/// Take rows out of a model of nearest neighbors.
///
/// Rows go by number, from 0 in the order of the training data; those of `hapax learn` follow. A
/// number never changes and is never used again. `predict --explain` names the rows that voted.
/// Other models hold no rows: train them again without these.
#[derive(Args, Debug)]
#[command(after_help = "Example: hapax forget model.hapax --row 6,9-12 -o newer.hapax")]
pub struct Forget {
    /// The model
    model: PathBuf,
    /// The rows: numbers and ranges of them
    #[arg(long, value_name = "ROWS", value_delimiter = ',', required = true, value_parser = parse_rows)]
    row: Vec<RangeInclusive<u32>>,
    /// Where to write the model
    #[arg(short, long, value_name = "MODEL", value_parser = output_file())]
    output: PathBuf,
}

/// A number, or two with a hyphen between them.
fn parse_rows(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let rows = match text.split_once('-') {
        None => number(text).map(|row| row..=row),
        Some((first, last)) => number(first)
            .zip(number(last))
            .map(|(first, last)| first..=last),
    };
    rows.filter(|rows| !rows.is_empty())
        .ok_or_else(|| "give a row's number, such as 6, or a range of them, such as 9-12".into())
}

/// Rows to learn, and what new words make of the model's features.
struct Rows {
    data: Dataset,
    extended: Option<(Vectorizer, Vec<u32>)>,
}

impl Learn {
    pub fn run(self) -> Result<(), Failure> {
        check_writable(&self.output)?;
        check_not_over(&self.output, &self.data)?;
        let threads = threads(self.threads)?;
        let model = load_model(&self.model)?;
        let Rows { mut data, extended } = self.read(&model, &threads)?;
        let all_new = say_new_labels(&self.data, &data, &model);
        data.widen(data.rows().features(), model.labels());
        if !all_new {
            say_kept_labels(&self.data, &data, &model);
        }
        let learned = model.learn_all(&data, extended, &threads, kernels::best());
        let learned = learned.map_err(|error| match error {
            TrainError::CannotLearn => self.cannot(&model),
            TrainError::NoRows => Failure::in_file(
                &self.data,
                "no row has both labels and features, so there is nothing to learn",
            ),
            error => error.into(),
        })?;
        learned.model.save(&self.output)?;
        self.tell(&model, &learned, data.len())
    }

    fn cannot(&self, model: &Model) -> Failure {
        let algorithm = &model.provenance().algorithm;
        let rule = match model.method() {
            _ if weight_of_vectors(model).is_some() => format!(
                "is a model of {algorithm} with vectors of words beside it, so it cannot learn more rows: train it again \
                 on all rows"
            ),
            Method::Linear(linear) if linear.embedding().is_some() => format!(
                "is a model of {algorithm} with an embedding beside it that other steps made than those of `hapax train \
                 ovr`, so it cannot learn more rows: train it again on all rows"
            ),
            _ => format!(
                "is a model of {algorithm}, which cannot learn more rows; models of nearest and of ovr can: train it again \
                 on all rows"
            ),
        };
        Failure::in_file(&self.model, rule)
    }

    fn read(&self, model: &Model, threads: &Executor) -> Result<Rows, Failure> {
        let path = &self.data;
        let Reading { source, stated, .. } = read_input(path, &self.options, Some(model), threads)?;
        match (source, model.vectorizer()) {
            (Source::Texts(_), None) => Err(Failure::in_file(
                path,
                "holds texts, but the model was trained on rows of features",
            )),
            (Source::Rows(_), Some(_)) => Err(Failure::in_file(
                path,
                "holds rows of features, but the model was trained on texts",
            )),
            (Source::Texts(documents), Some(vectorizer)) => {
                let extended = vectorizer.extended(&documents.texts, threads);
                let extended = extended.map_err(|error| Failure::in_file(path, error))?;
                let rows = extended.0.transform_all(&documents.texts, threads);
                let data = Dataset::new(rows, documents.labels, Some(documents.label_names));
                Ok(Rows {
                    data: data.map_err(|error| Failure::in_file(path, error))?,
                    extended: Some(extended),
                })
            }
            (Source::Rows(mut data), None) => {
                check_start(path, &data, stated, model)?;
                data.widen(model.features(), model.labels());
                if data.label_names().is_none() {
                    let names = names_of_start(path, data.labels().labels(), model)?;
                    data = Dataset::new(data.rows().clone(), data.labels().clone(), names)
                        .map_err(|error| Failure::in_file(path, error))?;
                }
                Ok(Rows {
                    data,
                    extended: None,
                })
            }
        }
    }

    fn tell(&self, before: &Model, learned: &Learned, rows: usize) -> Result<(), Failure> {
        let model = &learned.model;
        let size = fs::metadata(&self.output).map_or(0, |data| data.len());
        let new = |after: u32, before: u32| after.saturating_sub(before);
        let (labels, features) = (model.labels(), model.features());
        let new_labels = new(labels, before.labels());
        let new_features = new(features, before.features());
        let learned_rows = rows - learned.skipped;
        let ids = learned.ids.clone();
        if self.json {
            return print(json!({
                "rows": learned_rows, "skipped": learned.skipped,
                "labels": labels, "new_labels": new_labels,
                "features": features, "new_features": new_features,
                "strength": learned.strength, "pull": learned.pull, "model_bytes": size,
                "first_row": ids.as_ref().map(|ids| ids.start),
                "last_row": ids.as_ref().map(|ids| ids.end - 1),
            }));
        }
        if learned.skipped > 0 {
            note(format_args!(
                "note: {} of {} rows have no labels or no features, and taught nothing",
                count(learned.skipped as u64),
                count(rows as u64)
            ));
        }
        let mut table = facts_table();
        let rows = match ids {
            Some(ids) if ids.len() == 1 => format!("1, as row {}", ids.start),
            Some(ids) => format!(
                "{}, as rows {}-{}",
                count(learned_rows as u64),
                ids.start,
                ids.end - 1
            ),
            None => count(learned_rows as u64),
        };
        table.add_row(["rows learned", &rows]);
        for (name, all, new) in [
            ("labels", labels, new_labels),
            ("features", features, new_features),
        ] {
            let told = format!("{}, {} of them new", count(all.into()), count(new.into()));
            table.add_row([name, &told]);
        }
        if let Some(strength) = learned.strength {
            table.add_row(["strength", &strength.to_string()]);
        }
        if let Some(pull) = learned.pull {
            table.add_row(["pull of the embedding", &pull.to_string()]);
        }
        table.add_row(["model", &bytes(size)]);
        print(table)?;
        print(format_args!("wrote {}", self.output.display()))
    }
}

impl Forget {
    pub fn run(self) -> Result<(), Failure> {
        check_writable(&self.output)?;
        let mut model = load_model(&self.model)?;
        let Method::Nearest(nearest) = model.method() else {
            let algorithm = &model.provenance().algorithm;
            let rule = format_args!(
                "is a model of {algorithm}, which holds no rows: train it again without these rows"
            );
            return Err(Failure::in_file(&self.model, rule));
        };
        let before = nearest.len();
        for row in self.row.into_iter().flatten() {
            if !model.forget(row) {
                let rule = format_args!(
                    "there is no row {row}; it may be forgotten already. `hapax predict --explain` names rows"
                );
                return Err(Failure::in_file(&self.model, rule));
            }
        }
        let Method::Nearest(nearest) = model.method() else {
            return Ok(());
        };
        let left = nearest.len();
        if left == 0 {
            let rule = "these are all rows of the model: one at least must stay";
            return Err(Failure::in_file(&self.model, rule));
        }
        model.save(&self.output)?;
        print(format_args!(
            "forgot {} of {} rows\nwrote {}",
            count((before - left) as u64),
            count(before as u64),
            self.output.display()
        ))
    }
}
