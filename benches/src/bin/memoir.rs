//! MEMOIR on real data sets: accuracy, training time, size and memory.
//!
//! `memoir SET... [key=value]...` trains on each set (a folder of `../shared/data`) and prints one
//! line for each; seconds are CPU seconds of training. `dev=1` holds out a tenth of the training
//! rows and answers these instead of the test rows: settings are chosen so. `l1=1` is memoir-l1,
//! `repro=paper|code` a published behavior; the other keys are the parameters. `memory=1` states
//! the memory first.

use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        parameters::{
            Average, Length, Memoir, MemoirDraws, MemoirSteps, Oracle, Repro, SeveralLabels, Silent,
        },
        random::Stream,
        train::{MemoryEstimate, Training},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    figures::{cpu_seconds, macro_f1, peak_megabytes, precision},
    load,
};
use std::{collections::BTreeMap, error::Error};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Options = BTreeMap<String, String>;

fn main() -> Result<()> {
    let (keys, sets): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains('='));
    let mut options = Options::new();
    for key in keys {
        let (name, value) = key.split_once('=').ok_or("key=value")?;
        options.insert(name.into(), value.into());
    }
    let threads = Threads::new(options.get("threads").map_or(Ok(1), |t| t.parse())?)?;
    println!("data                     P@1   P@3   P@5  maF1 train-s  nonzeros    bytes peakMB");
    for set in &sets {
        measure(set, &options, &threads)?;
    }
    Ok(())
}

/// Training rows and those to answer.
fn rows(set: &str, options: &Options) -> Result<(Dataset, Dataset)> {
    let (train, test) = load(set)?;
    if !options.contains_key("dev") {
        return Ok((train, test));
    }
    let mut all: Vec<usize> = (0..train.len()).collect();
    Stream::new(options["dev"].parse()?, 77).shuffle(&mut all);
    let held = train.len() / 10;
    Ok((train.select(&all[held..]), train.select(&all[..held])))
}

fn parameters(options: &Options, data: &Dataset) -> Result<Memoir> {
    let mut p = Memoir::automatic(data);
    p.several = SeveralLabels::First;
    if options.contains_key("l1") {
        p = p.with_l1(data.labels().labels());
    }
    match options.get("repro").map(String::as_str) {
        Some("paper") => p = p.reproduced(Repro::Paper, data.labels().labels()),
        Some("code") => p = p.reproduced(Repro::Code, data.labels().labels()),
        _ => {}
    }
    let (mut first, mut decay) = (None, None);
    for (name, value) in options {
        match name.as_str() {
            "lambda" => p.lambda = value.parse()?,
            // Lambda times rows, as the automatic choice has it.
            "share" => p.lambda = value.parse::<f64>()? / data.len() as f64,
            "factor" => p.lambda *= value.parse::<f64>()?,
            "first" => first = Some(value.parse()?),
            "decay" => decay = Some(value.parse::<f64>()? / data.len() as f64),
            "epochs" => p.length = Length::Epochs(value.parse()?),
            "iterations" => p.length = Length::Iterations(value.parse()?),
            "batch" => p.batch = value.parse()?,
            "violators" => p.violators = value.parse()?,
            "create" => p.create = value.parse()?,
            "norm-power" => p.norm_power = value.parse()?,
            "prune" => p.prune = value.parse()?,
            "exponent" => p.exponent = value.parse()?,
            "bias" => p.bias = value.parse()?,
            "bits" => p.bits = value.parse()?,
            "oracle" => p.oracle = oracle(value)?,
            "seed" => p.seed = value.parse()?,
            "gate" => p.gate = value == "1",
            "last" => p.average = Average::Last,
            "balanced" => p.draws = MemoirDraws::Balanced,
            "replicate" => p.several = SeveralLabels::Replicate,
            "random" => p.silent = Silent::Random,
            "dev" | "l1" | "repro" | "threads" | "memory" => {}
            other => return Err(format!("no parameter {other}").into()),
        }
    }
    if let MemoirSteps::Decaying { first: f, decay: d } = &mut p.steps {
        *f = first.unwrap_or(*f);
        *d = decay.unwrap_or(
            if options.contains_key("lambda") || options.contains_key("share") {
                p.lambda
            } else {
                *d
            },
        );
    }
    Ok(p)
}

/// `exhaustive`, `rare:SHARE`, `codes:WORDS:CANDIDATES`, or `graph:DEGREE:BEAM`.
fn oracle(text: &str) -> Result<Oracle> {
    let (name, numbers) = text.split_once(':').unwrap_or((text, ""));
    if name == "rare" {
        return Ok(Oracle::RareFeatures(numbers.parse()?));
    }
    let numbers: std::result::Result<Vec<u32>, _> = numbers
        .split(':')
        .filter(|part| !part.is_empty())
        .map(str::parse)
        .collect();
    Ok(match (name, numbers?[..].as_ref()) {
        ("exhaustive", []) => Oracle::Exhaustive,
        ("codes", &[words, candidates]) => Oracle::SignCodes { words, candidates },
        ("graph", &[degree, beam]) => Oracle::Graph { degree, beam },
        _ => return Err(format!("no oracle {text}").into()),
    })
}

/// Says what memory training will need, before it begins, and what the data take.
fn say_memory(parameters: &Memoir, data: &Dataset, threads: &Executor) {
    let data_bytes = 8 * data.rows().nonzeros() + 8 * data.len() + 12 * data.len();
    println!(
        "data {:.0} MB; at most {:.0} MB stated for training beside them; {:.0} MB held so far at most",
        data_bytes as f64 / 1e6,
        parameters.memory_estimate(data, threads.threads()) as f64 / 1e6,
        peak_megabytes() * 1.048_576,
    );
}

fn measure(name: &str, options: &Options, threads: &Executor) -> Result<()> {
    let (data, test) = rows(name, options)?;
    let parameters = parameters(options, &data)?;
    if options.contains_key("memory") {
        say_memory(&parameters, &data, threads);
    }
    let start = cpu_seconds();
    let mut trainer = parameters.trainer(&data)?;
    while trainer.step(threads).is_some() {}
    let model = trainer.finish(threads)?;
    let train = cpu_seconds() - start;
    let peak = peak_megabytes();
    let k = 5.min(data.labels().labels() as usize);
    let found = model.predict_rows(test.rows(), k, kernels::best(), threads)?;
    println!(
        "{name:<22} {:5.2} {:5.2} {:5.2} {:5.2} {train:7.2} {:9} {:8} {peak:6.0}",
        precision(&found, k, &test, 1),
        precision(&found, k, &test, 3),
        precision(&found, k, &test, 5),
        macro_f1(&found, k, &test),
        model.nonzeros(),
        model.bytes(),
    );
    Ok(())
}
