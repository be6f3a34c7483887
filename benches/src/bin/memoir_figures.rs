//! The experiments of MEMOIR's paper: the size of batches (its table 2) and the lambda of l1 (its
//! figure 1).
//!
//! `memoir_figures SET [batch-svg=FILE] [l1-svg=FILE] [passes=2] [dev=1]` trains with the published
//! behavior on batches of 1 to 4,096 rows, the number of rows drawn being the same; and memoir-l1
//! with lambdas around the default. `dev=1` answers a held-out tenth of the training rows instead
//! of the test rows. Seconds are CPU seconds of training.

use hapax::{
    core::{
        data::Dataset,
        parameters::{Length, Memoir, MemoirDraws, Repro, SeveralLabels},
        random::Stream,
        train::Training,
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    curve::{Chart, Line},
    figures::{cpu_seconds, macro_f1, precision},
    load,
};
use std::{error::Error, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut set = String::from("cpv-it");
    let (mut batch_svg, mut l1_svg, mut passes, mut dev) = (None, None, 2.0f64, false);
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            None => set = argument,
            Some(("batch-svg", file)) => batch_svg = Some(file.to_string()),
            Some(("l1-svg", file)) => l1_svg = Some(file.to_string()),
            Some(("passes", n)) => passes = n.parse()?,
            Some(("dev", _)) => dev = true,
            Some((name, _)) => return Err(format!("no parameter {name}").into()),
        }
    }
    let (train, test) = load(&set)?;
    let (train, test) = if dev { held_out(&train) } else { (train, test) };
    let lines = batches(&train, &test, passes)?;
    if let Some(file) = batch_svg {
        let title = format!("{set}: rows of a batch, {passes} passes drawn");
        fs::write(file, chart(title, "rows of a batch", lines).svg())?;
    }
    let lines = lambdas(&train, &test)?;
    if let Some(file) = l1_svg {
        let title = format!("{set}: memoir-l1");
        fs::write(file, chart(title, "weights", lines).svg())?;
    }
    Ok(())
}

fn held_out(train: &Dataset) -> (Dataset, Dataset) {
    let mut all: Vec<usize> = (0..train.len()).collect();
    Stream::new(1, 77).shuffle(&mut all);
    let held = train.len() / 10;
    (train.select(&all[held..]), train.select(&all[..held]))
}

fn chart(title: String, across: &'static str, lines: Vec<Line>) -> Chart {
    Chart {
        title,
        across,
        up: "percent",
        logarithmic: true,
        lines,
    }
}

/// What training came to.
struct Figures {
    accuracy: f64,
    macro_f1: f64,
    seconds: f64,
    nonzeros: usize,
    bytes: usize,
}

fn measured(parameters: &Memoir, train: &Dataset, test: &Dataset) -> Result<Figures> {
    let threads = Threads::new(1)?;
    let start = cpu_seconds();
    let mut trainer = parameters.trainer(train)?;
    while trainer.step(&threads).is_some() {}
    let model = trainer.finish(&threads)?;
    let seconds = cpu_seconds() - start;
    let found = model.predict_rows(test.rows(), 1, kernels::best(), &threads)?;
    Ok(Figures {
        accuracy: precision(&found, 1, test, 1),
        macro_f1: macro_f1(&found, 1, test),
        seconds,
        nonzeros: model.nonzeros(),
        bytes: model.bytes(),
    })
}

fn line(name: &str, points: &[(f64, Figures)], value: impl Fn(&Figures) -> f64) -> Line {
    let points = points.iter().map(|(x, figures)| (*x, value(figures)));
    Line {
        name: name.into(),
        points: points.collect(),
    }
}

/// Table 2: accuracy and time over the size of the batch, for the published draws, steps and
/// violators.
fn batches(train: &Dataset, test: &Dataset, passes: f64) -> Result<Vec<Line>> {
    println!("batch   accuracy  maF1 train-s    steps   (published behavior, l2)");
    let mut points = Vec::new();
    for power in 0..7 {
        let batch = 4u32.pow(power);
        let classes = train.labels().labels();
        let steps = (passes * train.len() as f64 / f64::from(batch)).ceil() as u64;
        let parameters = Memoir {
            several: SeveralLabels::First,
            batch,
            length: Length::Iterations(steps),
            draws: MemoirDraws::Balanced,
            ..Memoir::automatic(train).reproduced(Repro::Code, classes)
        };
        let figures = measured(&parameters, train, test)?;
        println!(
            "{batch:5}     {:5.2}  {:5.2} {:7.2} {steps:8}",
            figures.accuracy, figures.macro_f1, figures.seconds
        );
        points.push((f64::from(batch), figures));
    }
    Ok(vec![
        line("accuracy", &points, |f| f.accuracy),
        line("macro-F1", &points, |f| f.macro_f1),
        line("seconds of training", &points, |f| f.seconds),
    ])
}

/// Figure 1: accuracy over the number of weights that a lambda leaves.
fn lambdas(train: &Dataset, test: &Dataset) -> Result<Vec<Line>> {
    println!("lambda     accuracy  maF1 train-s  weights    bytes   (memoir-l1)");
    let mut points = Vec::new();
    for power in -4..=5 {
        let base = Memoir::automatic(train).with_l1(train.labels().labels());
        let parameters = Memoir {
            several: SeveralLabels::First,
            lambda: base.lambda * 2f64.powi(power),
            ..base
        };
        let figures = measured(&parameters, train, test)?;
        println!(
            "{:.3e}    {:5.2}  {:5.2} {:7.2} {:8} {:8}",
            parameters.lambda,
            figures.accuracy,
            figures.macro_f1,
            figures.seconds,
            figures.nonzeros,
            figures.bytes
        );
        points.push((figures.nonzeros as f64, figures));
    }
    Ok(vec![
        line("accuracy", &points, |f| f.accuracy),
        line("macro-F1", &points, |f| f.macro_f1),
    ])
}
