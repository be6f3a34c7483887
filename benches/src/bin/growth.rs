//! How time and memory grow with rows, features and labels, on synthetic data.
//!
//! `growth [PARTS] [METHOD...]` (without, all): from a middle size, or one of so many parts of it,
//! each of N, D and L is halved, doubled and quadrupled while the others stay, every run in a
//! process of its own. A line for each run: CPU seconds of training, microseconds a query, bytes of
//! the model, most memory; then the exponents of the power laws that fit best (least squares over
//! logarithms).

use hapax::{
    core::{
        data::Dataset,
        model::{Model, Scratch},
        parameters::{MultiClassLoss, MultiClassSvm, NearestParameters, OneVsRest},
        train::{Trained, multiclass::MultiLabel},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    process::{cpu_seconds, peak_megabytes},
    synthetic::Shape,
};
use std::{env, error::Error, hint::black_box, ops::ControlFlow, process::Command, time::Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const METHODS: [&str; 4] = ["nearest", "ovr", "cs", "ww"];

const MIDDLE: Shape = Shape {
    rows: 20_000,
    features: 40_000,
    labels: 4_000,
    row_features: 60,
    row_labels: 2.0,
};

/// What is measured of a run, in the order printed.
const MEASURED: [&str; 4] = ["train CPU s", "us a query", "model MB", "peak MB"];

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [first, rest @ ..] = arguments.as_slice()
        && first == "--alone"
    {
        return alone(rest);
    }
    let parts = arguments.first().and_then(|first| first.parse().ok());
    let methods = &arguments[usize::from(parts.is_some())..];
    let middle = MIDDLE.part(parts.unwrap_or(1));
    let methods: Vec<&str> = if methods.is_empty() {
        METHODS.to_vec()
    } else {
        methods.iter().map(String::as_str).collect()
    };
    for method in methods {
        grow(method, middle)?;
    }
    Ok(())
}

/// The middle shape with one of its sizes multiplied.
fn scaled(middle: Shape, what: &str, factor: f64) -> Shape {
    let times = |size: u32| (f64::from(size) * factor) as u32;
    let mut shape = middle;
    match what {
        "rows" => shape.rows = times(shape.rows as u32) as usize,
        "features" => shape.features = times(shape.features),
        _ => shape.labels = times(shape.labels),
    }
    shape
}

fn grow(method: &str, middle: Shape) -> Result<()> {
    let head = MEASURED.map(|name| format!("{name:>12}")).join("");
    println!(
        "{method:<10}{:>10}{:>10}{:>10}{head}",
        "rows", "features", "labels"
    );
    for what in ["rows", "features", "labels"] {
        let (mut sizes, mut found) = (Vec::new(), Vec::new());
        for factor in [0.5, 1.0, 2.0, 4.0] {
            let Shape {
                rows,
                features,
                labels,
                ..
            } = scaled(middle, what, factor);
            let measured = in_a_process(method, rows, features, labels)?;
            let line = measured.map(|figure| format!("{figure:12.3}")).join("");
            println!("{:<10}{rows:10}{features:10}{labels:10}{line}", "");
            sizes.push(factor);
            found.push(measured);
        }
        let exponents = [0, 1, 2, 3].map(|at| {
            let figures: Vec<f64> = found.iter().map(|measured| measured[at]).collect();
            format!("{:12.2}", exponent(&sizes, &figures))
        });
        println!(
            "{:<40}{}",
            format!("  exponent in {what}"),
            exponents.join("")
        );
    }
    Ok(())
}

/// Measures in a new process, so that its peak memory is its own.
fn in_a_process(method: &str, rows: usize, features: u32, labels: u32) -> Result<[f64; 4]> {
    let sizes = [rows.to_string(), features.to_string(), labels.to_string()];
    let output = Command::new(env::current_exe()?)
        .args(["--alone", method])
        .args(&sizes)
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let figures: Vec<f64> = text
        .split_whitespace()
        .map(str::parse)
        .collect::<std::result::Result<_, _>>()?;
    figures.try_into().map_err(|_| "four figures".into())
}

fn alone(arguments: &[String]) -> Result<()> {
    let [method, rows, features, labels] = arguments else {
        return Err("--alone METHOD ROWS FEATURES LABELS".into());
    };
    let shape = Shape {
        rows: rows.parse()?,
        features: features.parse()?,
        labels: labels.parse()?,
        ..MIDDLE
    };
    let (data, test) = (
        shape.make(0)?,
        Shape {
            rows: 1000,
            ..shape
        }
        .make(1)?,
    );
    let before = cpu_seconds();
    let model = train(method, &data)?;
    let seconds = cpu_seconds() - before;
    let peak = peak_megabytes();
    let mut scratch = Scratch::new(kernels::best());
    let start = Instant::now();
    for row in test.rows().iter() {
        black_box(model.predict(row, 5, &mut scratch)?);
    }
    let micros = start.elapsed().as_secs_f64() * 1e6 / test.len() as f64;
    let megabytes = model.to_bytes()?.len() as f64 / 1e6;
    println!("{seconds} {micros} {megabytes} {peak}");
    Ok(())
}

fn train(method: &str, data: &Dataset) -> Result<Model> {
    let threads = Threads::new(1)?;
    Ok(match method {
        "nearest" => Model::train_nearest(NearestParameters::default(), data, None)?,
        "ovr" => {
            let parameters = OneVsRest::default();
            let go_on = |_| ControlFlow::Continue(());
            Model::train_ovr(&parameters, data, None, &threads, kernels::best(), go_on)?
        }
        "cs" | "ww" => {
            let loss = match method {
                "cs" => MultiClassLoss::CrammerSinger,
                _ => MultiClassLoss::WestonWatkins,
            };
            let parameters = MultiClassSvm {
                gap: 1e-2,
                ..MultiClassSvm::new(loss)
            };
            let (all, go_on) = (MultiLabel::Replicate, |_| ControlFlow::Continue(()));
            let machine = parameters.train(data, all, None, &threads, kernels::best(), go_on)?;
            Model::made(Trained::MultiClass(&machine, &parameters), data, None)
        }
        _ => return Err(format!("no method {method}; there are {}", METHODS.join(", ")).into()),
    })
}

/// The exponent of the power law through the points, by least squares over logarithms.
fn exponent(sizes: &[f64], figures: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = sizes
        .iter()
        .zip(figures)
        .map(|(&size, &figure)| (size.ln(), figure.max(1e-9).ln()))
        .collect();
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let variance: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    covariance / variance
}
