//! Names and descriptions of labels, as texts to train on: `--label-texts`.

use super::super::{
    failure::Failure,
    output::{note, warn},
    table::count,
    tabular::begins_like_json,
};
use clap::Args;
use hapax::{
    core::data::Documents,
    files::{FileError, open_text},
    tables::{
        MOST_BYTES, Selection, Table, TableFormat, TableReader, TableRow, TextColumn, next_line,
        peek,
    },
};
use std::path::{Path, PathBuf};

/// Texts of labels.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Data")]
pub struct LabelTextOptions {
    /// Names or descriptions of labels: a table (tab-separated, CSV or JSON Lines) of a label and a
    /// text in each row. Each text is trained on as one more row of its label, with the features of
    /// the training texts; nothing is chosen by it. A label without training rows is added, so that
    /// it can be suggested
    #[arg(long, value_name = "FILE")]
    label_texts: Option<PathBuf>,
    /// The column of the label in that file, then those of its texts, joined: names or numbers
    /// from 1 [default: 1,2, or the columns that a header names like label and text]
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        requires = "label_texts",
        num_args = 1
    )]
    label_texts_columns: Vec<TextColumn>,
}

/// The texts of labels among documents.
pub struct LabelTexts<'a> {
    path: &'a Path,
    /// How many there are.
    texts: usize,
}

impl LabelTextOptions {
    pub fn file(&self) -> Option<&Path> {
        self.label_texts.as_deref()
    }

    /// Adds the texts of labels to the training texts, and says what they are.
    pub fn describe<'a>(
        &'a self,
        documents: &mut Documents,
    ) -> Result<Option<LabelTexts<'a>>, Failure> {
        let Some(path) = self.file() else {
            return Ok(None);
        };
        let rows = self.read(path)?;
        let (first, known) = (documents.texts.len(), documents.label_names.len());
        let labelled = rows.into_iter().map(|row| (row.text, row.labels));
        documents
            .describe(labelled)
            .map_err(|error| Failure::in_file(path, error.problem))?;
        say_labels(path, documents, (first, known));
        let texts = documents.texts.len() - first;
        Ok(Some(LabelTexts { path, texts }))
    }

    /// The rows of the file: each has a label and a text.
    fn read(&self, path: &Path) -> Result<Vec<TableRow>, Failure> {
        let failed = |error| Failure::from(FileError::reading(path, error));
        let (sample, mut input) = peek(open_text(path)?, MOST_BYTES).map_err(failed)?;
        let table = self.table(path, &sample)?;
        let wrong = |error: hapax::tables::TableError| {
            let problem = match error.problem.is_of_all_rows() {
                // The options that the reader names are those of the training data.
                true => format!("{} (here: --label-texts-columns LABEL,TEXT)", error.problem),
                false => error.problem.to_string(),
            };
            Failure::at(path, error.line, error.column, problem)
        };
        let mut reader = TableReader::new(table, &sample).map_err(wrong)?;
        let mut rows = Vec::new();
        while let Some(line) = next_line(input.as_mut(), MOST_BYTES).map_err(failed)? {
            let Some(row) = reader.push(line).transpose().map_err(wrong)? else {
                continue;
            };
            let Some(label) = row.labels.first() else {
                return Err(Failure::at(path, row.line, 1, "a label is empty"));
            };
            if row.text.trim().is_empty() {
                let rule = format_args!(
                    "the text of label {label:?} is empty: give it one, or leave out the line"
                );
                return Err(Failure::at(path, row.line, 1, rule));
            }
            rows.push(row);
        }
        match reader.end() {
            Some(error) => Err(wrong(error)),
            None if rows.is_empty() => Err(Failure::in_file(path, "has no texts of labels")),
            None => Ok(rows),
        }
    }

    /// How the file that begins with `sample` is read.
    fn table(&self, path: &Path, sample: &[u8]) -> Result<Table, Failure> {
        let format = match TableFormat::by_ending(path) {
            Some(format) => format,
            None if begins_like_json(sample) => TableFormat::JsonLines,
            None => TableFormat::Tsv,
        };
        // A label may have blanks and commas.
        let mut given = Selection {
            separator: Some("none".into()),
            ..Selection::default()
        };
        let mut table = Table::new(format);
        match &self.label_texts_columns[..] {
            [] if format == TableFormat::JsonLines || table.has_header(sample) => {}
            [] => {
                given.labels = Some("1".into());
                given.text.extend("2".parse());
                given.header = Some(false);
            }
            [_] => {
                let rule = "--label-texts-columns names one column: give that of the label, then those of its texts, \
                            such as 1,3";
                return Err(Failure::Input(rule.into()));
            }
            [label, texts @ ..] => {
                given.labels = Some(label.name.clone());
                given.text = texts.to_vec();
            }
        }
        table.given = given;
        Ok(table)
    }
}

/// Says which labels are new, after the first `texts` texts and the first `labels` labels.
fn say_labels(path: &Path, documents: &Documents, (texts, labels): (usize, usize)) {
    let (path, names) = (path.display(), &documents.label_names);
    let name = |label: usize| names.get(label as u32).unwrap_or_default().to_string();
    let all = count((documents.texts.len() - texts) as u64);
    let new = names.len() - labels;
    let mut described: Vec<u32> = (texts..documents.texts.len())
        .flat_map(|row| documents.labels.row(row).iter().copied())
        .collect();
    described.sort_unstable();
    described.dedup();
    if described.len() == new {
        warn(format_args!(
            "{path}: none of its labels, such as {:?}, is among those of the rows, such as {:?}: are they spelled \
             differently?",
            name(labels),
            name(0),
        ));
    }
    let added = match new {
        0 => String::new(),
        1 => format!("; label {:?} has no other rows and is added", name(labels)),
        new => format!(
            "; {} labels, such as {:?}, have no other rows and are added",
            count(new as u64),
            name(labels)
        ),
    };
    let of = count(described.len() as u64);
    note(format_args!(
        "{path}: {all} texts of {of} labels are trained on, too{added}"
    ));
}

impl LabelTexts<'_> {
    /// Says how many texts were left out for having no feature.
    pub fn say_left_out(self, texts: usize) {
        if texts == 0 {
            return;
        }
        let path = self.path.display();
        let said = match texts == self.texts {
            true => {
                "no text has a word in common with the training texts; trained without them".into()
            }
            false => format!(
                "{} of {} texts have no word in common with the training texts; trained without these",
                count(texts as u64),
                count(self.texts as u64)
            ),
        };
        warn(format_args!("{path}: {said}"));
    }
}
