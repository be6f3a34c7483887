//! MACH on real and synthetic data.
//!
//! * `mach train SET... [key=value]...`: accuracy on the test rows by every estimator, CPU seconds
//!   of training, microseconds of an answer, bytes of the arrays. `held-out=N` judges N random
//!   tenths of the training rows instead, each by a model of the other rows, and prints means.
//!   Parameters are chosen automatically unless given (`buckets`, `repetitions`, `hash`, `rate`,
//!   `epochs`, `exponent`, `bits`, `keep`, `rerank`, `weight`, `entries`, `optimizer`,
//!   `estimator`, `seed`, `threads`); `budget=BYTES` packs into so many; `estimators=1` judges one
//!   training by every estimator.
//! * `mach odp [rows=N] [threads=N]`: rows of the paper's largest data set in shape (422,713
//!   features, 105,033 labels, 116 values a row by Zipf's law): memory, seconds of an epoch, bytes
//!   moved, microseconds of an answer by every kernel.
//! * `mach grid SET...`: accuracy against B and R (figure 1 of the paper), as a table and as
//!   `mach-SET.svg`, up to B = 64 or the default number of buckets; `from=FILE` takes what an
//!   earlier run printed there, which was stopped, and makes only what is missing.

mod grid;
mod odp;
mod setting;
mod train;

use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::{Model, Scratch},
        parameters::MachParameters,
    },
    kernels,
};
use std::{collections::BTreeMap, error::Error, ops::ControlFlow};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Options = BTreeMap<String, String>;

fn main() -> Result<()> {
    let (keys, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains('='));
    let mut options = Options::new();
    for key in keys {
        let (name, value) = key.split_once('=').ok_or("key=value")?;
        options.insert(name.into(), value.into());
    }
    match words.first().map(String::as_str) {
        Some("train") => words[1..]
            .iter()
            .try_for_each(|set| train::train(set, &options)),
        Some("odp") => odp::odp(&options),
        Some("grid") => words[1..]
            .iter()
            .try_for_each(|set| grid::grid(set, &options)),
        _ => Err("train, odp or grid".into()),
    }
}

fn number(options: &Options, name: &str, default: f64) -> Result<f64> {
    Ok(options
        .get(name)
        .map_or(Ok(default), |value| value.parse())?)
}

fn fit(p: &MachParameters, data: &Dataset, threads: &Executor) -> Result<Model> {
    let go_on = |_| ControlFlow::Continue(());
    Ok(Model::train_mach(
        p,
        data,
        None,
        threads,
        kernels::best(),
        go_on,
    )?)
}

fn precision(mach: &Model, test: &Dataset) -> Result<[f64; 3]> {
    let mut scratch = Scratch::new(kernels::best());
    let mut hits = [0f64; 3];
    for (row, truth) in test.rows().iter().zip(test.labels().iter()) {
        let best = mach.predict(row, 5, &mut scratch)?;
        for (sum, k) in hits.iter_mut().zip([1, 3, 5]) {
            let right = best
                .iter()
                .take(k)
                .filter(|a| truth.contains(&a.id))
                .count();
            *sum += right as f64 / k as f64;
        }
    }
    Ok(hits.map(|sum| 100.0 * sum / test.len() as f64))
}
