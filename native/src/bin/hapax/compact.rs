//! `hapax compact`: a model made smaller, to a number of bytes.

use super::{
    failure::Failure,
    input::{load_model, threads},
    output::{output_file, print},
    table::{bytes, count, parse_bytes, percent, table},
};
use clap::Args;
use hapax::{
    ModelFile,
    core::train::{Compacted, CompactionError, FewerWeights, nearest::BudgetReport},
    files::check_writable,
    kernels,
};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Make a model smaller, to a number of bytes.
///
/// Of a nearest-neighbor model the most frequent features and the smallest weights are left out,
/// and weights are rounded to 4 bits: several settings that fit are tried on held-out rows, and the
/// best is kept. Prints what each costs in precision. Answers become faster, too. A linear model
/// keeps no rows to judge by: its weights are pruned and rounded, by 8, 6, 5 or 4 bits, and words
/// of texts are left out, where that changes scores least. Where the training data are at hand,
/// `hapax train --max-bytes` answers better.
#[derive(Args, Debug)]
#[command(after_help = "Example: hapax compact model.hapax -o small.hapax --max-bytes 4MB")]
pub struct Compact {
    /// The model
    model: PathBuf,
    /// Where to write the smaller model
    #[arg(short, long, value_name = "MODEL", value_parser = output_file())]
    output: PathBuf,
    /// The most bytes its file may have, such as 4MB or 500kB
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    max_bytes: u64,
    /// The seed by which rows are held out
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// How many threads [default: one for each core]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

impl Compact {
    pub fn run(self) -> Result<(), Failure> {
        check_writable(&self.output)?;
        let threads = threads(self.threads)?;
        let model = load_model(&self.model)?;
        let compacted = model
            .compacted(self.max_bytes, self.seed, &threads, kernels::best())
            .map_err(|error| too_small(&error))?;
        compacted.model.save(&self.output)?;
        let size = compacted.bytes;
        if self.json {
            let report = report_json(&compacted);
            return print(json!({"model_bytes": size, "report": report}));
        }
        print_report(&compacted)?;
        let path = self.output.display();
        print(format_args!("wrote {path}, {}", bytes(size)))
    }
}

/// The failure to make a model so small.
pub fn too_small(error: &CompactionError) -> Failure {
    match error {
        CompactionError::TooSmall { .. } => Failure::Input(error.to_string()),
        _ => Failure::Other(error.to_string()),
    }
}

/// What fitting a model into a budget cost, for programs; null if it fitted as it was.
pub fn report_json(compacted: &Compacted) -> Value {
    match (&compacted.report, &compacted.weights) {
        (Some(report), _) => budget_json(report),
        (None, Some(fewer)) => json!({
            "bits": fewer.bits, "prune": fewer.prune, "lost": fewer.lost,
            "features": fewer.features, "without": fewer.without,
        }),
        (None, None) => Value::Null,
    }
}

fn budget_json(report: &BudgetReport) -> Value {
    let tried = report.tried.iter().map(|trial| {
        json!({
            "max_share": trial.options.max_share, "row_weights": trial.options.row_weights,
            "bits": trial.options.bits, "bytes": trial.bytes, "p1": trial.precision.at_1,
            "p3": trial.precision.at_3, "p5": trial.precision.at_5,
        })
    });
    json!({
        "held_out": report.held_out, "chosen": report.chosen,
        "before": {"p1": report.before.at_1, "p3": report.before.at_3, "p5": report.before.at_5},
        "tried": tried.collect::<Vec<_>>(),
    })
}

/// What fitting a model into a budget cost, for people.
pub fn print_report(compacted: &Compacted) -> Result<(), Failure> {
    if let Some(FewerWeights {
        bits,
        prune,
        lost,
        features,
        without,
    }) = &compacted.weights
    {
        let lost = percent(*lost);
        if !without.is_empty() {
            print(format_args!(
                "left out what answered beside the weights: {}",
                without.join(", ")
            ))?;
        }
        let what = match features {
            Some(left) => {
                let left = count(u64::from(*left));
                print(format_args!("{left} words and n-grams are left"))?;
                "the squares of scores"
            }
            None => "their squares",
        };
        return print(format_args!(
            "weights up to {prune} are left out, the others have {bits} bits: {what} differ by \
             {lost} percent"
        ));
    }
    let Some(report) = &compacted.report else {
        return print("the model fits as it is");
    };
    let held_out = count(report.held_out as u64);
    print(format_args!("tried on {held_out} held-out rows:"))?;
    let mut tried = table(&[
        "features in at most",
        "weights a row",
        "bytes",
        "P@1",
        "P@3",
        "P@5",
        "",
    ]);
    let before = report.before;
    tried.add_row([
        "all (as it was)".to_string(),
        "all".to_string(),
        String::new(),
        percent(before.at_1),
        percent(before.at_3),
        percent(before.at_5),
        String::new(),
    ]);
    for (at, trial) in report.tried.iter().enumerate() {
        tried.add_row([
            format!("{}% of rows", 100.0 * trial.options.max_share),
            trial.options.row_weights.to_string(),
            count(trial.bytes),
            percent(trial.precision.at_1),
            percent(trial.precision.at_3),
            percent(trial.precision.at_5),
            if at == report.chosen {
                "chosen".to_string()
            } else {
                String::new()
            },
        ]);
    }
    print(tried)
}
