//! Rows of the paper's largest data set in shape: memory, seconds of an epoch, bytes moved,
//! microseconds of an answer.

use crate::{Options, Result, fit, number};
use hapax::{
    core::{
        executor::Executor,
        model::Scratch,
        parameters::{Estimator, MachParameters},
        train::{MemoryEstimate, Training},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    process::{cpu_seconds, peak_megabytes},
    synthetic::Shape,
};
use std::{hint::black_box, time::Instant};

pub fn odp(options: &Options) -> Result<()> {
    let rows = number(options, "rows", 100_000.0)? as usize;
    let threads = Threads::new(number(options, "threads", 1.0)? as usize)?;
    let shape = Shape {
        rows,
        features: 422_713,
        labels: 105_033,
        row_features: 116,
        row_labels: 1.0,
    };
    let data = shape.make(0)?;
    let p = MachParameters {
        buckets: 32,
        repetitions: 25,
        epochs: 1,
        normalize: false,
        estimator: Estimator::Mean,
        ..MachParameters::default()
    };
    let stated = p.memory_estimate(&data, 1);
    println!("memory stated: {} MB", stated >> 20);
    let before = peak_megabytes();
    let mut trainer = p.trainer(&data, Executor::threads(&threads), kernels::best())?;
    let (start, cpu) = (Instant::now(), cpu_seconds());
    while trainer.step(&threads).is_some() {}
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!(
        "memory held at most: {:.0} MB more than the data",
        peak_megabytes() - before
    );
    // A row of weights is read for the logits, and read and written by the step.
    let moved = data.rows().nonzeros() as f64 * 800.0 * 4.0 * 3.0;
    let whole = 1_084_404.0 / rows as f64;
    println!(
        "{rows} rows: {seconds:.2} s, {cpu:.2} CPU s, {:.1} GB moved, {:.1} GB/s by the clock, {:.1} GB/s by CPU seconds; an epoch of 1,084,404 rows: {:.0} s ({:.0} CPU s); paper: 7.2 h of training on a Titan X",
        moved / 1e9,
        moved / seconds / 1e9,
        moved / cpu / 1e9,
        seconds * whole,
        cpu * whole,
    );
    drop(trainer);
    // Behind what memory was counted of: it takes some itself.
    let [wall, busy] = bandwidth();
    println!(
        "bandwidth of memory, one thread: {wall:.1} GB/s by the clock, {busy:.1} GB/s by CPU seconds (256 MB added to another 256 MB)"
    );
    let first: Vec<usize> = (0..2000.min(rows)).collect();
    let few = data.select(&first);
    let mach = fit(&p, &few, &threads)?;
    for kernels in kernels::available() {
        let mut scratch = Scratch::new(kernels);
        let start = Instant::now();
        for row in few.rows().iter() {
            black_box(mach.predict(row, 5, &mut scratch)?);
        }
        let answer = start.elapsed().as_secs_f64() * 1e6 / few.len() as f64;
        println!(
            "an answer of a packed model, {}: {answer:.0} us; paper: 2,850 us",
            kernels.processor().name()
        );
    }
    Ok(())
}

/// Gigabytes a second of adding one array to another, two reads and a write: by the clock, and by
/// CPU seconds, which other work on the machine changes less.
fn bandwidth() -> [f64; 2] {
    let (mut a, b) = (vec![1f32; 1 << 26], vec![0.5f32; 1 << 26]);
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
        black_box(&mut a);
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        best[1] = best[1].min(cpu_seconds() - cpu);
    }
    best.map(|seconds| 3.0 * 4.0 * (1u64 << 26) as f64 / seconds / 1e9)
}
