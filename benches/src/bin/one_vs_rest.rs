//! One-vs-rest on real data sets: accuracy, training and prediction time, size and memory.
//!
//! `one_vs_rest SET... [key=value]...` trains on each set (a folder of `../shared/data`), answers
//! its test rows and prints one line for each: seconds are CPU seconds of training, microseconds
//! are of the scorer in batch and one row at a time, and of the plain model. `stated` is the memory
//! that training said it would need. Parameters are the defaults unless given (`cost`,
//! `positive-weight`, `exponent`, `prune`, `pool`, `rounds`, `mine`, `bits`, `epsilon`, `seed`,
//! `negatives`, `threads`, `centroid`, `prior`, `softmax`; `choose=held-out` chooses them on
//! held-out rows). With `held-out=N` a tenth of the training rows is judged instead of the test
//! rows, N times with other rows: a line for each. With `from=SHARE` training starts from a model
//! of that share of the rows, which is not counted.

use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::{LinearModel, Model, Scratch},
        parameters::{Bias, Loss, Negatives, OneVsRest},
        search::Scored,
        train::{
            MemoryEstimate, Training,
            one_vs_rest::{Choice, FusedWeights, Given, Report, Stage},
        },
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    load,
    process::{cpu_seconds, peak_megabytes},
};
use std::{collections::BTreeMap, error::Error, hint::black_box, ops::ControlFlow, time::Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let (keys, sets): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains('='));
    let mut options: BTreeMap<String, String> = BTreeMap::new();
    for key in keys {
        let (name, value) = key.split_once('=').ok_or("key=value")?;
        options.insert(name.into(), value.into());
    }
    let threads = Threads::new(options.get("threads").map_or(Ok(1), |t| t.parse())?)?;
    println!(
        "{:<22}   P@1   P@3   P@5  maF1 train-s (choose solve mine) us:batch single plain  nonzeros    bytes peakMB stated",
        "data"
    );
    let folds: u64 = options.get("held-out").map_or(Ok(0), |n| n.parse())?;
    for set in &sets {
        let (data, test) = load(set)?;
        if folds == 0 {
            measure(set, &data, &test, &options, &threads)?;
        }
        let mut sums = [0f64; 5];
        for fold in 0..folds {
            let split = data.labels().split(0.1, 42 + fold)?;
            let (train, judged) = (data.select(&split.train), data.select(&split.held_out));
            let figures = measure(set, &train, &judged, &options, &threads)?;
            sums.iter_mut()
                .zip(figures)
                .for_each(|(sum, figure)| *sum += figure);
        }
        if folds > 1 {
            let [p1, p3, p5, f1, seconds] = sums.map(|sum| sum / folds as f64);
            println!(
                "{:<22} {p1:5.2} {p3:5.2} {p5:5.2} {f1:5.2} {seconds:7.2}",
                "  mean"
            );
        }
    }
    Ok(())
}

/// Prints what was tried, to standard error.
fn print(choice: &Choice) {
    for trial in &choice.tried {
        let t = &trial.parameters;
        eprintln!(
            "  {:6.3}: cost {} weight {} exponent {} bias {:?} centroid {} prune {} softmax {}",
            100.0 * trial.precision,
            t.cost,
            t.positive_weight,
            t.exponent,
            t.bias,
            t.centroid,
            t.prune,
            t.softmax
        );
    }
}

fn parameters(
    options: &BTreeMap<String, String>,
    data: &Dataset,
    threads: &Executor,
) -> Result<OneVsRest> {
    let mut p = OneVsRest::default();
    if options.get("choose").is_some_and(|v| v == "held-out") {
        let number = |name: &str| options.get(name).map(|v| v.parse::<f64>()).transpose();
        let given = Given {
            cost: number("cost")?,
            positive_weight: number("positive-weight")?,
            exponent: number("exponent")?,
            bias: number("bias")?.map(Bias::Fixed),
            prune: number("prune")?.map(|v| v as f32),
            centroid: number("centroid")?,
            softmax: number("softmax")?,
            neighbors: Some(false),
            ..Given::default()
        };
        let choice = OneVsRest::default().choose(
            &given,
            data,
            threads,
            kernels::best(),
            false,
            |_, _| ControlFlow::Continue(()),
        )?;
        print(&choice);
        p = choice.parameters;
    }
    for (name, value) in options {
        match name.as_str() {
            "cost" => p.cost = value.parse()?,
            "positive-weight" => p.positive_weight = value.parse()?,
            "exponent" => p.exponent = value.parse()?,
            "normalize" => p.normalize = value.parse()?,
            "prune" => p.prune = value.parse()?,
            "mine-prune" => p.mine_prune = value.parse()?,
            "pool" => p.pool = value.parse()?,
            "short" => p.short_terms = value.parse()?,
            "rounds" => p.rounds = value.parse()?,
            "mine" => p.mine = value.parse()?,
            "bits" => p.bits = value.parse()?,
            "epsilon" => p.epsilon = value.parse()?,
            "sweeps" => p.max_epochs = value.parse()?,
            "early" => p.early_epochs = value.parse()?,
            "seed" => p.seed = value.parse()?,
            "bias" => p.bias = Bias::Fixed(value.parse()?),
            "learned-bias" => p.bias = Bias::Learned(value.parse()?),
            "loss" => {
                p.loss = if value == "hinge" {
                    Loss::Hinge
                } else {
                    Loss::SquaredHinge
                }
            }
            "negatives" => {
                p.negatives = match value.as_str() {
                    "all" => Negatives::All,
                    "mined" => Negatives::Mined,
                    _ => Negatives::Auto,
                }
            }
            "prior" => p.prior = value.parse()?,
            "softmax" => p.softmax = value.parse()?,
            "centroid" => p.centroid = value.parse()?,
            "threads" | "held-out" | "kernels" | "choose" | "from" => {}
            other => return Err(format!("no parameter {other}").into()),
        }
    }
    Ok(p)
}

/// Prints the line of one training; returns the precisions, macro-F1 and CPU seconds.
fn measure(
    name: &str,
    data: &Dataset,
    test: &Dataset,
    options: &BTreeMap<String, String>,
    threads: &Executor,
) -> Result<[f64; 5]> {
    let kernels = match options.get("kernels") {
        Some(name) => kernels::available()
            .into_iter()
            .find(|k| k.processor().name() == name)
            .ok_or("no such kernels")?,
        None => kernels::best(),
    };
    let start = cpu_seconds();
    let parameters = parameters(options, data, threads)?;
    let chosen = cpu_seconds() - start;
    let (mut solve, mut mine) = (0.0, 0.0);
    let earlier = match options.get("from") {
        Some(share) => Some(earlier(&parameters, data, share.parse()?, threads)?),
        None => None,
    };
    let mut last = cpu_seconds();
    let start = if earlier.is_some() { last } else { start };
    let mut trainer = parameters.trainer(data, threads, kernels)?;
    if let Some(earlier) = &earlier {
        trainer.start_from(earlier)?;
    }
    let mut hear = |report: Report| {
        let now = cpu_seconds();
        match report.stage {
            Stage::Solve => solve += now - last,
            Stage::Mine | Stage::Softmax => mine += now - last,
        }
        last = now;
        ControlFlow::Continue(())
    };
    let mut model = trainer.train(threads, &mut hear)?;
    let train = cpu_seconds() - start;
    let peak = peak_megabytes();
    let stated = parameters.memory_estimate(data, 1) as f64 / 1048576.0;
    let rows = test.rows();
    let fused = FusedWeights::default();
    let mut whole = fused.model(model.clone(), &parameters, (data, None), threads, kernels)?;
    let mut scratch = Scratch::new(kernels);
    let mut alone = |model: &Model| {
        for row in rows.iter() {
            black_box(model.predict(row, 5, &mut scratch).is_ok());
        }
    };
    let plain = best_of(1, || alone(&whole)) / rows.len() as f64;
    whole.prepare()?;
    let single = best_of(3, || alone(&whole)) / rows.len() as f64;
    model.prepare()?;
    let found = model.predict_rows(rows, 5, kernels, threads)?;
    let batch = best_of(3, || {
        drop(black_box(model.predict_rows(rows, 5, kernels, threads)));
    }) / rows.len() as f64;
    let k = 5.min(data.labels().labels() as usize);
    let [p1, p3, p5] = [1, 3, 5].map(|at| precision(&found, k, test, at));
    let f1 = macro_f1(&found, k, test);
    println!(
        "{name:<22} {p1:5.2} {p3:5.2} {p5:5.2} {f1:5.2} {train:7.2} ({chosen:4.2} {solve:5.2} {mine:4.2}) {batch:8.1} {single:6.1} {plain:5.0} {:9} {:8} {peak:6.0} {stated:6.0}",
        model.nonzeros(),
        model.bytes(),
    );
    Ok([p1, p3, p5, f1, train])
}

/// A model of the first part of the rows, to start from.
fn earlier(
    parameters: &OneVsRest,
    data: &Dataset,
    share: f64,
    threads: &Executor,
) -> Result<LinearModel> {
    let rows: Vec<usize> = (0..(share * data.len() as f64) as usize).collect();
    let part = data.select(&rows);
    Ok(parameters.train(&part, threads, kernels::best(), |_| {
        ControlFlow::Continue(())
    })?)
}

fn best_of(times: u32, mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..times {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    best
}

fn precision(found: &[Scored], k: usize, test: &Dataset, at: usize) -> f64 {
    let hits: usize = found
        .chunks(k)
        .enumerate()
        .map(|(row, best)| {
            best.iter()
                .take(at)
                .filter(|s| test.labels().row(row).contains(&s.id))
                .count()
        })
        .sum();
    100.0 * hits as f64 / (at * test.len()) as f64
}

/// Mean F1 of the best answer over the labels in truth or prediction, for single-label data.
fn macro_f1(found: &[Scored], k: usize, test: &Dataset) -> f64 {
    let mut counts: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (row, best) in found.chunks(k).enumerate() {
        let truth = test.labels().row(row);
        for &label in truth {
            counts.entry(label).or_default().1 += 1.0;
        }
        let entry = counts.entry(best[0].id).or_default();
        entry.1 += 1.0;
        if truth.contains(&best[0].id) {
            entry.0 += 2.0;
        }
    }
    100.0
        * counts
            .values()
            .map(|(hits, total)| hits / total)
            .sum::<f64>()
        / counts.len() as f64
}
