//! Embeddings and their rivals on real data sets: accuracy, training and prediction time, size.
//!
//! `embedding SET... [key=value]...` trains on each set (a folder of `../shared/data`), answers its
//! test rows and prints one line for each: seconds are CPU seconds of training, microseconds are
//! CPU time of one row at a time. `held-out=1` learns from nine tenths of the training rows and
//! answers the others: for choosing. `algorithm` is `wsabie` (the default), `published`,
//! `wsabie-pp`, `ova-sgd`, `auc` or `nearest-mean`; other keys are their parameters. Lists, as in
//! `step=0.03,0.1`, try every combination.

use hapax::{
    core::{
        data::Dataset,
        model::{Model, Scratch},
        parameters::{
            Discriminant, EmbeddingTraining, NearestMean, RankWeight, Sampled, SampledDraws,
            ViolatorSearch, Wsabie, WsabieSteps,
        },
        train::EmbeddingReport,
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    load,
    process::{cpu_seconds, peak_megabytes},
};
use std::{collections::BTreeMap, error::Error, ops::ControlFlow};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Options = BTreeMap<String, String>;

fn main() -> Result<()> {
    let (keys, sets): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains('='));
    let mut combinations = vec![Options::new()];
    for key in &keys {
        let (name, values) = key.split_once('=').ok_or("key=value")?;
        let with = |value: &str| {
            combinations
                .iter()
                .cloned()
                .map(move |mut options| {
                    options.insert(name.to_owned(), value.to_owned());
                    options
                })
                .collect::<Vec<_>>()
        };
        combinations = values.split(',').flat_map(with).collect();
    }
    println!(
        "{:<15} P@1    P@3    P@5    maF1  train-s   us    bytes  options",
        "data"
    );
    for set in &sets {
        let (train, test) = load(set)?;
        for options in &combinations {
            let (train, test) = if options.contains_key("held-out") {
                let split = train.labels().split(0.1, 7)?;
                (train.select(&split.train), train.select(&split.held_out))
            } else {
                (train.clone(), test.clone())
            };
            measure(set, options, &train, &test)?;
        }
    }
    Ok(())
}

fn training(options: &Options) -> Result<EmbeddingTraining> {
    let algorithm = options.get("algorithm").map_or("wsabie", String::as_str);
    Ok(match algorithm {
        "wsabie" => EmbeddingTraining::Wsabie(wsabie(Wsabie::default(), options)?),
        "published" => EmbeddingTraining::Wsabie(wsabie(Wsabie::published(), options)?),
        "wsabie-pp" => EmbeddingTraining::Wsabie(wsabie(Wsabie::plus_plus(), options)?),
        "ova-sgd" => EmbeddingTraining::Sampled(sampled(Sampled::one_vs_all(), options)?),
        "auc" => EmbeddingTraining::Sampled(sampled(Sampled::auc(), options)?),
        "nearest-mean" => {
            let mut p = NearestMean::default();
            for (name, value) in options {
                match name.as_str() {
                    "exponent" => p.exponent = value.parse()?,
                    "normalize" => p.normalize = value.parse()?,
                    "bits" => p.bits = value.parse()?,
                    other => known(other)?,
                }
            }
            EmbeddingTraining::NearestMean(p)
        }
        other => return Err(format!("no algorithm {other}").into()),
    })
}

fn known(name: &str) -> Result<()> {
    match name {
        "algorithm" | "threads" | "held-out" | "kernels" => Ok(()),
        other => Err(format!("no parameter {other}").into()),
    }
}

fn sampled(mut p: Sampled, options: &Options) -> Result<Sampled> {
    for (name, value) in options {
        match name.as_str() {
            "balance" => p.draws = SampledDraws::Balance(value.parse()?),
            "margin" => p.margin = value.parse()?,
            "step" => p.step_size = value.parse()?,
            "max-norm" => p.max_norm = value.parse()?,
            "epochs" => p.epochs = value.parse()?,
            "exponent" => p.exponent = value.parse()?,
            "normalize" => p.normalize = value.parse()?,
            "bits" => p.bits = value.parse()?,
            "seed" => p.seed = value.parse()?,
            other => known(other)?,
        }
    }
    Ok(p)
}

fn wsabie(mut p: Wsabie, options: &Options) -> Result<Wsabie> {
    for (name, value) in options {
        match name.as_str() {
            "dimensions" => p.dimensions = value.parse()?,
            "margin" => p.margin = value.parse()?,
            "step" => p.step_size = value.parse()?,
            "max-norm" => p.max_norm = value.parse()?,
            "violators" => p.violators = value.parse()?,
            "epochs" => p.epochs = value.parse()?,
            "batch" => p.batch = value.parse()?,
            "rest" => p.rest = value.parse()?,
            "initial" => p.initial = value.parse()?,
            "models" => p.models = value.parse()?,
            "decay" => p.decay = value.parse()?,
            "exponent" => p.exponent = value.parse()?,
            "normalize" => p.normalize = value.parse()?,
            "bits" => p.bits = value.parse()?,
            "seed" => p.seed = value.parse()?,
            "euclidean" => {
                p.discriminant = if value == "true" {
                    Discriminant::Euclidean
                } else {
                    Discriminant::Linear
                };
            }
            "warp" => {
                p.rank_weight = if value == "true" {
                    RankWeight::Harmonic
                } else {
                    RankWeight::Constant
                };
            }
            "steps" => {
                p.steps = match value.as_str() {
                    "plain" => WsabieSteps::Plain,
                    "adagrad" => WsabieSteps::AdaGrad,
                    _ => WsabieSteps::AdaGradByFeature,
                };
            }
            "search" => {
                p.search = match value.as_str() {
                    "cyclic" => ViolatorSearch::Cyclic,
                    "replacement" => ViolatorSearch::Replacement,
                    // Classes of a block and how many of the worst count, as in 256x5.
                    blocks => {
                        let (classes, top) = blocks.split_once('x').ok_or("256x5")?;
                        ViolatorSearch::Blocks {
                            classes: classes.parse()?,
                            top: top.parse()?,
                        }
                    }
                };
            }
            other => known(other)?,
        }
    }
    Ok(p)
}

fn measure(set: &str, options: &Options, data: &Dataset, test: &Dataset) -> Result<()> {
    let threads = Threads::new(options.get("threads").map_or(Ok(1), |t| t.parse())?)?;
    let kernels = match options.get("kernels") {
        Some(name) => kernels::available()
            .into_iter()
            .find(|k| k.processor().name() == name)
            .ok_or("no such kernels")?,
        None => kernels::best(),
    };
    let training = training(options)?;
    let start = cpu_seconds();
    let (mut visited, mut violated, mut ignored) = (0, 0, 0);
    let mut done = 0;
    let model = Model::train_embedding(
        &training,
        None,
        data,
        None,
        &threads,
        kernels,
        &mut |report: EmbeddingReport| {
            visited += if report.done > done {
                report.done - done
            } else {
                report.done
            };
            done = report.done;
            violated += report.violated;
            ignored += report.ignored;
            ControlFlow::Continue(())
        },
    )?;
    let train = cpu_seconds() - start;
    let mut scratch = Scratch::new(kernels);
    let begin = cpu_seconds();
    let mut hits = [0usize; 3];
    let mut counts: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (row, truth) in test.rows().iter().zip(test.labels().iter()) {
        let best = model.predict(row, 5, &mut scratch)?;
        for (hits, k) in hits.iter_mut().zip([1, 3, 5]) {
            *hits += best
                .iter()
                .take(k)
                .filter(|s| truth.contains(&s.id))
                .count();
        }
        truth
            .iter()
            .for_each(|&label| counts.entry(label).or_default().1 += 1.0);
        let entry = counts.entry(best[0].id).or_default();
        entry.1 += 1.0;
        entry.0 += if truth.contains(&best[0].id) {
            2.0
        } else {
            0.0
        };
    }
    let us = (cpu_seconds() - begin) * 1e6 / test.len() as f64;
    let macro_f1 = 100.0
        * counts
            .values()
            .map(|(hits, total)| hits / total)
            .sum::<f64>()
        / counts.len() as f64;
    let [one, three, five] = [(0, 1.0), (1, 3.0), (2, 5.0)]
        .map(|(at, k)| 100.0 * hits[at] as f64 / (k * test.len() as f64));
    let told: Vec<String> = options.iter().map(|(k, v)| format!("{k}={v}")).collect();
    println!(
        "{set:<15} {one:5.2}  {three:5.2}  {five:5.2}  {macro_f1:5.2}  {train:7.2} {us:6.1} {:9}  {} (visited {visited}, learned {violated}, ignored {ignored}; {:.0} MiB at most, {:.0} stated)",
        model.to_bytes()?.len(),
        told.join(" "),
        peak_megabytes(),
        training.memory_estimate(None, data, 1) as f64 / 1048576.0,
    );
    Ok(())
}
