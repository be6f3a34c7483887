//! The reduction to few dimensions: time, memory, and how much of the rows it keeps.
//!
//! `reduction SET... [dimensions=64,256] [iterations=0,2] [threads=1]` prints for each set and pair
//! of numbers the CPU seconds of finding the directions and of bringing the training rows there,
//! the memory stated and the most the process has had so far, and which share of the squared
//! lengths of training and test rows is kept.

use hapax::{
    core::{
        data::Dataset,
        parameters::RowTransform,
        train::{MemoryEstimate, Reduction},
    },
    threads::Threads,
};
use hapax_benches::{
    load,
    process::{cpu_seconds, peak_megabytes},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut dimensions, mut iterations, mut threads) = (vec![64], vec![2], 1);
    let mut sets = Vec::new();
    let list = |text: &str| {
        text.split(',')
            .map(str::parse)
            .collect::<Result<Vec<u32>, _>>()
    };
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("dimensions", value)) => dimensions = list(value)?,
            Some(("iterations", value)) => iterations = list(value)?,
            Some(("threads", value)) => threads = value.parse()?,
            Some(_) => return Err(format!("no option {argument}").into()),
            None => sets.push(argument),
        }
    }
    let threads = Threads::new(threads)?;
    println!(
        "| set | k | iterations | CPU s: directions | rows | MiB stated | most so far | kept of training rows | of test rows |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for set in &sets {
        let (train, test) = load(set)?;
        for &k in &dimensions {
            for &power_iterations in &iterations {
                let reduction = Reduction {
                    dimensions: k,
                    power_iterations,
                    ..Reduction::default()
                };
                let transform = RowTransform {
                    exponent: 1.0,
                    normalize: true,
                };
                let start = cpu_seconds();
                let projection = reduction.fit(&train, transform, &threads)?;
                let found = cpu_seconds();
                let reduced = projection.reduce(&train, &threads)?;
                let done = cpu_seconds();
                let stated = reduction.memory_estimate(&train, 1) as f64 / 1048576.0;
                let (peak, judged) = (peak_megabytes(), projection.reduce(&test, &threads)?);
                println!(
                    "| {set} | {k} | {power_iterations} | {:.2} | {:.2} | {stated:.0} | {peak:.0} | {:.1} % | {:.1} % |",
                    found - start,
                    done - found,
                    kept(&reduced),
                    kept(&judged),
                );
            }
        }
    }
    Ok(())
}

/// The mean squared length of rows whose length was 1, in percent.
fn kept(reduced: &Dataset) -> f64 {
    let squares = reduced.rows().iter().map(|row| row.norm() * row.norm());
    let filled = reduced.rows().iter().filter(|row| !row.is_empty()).count();
    100.0 * squares.sum::<f64>() / filled.max(1) as f64
}
