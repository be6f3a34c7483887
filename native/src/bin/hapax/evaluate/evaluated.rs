//! The figures of an evaluation as they are printed.

use super::{repeats::Repeats, worth::Worth};
use crate::{
    failure::Failure,
    output::print,
    table::{bytes, percent, table},
};
use hapax::core::metrics::Report;
use serde_json::{Map, Value, json};

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
    /// What the probabilities are worth, of a calibrated model.
    pub worth: Option<Worth>,
}

/// Test rows that occur in the training data, and precision at each k on the others, if any.
pub struct Known {
    pub rows: usize,
    pub precision_of_others: Option<Vec<f64>>,
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
            "probabilities": self.worth.as_ref().map(Worth::json),
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
        self.worth.as_ref().map_or(Ok(()), Worth::print)?;
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
