//! Nearest neighbors: the fast search against its exhaustive twin, in one run on one thread.
//!
//! `neighbors [--queries N] [--neighbors S] [--beta B] [--passes P] [SET ...]`, where a set is the
//! name of a folder of `../shared/data`, or `amazon` (synthetic: 490k rows, 136k features, Zipf).

use exhaustive::Exhaustive;
use hapax_core::{
    data::Dataset,
    kernels::{Kernels, Portable},
    model::{Model, Nearest, NearestScratch},
    parameters::NearestParameters,
    sparse::SparseRows,
};
use std::{error::Error, time::Instant};

#[path = "../../../tests/tests/exhaustive.rs"]
mod exhaustive;

struct Options {
    queries: usize,
    neighbors: usize,
    beta: f64,
    passes: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut sets = Vec::new();
    let mut options = Options {
        queries: 1000,
        neighbors: 75,
        beta: 1.0,
        passes: 3,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match argument.as_str() {
            "--queries" => options.queries = value()?.parse()?,
            "--neighbors" => options.neighbors = value()?.parse()?,
            "--passes" => options.passes = value()?.parse()?,
            "--beta" => options.beta = value()?.parse()?,
            _ => sets.push(argument),
        }
    }
    for set in &sets {
        measure(set, &options)?;
    }
    Ok(())
}

/// Runs twin and index over the same queries, demands equal answers and prints a line for each.
fn measure(set: &str, options: &Options) -> Result<(), Box<dyn Error>> {
    let (data, test) = hapax_benches::load(set)?;
    let (train, test) = (data.rows(), test.rows());
    let queries = options.queries.min(test.len());
    let start = Instant::now();
    let twin = Exhaustive::new(train, options.beta);
    let build = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let parameters = NearestParameters {
        beta: options.beta,
        exponent: 1.0,
        neighbors: options.neighbors as u32,
        ..NearestParameters::default()
    };
    let nearest = Nearest::train(parameters, &data)?;
    let index_build = start.elapsed().as_secs_f64();
    let kernels: [&'static dyn Kernels; 2] = [hapax::kernels::best(), &Portable];
    let mut scratches = kernels.map(NearestScratch::new);
    let mut times = [const { Vec::new() }; 3].map(|_: Vec<f64>| vec![f64::INFINITY; queries]);
    // The best of some passes, so that other programs on this machine do not count.
    // Methods take turns of a hundred queries, so that a busy moment hits all of them.
    for pass in 0..options.passes {
        for start in (0..queries).step_by(100) {
            let turn = start..(start + 100).min(queries);
            let row = |query: usize| test.row(query * test.len() / queries);
            let mut expected = Vec::new();
            for query in turn.clone() {
                let clock = Instant::now();
                let found = twin.search(row(query), options.neighbors);
                keep_best(&mut times[0][query], clock);
                expected.push(found);
            }
            for (scratch, times) in scratches.iter_mut().zip(&mut times[1..]) {
                for (query, expected) in turn.clone().zip(&expected) {
                    let clock = Instant::now();
                    let found = nearest.neighbors(row(query), scratch)?;
                    keep_best(&mut times[query], clock);
                    if pass == 0 && found != expected {
                        return Err(format!("{set}: query {query} differs").into());
                    }
                }
            }
        }
    }
    let twin_mean = report(set, "twin", &mut times[0], None, build);
    for (kernels, times) in kernels.iter().zip(&mut times[1..]) {
        report(
            set,
            kernels.processor().name(),
            times,
            Some(twin_mean),
            index_build,
        );
    }
    if data.labels().total() > 0 {
        measure_learning(set, &data, test)?;
    }
    Ok(())
}

/// Microseconds in which a trained model learns a row, the mean over some test rows.
fn measure_learning(set: &str, data: &Dataset, test: &SparseRows) -> Result<(), Box<dyn Error>> {
    let mut model = Model::train_nearest(NearestParameters::default(), data, None)?;
    let rows = test.len().min(1000);
    let clock = Instant::now();
    for row in test.iter().take(rows).filter(|row| !row.is_empty()) {
        model.learn(row, &[0])?;
    }
    let mean = 1e6 * clock.elapsed().as_secs_f64() / rows as f64;
    println!("{set:16} learn     mean {mean:7.2} us a row");
    Ok(())
}

fn report(set: &str, method: &str, times: &mut [f64], twin: Option<f64>, build: f64) -> f64 {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.sort_unstable_by(f64::total_cmp);
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    let ratio = twin.map_or(1.0, |twin| twin / mean);
    println!(
        "{set:16} {method:9} mean {mean:7.0} us  median {median:7.0}  p99 {p99:7.0}  ratio {ratio:5.2}  build {build:.2} s"
    );
    mean
}

fn keep_best(best: &mut f64, clock: Instant) {
    *best = best.min(clock.elapsed().as_secs_f64() * 1e6);
}
