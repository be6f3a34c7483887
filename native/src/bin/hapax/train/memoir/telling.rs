//! What `hapax train memoir-*` says before and while it trains.

use super::super::{
    super::{
        output::note,
        progress::Progress,
        resources::Stopwatch,
        table::{bytes, count},
    },
    finish::Told,
};
use hapax::core::{
    parameters::{Length, Memoir},
    train::{Measured, MemoirReport},
};
use serde_json::{Value, json};

/// Says the parameters that training will have, and about how much memory it will need.
pub fn say_what_comes(parameters: &Memoir, memory: u64) {
    let Memoir {
        lambda,
        batch,
        violators,
        ..
    } = parameters;
    let length = match parameters.length {
        Length::Epochs(epochs) => format!("--epochs {epochs}"),
        Length::Iterations(iterations) => format!("--iterations {iterations}"),
    };
    let (memory, oracle) = (bytes(memory), parameters.oracle.name());
    note(format_args!(
        "training with --lambda {lambda:.3e} {length} --batch-size {batch} --violators {violators} --oracle {oracle}; \
         this takes up to about {memory} of memory beside the data"
    ));
}

/// The progress of training, and its epochs where these are to be reported.
pub struct Telling<'a> {
    progress: Progress,
    watch: &'a Stopwatch,
    epochs: Vec<(u32, Measured, f64)>,
}

impl<'a> Telling<'a> {
    pub fn new(watch: &'a Stopwatch) -> Self {
        Self {
            progress: Progress::new("steps", 0),
            watch,
            epochs: Vec::new(),
        }
    }

    pub fn tell(&mut self, report: MemoirReport) {
        self.progress.set(report.done as usize, report.of as usize);
        if let Some(measured) = report.measured {
            let line = (report.epoch, measured, self.watch.seconds());
            note(described(&line));
            self.epochs.push(line);
        }
    }

    pub fn told(&self) -> Told {
        let epochs = &self.epochs;
        Told {
            epochs: epochs.last().map(|(epoch, ..)| u64::from(*epoch)),
            objective: epochs.last().map(|(_, measured, _)| measured.objective),
            report: epochs.iter().map(measured_json).collect(),
            ..Told::default()
        }
    }
}

fn described((epoch, measured, seconds): &(u32, Measured, f64)) -> String {
    format!(
        "epoch {epoch}: gate open for {:.1} %, mean loss {:.5}, objective {:.5}, recall {:.3}, margin error {:.5} \
         (worst {:.3}), weights {}, {}, {seconds:.2} s",
        100.0 * measured.open,
        measured.loss,
        measured.objective,
        measured.recall,
        measured.margin_error,
        measured.worst_margin_error,
        count(measured.nonzeros as u64),
        bytes(measured.bytes as u64),
    )
}

/// An epoch for programs.
fn measured_json((epoch, measured, seconds): &(u32, Measured, f64)) -> Value {
    json!({
        "epoch": epoch, "seconds": seconds, "rows": measured.rows, "open": measured.open,
        "loss": measured.loss, "objective": measured.objective, "recall": measured.recall,
        "margin_error": measured.margin_error, "worst_margin_error": measured.worst_margin_error,
        "nonzeros": measured.nonzeros, "bytes": measured.bytes,
    })
}
